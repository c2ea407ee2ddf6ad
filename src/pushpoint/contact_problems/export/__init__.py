"""Time steps of the engines as dense matrices."""

from pushpoint.contact_problems.export.exporting import export_contact_problem

__all__ = ["export_contact_problem"]

"""Time steps of the engines as dense matrices."""

from pushpoint.dynamics.dense.exporting import export_contact_problem

__all__ = ["export_contact_problem"]

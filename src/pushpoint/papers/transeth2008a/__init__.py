"""Transeth2008a: scenarios, claims, deviations, figures."""

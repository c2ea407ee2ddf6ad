"""Transeth2008b: scenarios, claims, deviations, figures."""

"""Liljeback2011: scenarios, claims, deviations, figures."""

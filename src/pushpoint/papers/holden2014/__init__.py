"""Holden2014: scenarios, claims, deviations, figures."""

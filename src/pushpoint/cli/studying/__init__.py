"""Verbs for many worlds: studies, sweeps, comparisons, searches and fits."""

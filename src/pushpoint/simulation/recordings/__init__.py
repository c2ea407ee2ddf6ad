"""Recorded paths beside runs."""

"""Verbs between pushpoint and other tools: robots in and out, runs out, a robot that is commanded."""

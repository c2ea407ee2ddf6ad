"""Films of runs."""

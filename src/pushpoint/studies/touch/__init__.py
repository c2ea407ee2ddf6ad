"""Controllers that feel their way, compared."""

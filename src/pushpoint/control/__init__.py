"""Controllers: what closes the loop, or commands torques."""

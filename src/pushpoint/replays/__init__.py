"""Pages that play a run in 3D."""

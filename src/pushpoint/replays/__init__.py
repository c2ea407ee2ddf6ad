"""Pages that play a run in 3D, in a browser or a notebook."""

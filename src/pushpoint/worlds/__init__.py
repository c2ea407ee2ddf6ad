"""A world, what is recorded of it, and what a run needs besides."""

"""The controls beside the scene: each panel posts what is asked for, and shows what was published."""

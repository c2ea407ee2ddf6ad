"""Parameters of a scenario that explain a recording: with intervals, what cannot be told apart, and what is left."""

"""Parameters of a scenario that make it best: what may vary, what is wanted, the search and its trials."""

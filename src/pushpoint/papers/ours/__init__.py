"""Our own scenarios, one file per group of names."""

"""Contact problems from elsewhere and from our own steps: solved, loaded, judged."""

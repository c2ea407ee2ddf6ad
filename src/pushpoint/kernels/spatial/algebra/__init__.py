"""Small matrices and directions."""

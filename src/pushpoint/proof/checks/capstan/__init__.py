"""The law of the capstan."""

"""What the robots of a batch measure."""

"""What is there: robots, friction laws, environments. Frozen, SI, cited."""

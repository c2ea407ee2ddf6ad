"""Shape curves, and the virtual robot aligned along them."""

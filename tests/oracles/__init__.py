"""Reference computations that share no code with the engine; tests compare the engine with them."""

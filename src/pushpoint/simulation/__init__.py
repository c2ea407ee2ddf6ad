"""Running worlds: simulate, the stepping Simulator, results, storage and measures."""

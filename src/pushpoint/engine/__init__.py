"""The Python side of the engine: state, signals, settings, and the stepper that launches the kernels."""

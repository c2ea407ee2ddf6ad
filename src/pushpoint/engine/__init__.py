"""The Python face of the engine: state, signals, settings, and the stepper that launches kernels."""

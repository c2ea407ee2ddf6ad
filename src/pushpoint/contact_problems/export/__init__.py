"""Time steps of the engines as contact problems with dense matrices."""

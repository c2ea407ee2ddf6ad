"""Robots of other tools: URDF and MJCF read into robots of this library, and written from them."""

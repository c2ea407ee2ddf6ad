"""Compiled code (Warp): laws, chain, contact geometry, the planar time step, the rollout.

Kernels see arrays, structs and numbers; words, units, validation and files stay outside. Functions are generic in the
scalar type; `structs.family(real)` and `rollout.kernel(real)` make them concrete for float64 or float32.
"""

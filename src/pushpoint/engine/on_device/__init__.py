"""Batches that stay on their device: arrays of a library that share memory with the kernels, worlds from a pool."""

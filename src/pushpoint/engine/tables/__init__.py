"""The constant tables of the kernels: obstacles found by grids, laws and terrains by number, worlds in blocks."""

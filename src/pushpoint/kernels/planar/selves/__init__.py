"""Links of one planar robot that touch each other."""

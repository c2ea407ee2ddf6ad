"""Links of one robot that touch each other."""

"""What is drawn of a run, as shapes, colours and cameras; no drawing library."""

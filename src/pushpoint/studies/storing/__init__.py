"""Stores of studies: finished batches, kept runs and the table, in one folder."""

"""Runs studies: rows and keys, worlds from rows, batches in this process or on workers."""

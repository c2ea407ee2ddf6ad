"""Reports: figures of a finished or interrupted run."""

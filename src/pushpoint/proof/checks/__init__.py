"""All checks, a file per subject."""

"""What `make release-check` is made of; needs nothing of pushpoint, only what it packages."""

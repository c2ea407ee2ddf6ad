"""A simulation that goes on as long as one likes and is changed, looked at and taken back while it runs."""

"""A simulation that goes on as long as you like and is changed, looked at and taken back while it runs."""

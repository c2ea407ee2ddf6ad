"""Contacts with solids that end and have rims: cylinders and tubes, wedges."""

"""Checks for the pages of `docs/how-to`."""

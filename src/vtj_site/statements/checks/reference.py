"""Checks for the pages of `docs/reference`."""

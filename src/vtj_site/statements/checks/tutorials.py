"""Checks for the pages of `docs/tutorials`."""

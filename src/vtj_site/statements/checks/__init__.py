"""The checks of statements that are held by their wording, in a module for each folder of pages."""

from vtj_site.statements.checks import errors, explanation, how_to, reference, tutorials

__all__ = ["errors", "explanation", "how_to", "reference", "tutorials"]

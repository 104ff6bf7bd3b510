"""The checks of statements that are held by their wording, by folder of pages, and of errors."""

from vtj_site.statements.checks import errors, explanation, how_to, reference, tutorials

__all__ = ["errors", "explanation", "how_to", "reference", "tutorials"]

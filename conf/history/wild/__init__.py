"""The oracle on everybody's code: torch's own operators and modules, and gradcheck beside it."""

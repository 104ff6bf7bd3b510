"""Wrong backwards, wrong Jacobians and functions that mislead, each with its diagnosis."""

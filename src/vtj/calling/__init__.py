"""How a reader's own `f` is called: on fresh tensors, repeatably, and without leaving a trace."""

"""Why a function has no formula here; importing this does not import SymPy."""


class NotSymbolic(NotImplementedError):  # noqa: N818 - a limit, named like NotImplementedError
    """No formula can be given for a function; the message says why."""


class UnknownOperation(NotSymbolic):
    """The function runs an operation for which no formula is known.

    Attributes:
        name: The operation's name in torch, such as ``aten.fft_fft.default``.
    """

    def __init__(self, name: str, reason: str = "") -> None:
        self.name = name
        super().__init__(f"no formula is known for {name}" + (f" ({reason})" if reason else ""))

"""Images of a few pixels: numbers as PNG, in the colors in which devices draw them."""

import struct
import zlib
from base64 import b64encode

from torch import Tensor

ABOVE, BELOW = (13, 148, 136), (147, 80, 200)
"""Colors of numbers above and below zero, as in a heat map; a file cannot follow the theme."""


def tints(values: Tensor) -> list[list[tuple[int, int, int, int]]]:
    """Return the color of each number of a matrix: the larger, the less of the page shows through.

    Example:
        >>> import torch
        >>> tints(torch.tensor([[2.0, -1.0, 0.0]]))
        [[(13, 148, 136, 255), (147, 80, 200, 128), (13, 148, 136, 0)]]
    """
    top = float(values.abs().max()) or 1.0
    return [
        [(*(BELOW if value < 0 else ABOVE), int(255 * abs(value) / top + 0.5)) for value in row]
        for row in values.tolist()
    ]


def png(values: Tensor) -> str:
    """Return an address that holds the image of a matrix.

    Example:
        >>> import torch
        >>> png(torch.eye(2))[:22]
        'data:image/png;base64,'
    """
    rows, columns = values.shape
    lines = b"".join(b"\0" + bytes(sum(row, ())) for row in tints(values))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)  # 8 bits each: red to alpha
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    whole = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held))
        for kind, held in parts
    )
    return f"data:image/png;base64,{b64encode(whole).decode()}"

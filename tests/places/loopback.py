"""Run a command where the loopback is the only network: `unshare --net python loopback.py …`.

The loopback of a new namespace is down; two pages start processes that talk over it.
"""

import fcntl
import os
import socket
import struct
import sys

SET_FLAGS, UP = 0x8914, 0x1  # linux/sockios.h, linux/if.h

if __name__ == "__main__":
    if names := [name for _, name in socket.if_nameindex() if name != "lo"]:
        sys.exit(f"expected no network but the loopback, found {', '.join(names)}")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))
    os.execvp(sys.argv[1], sys.argv[1:])

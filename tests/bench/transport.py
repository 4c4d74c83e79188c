# SPDX-License-Identifier: LGPL-2.1-or-later
"""The streams between QEMU and a candidate."""

import fcntl
import os
import socket

STREAM_BYTES = 1 << 20
F_SETPIPE_SZ = 1031
SO_SNDBUFFORCE = 32


def pipe():
    """A pipe of 1 MiB, as libvirt makes it: (end to read, end to write)."""
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, F_SETPIPE_SZ, STREAM_BYTES)
    except PermissionError:
        pass  # the header of the output shows pipe-max-size
    return reader, writer


def socketpair():
    """Unix sockets whose sender may have 1 MiB under way: (end to read, end to write)."""
    reader, writer = socket.socketpair()
    with reader, writer:
        try:
            writer.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, STREAM_BYTES)
        except PermissionError:
            writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, STREAM_BYTES)
        return reader.detach(), writer.detach()


def make(kind):
    return {'pipe': pipe, 'socketpair': socketpair}[kind]()


def listening(path):
    """Whether somebody listens on the unix socket `path`; asking by connecting would use it up."""
    with open('/proc/net/unix', encoding='utf-8', errors='replace') as table:
        for line in table:
            words = line.split()
            if len(words) == 8 and words[7] == path and words[3] == '00010000':
                return True
    return False

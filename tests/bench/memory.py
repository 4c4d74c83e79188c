# SPDX-License-Identifier: LGPL-2.1-or-later
"""Guest memory as files in a RAM file system, and the page cache left behind by others."""

import ctypes
import mmap
import os

from process import stoppable

MIB = 1 << 20
PAGE_BYTES = 4096
SPOILT = b'not what the image says'


class Memory:
    """A file of random bytes that QEMU (or the generator) maps as the guest's memory."""

    def __init__(self, path, mib, random):
        self.path = path
        self.mib = mib
        with open(path, 'xb') as file, stoppable():
            for _ in range(mib):
                file.write(os.urandom(MIB) if random else bytes(MIB))

    def spoil(self):
        """Damage a page in every MiB, so that same_as() cannot succeed on what was there before."""
        with open(self.path, 'r+b') as file:
            for mib in range(1, self.mib):
                os.pwrite(file.fileno(), SPOILT, mib * MIB)

    def same_as(self, other):
        """Compare the pages that spoil() damages. The first MiB is the firmware's playground."""
        with open(self.path, 'rb') as ours, open(other.path, 'rb') as theirs:
            return all(os.pread(ours.fileno(), PAGE_BYTES, mib * MIB)
                       == os.pread(theirs.fileno(), PAGE_BYTES, mib * MIB)
                       for mib in range(1, self.mib))


libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]


def cached_bytes(path):
    """How much of the file is in the page cache (mincore)."""
    fd = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        if size == 0:
            return 0
        address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
        if address == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
        pages = ctypes.create_string_buffer((size + PAGE_BYTES - 1) // PAGE_BYTES)
        try:
            if libc.mincore(address, size, pages) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
        finally:
            libc.munmap(address, size)
        return sum(page & 1 for page in pages.raw) * PAGE_BYTES
    finally:
        os.close(fd)


def warm(path):
    with open(path, 'rb', buffering=0) as file:
        while file.read(4 * MIB):
            pass


def cool(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)


def back(mib):
    """Have the host back that much free memory, as far as it does not already.

    In a virtual machine that reports its free pages, whoever first touches one again waits for
    the host: whole seconds per run, and not the candidate's doing.
    """
    with mmap.mmap(-1, mib * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as area:
        area.madvise(mmap.MADV_HUGEPAGE)
        with stoppable():
            for offset in range(0, len(area), PAGE_BYTES):
                area[offset] = 1


def settle(directory):
    """Write back what the last candidate left dirty, so that the next does not pay for it."""
    fd = os.open(directory, os.O_RDONLY)
    try:
        libc.syncfs(fd)
    finally:
        os.close(fd)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""terminal.py: runs the commands that are the lines of its input, each in a terminal of 80 columns.

Prints, with the command, every line that has no room there, some letters taking two columns. What is
drawn over a line from its beginning is a line of its own. That a line is wide because of one word, such
as a name that is to be copied, cannot be helped.
"""
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import unicodedata

COLUMNS = 80


def look(command):
    """What there is to be seen of it; it reads nothing."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.execlp("sh", "sh", "-c", command)
    seen = b""
    try:
        while block := os.read(fd, 65536):
            seen += block
    except OSError:  # nobody has it open any more
        pass
    os.close(fd)
    os.waitpid(pid, 0)
    return seen.decode()


def width(line):
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


for command in sys.stdin.read().splitlines():
    lines = re.split("[\r\n]+", look(command).replace("\x1b[K", ""))
    if not "".join(lines):
        print("nothing is said by", command)
    for line in lines:
        if width(line) > COLUMNS:
            print(f"{width(line)} columns, of {command}: {line}")

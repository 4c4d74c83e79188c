# SPDX-License-Identifier: LGPL-2.1-or-later
"""zsh.py DIRECTORY LINE: types LINE into a zsh that completes with the functions of DIRECTORY, asks for
completions and prints what is shown."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

SETUP = """
unsetopt zle_bracketed_paste prompt_cr prompt_sp
LISTMAX=100000
fpath=({} $fpath)
autoload -Uz compinit && compinit -u -D
setopt no_always_last_prompt list_packed bash_auto_list no_auto_menu no_list_ambiguous
list () {{ zle list-choices; zle -R; print -n -- "<listed>"; }}
zle -N list
bindkey '^X' list
PROMPT="<ready>"
"""
PATIENCE_S = 30


def read_until(fd, mark):
    seen = ""
    while mark not in seen:
        if not select.select([fd], [], [], PATIENCE_S)[0]:
            sys.exit("waited in vain for %s; seen: %r" % (mark, seen))
        seen += os.read(fd, 65536).decode(errors="replace")
    return seen


pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 200, 0, 0))
    attributes = termios.tcgetattr(2)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(2, termios.TCSANOW, attributes)
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i"])
os.write(fd, SETUP.format(sys.argv[1]).encode())
read_until(fd, "\n<ready>")
os.write(fd, sys.argv[2].encode() + b"\x18")
print(re.sub("\x1b\\[[0-9;?]*[A-Za-z]", " ", read_until(fd, "<listed>")))
os.close(fd)
os.waitpid(pid, 0)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""terminal.py CASE: the helper in a terminal of its own, and what a person would see there.

Prints what is wrong, nothing when all is well. IOH_HELPER and IOH_DROPIN are the programs, the current
directory is for files. Nothing here waits for a time: what is waited for is something to be seen.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

HELPER = os.environ["IOH_HELPER"]
MIB = 1 << 20
PATIENCE_S = 30


class Screen:
    """What a terminal of so many columns shows. It knows no control character but CR and LF."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [""]
        self.column = 0
        self.drawn = []  # every line that the cursor has returned from, and its columns then

    def put(self, text):
        for letter in text:
            if letter == "\r":
                if self.rows[-1].strip():
                    self.drawn.append((self.rows[-1].rstrip(), self.columns))
                self.column = 0
            elif letter == "\n":
                self.rows.append("")
            elif letter < " " or letter == "\x7f":
                raise AssertionError("a control character: %r" % letter)
            else:
                if self.column >= self.columns:
                    self.rows.append("")
                    self.column = 0
                row = self.rows[-1].ljust(self.column)
                self.rows[-1] = row[: self.column] + letter + row[self.column + 1 :]
                self.column += 1

    def lines(self):
        return [row.rstrip() for row in self.rows if row.strip()]


class Terminal:
    """A command whose controlling terminal is ours; its standard input is a pipe from us."""

    def __init__(self, *command, columns=80, output=None, keyboard=False, stop_background=False):
        self.screen = Screen(columns)
        self.raw = ""
        stream, self.stream = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            attributes = termios.tcgetattr(2)
            attributes[3] &= ~termios.ECHO
            if stop_background:
                attributes[3] |= termios.TOSTOP
            termios.tcsetattr(2, termios.TCSANOW, attributes)
            if not keyboard:
                os.dup2(stream, 0)
            if output is not None:
                os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT, 0o600), 1)
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.close(self.stream)
            os.execv(command[0], command)
        os.close(stream)

    def resize(self, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.screen.columns = columns

    def feed(self, mib):
        block = memoryview(bytes(MIB))
        for _ in range(mib):
            rest = block
            while rest:
                rest = rest[os.write(self.stream, rest) :]

    def end_stream(self):
        os.close(self.stream)

    def type(self, keys):
        os.write(self.fd, keys)

    def look(self):
        """Takes in what there is to see; False when nobody will write any more."""
        try:
            seen = os.read(self.fd, 65536).decode()
        except OSError:
            seen = ""
        self.raw += seen
        self.screen.put(seen)
        return seen != ""

    def wait_until(self, holds):
        until = time.monotonic() + PATIENCE_S
        while not holds():
            left = until - time.monotonic()
            if left <= 0:
                raise AssertionError("waited in vain; seen: %r" % self.raw)
            if select.select([self.fd], [], [], min(left, 0.1))[0] and not self.look():
                raise AssertionError("it has ended; seen: %r" % self.raw)

    def wait_for(self, pattern):
        self.wait_until(lambda: re.search(pattern, self.raw))

    def end(self):
        """The status, as a shell tells it, when all has been seen."""
        until = time.monotonic() + PATIENCE_S
        while select.select([self.fd], [], [], max(until - time.monotonic(), 0))[0]:
            if not self.look():
                status = os.waitpid(self.pid, 0)[1]
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
        raise AssertionError("it does not end; seen: %r" % self.raw)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def expect_lines(terminal, *patterns):
    """On the screen are just lines like these; the cursor is behind the last."""
    lines = terminal.screen.lines()
    fits = len(lines) == len(patterns) and all(
        re.fullmatch(pattern, line) for pattern, line in zip(patterns, lines)
    )
    expect(fits, "on the screen: %r" % lines)
    expect(not lines or terminal.screen.rows[-1] == "", "the cursor is not in a line of its own")


def progress(terminal):
    return [line for line, _ in terminal.screen.drawn if re.match("opening|moving|waiting|flushing", line)]


SUMMARY = "iohelper: 4.0 MiB \\(4194304 bytes\\) in .* s, .*/s; engine .*, cache .*; waited .* flush .* s"


def a_save():
    """The line grows, never reaches 100 %, and is gone in the end; the summary stays."""
    terminal = Terminal(HELPER, "save", "--progress", "--expect-size=4M", "vm.img", columns=200)
    terminal.feed(1)
    terminal.wait_for("moving  1.0 MiB of 4.0 MiB  25%")
    terminal.feed(2)
    terminal.wait_for("moving  3.0 MiB of 4.0 MiB  75%")
    terminal.feed(1)
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    expect_lines(terminal, SUMMARY)
    shares = [int(share) for share in re.findall("([0-9]+)%", terminal.raw)]
    expect(shares == sorted(shares) and shares[-1] <= 99, "percentages: %r" % shares)


def a_restore():
    """What an image holds is known beforehand."""
    with open("image", "wb") as image:
        image.write(bytes(4 * MIB))
    os.mkfifo("sink")
    terminal = Terminal("/bin/sh", "-c", 'exec "$0" restore --progress image >sink', HELPER, columns=200)
    sink = os.open("sink", os.O_RDONLY)
    terminal.wait_for("moving  .* of 4.0 MiB  [0-9]+%")
    while os.read(sink, MIB):
        pass
    expect(terminal.end() == 0, "it failed")
    expect_lines(terminal, SUMMARY)


def length_not_known():
    terminal = Terminal(HELPER, "save", "--progress", "vm.img", columns=200)
    terminal.feed(4)
    terminal.wait_for("moving  4.0 MiB  [^%]*0:0")
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    expect_lines(terminal, SUMMARY)
    expect("%" not in terminal.raw, "a percentage of nothing known")


def by_itself():
    """Without being asked for it comes when a save takes its time."""
    terminal = Terminal(HELPER, "save", "vm.img", columns=200)
    terminal.feed(4)
    terminal.wait_for("moving  4.0 MiB")
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    expect_lines(terminal, SUMMARY)


def width():
    """No line is as wide as the terminal, also after its width has changed."""
    terminal = Terminal(HELPER, "save", "--progress", "--expect-size=4M", "vm.img", columns=45)
    terminal.feed(1)
    terminal.wait_for("moving  1.0 MiB of 4.0 MiB")
    terminal.resize(30)
    terminal.feed(1)
    terminal.wait_for("moving  2.0 MiB of 4.0 MiB")
    terminal.resize(12)
    known = len(terminal.raw)
    terminal.wait_until(lambda: re.search("\rmoving *\r", terminal.raw[known:]))
    terminal.resize(0)
    terminal.screen.columns = 80
    terminal.feed(1)
    terminal.wait_for("moving  3.0 MiB of 4.0 MiB")
    terminal.resize(200)
    terminal.feed(1)
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    # the line that is drawn while the width changes may be of either
    wide = [line for line, columns in terminal.screen.drawn if len(line) >= max(columns, 45)]
    expect(not wide, "as wide as the terminal: %r" % wide)


def an_error():
    """The message has a line of its own, and nothing is left of the progress."""
    terminal = Terminal(HELPER, "save", "--progress", "--expect-size=4M", "vm.img", columns=200)
    terminal.feed(1)
    terminal.wait_for("moving  1.0 MiB")
    terminal.end_stream()
    expect(terminal.end() == 3, "it did not fail")
    expect_lines(terminal, "iohelper: stream standard input: .* after 1048576 of 4194304 bytes")


def interrupted():
    """Ctrl-C leaves a clean line, too."""
    terminal = Terminal(HELPER, "save", "--progress", "vm.img", columns=200)
    terminal.feed(1)
    terminal.wait_for("moving  1.0 MiB")
    terminal.type(b"\x03")
    expect(terminal.end() == 130, "it did not die of SIGINT")
    expect(len(progress(terminal)) > 0, "no progress")
    expect_lines(terminal)


def in_the_background():
    """A job in the background is not stopped and leaves the terminal alone."""
    open("stream", "wb").write(bytes(4 * MIB))
    script = '"$0" save --progress vm.img <stream & wait $!; echo "status $?"'
    terminal = Terminal("/bin/bash", "-mc", script, HELPER, columns=200, keyboard=True, stop_background=True)
    expect(terminal.end() == 0, "it did not end")
    expect_lines(terminal, "\\[1\\]\\+  Done .*", "status 0")


def another_terminal():
    """There is nobody else to draw where no job of ours can be in front: always is always."""
    stream, feeder = os.pipe()
    ours, theirs = pty.openpty()
    script = 'exec setsid "$0" save --progress=always vm.img 2>"$1"'
    helper = subprocess.Popen(["/bin/sh", "-c", script, HELPER, os.ttyname(theirs)], stdin=stream)
    os.close(stream)
    os.write(feeder, bytes(65536))
    seen = ""
    while "\rmoving  64.0 KiB" not in seen:
        expect(select.select([ours], [], [], PATIENCE_S)[0], "it draws nothing: %r" % seen)
        seen += os.read(ours, 65536).decode()
    os.close(feeder)
    expect(helper.wait(PATIENCE_S) == 0, "it failed")
    os.close(theirs)


def a_stopped_terminal():
    """Ctrl-S stops what is shown, not the save."""
    terminal = Terminal(HELPER, "save", "--progress", "vm.img", columns=200)
    terminal.feed(1)
    terminal.wait_for("moving  1.0 MiB")
    terminal.type(b"\x13")
    terminal.feed(3)
    terminal.end_stream()
    terminal.wait_until(lambda: os.path.exists("vm.img"))
    terminal.type(b"\x11")
    expect(terminal.end() == 0, "it failed")
    expect(re.fullmatch(SUMMARY, terminal.screen.lines()[-1]), "on the screen: %r" % terminal.screen.lines())


def not_wanted():
    """Nothing but errors with -q, nothing at all of progress with never; -v asks for the summary."""
    for options, patterns in (["-q"], []), (["--progress=never"], []):
        terminal = Terminal(HELPER, "save", *options, "vm.img", columns=200)
        terminal.feed(4)
        terminal.end_stream()
        expect(terminal.end() == 0, "it failed")
        expect_lines(terminal, *patterns)
    terminal = Terminal(HELPER, "save", "-v", "--progress=never", "vm.img", columns=200)
    terminal.feed(4)
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    expect(re.fullmatch(SUMMARY, terminal.screen.lines()[-1]), "no summary: %r" % terminal.raw)


def quiet_with_progress():
    """What is asked for by its name is there, in whichever order, and nothing else."""
    for options in ["-q", "--progress"], ["--progress", "-q"]:
        terminal = Terminal(HELPER, "save", *options, "vm.img", columns=200)
        terminal.feed(4)
        terminal.wait_for("moving  4.0 MiB")
        terminal.end_stream()
        expect(terminal.end() == 0, "it failed")
        expect_lines(terminal)


REFUSAL = "iohelper: %s: open failed: it is a terminal; a pipe, a socket or a file is wanted"


def data_on_the_terminal():
    """Nobody types an image or reads one; what touches nothing and what is no terminal is let be."""
    open("text", "w").write("a stream\n")
    for command, end in (
        ("save vm.img", "stream standard input"),
        ("save --fd 0 --report report vm.img", "stream standard input"),
        ("save - <text", "file standard output"),
        ("restore text", "stream standard output"),
        ("restore - >out", "file standard input"),
    ):
        terminal = Terminal("/bin/sh", "-c", '"$0" ' + command, HELPER, columns=200, keyboard=True)
        expect(terminal.end() == 2, "%s: not refused" % command)
        expect_lines(terminal, REFUSAL % end)
        expect(not os.path.exists("vm.img"), "%s: there is a file" % command)
    for command in "save --explain vm.img", "restore text >/dev/null", "save vm.img <text":
        terminal = Terminal("/bin/sh", "-c", '"$0" ' + command, HELPER, columns=200, keyboard=True)
        expect(terminal.end() == 0, "%s: refused" % command)


def the_dropin():
    """libvirt shows to its users whatever its helper prints."""
    terminal = Terminal(os.environ["IOH_DROPIN"], "vm.img", "1", columns=200, output="vm.img")
    terminal.feed(4)
    terminal.end_stream()
    expect(terminal.end() == 0, "it failed")
    expect(terminal.raw == "", "it prints %r" % terminal.raw)


def flushing():
    """A long flush is seen as such; IOH_STRACE makes it one."""
    slow = os.environ["IOH_STRACE"].split()
    terminal = Terminal(*slow, HELPER, "save", "--progress", "--expect-size=4M", "vm.img", columns=200)
    terminal.feed(4)
    terminal.end_stream()
    terminal.wait_for("flushing  4.0 MiB of 4.0 MiB  99%")
    expect(terminal.end() == 0, "it failed")
    expect_lines(terminal, SUMMARY)


try:
    globals()[sys.argv[1]]()
except AssertionError as wrong:
    print(wrong)

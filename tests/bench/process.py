# SPDX-License-Identifier: LGPL-2.1-or-later
"""Child processes: started by `launch`, accounted for, and never left behind."""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
from dataclasses import dataclass


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Failure(Exception):
    """Something measured did not work; the text says what and why."""


class Stopped(BaseException):
    """A signal asked us to end; carries its number past every handler of ordinary failures."""


def stop(number, _frame):
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise Stopped(number)


def watch_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for number in SIGNALS:
        signal.signal(number, stop)


@contextlib.contextmanager
def stoppable():
    """Where we may be stopped: while we wait or work long, never amid bookkeeping."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


@dataclass(frozen=True)
class Usage:
    cpu_seconds: float
    rss_bytes: int


class Child:
    """One running command. Descriptors given to it stay the caller's to close."""

    def __init__(self, launcher, argv, stdin, stdout, pass_fds):
        self.name = os.path.basename(argv[0])
        self.stderr = tempfile.TemporaryFile(dir=launcher.scratch)
        self.report_fd, report_fd = os.pipe()
        try:
            # A group of its own: the terminal's Ctrl-C is ours to turn into an orderly end.
            self.popen = subprocess.Popen(
                [launcher.program, str(report_fd), *argv], stdin=stdin, stdout=stdout,
                stderr=self.stderr, pass_fds=(report_fd, *pass_fds), start_new_session=True,
                env=dict(os.environ, LC_ALL='C'))
        finally:
            os.close(report_fd)
        self.launcher = launcher
        launcher.running.add(self)

    def messages(self):
        self.stderr.seek(0)
        return self.stderr.read().decode(errors='replace').strip()

    def alive(self):
        return self.popen.poll() is None

    def wait(self, timeout):
        """Wait for the end of the command; return its Usage, or raise if it did not exit 0."""
        with stoppable():
            ready, _, _ = select.select([self.report_fd], [], [], timeout)
        if not ready:
            self.kill()
            raise Failure(f'{self.name}: no end after {timeout} s')
        line = os.read(self.report_fd, 4096)
        self.popen.wait()
        self.forget()
        if not line:
            raise Failure(f'{self.name}: not started: {self.messages()}')
        report = json.loads(line)
        if report['exit'] != 0:
            how = (f'signal {report["signal"]}' if report['signal'] else f'exit {report["exit"]}')
            raise Failure(f'{self.name}: {how}: {self.messages() or "no message"}')
        return Usage(report['user'] + report['system'], report['rss_kib'] * 1024)

    def kill(self):
        """End the command, wait until it has ended, and then whatever else it started."""
        if self not in self.launcher.running:
            return
        if self.popen.returncode is None:
            # Not reaped yet, so that the number of its group stays ours until the last line.
            os.kill(self.popen.pid, signal.SIGTERM)
            os.waitid(os.P_PID, self.popen.pid, os.WEXITED | os.WNOWAIT)
            try:
                os.killpg(self.popen.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.popen.wait()
        self.forget()

    def forget(self):
        if self in self.launcher.running:
            self.launcher.running.remove(self)
            os.close(self.report_fd)


class Launcher:
    """Starts children through the built `launch` program and can end all that are left."""

    def __init__(self, program, scratch):
        self.program = program
        self.scratch = scratch
        self.running = set()

    def start(self, argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=()):
        return Child(self, [str(word) for word in argv], stdin, stdout, pass_fds)

    def stop_all(self):
        for child in list(self.running):
            child.kill()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""One round of the soak: a transfer in which everything is drawn, and whether it came out right."""

import array
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from ends import STREAMS, Peer, Stream

MOST_BYTES = 24 << 20
HANGS_SECONDS = 60
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

# The stream: every 8 bytes hold their own offset, so that loss, repetition and reordering show.
PATTERN = array.array('Q', range(0, MOST_BYTES + 8, 8))
if sys.byteorder == 'big':
    PATTERN.byteswap()
PATTERN = PATTERN.tobytes()


class Wrong(Exception):
    """A promise was broken; the text says which."""


def draw_size(rand):
    kind = rand.random()
    if kind < 0.1:
        return rand.randint(0, 9000)
    if kind < 0.4:
        return max(0, (1 << rand.randint(9, 24)) + rand.randint(-3, 3))
    return rand.randint(1, MOST_BYTES)


class Round:
    """What is drawn here is all there is to know; (seed, number) draws it again."""

    def __init__(self, helper, engines, parent, seed, number):
        self.helper = helper
        self.rand = random.Random(f'{seed}/{number}')
        self.directory = tempfile.mkdtemp(prefix='round.', dir=parent)
        self.path = os.path.join(self.directory, 'target')
        rand = self.rand
        self.saves = rand.random() < 0.6
        self.size = draw_size(rand)
        self.data = PATTERN[:self.size]
        self.offset = rand.choice((0, 0, 0, rand.randint(1, 5000), 4096 * rand.randint(1, 300)))
        self.engine = rand.choice(('auto', *engines))
        self.stream_kind = rand.choice(STREAMS)
        self.event = rand.choices(('none', 'kill', 'signal', 'leave', 'excess'),
                                  (60, 15, 10, 8, 7))[0]
        if self.event == 'excess' and (self.size < 2 or not self.saves):
            self.event = 'none'
        if self.event == 'leave' and self.size < 2:
            self.event = 'none'
        kinds = ('new', 'replace', 'replace', 'overwrite', 'fd', 'fifo', 'null')
        self.file_kind = rand.choice(kinds if self.saves else ('path', 'path', 'fd', 'fifo'))
        if self.file_kind in ('fifo', 'null'):
            self.offset = 0
        self.old = rand.randbytes(rand.randint(0, 300000))
        self.signal_number = signal.SIGKILL if self.event == 'kill' else rand.choice(SIGNALS)
        self.delay = rand.random() * 0.02
        self.keep_partial = self.saves and rand.random() < 0.1
        self.lock = threading.Lock()
        self.process_fd = None
        self.status = None
        self.usage = None
        self.said = ''
        self.argv = []

    def clean_up(self):
        with self.lock:
            if self.process_fd is not None:
                os.close(self.process_fd)
            self.process_fd = None
        shutil.rmtree(self.directory)

    def describe(self):
        return (f'{"save" if self.saves else "restore"} of {self.size} bytes, {self.stream_kind}, '
                f'{self.file_kind}, {self.event}\n  {" ".join(self.argv)}\n  status {self.status}: '
                f'{self.said.strip()}')

    # ---- what is asked for ----------------------------------------------------------------------

    def draw_options(self):
        rand = self.rand
        options = ['--engine', self.engine]
        draws = (
            ('--cache', ('auto', 'auto', 'direct', 'drop', 'keep')),
            ('--queue', ('auto', 'auto', 'threads')),
            ('--queue-depth', ('1', '2', '4', '9', '32')),
            ('--block-size', ('4K', '64K', '100000', '1M', '3M')),
            ('--pipe-size', ('4K', '64K', '1M', '100M')),
            ('--socket-buffer', ('4K', '64K', '1M', '8M')),
            ('--stall-timeout', ('40',)),
        )
        for name, values in draws:
            if rand.random() < 0.5:
                options += [name, rand.choice(values)]
        if rand.random() < 0.1:
            options += ['--rate-limit', str(self.size * 4 + 4096)]
        if self.saves:
            options += ['--sync', rand.choice(('full', 'data', 'none', 'none'))]
            options += ['--keep-partial'] if self.keep_partial else []
        if self.offset:
            options += ['--offset', str(self.offset)]
        return options + self.draw_expectation()

    def draw_expectation(self):
        expected = {'leave': self.size, 'excess': self.size - 1}.get(self.event, self.size)
        needed = self.size == 0 or self.event == 'excess' or (self.saves and self.event == 'leave')
        if needed or self.rand.random() < 0.3:
            return ['--expect-size', str(expected)]
        return []

    def make_file(self):
        """The file's side: what stands on the command line for it."""
        if self.file_kind == 'null':
            return '/dev/null'
        if self.file_kind == 'fifo':
            os.mkfifo(self.path)
        elif not self.saves:
            self.write_file(bytes(self.offset) + self.data)
        elif self.file_kind != 'new':
            self.write_file(self.old)
        if self.file_kind != 'fd':
            return self.path
        direct = os.O_DIRECT if self.rand.random() < 0.3 else 0
        try:
            self.fd = os.open(self.path, (os.O_RDWR if self.saves else os.O_RDONLY) | direct)
        except OSError:
            self.fd = os.open(self.path, os.O_RDWR if self.saves else os.O_RDONLY)
        return f'fd:{self.fd}'

    def write_file(self, content):
        with open(self.path, 'wb') as file:
            file.write(content)

    # ---- what happens ---------------------------------------------------------------------------

    def strike(self):
        time.sleep(self.delay)
        with self.lock, contextlib.suppress(ProcessLookupError):
            if self.process_fd is not None:
                signal.pidfd_send_signal(self.process_fd, self.signal_number)

    def make_peers(self):
        """The stream's peer, and the FIFO's if there is one."""
        struck = self.event in ('kill', 'signal')
        peer = Peer(self.rand, self.data, self.saves,
                    leave_after=self.rand.randint(0, self.size - 1) if self.event == 'leave'
                    else None,
                    event_at=self.rand.randint(0, self.size) if struck else None,
                    event=self.strike if struck else None)
        other = None
        if self.file_kind == 'fifo':
            other = Peer(self.rand, self.data, not self.saves)
            other.meet = lambda: open(self.path, 'rb' if self.saves else 'wb', buffering=0)
        return peer, other

    def run(self):
        self.fd = None
        peer, other = self.make_peers()
        stream = Stream(self.stream_kind, peer, self.directory)
        report = os.path.join(self.directory, 'report')
        target = self.make_file()
        self.argv = [self.helper, 'save' if self.saves else 'restore', *self.draw_options(),
                     *stream.options, '--report', report]
        if self.file_kind == 'overwrite':
            self.argv += ['--exists', 'overwrite']
        self.argv.append(target)
        passed = stream.pass_fds + ((self.fd,) if self.fd is not None else ())
        with tempfile.TemporaryFile() as said:
            self.process = subprocess.Popen(self.argv, stdin=stream.stdin or subprocess.DEVNULL,
                                            stdout=stream.stdout or subprocess.DEVNULL,
                                            stderr=said, pass_fds=passed)
            self.process_fd = os.pidfd_open(self.process.pid)
            stream.close()
            peer.start()
            if other is not None:
                other.start()
            self.wait()
            said.seek(0)
            self.said = said.read().decode(errors='replace')
        self.release(peer, other)
        if self.fd is not None:
            os.close(self.fd)
        self.judge(peer, other, report)

    def wait(self):
        watchdog = threading.Timer(HANGS_SECONDS, self.process.kill)
        watchdog.start()
        begun = time.monotonic()
        _, status, self.usage = os.wait4(self.process.pid, 0)
        self.seconds = time.monotonic() - begun
        watchdog.cancel()
        self.status = os.waitstatus_to_exitcode(status)
        self.process.returncode = self.status
        if self.seconds >= HANGS_SECONDS:
            raise Wrong('it hangs')

    def release(self, peer, other):
        """The helper has gone; so do its peers, unless one waits for whom never came."""
        if other is not None and other.is_alive():
            flags = os.O_RDONLY if not self.saves else os.O_WRONLY
            try:
                os.close(os.open(self.path, flags | os.O_NONBLOCK))
            except OSError:
                pass
        if self.status != 0 and self.stream_kind.endswith(('listen', 'connect')):
            peer.join(0.2)
        else:
            peer.join(HANGS_SECONDS)
            if peer.is_alive():
                raise Wrong('the peer sees no end')
        if other is not None:
            other.join(5)

    # ---- whether it is right --------------------------------------------------------------------

    def judge(self, peer, other, report):
        allowed = {'none': {0}, 'kill': {0, -9}, 'signal': {0, -self.signal_number},
                   'leave': {3} if self.saves else {0, 3}, 'excess': {3}}[self.event]
        if self.status not in allowed and not self.refused():
            raise Wrong(f'status {self.status} instead of {sorted(allowed)}')
        if self.status == 0:
            self.judge_success(peer, other)
        elif self.saves and self.file_kind in ('new', 'replace'):
            self.judge_untouched()
        self.judge_report(report)
        self.judge_names()

    def refused(self):
        """What was asked for by name cannot be had with these ends."""
        return (self.status == 2 and 'cannot be used' in self.said or
                self.status == 4 and 'direct I/O is not supported here' in self.said)

    def outcome(self):
        if self.refused():
            return 'refused'
        return 'done' if self.status == 0 else 'killed' if self.status < 0 else 'failed'

    def judge_success(self, peer, other):
        if not self.saves:
            got = peer.got
            if self.event == 'leave':
                got, wanted = got[:peer.moved], self.data[:peer.moved]
            else:
                wanted = self.data
        elif self.file_kind == 'null':
            return
        elif self.file_kind == 'fifo':
            got, wanted = other.got, self.data
        else:
            with open(self.path, 'rb') as file:
                got = file.read()
            kept = self.old if self.file_kind in ('overwrite', 'fd') else b''
            wanted = kept[:self.offset].ljust(self.offset, b'\0') + self.data
        if got != wanted:
            raise Wrong(f'{len(got)} bytes arrived, which are not the {len(wanted)} sent')

    def judge_untouched(self):
        """After a failure: the old file, or, if the end came late, the complete new one."""
        content = None
        if os.path.exists(self.path):
            with open(self.path, 'rb') as file:
                content = file.read()
        allowed = [self.old if self.file_kind == 'replace' else None]
        if self.event in ('kill', 'signal'):
            allowed.append(bytes(self.offset) + self.data)
        if content not in allowed:
            raise Wrong('neither the old file nor the new one')

    def judge_report(self, path):
        # a signal may come before anything is written, or before signals are watched for
        if self.status < 0 and (self.event == 'kill' or not os.path.exists(path)
                                or os.path.getsize(path) == 0):
            return
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
        outcome = {0: 'done'}.get(self.status, 'cancelled' if self.status < 0 else 'failed')
        if report['outcome'] != outcome:
            raise Wrong(f'the report says {report["outcome"]}')
        if self.status == 0 and report['bytes'] != self.size:
            raise Wrong(f'the report says {report["bytes"]} bytes')

    def judge_names(self):
        names = set(os.listdir(self.directory)) - {'target', 'report'}
        if self.status == -9:
            # where it was killed, the path of its socket stays, and a second name may
            names = {name for name in names
                     if name != 'socket' and not name.startswith('.target.')}
        if self.keep_partial:
            names.discard('target.part')
        if self.stream_kind == 'unix-connect':
            names.discard('socket')
        if names:
            raise Wrong(f'left behind: {" ".join(sorted(names))}')

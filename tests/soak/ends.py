# SPDX-License-Identifier: LGPL-2.1-or-later
"""The other ends of a transfer: who writes or reads the stream, and over what."""

import contextlib
import os
import socket
import threading
import time

STREAMS = ('pipe', 'fd', 'socketpair', 'unix-listen', 'unix-connect', 'tcp-listen', 'tcp-connect')

# An address of our own: who tries a port until somebody listens there may meet somebody else's
# listener, where many do that at the same time.
HOST = f'127.{1 + os.getpid() % 250}.{os.getpid() // 250 % 250}.1'

# How long a peer looks for one that does not listen yet.
MEETING_SECONDS = 20


class Peer(threading.Thread):
    """Writes DATA (a save) or reads (a restore) in pieces of random sizes, and may leave early.

    An event is a function that is called once when so many bytes have moved.
    """

    def __init__(self, random, data, writes, leave_after=None, event_at=None, event=None):
        super().__init__(daemon=True)
        self.data = memoryview(data)
        self.writes = writes
        self.leave_after = leave_after
        self.event_at = event_at
        self.event = event
        self.moved = 0
        self.got = bytearray()
        self.largest = random.choice((1, 700, 4096, 65536, 131328, 1 << 20, 1 << 22))
        # many small pieces of a long stream would take all the time there is
        self.largest = max(self.largest, len(data) // 2000)
        self.pieces = [random.randint(1, self.largest) for _ in range(64)]
        self.pauses = random.random() < 0.2
        self.meet = None

    def run(self):
        with contextlib.suppress(BrokenPipeError, ConnectionError, FileNotFoundError):
            file = self.meet()
            with file:
                self.move(file.fileno())
        self.fire()

    def fire(self):
        event, self.event = self.event, None
        if event is not None:
            event()

    def move(self, fd):
        for number in range(1 << 30):
            if self.event_at is not None and self.moved >= self.event_at:
                self.fire()
            length = self.pieces[number % len(self.pieces)]
            if self.leave_after is not None:
                length = min(length, self.leave_after - self.moved)
            if length == 0:
                return
            if self.pauses and number % 16 == 15:
                time.sleep(0.0005)
            moved = self.move_piece(fd, length)
            if moved == 0:
                return
            self.moved += moved

    def move_piece(self, fd, length):
        if self.writes:
            piece = self.data[self.moved:self.moved + length]
            return os.write(fd, piece) if piece else 0
        piece = os.read(fd, length)
        self.got += piece
        return len(piece)


def call(name):
    """A connection to whoever will listen there in a moment."""
    give_up = time.monotonic() + MEETING_SECONDS
    while True:
        end = socket.socket(socket.AF_UNIX if isinstance(name, str) else socket.AF_INET)
        try:
            end.connect(name)
            return end
        except (FileNotFoundError, ConnectionRefusedError):
            end.close()
            if time.monotonic() > give_up:
                raise
            time.sleep(0.002)


def answer(listener):
    with listener:
        listener.settimeout(MEETING_SECONDS)
        try:
            end, _ = listener.accept()
        except TimeoutError as error:
            raise ConnectionRefusedError from error
        end.settimeout(None)
        return end


class Stream:
    """What a helper gets for its stream: options, descriptors to pass on, standard ones."""

    def __init__(self, kind, peer, directory):
        self.options = []
        self.pass_fds = ()
        self.stdin = self.stdout = None
        self.ours = []
        getattr(self, 'make_' + kind.replace('-', '_'))(peer, os.path.join(directory, 'socket'))

    def close(self):
        for fd in self.ours:
            os.close(fd)

    def give(self, peer, theirs, ours):
        """Standard input or output for the helper, the other end for the peer."""
        self.ours.append(theirs)
        peer.meet = lambda: os.fdopen(ours, 'r+b' if isinstance(peer, socket.socket) else
                                      'wb' if peer.writes else 'rb', buffering=0)
        return theirs

    def make_pipe(self, peer, _path):
        reader, writer = os.pipe()
        if peer.writes:
            self.stdin = self.give(peer, reader, writer)
        else:
            self.stdout = self.give(peer, writer, reader)

    def make_fd(self, peer, _path):
        reader, writer = os.pipe()
        theirs = self.give(peer, *((reader, writer) if peer.writes else (writer, reader)))
        self.pass_fds = (theirs,)
        self.options = ['--fd', str(theirs)]

    def make_socketpair(self, peer, _path):
        ours, theirs = socket.socketpair()
        self.ours.append(theirs.detach())
        peer.meet = lambda: ours
        if peer.writes:
            self.stdin = self.ours[0]
        else:
            self.stdout = self.ours[0]

    def make_unix_listen(self, peer, path):
        self.options = ['--listen', 'unix:' + path]
        peer.meet = lambda: call(path)

    def make_unix_connect(self, peer, path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        self.options = ['--connect', 'unix:' + path]
        peer.meet = lambda: self.answer_at(listener, path)

    @staticmethod
    def answer_at(listener, path):
        end = answer(listener)
        os.unlink(path)
        return end

    def make_tcp_listen(self, peer, _path):
        with socket.create_server((HOST, 0)) as holder:
            name = holder.getsockname()
        self.options = ['--listen', f'tcp:{name[0]}:{name[1]}']
        peer.meet = lambda: call(name)

    def make_tcp_connect(self, peer, _path):
        listener = socket.create_server((HOST, 0))
        name = listener.getsockname()
        self.options = ['--connect', f'tcp:{name[0]}:{name[1]}']
        peer.meet = lambda: answer(listener)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real QEMU at the stream's end. The guest never runs, so it needs no software."""

import json
import os
import shutil
import socket

from process import Failure, stoppable

PROGRAM = 'qemu-system-x86_64'
UNLIMITED_BANDWIDTH = 1 << 50
START_SECONDS = 60


def available():
    return shutil.which(PROGRAM) is not None


class Monitor:
    """The QMP side of one QEMU, over an already connected socket."""

    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(START_SECONDS)
        self.lines = sock.makefile('r')
        self.read()
        self.command('qmp_capabilities')

    def read(self):
        try:
            with stoppable():
                line = self.lines.readline()
        except OSError as error:
            raise Failure(f'QEMU does not answer: {error}') from error
        if not line:
            raise Failure('QEMU went away')
        return json.loads(line)

    def command(self, name, fd=None, **arguments):
        request = json.dumps({'execute': name, 'arguments': arguments}).encode()
        if fd is None:
            self.sock.sendall(request)
        else:
            socket.send_fds(self.sock, [request], [fd])
        while True:
            answer = self.read()
            if 'error' in answer:
                raise Failure(f'QEMU: {name}: {answer["error"]["desc"]}')
            if 'return' in answer:
                return answer['return']

    def await_migration(self, timeout):
        """Events are waited for, not polled: a query takes a lock the migration needs as well."""
        self.sock.settimeout(timeout)
        while True:
            event = self.read()
            if event.get('event') != 'MIGRATION':
                continue
            if event['data']['status'] == 'failed':
                raise Failure('QEMU: the migration failed')
            if event['data']['status'] == 'completed':
                return


class Qemu:
    """One QEMU over the guest memory `memory`, about to send it or (`incoming`) to receive it."""

    def __init__(self, launcher, memory, timeout, incoming=False):
        self.timeout = timeout
        ours, theirs = socket.socketpair()
        argv = [PROGRAM, '-accel', 'kvm', '-accel', 'tcg', '-nodefaults', '-display', 'none', '-S',
                '-m', f'{memory.mib}M', '-machine', 'pc,memory-backend=ram', '-object',
                f'memory-backend-file,id=ram,size={memory.mib}M,mem-path={memory.path},share=on',
                '-chardev', f'socket,id=monitor,fd={theirs.fileno()}',
                '-mon', 'chardev=monitor,mode=control']
        if incoming:
            argv += ['-incoming', 'defer']
        with theirs:
            self.child = launcher.start(argv, pass_fds=(theirs.fileno(),))
        try:
            self.monitor = Monitor(ours)
            self.monitor.command('migrate-set-capabilities', capabilities=[
                {'capability': 'events', 'state': True}])
            if not incoming:
                self.monitor.command('migrate-set-parameters',
                                     **{'max-bandwidth': UNLIMITED_BANDWIDTH})
        except Failure as failure:
            self.child.kill()
            raise Failure(f'{failure}: {self.child.messages()}') from failure

    def send(self, fd):
        """Start sending into `fd`, which this takes over."""
        self.give(fd)
        self.monitor.command('migrate', uri='fd:stream')

    def send_to_socket(self, path):
        self.monitor.command('migrate', uri=f'unix:{path}')

    def prepare(self, fd):
        """Take over `fd`, the stream to be received."""
        self.give(fd)

    def receive(self):
        self.monitor.command('migrate-incoming', uri='fd:stream')

    def give(self, fd):
        try:
            self.monitor.command('getfd', fd=fd, fdname='stream')
        finally:
            os.close(fd)

    def finish_sending(self):
        """Wait for the end; return the bytes sent and the throughput by QEMU's own clock."""
        self.monitor.await_migration(self.timeout)
        # "Completed" is announced before the sums are done: what QEMU calls mbps may still be
        # that of the last 100 ms. The total time is zero until it is right.
        answer = self.monitor.command('query-migrate')
        while not answer['total-time']:
            answer = self.monitor.command('query-migrate')
        sent = answer['ram']['transferred']
        return sent, sent * 8 / 1000 / max(answer['total-time'] - answer['setup-time'], 1)

    def finish_receiving(self):
        self.monitor.await_migration(self.timeout)

    def close(self):
        try:
            self.monitor.command('quit')
            self.child.wait(START_SECONDS)
        except (Failure, OSError, ValueError):
            self.child.kill()
        finally:
            self.monitor.lines.close()
            self.monitor.sock.close()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The QEMU-shaped generator at the stream's end; the same duties as vm.Qemu."""

import json
import os

from process import Failure


class Generator:
    def __init__(self, launcher, program, memory, timeout):
        self.launcher = launcher
        self.argv = [program, '--memory-file', memory.path]
        self.timeout = timeout
        self.stream_fd = -1
        self.child = None

    def send(self, fd):
        try:
            self.child = self.launcher.start([*self.argv, 'write'], stdout=fd)
        finally:
            os.close(fd)

    def send_to_socket(self, path):
        self.child = self.launcher.start([*self.argv, '--connect', path, 'write'])

    def prepare(self, fd):
        self.stream_fd = fd

    def receive(self):
        self.child = self.launcher.start([*self.argv, 'read'], stdin=self.stream_fd)
        os.close(self.stream_fd)
        self.stream_fd = -1

    def finish(self):
        self.child.wait(self.timeout)
        try:
            report = json.loads(self.child.messages())
            return report['bytes'], report['bytes'] * 8 / max(report['us'], 1)
        except (ValueError, KeyError) as error:
            raise Failure(f'generator: {self.child.messages()}') from error

    def finish_sending(self):
        return self.finish()

    def finish_receiving(self):
        self.finish()

    def close(self):
        if self.stream_fd >= 0:
            os.close(self.stream_fd)
        if self.child:
            self.child.kill()

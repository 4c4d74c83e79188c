# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run of one candidate: set the ends up, start the clock, wait until all is done."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Optional

import memory
import transport
from process import Failure, Launcher, stoppable
from synthetic import Generator
from vm import Qemu

GIB = 1 << 30
ROOM_BYTES = 64 << 20  # what a stream holds beyond the guest's memory, with plenty to spare


@dataclass(frozen=True)
class Run:
    mbit_per_s: float
    seconds: float
    bytes: int
    cpu_seconds_per_gib: Optional[float] = None
    rss_bytes: Optional[int] = None
    cached_share: Optional[float] = None
    used: Optional[str] = None  # what iohelper says that it used


class Bench:
    """Owns the scratch directories, the guest memory and the image, for as long as it is open."""

    def __init__(self, tools, directory, ram_directory, mib, synthetic, timeout):
        self.tools = tools
        self.mib = mib
        self.synthetic = synthetic
        self.timeout = timeout
        self.directory = self.ram_directory = self.launcher = None
        self.source = self.destination = self.ram_file = self.image = None
        try:
            self.directory = tempfile.mkdtemp(prefix='iohelper-compare-', dir=directory)
            self.ram_directory = tempfile.mkdtemp(prefix='iohelper-compare-', dir=ram_directory)
            self.launcher = Launcher(tools.program('launch'), self.directory)
            need_room(self.directory, 3 * mib)
            need_room(self.ram_directory, 2 * mib)
            self.source = memory.Memory(self.ram('source'), mib, random=True)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.launcher:
                self.launcher.stop_all()
        finally:
            for directory in (self.directory, self.ram_directory):
                if directory:
                    shutil.rmtree(directory, ignore_errors=True)

    def ram(self, name):
        return os.path.join(self.ram_directory, name)

    def file(self, name):
        return os.path.join(self.directory, name)

    def peer(self, guest, incoming=False):
        if self.synthetic:
            return Generator(self.launcher, self.tools.program('generator'), guest, self.timeout)
        return Qemu(self.launcher, guest, self.timeout, incoming)

    def run(self, path, candidate):
        try:
            if candidate.how == 'disk':
                return self.run_disk(path, candidate)
            if path.verb == 'save':
                return self.save(path, candidate)
            return self.restore(path, candidate)
        finally:
            self.launcher.stop_all()

    def refused(self, path, candidate):
        """Why iohelper refuses to take this path by the engine it is told to use, or None."""
        if candidate.how == 'library':
            return None
        target = self.target(candidate) if path.verb == 'save' else self.make_image()
        argv = [*words(candidate, file=target, report=self.file('report')), '--explain']
        reader, writer = transport.make(candidate.stream)
        try:
            saves = path.verb == 'save'
            child = self.launcher.start(argv, stdin=reader if saves else subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL if saves else writer)
            child.wait(self.timeout)
        except Failure:
            return child.messages() or 'no reason given'
        finally:
            os.close(reader)
            os.close(writer)
        return None

    # Saving

    def target(self, candidate):
        """The path saved to, as a candidate finds it: no file, or a RAM file that is all there."""
        if candidate.target == 'file':
            path = fresh(self.file('saved'))
            memory.settle(self.directory)
            memory.back(self.mib)
            return path
        if candidate.target == 'ram':
            if self.ram_file is None:
                need_room(self.ram_directory, self.mib)
                self.ram_file = self.ram('preallocated')
                preallocate(self.ram_file, self.mib * memory.MIB + ROOM_BYTES)
            return self.ram_file
        return '/dev/null'

    def save(self, path, candidate):
        target = self.target(candidate)
        peer = self.peer(self.source)
        try:
            start, helper = self.start_save(candidate, peer, target)
            sent, reported = peer.finish_sending()
            usage = helper.wait(self.timeout) if helper else None
            if candidate.target == 'file':
                finish_file(target, candidate, sent)
            seconds = time.monotonic() - start
        finally:
            peer.close()
        cached = None
        if candidate.target == 'file':
            cached = memory.cached_bytes(target) / os.path.getsize(target)
            os.unlink(target)
        speed = reported if path.speed_of == 'stream' else sent * 8 / seconds / 1e6
        return self.result(speed, seconds, sent, usage, cached)

    def start_save(self, candidate, peer, target):
        if candidate.how == 'listen':
            return self.start_listener(candidate, peer)
        if candidate.how == 'library':
            start = time.monotonic()
            helper, stream_fd = self.start_library(candidate, target)
            peer.send(stream_fd)
            return start, helper
        target_fd = open_target(candidate, target)
        if candidate.how == 'alone':
            start = time.monotonic()
            peer.send(target_fd)
            return start, None
        reader, writer = transport.make(candidate.stream)
        start = time.monotonic()
        try:
            helper = self.start_helper(candidate, target, reader, target_fd)
        finally:
            os.close(reader)
            os.close(target_fd)
        peer.send(writer)
        return start, helper

    def start_listener(self, candidate, peer):
        path = fresh(self.file('socket'))
        helper = self.launcher.start(words(candidate, socket=path))
        while not transport.listening(path):
            if not helper.alive():
                helper.wait(self.timeout)
                raise Failure(f'{candidate.name}: does not listen')
            with stoppable():
                time.sleep(0.001)
        start = time.monotonic()
        peer.send_to_socket(path)
        return start, helper

    def start_helper(self, candidate, file, stdin, stdout):
        report = fresh(self.file('report'))
        return self.launcher.start(words(candidate, file=file, report=report), stdin, stdout)

    def start_library(self, candidate, file):
        """The program, and the hypervisor's end of the stream that it hands over."""
        report = fresh(self.file('report'))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            helper = self.launcher.start(words(candidate, file=file, report=report), theirs)
            theirs.close()
            ours.settimeout(self.timeout)
            with stoppable():
                _, fds, _, _ = socket.recv_fds(ours, 1, 1)
        if not fds:
            helper.wait(self.timeout)
            raise Failure(f'{candidate.name}: gives no stream')
        return helper, fds[0]

    # Restoring

    def make_image(self):
        """What QEMU wrote itself is what everybody restores."""
        if self.image is None:
            path = self.file('image')
            peer = self.peer(self.source)
            try:
                peer.send(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
                peer.finish_sending()
            finally:
                peer.close()
            self.image = path
            self.destination = memory.Memory(self.ram('destination'), self.mib, random=False)
        return self.image

    def set_page_cache(self, path, image):
        if path.warm:
            memory.warm(image)
        else:
            memory.cool(image)
        share = memory.cached_bytes(image) / os.path.getsize(image)
        if (share < 0.99) if path.warm else (share > 0.01):
            raise Failure(f'{share:.0%} of the image is in the page cache')

    def restore(self, path, candidate):
        image = self.make_image()
        memory.settle(self.directory)
        memory.back(self.mib)
        self.set_page_cache(path, image)
        self.destination.spoil()
        peer = self.peer(self.destination, incoming=True)
        try:
            start, helper = self.start_restore(candidate, peer, image)
            peer.receive()
            peer.finish_receiving()
            usage = helper.wait(self.timeout) if helper else None
            seconds = time.monotonic() - start
        finally:
            peer.close()
        if not self.destination.same_as(self.source):
            raise Failure(f'{candidate.name}: the memory restored is not the memory saved')
        size = os.path.getsize(image)
        return self.result(size * 8 / seconds / 1e6, seconds, size, usage, None)

    def start_restore(self, candidate, peer, image):
        image_fd = os.open(image, os.O_RDONLY | (os.O_DIRECT if candidate.direct else 0))
        if candidate.how == 'alone':
            start = time.monotonic()
            peer.prepare(image_fd)
            return start, None
        if candidate.how == 'library':
            os.close(image_fd)
            start = time.monotonic()
            helper, stream_fd = self.start_library(candidate, image)
            peer.prepare(stream_fd)
            return start, helper
        reader, writer = transport.make(candidate.stream)
        peer.prepare(reader)
        start = time.monotonic()
        try:
            helper = self.start_helper(candidate, image, image_fd, writer)
        finally:
            os.close(image_fd)
            os.close(writer)
        return start, helper

    def result(self, mbit_per_s, seconds, size, usage, cached):
        if usage is None:
            return Run(mbit_per_s, seconds, size, cached_share=cached)
        return Run(mbit_per_s, seconds, size, usage.cpu_seconds * GIB / size, usage.rss_bytes,
                   cached, self.used())

    def used(self):
        """The engine of the last run and how it queued, by iohelper's report if there is one."""
        try:
            with open(self.file('report'), encoding='utf-8') as text:
                report = json.load(text)
        except FileNotFoundError:
            return None
        queue = report.get('queue') or {}
        return ', '.join(filter(None, [report['engine']['used'], queue.get('used')]))

    # The disk's limit

    def run_disk(self, path, candidate):
        if path.verb == 'save':
            file = fresh(self.file('fio'))
        else:
            file = self.make_image()
            memory.cool(file)
        memory.settle(self.directory)
        report = fresh(self.file('report'))
        child = self.launcher.start(words(candidate, file=file, report=report, mib=self.mib))
        child.wait(self.timeout)
        with open(report, encoding='utf-8') as text:
            job = json.load(text)['jobs'][0]['write' if path.verb == 'save' else 'read']
        os.unlink(report)
        if path.verb == 'save':
            os.unlink(file)
        return Run(job['bw_bytes'] * 8 / 1e6, job['runtime'] / 1000, job['io_bytes'])


def words(candidate, **values):
    """The candidate's command line; a word that is one of the {values} is replaced."""
    return [word.format(**values) if '{' in word else word for word in candidate.argv]


def fresh(path):
    if os.path.lexists(path):
        os.unlink(path)
    return path


def preallocate(path, size):
    with open(path, 'xb') as file, stoppable():
        for _ in range(size // memory.MIB):
            file.write(bytes(memory.MIB))


def open_target(candidate, target):
    """The descriptor a manager would hand over. Those that open the file themselves get none."""
    if candidate.how == 'path':
        return os.open('/dev/null', os.O_WRONLY)
    flags = os.O_WRONLY | (os.O_DIRECT if candidate.direct else 0)
    if candidate.target == 'file':
        flags |= os.O_CREAT | os.O_EXCL
    return os.open(target, flags, 0o600)


def finish_file(path, candidate, sent):
    """Flush for those that do not, and see that all the guest's pages can be in there."""
    if not candidate.flushes:
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    size = os.path.getsize(path)
    if not sent <= size <= sent + ROOM_BYTES:
        raise Failure(f'{candidate.name}: {sent} bytes sent, {size} bytes in the file')


def need_room(directory, mib):
    have = shutil.disk_usage(directory).free // memory.MIB
    if have < mib + ROOM_BYTES // memory.MIB:
        raise Failure(f'{directory}: {have} MiB free, {mib} MiB needed')

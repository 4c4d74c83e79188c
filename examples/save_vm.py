#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""save_vm.py IMAGE: a small manager. It starts a virtual machine, saves it to IMAGE while it shows
progress, ends it, starts another one and resumes it from IMAGE."""

import json
import os
import socket
import subprocess
import sys

import gi

gi.require_version("IoHelper", "0")
from gi.repository import GLib, IoHelper  # noqa: E402


class Vm:
    """A QEMU process and its monitor."""

    def __init__(self, *options):
        self.monitor, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            # setpriv: a machine nobody can reach any more must not stay behind
            ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-nodefaults", "-display", "none",
             "-m", "256M",
             "-machine", "pc,accel=kvm:tcg", "-chardev", f"socket,id=monitor,fd={theirs.fileno()}",
             "-mon", "chardev=monitor,mode=control", *options],
            pass_fds=[theirs.fileno()])
        theirs.close()
        self.answers = self.monitor.makefile()
        self.migration = None
        self.execute("qmp_capabilities")
        self.execute("migrate-set-capabilities",
                     capabilities=[{"capability": "events", "state": True}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.answers.close()
        self.monitor.close()

    def listen(self):
        """The next thing that QEMU says. Events come at any time, also before an answer."""
        line = self.answers.readline()
        if not line:
            raise RuntimeError("QEMU has gone")
        said = json.loads(line)
        if said.get("event") == "MIGRATION":
            self.migration = said["data"]["status"]
        return said

    def execute(self, command, pass_fd=None, **arguments):
        text = json.dumps({"execute": command, "arguments": arguments}).encode()
        socket.send_fds(self.monitor, [text], [] if pass_fd is None else [pass_fd])
        while True:
            said = self.listen()
            if "error" in said:
                raise RuntimeError(f"{command}: {said['error']['desc']}")
            if "return" in said:
                return said["return"]

    def await_migration(self):
        while self.migration != "completed":
            self.listen()
            if self.migration == "failed":
                raise RuntimeError("the migration has failed")

    def connect(self, fd, command):
        """Lets QEMU have the other end of a transfer, and closes it here."""
        try:
            self.execute("getfd", pass_fd=fd, fdname="stream")
        finally:
            os.close(fd)  # QEMU has its own now, and the stream ends when QEMU closes that
        self.execute(command, uri="fd:stream")


def show(_transfer, phase, done, _expected, seconds):
    print(f"{phase.value_nick}: {done >> 20} MiB in {seconds:.1f} s")


def finish(transfer):
    """Waits for the end in a main loop, in which progress is told."""
    loop = GLib.MainLoop()
    ends = []
    transfer.finish_async(None, lambda _, ended: (ends.append(ended), loop.quit()))
    loop.run()
    transfer.finish_finish(ends[0])


def cancel(transfer):
    """Cancels because QEMU has failed. When the helper had failed before, that is raised: it explains
    more than what QEMU saw of it."""
    transfer.cancel()
    try:
        finish(transfer)
    except GLib.Error as error:
        if not error.matches(IoHelper.transfer_error_quark(), IoHelper.TransferError.CANCELLED):
            raise


def save(image):
    with Vm() as vm:
        transfer = IoHelper.Transfer.new_save(image)
        transfer.connect("progress", show)
        vm.execute("stop")
        fd = transfer.start()  # not inside of the try: a GLib.Error is a RuntimeError, too
        try:
            vm.connect(fd, "migrate")
            vm.await_migration()
        except RuntimeError:
            cancel(transfer)
            raise
        finish(transfer)
        result = transfer.get_result()
        print(f"saved: {result.get_bytes()} bytes in {result.get_total_seconds():.2f} s, "
              f"engine {result.get_engine()}")
        vm.execute("quit")


def resume(image):
    with Vm("-incoming", "defer") as vm:
        transfer = IoHelper.Transfer.new_restore(image)
        vm.connect(transfer.start(), "migrate-incoming")
        finish(transfer)
        vm.await_migration()
        vm.execute("cont")
        print("resumed:", vm.execute("query-status")["status"])
        vm.execute("quit")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: save_vm.py IMAGE")
    try:
        save(sys.argv[1])
        resume(sys.argv[1])
    except (GLib.Error, RuntimeError) as error:
        sys.exit(f"save_vm.py: {getattr(error, 'message', error)}")


if __name__ == "__main__":
    main()

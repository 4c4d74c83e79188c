# SPDX-License-Identifier: LGPL-2.1-or-later
"""introspection.py STREAM IMAGE: saves and restores through the introspection data; prints "fine"."""

import os
import sys
import threading

import gi

gi.require_version("IoHelper", "0")
from gi.repository import Gio, GLib, IoHelper  # noqa: E402

stream = open(sys.argv[1], "rb").read()
image = sys.argv[2]


def write(fd, data):
    with open(fd, "wb") as end:
        end.write(data)


def check(what, seen, wanted):
    if seen != wanted:
        sys.exit(f"{what}: {seen} instead of {wanted}")


# a save, waited for
save = IoHelper.Transfer.new_save(image)
save.props.cache = IoHelper.Cache.KEEP
save.props.sync = IoHelper.Sync.DATA
check("state", save.get_state(), IoHelper.TransferState.NEW)
check("result", save.get_result(), None)
writer = threading.Thread(target=write, args=(save.start(), stream))
writer.start()
check("finish", save.finish(None), True)
writer.join()
result = save.get_result()
check("bytes", result.get_bytes(), len(stream))
check("cache", result.get_cache(), "keep")
check("notes", result.get_notes(), [])
check("durable", result.is_durable(), True)
check("side", result.get_side(), IoHelper.Side.NONE)
progress = save.get_progress()
check("progress", progress.bytes, len(stream))

# a restore, in a main loop
restore = IoHelper.Transfer.new_restore(image)
seen = []
ends = []
loop = GLib.MainLoop()
restore.connect("progress", lambda _, *numbers: seen.append(numbers))
fd = restore.start()
data = bytearray()


def read():
    with open(fd, "rb") as end:
        data.extend(end.read())


reader = threading.Thread(target=read)
reader.start()
restore.finish_async(None, lambda _, ended: (ends.append(ended), loop.quit()))
loop.run()
check("finish_finish", restore.finish_finish(ends[0]), True)
reader.join()
check("data", bytes(data) == stream, True)
while not seen or seen[-1][1] != len(stream):
    GLib.MainContext.default().iteration(True)
check("last phase", isinstance(seen[-1][0], IoHelper.Phase), True)

# a failure
failing = IoHelper.Transfer.new_save("/nonexistent/image")
os.close(failing.start())
try:
    failing.finish(None)
    sys.exit("a save into nowhere has succeeded")
except GLib.Error as error:
    check("domain", error.matches(IoHelper.transfer_error_quark(), IoHelper.TransferError.FILE), True)
check("stage", failing.get_result().get_stage(), IoHelper.Stage.OPEN)

# waiting that is cancelled, and a transfer that is
waiting = IoHelper.Transfer.new_save(image + ".other")
fd = waiting.start()
cancellable = Gio.Cancellable()
cancellable.cancel()
try:
    waiting.finish(cancellable)
except GLib.Error as error:
    check("cancelled", error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED), True)
waiting.cancel()
try:
    waiting.finish(None)
except GLib.Error as error:
    check("cancel", error.matches(IoHelper.transfer_error_quark(), IoHelper.TransferError.CANCELLED),
          True)
os.close(fd)
print("fine")

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other ends that stand still or are gone before the helper comes, for manners.sh.

manners.py stalled|gone ENGINE: prints what is wrong, nothing when all is well. IOH_HELPER is the
program; files are made in the working directory.

Many helpers run at a time and share the processor: a busy loop shows in what they take together.
"""
import fcntl
import os
import socket
import subprocess
import sys
import threading

HELPER = os.environ["IOH_HELPER"]
STALL = 2  # seconds
LIMIT = 60
MIB = 1 << 20
taken = []  # seconds of the processor, by each helper


def pattern(length):
    """Every 8 bytes hold their offset."""
    return b"".join(i.to_bytes(8, "little") for i in range(0, length, 8))[:length]


def ends(kind):
    """The two ends of a stream: who reads, who writes."""
    if kind == "pipe":
        return os.pipe()
    if kind == "unix":
        pair = socket.socketpair()
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        pair = [socket.create_connection(listener.getsockname()), listener.accept()[0]]
    return [end.detach() for end in pair]


def run(words, stdin, stdout, say):
    """The helper: its status, standard error, and the processor time it took."""
    child = subprocess.Popen([HELPER] + words, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)
    killer = threading.Timer(LIMIT, child.kill)
    killer.start()
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    killer.cancel()
    taken.append(used.ru_utime + used.ru_stime)
    if taken[-1] > 0.7:
        say(f"took {taken[-1]:.1f} s of the processor")
    return child.returncode, said


def complain(name):
    return lambda text: print(f"{name}: {text}")


def stalled(engine, kind, case):
    """A producer that never begins or stops in the middle; a consumer that reads nothing, of the
    stream or of what is the target of a save."""
    say = complain(f"{case}, {kind}")
    reader, writer = ends(kind)
    target = f"{case}-{kind}"
    words = ["--engine", engine, "--stall-timeout", str(STALL)]
    if case == "later":
        os.set_blocking(writer, False)
        os.write(writer, pattern(60000))
    wanted = 3
    if case == "unread":
        status, said = run(["restore"] + words + ["image"], subprocess.DEVNULL, writer, say)
        side = "standard output"
    elif case == "unwritten":
        with open("image", "rb") as image, subprocess.Popen(["cat"], stdin=image,
                                                           stdout=subprocess.PIPE) as producer:
            status, said = run(["save"] + words[2:] + ["-"], producer.stdout, writer, say)
            producer.kill()
        wanted, side = 4, "file standard output: write failed"
    else:
        status, said = run(["save"] + words + [target], reader, subprocess.DEVNULL, say)
        side = "standard input: read failed at byte " + ("60000:" if case == "later" else "0:")
    os.close(reader)
    os.close(writer)
    if status != wanted or said.count("\n") != 1 or side not in said:
        say(f"status {status}: {said}")
    if os.path.exists(target):
        say("left a file")


def gone(engine, kind, length):
    """A producer that has written all and left before the helper starts."""
    say = complain(f"{length} bytes, {kind}")
    reader, writer = ends(kind)
    if kind == "pipe":
        fcntl.fcntl(writer, 1031, MIB)  # F_SETPIPE_SZ
    else:
        socket.socket(fileno=os.dup(writer)).setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MIB)
    os.set_blocking(writer, False)
    sent = os.write(writer, pattern(length))
    os.close(writer)
    target = f"gone-{kind}-{length}"
    status, said = run(["save", "--engine", engine, target], reader, subprocess.DEVNULL, say)
    os.close(reader)
    if status != 0 or said != "":
        say(f"status {status}: {said}")
    elif open(target, "rb").read() != pattern(length)[:sent]:
        say("the file is not what was written")


def takes_to_start():
    """Seconds of the processor for a save that has nothing to do."""
    read, write = os.pipe()
    os.write(write, b"x")
    os.close(write)
    run(["save", "/dev/null"], read, subprocess.DEVNULL, complain("to start"))
    os.close(read)
    return taken.pop()


def main():
    what, engine = sys.argv[1:]
    to_start = takes_to_start()
    if what == "stalled":
        jobs = [(stalled, case) for case in ("silent", "later", "unread", "unwritten")]
    else:
        jobs = [(gone, length) for length in (1, 60 * 1024, 970 * 1024)]
    threads = [threading.Thread(target=job, args=(engine, kind, case))
               for kind in ("pipe", "unix", "tcp") for job, case in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sum(taken) > len(taken) * 2 * to_start + 0.6:
        print(f"{len(taken)} helpers took {sum(taken):.1f} s of the processor")


main()

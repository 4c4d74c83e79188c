#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# bench: every suite measures what it says, in small; what must not be written to stays as it is; and
# nothing is left, whatever happens. No speed is asserted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

have python3 || skip_all "no python3"
cd "$T" || exit
limit=120
least=2101248

# bench ARGUMENT...: in small; standard output to "out", errors to "err", the status to "rc".
bench () {
    helper bench --runs 1 --size 2M "$@" >out
}

cat >look.py <<'PYTHON'
"""look.py RESULT LEAST [EXPRESSION...]: the result is one JSON object with everything in it, its
figures agree with its runs, and each expression holds (r is the result, tables its tables by name)."""
import json, statistics, sys

text = open(sys.argv[1]).read()
r = json.loads(text)
assert text.endswith("}\n"), "no line"
least = int(sys.argv[2])
for key in "program version suite target runs data machine notes tables".split():
    assert key in r, "no " + key
for key in "kernel cpus pipe-max-size wmem-max load others-cpus withheld-cpus busy".split():
    assert key in r["machine"], "no machine: " + key
assert r["program"] == "iohelper" and r["tables"] and all(isinstance(n, str) for n in r["notes"])

def check_cell(table, cell):
    assert all(isinstance(cell[axis], str) and cell[axis] for axis in table["axes"])
    assert cell["burst"] > 0 and isinstance(cell["options"], list) and cell["link"]
    if "refused" in cell:
        assert cell["refused"] and not cell["runs"] and "mbit-per-second" not in cell
        assert any(cell["refused"] in note for note in r["notes"]), "a refusal without a note"
        return
    assert len(cell["runs"]) == r["runs"], "not as many runs as asked for"
    assert cell["bytes"] >= least and cell["bytes"] % least == 0
    for name in "seconds mbit-per-second cpu-seconds-per-gib".split():
        assert 0 <= cell[name]["lowest"] <= cell[name]["median"] <= cell[name]["highest"], name
    assert cell["seconds"]["lowest"] > 0
    for run in cell["runs"]:
        speed = cell["bytes"] * 8 / 1e6 / run["seconds"]
        assert abs(speed / run["mbit-per-second"] - 1) < 1e-6, "speed and seconds disagree"
        assert run["cpu-seconds"] >= 0 and run["peer-cpu-seconds"] >= 0
    for name in "seconds", "mbit-per-second":
        middle = statistics.median(run[name] for run in cell["runs"])
        assert abs(cell[name]["median"] / middle - 1) < 1e-2, "no median: " + name
    if "buffer-asked" in cell:
        assert cell["buffer-used"] > 0

for table in r["tables"]:
    assert table["axes"] and table["cells"]
    places = [tuple(cell[axis] for axis in table["axes"]) for cell in table["cells"]]
    assert len(set(places)) == len(places), "two cells in one place"
    for cell in table["cells"]:
        check_cell(table, cell)
tables = {table["name"]: table for table in r["tables"]}

def cells(name, **where):
    return [c for c in tables[name]["cells"]
            if all(c[k.replace("_", "-")] == v for k, v in where.items())]

def values(name, axis):
    return sorted({cell[axis] for cell in tables[name]["cells"]})

wrong = [e for e in sys.argv[3:] if not eval(e)]
for e in wrong:
    print("not so:", e)
sys.exit(bool(wrong))
PYTHON

# measured NAME [EXPRESSION...]: the bench just made was done, silently, and its result is sound.
measured () {
    local name=$1
    shift
    verdict "$name" "$({ complaint 0 && python3 -I -S look.py out $least "$@"; } 2>&1)"
}

# ---- suites --------------------------------------------------------------------------------------

bench --json
measured "summary" 'r["suite"] == "summary"' 'r["target"] == "/dev/null"' 'r["data"] == "random"' \
    'values("summary", "stream") == ["pipe", "socketpair", "tcp", "unix"]' \
    'tables["summary"]["cells"][0]["ratio"] == 1 and "used" not in tables["summary"]["cells"][0]' \
    'len(cells("summary", engine="auto")) == 4' \
    'all(c["used"].startswith(c["engine"]) for c in cells("summary", engine="copy"))' \
    'all("refused" in c for c in cells("summary", engine="direct"))' \
    'all(c["ratio"] > 0 for c in cells("summary", engine="splice"))'

bench pipe-size --json
measured "pipe-size" \
    'all(c["buffer-asked"] == 65536 << i for i, c in enumerate(tables["pipe-size"]["cells"]))' \
    'tables["pipe-size"]["cells"][0]["pipe-size"] == "64K"' \
    'all(c["buffer-used"] == c["buffer-asked"] for c in tables["pipe-size"]["cells"])'

bench socket-buffer --json
measured "socket-buffer" 'set(tables) == {"save", "restore"}' \
    '[c["send-buffer"] for c in cells("save", socket="unix")] == ["default", "512K", "1M", "2M", "4M"]' \
    'len(cells("restore", socket="tcp")) == 5' \
    'len({c["bytes"] for c in tables["restore"]["cells"]}) == 1' \
    'all("keep" in c["used"] for c in tables["restore"]["cells"])'

bench message-size --json
measured "message-size" 'r["suite"] == "message-size"' \
    '{"pipe", "unix", "tcp"} <= set(values("message-size", "stream"))' \
    '[c["burst"] for c in cells("message-size", stream="tcp")][::7] == [64, 524288]' \
    '"vsock" in values("message-size", "stream") or any("vsock" in n for n in r["notes"])'

bench queue-depth target --json
measured "queue-depth" 'set(tables) == {"save", "restore"}' 'r["target"].endswith("/target")' \
    'r["machine"]["file-system"]' 'values("save", "queue-depth") == ["1", "16", "4"]' \
    'all(len(t["cells"]) == 36 for t in r["tables"])' \
    'all("refused" in c or c["iops"]["median"] > 0 for t in r["tables"] for c in t["cells"])' \
    'all("refused" in c or c["used"].endswith(c["queue"]) for c in tables["save"]["cells"])'
is "queue-depth: its target is removed" "$(names_in .)" "err look.py out rc"

bench summary target --json
measured "summary to a file" 'all("refused" not in c for c in cells("summary", engine="auto"))' \
    'any("direct" in c.get("used", "") for c in tables["summary"]["cells"])'
is "summary: its target is removed" "$(names_in .)" "err look.py out rc"

helper bench pipe-size --runs 3 --size 5M --zero --burst 1000 --json >out
measured "runs, size, data and bursts as asked for" 'r["runs"] == 3' 'r["data"] == "zero"' \
    "all(c['bytes'] == 3 * least and c['burst'] == 1000 for c in tables['pipe-size']['cells'])"

# ---- tables --------------------------------------------------------------------------------------

bench summary
verdict "a table, without anything for a terminal" "$({
    complaint 0
    grep -q "CPU s/GiB" out || echo "no heading"
    grep -q "pipe-max-size $(</proc/sys/fs/pipe-max-size)" out || echo "no limits"
    grep -qP '[^\x20-\x7e]' out && echo "more than plain text"
    grep -q '#' out && echo "bars"
    [[ $(wc -l <out) -le 24 ]] || echo "more than a screen"
} 2>&1)"

cat >terminal.py <<'PYTHON'
"""terminal.py COMMAND...: runs it in a terminal of its own and prints what it shows."""
import os, pty, sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
try:
    while chunk := os.read(terminal, 65536):
        shown += chunk
except OSError:
    pass
print(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
said=$(timeout 60 python3 -I -S terminal.py "$IOH_HELPER" bench pipe-size --runs 1 --size 2M)
like "bars and progress on a terminal" "$said" "*pipe-size: run 1 of *64K*##*"
rm -f terminal.py

# ---- targets -------------------------------------------------------------------------------------

gen 100000 >kept
before=$(stamp_of kept)
bench pipe-size kept
expect "a file that exists is refused" 4 "$T/kept" "--exists=overwrite"
is "and stays as it is" "$(stamp_of kept)" "$before"
bench queue-depth --exists=overwrite --json kept
measured "a file is overwritten when that is said" 'set(tables) == {"save", "restore"}'
ok "it stays, with the last stream" test "$(size_of kept)" = $least
mkdir dir
bench pipe-size dir
expect "a directory" 4 "$T/dir" "directory"
bench pipe-size none/such
expect "a directory that is missing" 4 "$T/none/such" "No such file"
mkfifo fifo
bench pipe-size fifo
expect "a FIFO" 4 "$T/fifo" "/dev/null"
bench queue-depth /dev/null
expect "no storage for what needs it" 2 "queue-depth" "TARGET"
bench queue-depth
expect "no target for what needs it" 2 "queue-depth" "TARGET"
bench queue-depth big --size 1000T
expect "no room" 5 "$T/big" "room"
bench socket-buffer --size 1000T
expect "no memory for an image" 5 "--size" "TARGET"
bench nonsense
expect "no such suite" 2 "nonsense" "pipe-size"
bench pipe-size --exists=replace kept
expect "what bench does not do" 2 "--exists" "refuse, overwrite"
bench --burst 3M
expect "a burst that is too large" 2 "--burst" "2097152"
is "nothing was made" "$(names_in .)" "dir err fifo kept look.py out rc"
rm -rf dir fifo kept

attach () {
    truncate -s 64M disk && device=$(losetup --show -f disk 2>/dev/null) && defer "losetup -d '$device'"
}

if attach; then
    bench queue-depth "$device"
    expect "a device needs a word" 4 "$device" "--exists=overwrite"
    bench queue-depth --exists=overwrite --json "$device"
    measured "a device" 'set(tables) == {"save", "restore"}'
    cat >hold.py <<'PYTHON'
"""hold.py DEVICE: holds it as a mount would until its standard input ends."""
import os, sys

fd = os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)
print("held", flush=True)
sys.stdin.read()
PYTHON
    coproc HOLD { exec python3 -I -S hold.py "$device"; }
    read -r held <&"${HOLD[0]}"
    bench queue-depth --exists=overwrite "$device"
    expect "a device that is $held by somebody" 4 "$device" "busy"
    eval "exec ${HOLD[1]}>&-"
    wait "$HOLD_PID"
    rm hold.py
else
    skip "a device" "no loop device"
fi

# ---- what the machine refuses ----------------------------------------------------------------------

if have_strace; then
    traced --seccomp-bpf -e trace=setsockopt -e inject=setsockopt:error=EPERM
    bench socket-buffer --json
    measured "no larger buffers" 'any("net.core.wmem_max" in n for n in r["notes"])'
    traced --seccomp-bpf -e trace=io_uring_setup -e inject=io_uring_setup:error=EPERM
    bench queue-depth target --json
    measured "no io_uring" 'all("refused" in c for c in cells("save", queue="io_uring"))' \
        'all(c["iops"]["median"] > 0 for c in cells("save", queue="threads"))'
    untraced
    rm -f trace
else
    skip "what the machine refuses" "no strace"
fi

# A user whose pipes are as many pages as they may be: new ones get two.
cat >pipes.py <<'PYTHON'
"""pipes.py USER COMMAND...: runs it as USER, while so many large pipes are open that he gets no more."""
import fcntl, os, subprocess, sys

os.setgroups([])
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
held = []
try:
    for _ in range(200):
        held.append(os.pipe())
        fcntl.fcntl(held[-1][0], fcntl.F_SETPIPE_SZ, 1 << 20)
except OSError:
    sys.exit(subprocess.call(sys.argv[2:]))
sys.exit("there is no limit")
PYTHON
chmod 755 "$T"
cp "$IOH_HELPER" iohelper
under=(python3 -I -S "$T/pipes.py" "$stranger")
if [[ $(id -u) == 0 ]] && "${under[@]}" "$T/iohelper" --version >/dev/null 2>&1; then
    # without a size, which is found out for the one cell there is
    IOH_HELPER=$T/iohelper helper bench pipe-size --runs 2 --json >out
    measured "pipes that are cut" 'tables["pipe-size"]["cells"][0]["buffer-used"] < 65536' \
        'any("fs.pipe-max-size" in n for n in r["notes"])'
else
    skip "pipes that are cut" "needs root, and a limit for the pipes of a user"
fi
untraced
rm pipes.py iohelper

# ---- pictures ------------------------------------------------------------------------------------

said=$(PATH=$T/nowhere "$IOH_HELPER" bench --plot picture.svg 2>&1)
is "gnuplot is missing" "$? $said" "2 iohelper: --plot: gnuplot is not installed"
ok "no picture then" test ! -e picture.svg
bench pipe-size --plot picture.PNG
expect "a picture of another kind" 2 "--plot" "SVG" "png"
ok "is not drawn" test ! -e picture.PNG
if have gnuplot; then
    for suite in summary socket-buffer message-size "queue-depth target"; do
        # shellcheck disable=SC2086 # two words
        bench $suite --plot picture.svg
        expect "$suite: drawn" 0
        ok "$suite: a picture" python3 -I -S -c 'import sys, xml.dom.minidom
assert xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName == "svg"' picture.svg
    done
    rm picture.svg
    bench pipe-size --plot nowhere/picture.svg
    expect "a picture that cannot be opened" 2 "--plot" "nowhere/picture.svg"
    bench pipe-size --plot /dev/full
    expect "a picture that cannot be written" 5 /dev/full write "No space left on device"
else
    skip "pictures" "no gnuplot"
fi

# ---- interrupted -----------------------------------------------------------------------------------

# under_way DIRECTION: that command of iohelper is running below $pid.
under_way () {
    ps --ppid "$pid" -o args= | grep -q "^iohelper $1 "
}

nobody_left () {
    ! pgrep -f "$T/target" >/dev/null
}

# interrupt SIGNAL DIRECTION: of a bench that would go on for long.
interrupt () {
    rm -f rc
    env --default-signal "$IOH_HELPER" bench queue-depth "$T/target" --runs 1001 --size 2M \
        >out 2>err &
    pid=$!
    wait_for under_way "$2" || fail "$1: $2 does not begin"
    kill "-$1" "$pid"
    end
}

if have ps && have pgrep; then
    for signal in INT TERM HUP; do
        interrupt $signal save
        is "SIG$signal: it dies of that" "$(status)" $((128 + $(kill -l $signal)))
        ok "SIG$signal: nobody is left" wait_for nobody_left
        is "SIG$signal: nothing is left" "$(find . -name '*target*')" ""
        is "SIG$signal: nothing is said" "$(<err)" ""
    done
    interrupt KILL save
    ok "SIGKILL: nobody is left" wait_for nobody_left
else
    skip "interrupted" "no ps or pgrep"
fi

finish

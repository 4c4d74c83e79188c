#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The comparison itself, in small: that it measures what it says, notices who loses bytes, counts
# targets rightly and leaves nothing behind. How fast anybody is does not matter here.
# IOH_BENCH_PROGRAMS  where launch, generator and without-io-uring were built
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

here=$(realpath "$(dirname "$0")")
programs=$(realpath "${IOH_BENCH_PROGRAMS:?the programs of the comparison}")
mkdir "$T/files" "$T/ram"

# compare ARGUMENT...: the smallest comparison, in directories of our own.
compare () {
    timeout 600 "$here/compare" --programs "$programs" --helper "$IOH_HELPER" --dir "$T/files" \
        --ram-dir "$T/ram" --quick --memory 16 "$@"
}

# check FILE STATEMENT...: what Python finds untrue about the JSON in FILE.
check () {
    local file=$1
    shift
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - "$file" "$@" <<'PY'
import json, sys
from paths import PATHS
with open(sys.argv[1]) as file:
    result = json.load(file)
paths = {path['name']: path for path in result['paths']}
one = {(path['name'], one['name']): one for path in result['paths'] for one in path['candidates']}
for statement in sys.argv[2:]:
    if not eval(statement):
        print('untrue:', statement)
PY
}

nothing_left () {
    local left
    left=$(find "$T/files" "$T/ram" -mindepth 1)
    [[ -z $left ]] || echo "left behind: $left"
}

dd if=/dev/zero of="$T/direct" bs=4096 count=1 oflag=direct status=none 2>/dev/null ||
    skip_all "no O_DIRECT in $T"

# ---- the programs --------------------------------------------------------------------------------

head -c 3M /dev/urandom >"$T/sent"
truncate -s 3M "$T/received"
# shellcheck disable=SC2016 # for the inner shell to expand
ok "generator: what is written can be read" bash -o pipefail -c '
    "$1" --memory-file "$2" write | "$1" --memory-file "$3" read' _ \
    "$programs/generator" "$T/sent" "$T/received"
ok "generator: the memory arrives" cmp "$T/sent" "$T/received"
is "generator: a header of 8 bytes for every page" \
    "$("$programs/generator" --memory 2 --zeros write 2>/dev/null | wc -c)" $((512 * 4104))
if "$programs/generator" --memory 1 write 2>/dev/null | head -c 5000 |
    "$programs/generator" --memory 1 read 2>/dev/null; then
    fail "generator: a stream cut within a page is an error"
else
    pass "generator: a stream cut within a page is an error"
fi

like "launch: the exit status is in the report" "$("$programs/launch" 5 sh -c 'exit 7' 5>&1)" \
    '{"exit": 7, "signal": 0, *}'
# shellcheck disable=SC2016 # for Python to read
is "launch: the peak is the command's own, not the starter's" "$(python3 -c '
import json, os, subprocess, sys
fat = bytearray(256 << 20)
reader, writer = os.pipe()
subprocess.run([sys.argv[1], str(writer), "true"], pass_fds=[writer], check=True)
print(json.loads(os.read(reader, 4096))["rss_kib"] < 128 << 10)' "$programs/launch")" True

# refusal COMMAND...: what io_uring_setup(0, NULL) answers: its errno.
refusal () {
    "$@" python3 -c 'import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(425, 0, None), ctypes.get_errno())'
}
is "without-io-uring: io_uring_setup is refused" "$(refusal "$programs/without-io-uring")" "-1 1"

# ---- the figures ---------------------------------------------------------------------------------

verdict "targets: medians, best, worst and bounds" "$(
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - 2>&1 <<'PY'
from measure import Run
from paths import Goal
from stats import judge

def runs(*speeds, cpu=None, rss=None, cached=None):
    return [Run(speed, 1.0, 1, cpu, rss, cached) for speed in speeds]

def expect(goal, word, value, subject, **measured):
    seen = judge(goal, measured)
    if (seen.word, seen.value, seen.subject) != (word, value, subject):
        print(goal, 'gave', seen)

speed = Goal('speed', 'o*', 'stock', 1.25, 1.5)
expect(speed, 'met', 1.25, 'ours', ours=runs(125, 10, 900), stock=runs(100, 100, 100))
expect(speed, 'met, stretch', 1.5, 'other', ours=runs(1), other=runs(150), stock=runs(100))
expect(speed, 'short', 1.24, 'ours', ours=runs(124), stock=runs(100))
expect(speed, 'not measured', None, 'o*', stock=runs(100))
expect(speed, 'not measured', None, 'o*', ours=runs(100))
cpu = Goal('cpu', 'ours', 'stock', 0.7, 0.4)
expect(cpu, 'met', 0.5, 'ours', ours=runs(1, cpu=0.1), stock=runs(1, cpu=0.2))
expect(cpu, 'short', 2.0, 'ours', ours=runs(1, cpu=0.4), stock=runs(1, cpu=0.2))
rss = Goal('rss', 'o*', None, 16, 8)
expect(rss, 'short', 17, 'other', ours=runs(1, rss=3), other=runs(1, rss=17))
expect(rss, 'met, stretch', 8, 'ours', ours=runs(1, rss=8))
expect(Goal('cache', 'ours', None, 0.01, 0), 'met, stretch', 0.0, 'ours', ours=runs(1, cached=0.0))
PY
)"

# ---- whole comparisons ---------------------------------------------------------------------------

is "an unknown path is a usage error" "$(compare nowhere >/dev/null 2>&1; echo $?)" 2
like "a list names paths, targets and what is missing" "$(compare --list)" \
    "null-pipe: *speed iohelper / stock*restore-cold-direct: *"

everything=(
    'set(paths) == {path.name for path in PATHS}'
    'all(not one["failed"] for key, one in one.items())'
    'all(one["refused"] or len(one["runs"]) == 1 for one in one.values())'
    'all(run["bytes"] >= 16 << 20 and run["mbit_per_s"] > 0
         for each in one.values() for run in each["runs"])'
    'all("iohelper" in name or name == "null-best" or (name, "iohelper") in one
         or name.startswith(("buffered", "queue")) for name in paths)'
    'all(one[key]["runs"][0]["rss_bytes"] and one[key]["runs"][0]["used"] for key in one
         if key[1].startswith("iohelper") and not one[key]["refused"])'
    'one["direct-file", "iohelper"]["summary"]["cached"] < 0.01'
    'one["buffered-file", "no-helper"]["summary"]["cached"] > 0.99'
    'all(goal["verdict"] != "not measured" for goal in paths["restore-warm"]["goals"]
         if goal["against"] != "stock")'
)
said=$(compare --synthetic --json "$T/synthetic.json" 2>&1)
is "every path with the generator" $? 0
verdict "every path with the generator: the result" \
    "$(check "$T/synthetic.json" "${everything[@]}" 2>&1)"
like "every path with the generator: the table" "$said" \
    "date*null-pipe: *iohelper *queue-restore: *"
verdict "nothing is left behind" "$(nothing_left)"

if have qemu-system-x86_64; then
    # The firmware wants more room than the generator.
    said=$(compare --memory 64 --json "$T/qemu.json" \
        --only 'iohelper*,stock,nc,fio,one-copy,no-helper' 2>&1)
    is "every path with QEMU" $? 0
    verdict "every path with QEMU: the result" "$(check "$T/qemu.json" "${everything[@]}" 2>&1)"
else
    skip "every path with QEMU" "no qemu-system-x86_64"
fi

if have gnuplot; then
    ok "the result can be drawn" "$here/plot" "$T/synthetic.json" "$T/picture.svg"
    # one for each median that there is (fio and the stock helper are not everywhere), and the key
    bars=$(PYTHONDONTWRITEBYTECODE=1 python3 -c 'import json, runpy, sys
plot = runpy.run_path(sys.argv[1])
lines = plot["table"](json.load(open(sys.argv[2]))).splitlines()[1:]
print(sum(cell != "-" for line in lines for cell in line.split("\t")[1::3]) +
      len(plot["COLUMNS"]))' \
        "$here/plot" "$T/synthetic.json")
    ok "there are bars to draw" test "$bars" -ge 12
    is "the picture has its bars" "$(grep -c '<polygon.*fill-opacity' "$T/picture.svg")" "$bars"
else
    skip "the result can be drawn" "no gnuplot"
fi

# ---- what goes wrong -----------------------------------------------------------------------------

# impostor SCRIPT: a helper that knows one engine and then does this.
impostor () {
    printf '#!/bin/bash\n%s\n' "
        [[ \$1 != engines ]] || exec echo '[]'
        [[ \$* != *--explain* && \$1 != --version ]] || exit 0
        $1" >"$T/impostor"
    chmod +x "$T/impostor"
}

impostor 'echo "no such luck" >&2; cat >/dev/null; exit 4'
said=$(compare --synthetic --helper "$T/impostor" --only iohelper null-pipe 2>&1)
is "an iohelper that fails makes the comparison fail" $? 1
like "an iohelper that fails is shown with its words" "$said" \
    "*FAILED: impostor: exit 4: no such luck*"

# shellcheck disable=SC2016 # for the impostor to expand
impostor 'file="${!#}"; cat >"$file"; truncate -s -1 "$file"'
said=$(compare --synthetic --helper "$T/impostor" --only iohelper direct-file 2>&1)
like "a file that is too short does not count" "$said" \
    "*FAILED: iohelper: * bytes sent, * bytes in the file*"

# shellcheck disable=SC2016 # for the impostor to expand
impostor 'file="${!#}"; head -c 2M "$file"; head -c 4104 /dev/zero; tail -c +2101249 "$file"'
said=$(compare --synthetic --helper "$T/impostor" --only iohelper restore-warm 2>&1)
like "memory that came out different does not count" "$said" "*FAILED: *"

impostor 'exec python3 -c "import sys
fat = bytearray(64 << 20)
while sys.stdin.buffer.read(1 << 20): pass"'
only_fat=(--synthetic --helper "$T/impostor" --only iohelper null-pipe)
said=$(compare "${only_fat[@]}")
is "a missed target is no failure by itself" $? 0
like "a missed target is shown" "$said" "*peak MiB iohelper *short*"
ok "a missed target fails with --targets" bash -c '! "$@" >/dev/null' _ \
    "$here/compare" --programs "$programs" --dir "$T/files" --ram-dir "$T/ram" --quick --memory 16 \
    --targets "${only_fat[@]}"

# Stopped in the middle: a helper that never ends is being waited for.
mkfifo "$T/started"
exec {started}<>"$T/started"
impostor "echo \$\$ >'$T/started'; exec sleep 600"
for signal in INT TERM; do
    "$here/compare" --programs "$programs" --helper "$T/impostor" --dir "$T/files" \
        --ram-dir "$T/ram" --quick --memory 16 --synthetic --only iohelper null-pipe \
        >/dev/null 2>&1 &
    comparison=$!
    read -r -t 60 -u "$started" victim
    kill -"$signal" "$comparison"
    wait "$comparison"
    is "SIG$signal: the comparison dies of it" $? $((128 + $(kill -l "$signal")))
    verdict "SIG$signal: nothing is left behind" "$(nothing_left
        [[ ! -d /proc/$victim ]] || echo 'the candidate still runs')"
done

finish

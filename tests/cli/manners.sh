#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How a transfer behaves while nothing moves and when it is over before it has begun; what is small or
# fits exactly; the rate that was asked for; and that it belongs to who has started it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
have python3 || skip_all "no python3"

cases=$(realpath "$(dirname "$0")")/manners.py
cd "$T" || exit
n=8388608
gen $n >image

for engine in $(engines); do
    verdict "$engine: the side that stands still is named, and waiting takes no processor time" \
        "$(python3 "$cases" stalled "$engine" 2>&1)"
    verdict "$engine: a producer that has left before we came" \
        "$(python3 "$cases" gone "$engine" 2>&1)"
done

# ---- as small as can be, and exactly full --------------------------------------------------------

# whole SIZE OPTION...: a save of so many bytes; prints what is wrong.
whole () {
    rm -f f
    gen "$1" | timeout 10 "$IOH_HELPER" save --engine "$engine" "${@:2}" f 2>&1 ||
        printf '%s: status %s\n' "$*" $?
    check "$1" <f 2>&1 | sed "s/^/$*: /"
}

for engine in $(engines); do
    verdict "$engine: one byte, one block and a full queue, whatever the sizes" "$(
        for block in 4096 65536 1M; do
            for depth in 1 3; do
                bytes=${block/1M/1048576}
                for size in 1 "$bytes" $((bytes * depth)) $((bytes * depth + 1)); do
                    whole "$size" --block-size $block --queue-depth $depth --pipe-size 4096
                done
            done
        done)"
done
engine=${IOH_ENGINE:-auto}

# ---- rates ---------------------------------------------------------------------------------------

# at_least SECONDS COMMAND...: that it takes so long.
at_least () {
    local began=$EPOCHREALTIME
    "${@:2}"
    awk -v began="$began" -v ended="$EPOCHREALTIME" -v least="$1" \
        'BEGIN { if (ended - began < least) print "only " ended - began " s" }'
}

moderate_save () {
    gen 2097152 | save --rate-limit 1M/s f
    complaint 0
    check 2097152 <f 2>&1
}
late_save () {
    { gen 65536; read -rt 2 <>"$T/never"; gen 1048576 65536; } | save --rate-limit 1M f
    complaint 0
}
moderate_restore () {
    restore --rate-limit 8M image | check $n 2>&1
    complaint 0
}
mkfifo never
verdict "a save is no faster than its limit" "$(at_least 1.7 moderate_save)"
verdict "time in which nothing came is not made up for" "$(at_least 2.7 late_save)"
verdict "a restore is no faster than its limit" "$(at_least 0.8 moderate_restore)"

# ---- progress while nothing moves ----------------------------------------------------------------

{ gen 1048576; read -rt 3 <>never; } | save --progress-fd 8 f 8>lines
is "the progress goes on while nothing comes, and counts the same" \
    "$(python3 -c '
import json
lines = [json.loads(line) for line in open("lines")]
still = [line for line in lines if line["phase"] == "moving" and line["bytes"] == 1048576]
print(len(still) >= 2, all(a["bytes"] <= b["bytes"] for a, b in zip(lines, lines[1:])))')" "True True"

# ---- whose it is ---------------------------------------------------------------------------------

# niceness PID
niceness () {
    awk '{ print $19 }' "/proc/$1/stat"
}

mkfifo stream
nice -n 3 ionice -c 3 "$IOH_HELPER" save f <stream 2>err &
pid=$!
exec 7>stream
wait_for launched "$pid"
is "it runs at the priority it was started with" "$(niceness $pid)" "$(($(niceness $$) + 3))"
is "also towards the disk" "$(ionice -p $pid)" idle
gen 100 >&7
exec 7>&-
wait $pid
ok "and saves" check 100 <f

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The progress for people: through a real terminal, and what becomes of it where there is none.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

have python3 || skip_all "no python3"
cases=$(realpath "$(dirname "$0")")/terminal.py
export IOH_DROPIN IOH_HELPER

# seen NAME CASE: what a person would see in a terminal.
seen () {
    mkdir "$T/$2"
    verdict "$1" "$(cd "$T/$2" && timeout -k 2 120 python3 "$cases" "$2" 2>&1)"
}

seen "a save: the line grows below 100 %, then a summary" a_save
seen "a restore: the same" a_restore
seen "no percentage where the length is not known" length_not_known
seen "progress comes by itself" by_itself
seen "the line is narrower than the terminal, also when that is resized" width
seen "an error is in a clean line" an_error
seen "so is what follows Ctrl-C" interrupted
seen "a job in the background goes on, without a word" in_the_background
seen "a terminal of another session is drawn on" another_terminal
seen "a terminal that is stopped does not stop the save" a_stopped_terminal
seen "-q and --progress=never: not a word" not_wanted
seen "-q with --progress: that, and no summary" quiet_with_progress
seen "no data from or to a terminal" data_on_the_terminal
seen "the drop-in prints nothing" the_dropin
if have_strace; then
    IOH_STRACE="$(command -v strace) -f -qq -E ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0"
    IOH_STRACE+=" -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_enter=1000000"
    export IOH_STRACE
    seen "a long flush is seen, below 100 %" flushing
else
    skip "a long flush is seen, below 100 %" "no strace"
fi

# ---- no terminal -----------------------------------------------------------------------------------

cd "$T" || exit
n=1048583
gen $n >stream

save d <stream
saved "no progress into a file" d $n
"$IOH_HELPER" save d <stream 2>&1 | cat >said
is "no progress into a pipe" "$(<said)" ""

# plain FILE: prints lines that are neither progress nor a summary.
plain () {
    LC_ALL=C grep -vE '^(opening|moving|waiting|flushing|iohelper:) [ -~]*$' "$1"
}

mkfifo fifo

# feed FILE: gives the first half of the stream, and the rest once FILE tells of progress.
feed () {
    head -c 500000 stream >&6
    wait_for grep -q "^moving  " "$1"
    tail -c +500001 stream >&6
    exec 6>&-
}

for options in --progress --progress=always "--progress -q"; do
    exec 6<>fifo
    # shellcheck disable=SC2086
    start save $options d <fifo 6>&-
    feed err
    end
    is "$options into a file: a success" "$(status)" 0
    verdict "$options into a file: plain lines" "$(plain err)"
    ok "$options into a file: lines of progress" grep -q "^moving  " err
done
is "--progress -q: no summary" "$(grep -c '^iohelper' err)" 0
exec 6<>fifo
"$IOH_HELPER" save --progress d <fifo 2>&1 6>&- | cat >said 6>&- &
feed said
wait $!
verdict "--progress into a pipe: plain lines" "$(plain said)"
ok "--progress into a pipe: lines of progress" grep -q "^moving  " said
is "--progress into a pipe: one summary" "$(grep -c '^iohelper: 1.0 MiB (1048583 bytes) in ' said)" 1

# Status that cannot be told harms nothing.
"$IOH_HELPER" save --progress d <stream 2>/dev/full
is "progress to a full device" "$? $(check $n <d 2>&1)" "0 "
"$IOH_HELPER" save --progress d <stream 2>&-
is "progress to nowhere" "$? $(check $n <d 2>&1)" "0 "
mkfifo silent
exec 7<>silent
timeout -k 2 30 "$IOH_HELPER" save --progress d <stream 2>&7
is "progress to a pipe that nobody reads" "$? $(check $n <d 2>&1)" "0 "
exec 7>&-

finish

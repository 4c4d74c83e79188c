#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A signal during a long flush: what is not published yet never is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

have_strace || skip_all "no strace"

flushing () {
    grep -qs '"flushing"' "$T/progress"
}

# The helper, which strace runs.
helper_pid () {
    pgrep -P "$1" -x iohelper
}

gen 3000001 >"$T/stream"
gen 1000 >"$T/old"
for signal in TERM INT HUP; do
    cp "$T/old" "$T/image"
    rm -f "$T/progress"
    traced -e inject=fsync:delay_enter=1500000
    start save --progress-fd 3 "$T/image" <"$T/stream" 3>"$T/progress"
    wait_for flushing
    kill "-$signal" "$(helper_pid "$pid")"
    end
    is "SIG$signal during the flush: dies of it" "$(status)" "$((128 + $(kill -l "$signal")))"
    ok "SIG$signal during the flush: the old file stays" cmp "$T/old" "$T/image"
    is "SIG$signal during the flush: nothing is left" \
        "$(names_in "$T")" "err image old progress rc stream trace"
done

finish

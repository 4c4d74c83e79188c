#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions that others call by name
# shellcheck disable=SC2016 # single quotes: programs for another shell
#
# The process that libvirt starts: how it is seen and stopped, and how it treats descriptors that it
# shares with others and that others share with it.

here=$(dirname "$(realpath "$0")")
# shellcheck source-path=SCRIPTDIR source=dropin.sh
source "$here/dropin.sh"

runs_now () {
    local name
    { read -r name <"/proc/$1/comm"; } 2>/dev/null && [[ $name == libvirt_i* ]]
}

# Libvirt stops it by SIGTERM; test suites look for it by the first letters of its name.
dies_of_sigterm () {
    local pid
    rm -f stream
    mkfifo stream
    "$program" "$label" 1 <stream >image 2>"$T/err" &
    pid=$!
    exec 6>stream
    wait_for runs_now "$pid" || echo "never seen by its name"
    gen 100000 >&6
    kill -TERM "$pid"
    wait "$pid"
    echo $? >"$T/rc"
    exec 6>&-
    [[ $(status) == 143 ]] || printf 'status %s instead of 143\n' "$(status)"
    [[ ! -s $T/err ]] || printf 'not silent: %s\n' "$(<"$T/err")"
}

# What a shell with FD 5 open, shared with the helper that it starts, begins with.
sharing='
    program=$1 label=$2 pattern=$3
    flags () { grep ^flags: "$1" | cut -f 2; }
    # A pause only while the helper is there to be waited for.
    helper_lives () { kill -0 $helper 2>/dev/null; }
    before=$(flags /proc/self/fdinfo/5)
'

# FD 5 is an O_DIRECT file. Says: status, flags before, during, after.
keeps_direct=$sharing'
    "$program" "$label" 5 <stream & helper=$!
    exec 6>stream
    "$pattern" gen 8M >&6
    until [[ -s image ]]; do helper_lives || exit; done
    during=$(flags /proc/$helper/fdinfo/5)
    exec 6>&-
    wait $helper
    echo "$? $before $during $(flags /proc/self/fdinfo/5)"
'

# Who looks from outside sees the bit while bytes move; the caller finds the description as it was.
direct_stays_on () {
    local seen
    rm -f image stream
    mkfifo stream
    read -ra seen < <(timeout -k 2 "$limit" "$open_on_fd" 5 wctd image \
        "$BASH" -c "$keeps_direct" - "$program" "$label" "$IOH_PATTERN")
    [[ ${#seen[@]} == 4 && ${seen[*]} == "0 ${seen[1]} ${seen[1]} ${seen[1]}" ]] ||
        printf 'status and flags: %s\n' "${seen[*]}"
    check 8M <image
}

# FD 5 is the stream, O_NONBLOCK, empty at first and again in the middle. Says: flags before, after.
waits_for_more=$sharing'
    exec 6>stream
    { "$program" "$label" 1 <&5 >image; echo $? >rc; } 2>err 6>&- & helper=$!
    "$pattern" gen 1000 >&6
    while read -rt 0 <&5; do helper_lives || exit; done
    "$pattern" gen 30000 1000 >&6
    exec 6>&-
    wait $helper
    echo "$before $(flags /proc/self/fdinfo/5)"
'

stdin_would_block () {
    local seen
    rm -f image stream
    mkfifo stream
    read -ra seen < <(timeout -k 2 "$limit" "$open_on_fd" 5 rn stream \
        "$BASH" -c "$waits_for_more" - "$program" "$label" "$IOH_PATTERN")
    succeeded
    [[ ${#seen[@]} == 2 && ${seen[0]} == "${seen[1]}" ]] || printf 'flags: %s\n' "${seen[*]}"
    check 31000 <image
}

stdout_would_block () {
    gen 1048577 >image
    { "$IOH_PATTERN" nonblock 1; run_to 0; } <image | "$IOH_PATTERN" sip 3000 100 | check 1048577
    succeeded
}

# On a block device old data follows the stream: the reader knows where to stop.
reader_stops () {
    gen 3M >image
    run_to 0 <image | head -c 1000 | check 1000
    succeeded
    (
        trap '' PIPE
        run_to 0 <image
    ) | head -c 1000 | check 1000
    succeeded
}

story () {
    verdict "$who: carries the name, dies of SIGTERM" "$(dies_of_sigterm)"
    direct "$who: O_DIRECT stays set, and the caller's flags as they were" direct_stays_on
    only_dropin || return
    verdict "$who: a non-blocking stdin is waited for" "$(stdin_would_block)"
    verdict "$who: a non-blocking stdout is waited for" "$(stdout_would_block)"
    verdict "$who: a reader that stops is no error" "$(reader_stops)"
}

each_helper story
finish

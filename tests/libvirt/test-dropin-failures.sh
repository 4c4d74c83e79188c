#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions that others call by name
#
# What libvirt shows to its user: arguments, failures, their one line.

here=$(dirname "$(realpath "$0")")
# shellcheck source-path=SCRIPTDIR source=dropin.sh
source "$here/dropin.sh"

# call ARGUMENT...: neither side has anything to say.
call () {
    timeout -k 2 "$limit" "$program" "$@" </dev/null >"$T/out" 2>"$T/err"
    echo $? >"$T/rc"
}

help_text () {
    call --help
    succeeded
    [[ $(cat "$T/out"; echo .) == *"Usage: $program "*" FD." ]] || cat "$T/out"
}

argument_counts () {
    local count
    for count in "" "a" "a 1 2" "a 0 0 0 0 0"; do
        # shellcheck disable=SC2086 # words are meant
        call $count
        refused --help
    done
}

# names FD: prints when the message does not hold it as it was given.
names () {
    local text
    text=$(<"$T/err")
    text=${text//"$label"/}
    [[ ${text#"$program"} == *"$1"* ]] || printf 'nothing of "%s": %s\n' "$1" "$text"
}

bad_fds () {
    local fd
    for fd in abc 1x 0x1 -1 -5 99 "" " " 4294967297 99999999999999999999; do
        call "$label" "$fd"
        refused
        names "$fd"
        [[ ! -s $T/out ]] || echo "something was written"
    done
}

closed_fds () {
    printf hi | run_to 99
    refused "Bad file descriptor"
    names 99
    printf hi | run_to 1 >&-
    refused "Bad file descriptor"
    run_to 0 <&- >out
    refused "Bad file descriptor"
    run_to 1 <&- >out
    refused "standard input is closed"
}

read_write_fd () {
    gen 100 >image
    printf hi | opened 5 u image
    failed ''
    ! only_dropin || names 5
    check 100 <image
}

test_arguments () {
    verdict "$who: --help" "$(help_text)"
    verdict "$who: wrong number of arguments" "$(argument_counts)"
    verdict "$who: a read-write FD is refused" "$(read_write_fd)"
    only_dropin || return
    verdict "$who: a bad FD is named" "$(bad_fds)"
    verdict "$who: a closed FD is named" "$(closed_fds)"
}

no_room () {
    gen 3M | run_to 1 >/dev/full
    failed "Unable to write $label: No space left on device"
}

stream_no_room () {
    gen 3M >image
    run_to 0 <image >/dev/full
    failed "Unable to write stdio: No space left on device"
}

# directory SIDE: prints what is wrong with the failure of a run that was given one.
#   Libvirt's own finds out by reading it, ours by looking at it.
directory () {
    failed "Unable to "
    refused " $1: Is a directory"
}

directories () {
    run_to 1 <"$T" >image
    directory stdio
    run_to 0 <"$T" >out
    directory "$label"
}

size_limit () {
    gen 3M | (
        ulimit -f 1024
        # Libvirt's own dies of SIGXFSZ unless somebody ignores it.
        only_dropin || trap '' XFSZ
        run_to 1 >image
    )
    failed "Unable to write $label: File too large"
}

# under_strace ARGUMENT...: for the runs that follow in this subshell. A build that looks for leaks
#   cannot do so then, and would complain.
under_strace () {
    traced "$@"
    environment+=(ASAN_OPTIONS=detect_leaks=0)
}

# injected FAULT: a run of 1000 bytes in which one call of the output's fails.
injected () {
    under_strace -P "$T/image" -e "inject=$1"
    gen 1000 | run_to 1 >image
    grep -q INJECTED "$T/trace" || echo "nothing was injected"
}

# reading_fails FD OUTPUT SUBJECT: the read side is a file, in the one direction or the other.
reading_fails () {
    under_strace -P "$T/source" -e "inject=read,readv,pread64,preadv,preadv2,splice:error=EIO"
    gen 1000 >source
    run_to "$1" <source >"$2"
    grep -q INJECTED "$T/trace" || echo "nothing was injected"
    failed "Unable to read $3: Input/output error"
    [[ ! -s $2 ]] || echo "bytes that were never read"
}

flush_fails () {
    local fault
    for fault in "ENOSPC No space left on device" "EIO Input/output error" \
        "EDQUOT Disk quota exceeded"; do
        injected "fsync,fdatasync:error=${fault%% *}"
        failed "unable to fsync $label: ${fault#* }"
    done
}

close_fails () {
    injected "close:error=EDQUOT"
    failed "Unable to close $label: Disk quota exceeded"
}

# The last thing that happens to the data is that it is flushed.
flushed () {
    under_strace -y -e "trace=desc"
    gen 3M | run_to 1 >image
    succeeded
    grep -E "(write|splice|ftruncate|fallocate|sync).*<$T/image>" "$T/trace" | tail -1 |
        grep -qE '(fsync|fdatasync)\([0-9]+<.*= 0' || echo "no flush after the last write"
}

test_failures () {
    verdict "$who: no room" "$(no_room)"
    verdict "$who: the stream's end has no room" "$(stream_no_room)"
    verdict "$who: a directory" "$(directories)"
    verdict "$who: file size limit" "$(size_limit)"
    if have_strace; then
        verdict "$who: the stream cannot be read" "$(reading_fails 1 image stdio)"
        verdict "$who: the file cannot be read" "$(reading_fails 0 out "$label")"
        verdict "$who: a failed flush" "$(flush_fails)"
        verdict "$who: a failed close" "$(close_fails)"
        verdict "$who: the data is flushed before success" "$(flushed)"
    else
        skip "$who: failures of single calls" "no strace"
    fi
}

story () {
    test_arguments
    test_failures
}

each_helper story
finish

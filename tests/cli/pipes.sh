#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Pipes that the kernel does not let us have, many transfers at a time, and readers that splice on.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=4194317
gen $n >image

# Somebody whose pipes are counted, which root's are not. He has to reach all he needs.
other=()
if [[ $(id -u) == 0 ]]; then
    other=(setpriv --reuid "$stranger" --regid "$stranger" --clear-groups)
    chmod 755 .
    cp "$IOH_HELPER" helper
    cp "$IOH_PATTERN" pattern
    chmod 755 helper pattern
    IOH_HELPER=$T/helper
    IOH_PATTERN=$T/pattern
fi
mkdir his
chmod 777 his

# crowded ENGINE: as that user, with pipes of a mebibyte until there are no more to be had.
# shellcheck disable=SC2016
crowded='
    cd "$1/his" || exit
    ulimit -n 1024
    for ((i = 0; i < 200; i++)); do
        rm -f fifo
        mkfifo fifo && exec {fd}<>fifo
        "$2" pipe-size $fd 1048576 >/dev/null 2>&1 || break
    done
    ((i < 200)) || exit 77
    exec {fd}>&-
    timeout 30 "$2" gen 4194317 | timeout 30 "$3" save --engine "$4" --report report f
    rc=${PIPESTATUS[1]}
    timeout 30 "$3" restore --engine "$4" f | timeout 30 "$2" check 4194317 && exit $rc'
for engine in $(engines); do
    rm -f his/*
    said=$("${other[@]}" bash -c "$crowded" - "$T" "$IOH_PATTERN" "$IOH_HELPER" "$engine" 2>&1)
    case $? in
    77) skip "$engine: no more big pipes for this user" "there is no end to them" ;;
    0)
        is "$engine: no more big pipes for this user: goes on in silence" "$said" ""
        ok "$engine: the report tells why" grep -q '"Operation not permitted"' his/report
        ;;
    *) fail "$engine: no more big pipes for this user" "status $?" "$said" ;;
    esac
done

if have_strace; then
    for error in EPERM EBUSY ENOMEM EINVAL; do
        traced -e trace=fcntl -e "inject=fcntl:error=$error:when=2+"
        gen $n | save f
        untraced
        verdict "$error from fcntl: done, or a failure that says so" \
            "$(if [[ $(status) == 0 ]]; then check $n <f; else complaint "$(status)"; fi)"
    done
else
    skip "a pipe that cannot be enlarged" "no strace"
fi

# Many at a time.
# shellcheck disable=SC2016
many='
    cd "$1/his" || exit
    for ((i = 0; i < 70; i++)); do
        "$2" gen 262147 $((i * 8)) | "$3" save --sync none "f$i" &
    done
    wait
    for ((i = 0; i < 70; i++)); do
        "$2" check 262147 $((i * 8)) <"f$i" || echo "f$i"
    done'
rm -f his/*
is "seventy at a time" \
    "$("${other[@]}" bash -c "$many" - "$T" "$IOH_PATTERN" "$IOH_HELPER" 2>&1)" ""

# What was handed to a pipe may lie there for long, and be passed on unread.
mkfifo fifo
for engine in $(engines); do
    for size in 4096 1048576; do
        exec 6<>fifo
        "$IOH_PATTERN" pipe-size 6 $size >/dev/null
        "$IOH_HELPER" save --engine splice --sync none --pipe-size $size out <fifo 6>&- &
        start restore --pipe-size $size image >fifo 6>&-
        exec 6>&-
        end
        wait
        restored "$engine: a reader that splices on, a pipe of $size" out $n
    done
    restore image | "$IOH_HELPER" save --engine splice --cache keep - 2>/dev/null |
        "$IOH_PATTERN" sip 65536 200 | check $n >said
    is "$engine: through two more pipes" "$(<said)" ""
done

finish

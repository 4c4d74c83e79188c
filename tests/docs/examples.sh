#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The EXAMPLES of the manual pages, run as they stand there: "$" and "#" lines by a shell, "(qemu)" lines
# by the monitor of a real QEMU. Each block starts in a directory that holds "stream" and, as an earlier
# save of it, "vm.img"; whatever it makes of the stream has to be the same stream again.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

source=${IOH_SOURCE:?the source tree}
n=3145729
qemu="qemu-system-x86_64"
qemu_pid=

mkdir "$T/bin" "$T/blocks" "$T/here"
ln -s "$IOH_HELPER" "$T/bin/iohelper"
ln -s "$(dirname "$IOH_HELPER")/libvirt_iohelper" "$T/bin/libvirt_iohelper"
# The other host is this one.
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$T/bin/ssh"
chmod +x "$T/bin/ssh"
export PATH="$T/bin:$PATH"

# blocks PAGE: each literal block under EXAMPLES into a file of its own, its kind as its ending.
blocks () {
    awk -v to="$T/blocks/$(basename "$1" .rst)" '
        /^=+$/ { inside = previous == "EXAMPLES" }
        !/^    / { open = 0 }
        inside && /^    (\$|#|\(qemu\)) / {
            if (!open) {
                kind = $1 == "$" ? "user" : $1 == "#" ? "root" : "qemu"
                file = sprintf("%s-%02d.%s", to, ++count, kind)
                open = 1
            }
            sub(/^    (\$|#|\(qemu\)) /, "")
            print > file
        }
        { previous = $0 }' "$1"
}

# fresh: the directory that a block finds.
fresh () {
    rm -rf "$T/d"
    mkdir "$T/d"
    cd "$T/d" || exit
    gen $n >stream
    cp stream vm.img
}

# same_streams: prints what is not the stream although it should be.
same_streams () {
    local file
    for file in stream vm.img new.img copy; do
        [[ ! -e $file ]] || cmp stream "$file"
    done
    [[ ! -e state ]] || tail -c +4097 state | cmp stream -
}

# shell_block FILE: as a careful user's shell would run it.
shell_block () {
    local said wrong

    fresh
    said=$(timeout 60 bash -euo pipefail "$1" 2>&1 </dev/null) || wrong="status $?: $said"$'\n'
    verdict "$(basename "$1"): $(head -1 "$1")" "${wrong:-}$(same_streams 2>&1)"
}

# The block device of the examples is a loop device here.
root_block () {
    if [[ -z ${device:-} ]]; then
        skip "$(basename "$1"): $(head -1 "$1")" "no loop device"
        return
    fi
    sed "s,/dev/vg0/vm-state,$device,g" "$1" >"$T/here/$(basename "$1")"
    shell_block "$T/here/$(basename "$1")"
}

attach_device () {
    truncate -s 8M "$T/disk"
    device=$(losetup --show -f "$T/disk" 2>/dev/null) || return
    defer "losetup -d '$device'"
}

monitor () {
    printf '%s\n' "$1" >&"${QEMU[1]}"
}

qemu_says () {
    monitor 'info status'
    local line
    while IFS= read -r -t 10 line <&"${QEMU[0]}"; do
        if [[ $line == 'VM status:'* ]]; then
            [[ $line != *inmigrate* ]]
            return
        fi
    done
    return 1
}

# qemu_block FILE OPTION...: gives its lines to a QEMU's monitor, whose guest never runs.
qemu_block () {
    local block=$1 command wrong=
    shift

    coproc QEMU { exec "$qemu" -accel tcg -nodefaults -display none -S -m 64 -monitor stdio "$@" 2>qemu.err; }
    # shellcheck disable=SC2153 # QEMU_PID is made by coproc
    qemu_pid=$QEMU_PID
    while IFS= read -r command; do
        monitor "$command"
    done <"$block"
    wait_for qemu_says || wrong="QEMU does not get ready: $(<qemu.err)"$'\n'
    monitor quit
    eval "exec ${QEMU[1]}>&-"
    wait "$qemu_pid" || wrong+="QEMU ended with status $?: $(<qemu.err)"$'\n'
    verdict "$(basename "$block"): $(head -1 "$block")" "$wrong"
}

qemu_blocks () {
    local save=$T/blocks/iohelper.1-01.qemu restore=$T/blocks/iohelper.1-02.qemu

    if ! have "$qemu"; then
        skip "the examples for QEMU's monitor" "no $qemu"
        return
    fi
    fresh
    rm vm.img
    qemu_block "$save"
    ok "the report tells of success" grep -qE '"outcome" *: *"done"' vm.json
    is "the image is a stream of QEMU's" "$(head -c 4 vm.img)" QEVM
    qemu_block "$restore" -incoming defer
}

blocks "$source/docs/iohelper.1.rst"
blocks "$source/docs/libvirt_iohelper.8.rst"
attach_device
qemu_blocks
for block in "$T"/blocks/*; do
    case "$block" in
    *.user) shell_block "$block" ;;
    *.root) root_block "$block" ;;
    esac
done
finish

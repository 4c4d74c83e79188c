#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The EXAMPLES of the manual pages, run as they stand there: "$" and "#" lines by a shell, "(qemu)" lines
# by the monitor of a real QEMU. Each block starts in a directory that holds "stream" and, as an earlier
# save of it, "vm.img"; whatever it makes of the stream has to be the same stream again. What needs a
# QEMU runs in one directory, in the order of the page.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

source=${IOH_SOURCE:?the source tree}
n=3145729
qemu="qemu-system-x86_64"
qemu_pid=
socket=/run/vm.sock

mkdir "$T/bin" "$T/blocks" "$T/here"
ln -s "$IOH_HELPER" "$T/bin/iohelper"
ln -s "$(dirname "$IOH_HELPER")/libvirt_iohelper" "$T/bin/libvirt_iohelper"
# The other host is this one.
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$T/bin/ssh"
chmod +x "$T/bin/ssh"
export PATH="$T/bin:$PATH"

# blocks PAGE: the lines of each literal block under EXAMPLES into files of their own, by who runs them:
# PAGE-NUMBER.user, .root, .qemu
blocks () {
    awk -v to="$T/blocks/$(basename "$1" .rst)" '
        /^=+$/ { inside = previous == "EXAMPLES" }
        !/^    / { open = 0 }
        inside && /^    (\$|#|\(qemu\)) / {
            count += !open
            open = 1
            kind = $1 == "$" ? "user" : $1 == "#" ? "root" : "qemu"
            sub (/^    (\$|#|\(qemu\)) /, "")
            print > sprintf ("%s-%02d.%s", to, count, kind)
        }
        { previous = $0 }' "$1"
}

# block TEXT: the file of the block that holds TEXT.
block () {
    grep -lF -- "$1" "$T"/blocks/*
}

# fresh: the directory that a block finds.
fresh () {
    rm -rf "$T/d"
    mkdir "$T/d"
    cd "$T/d" || exit
    gen $n >stream
    cp stream vm.img
    { libvirt_header LibvirtQemudSave 0 demo; printf QEVM; cat stream; } >demo.save
}

# same_streams: prints what is not the stream although it should be.
same_streams () {
    local file
    for file in stream vm.img new.img copy; do
        [[ ! -e $file ]] || cmp stream "$file"
    done
    [[ ! -e state ]] || tail -c +4097 state | cmp stream -
    [[ ! -e memory ]] || tail -c +5 memory | cmp stream -
}

# shell_block FILE: as a careful user's shell would run it.
shell_block () {
    local said wrong

    fresh
    said=$(timeout --foreground -k 5 60 bash -euo pipefail "$1" 2>&1 </dev/null) || wrong="status $?: $said"$'\n'
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

# start_qemu OPTION...: its guest never runs; what it complains about is in qemu.err.
start_qemu () {
    coproc QEMU {
        exec "$qemu" -accel tcg -nodefaults -display none -S -m 64 -monitor stdio "$@" 2>qemu.err
    }
    # shellcheck disable=SC2153 # QEMU_PID is made by coproc
    qemu_pid=$QEMU_PID
}

# type_lines BLOCK: gives its lines to the monitor, with our socket for theirs.
type_lines () {
    local command

    while IFS= read -r command; do
        monitor "${command//$socket/$T/vm.sock}"
    done <"$1"
}

# The monitor answers when the commands before are done.
qemu_is_ready () {
    local line

    monitor 'info status'
    while IFS= read -r -t 10 line <&"${QEMU[0]}"; do
        if [[ $line == 'VM status:'* ]]; then
            [[ $line != *inmigrate* ]]
            return
        fi
    done
    return 1
}

# end_qemu: prints what is wrong with it.
end_qemu () {
    wait_for qemu_is_ready || printf 'QEMU does not get ready: %s\n' "$(<qemu.err)"
    monitor quit
    eval "exec ${QEMU[1]}>&-"
    wait "$qemu_pid" || printf 'QEMU ended with status %d: %s\n' $? "$(<qemu.err)"
}

# qemu_shell BLOCK: a shell with our socket for theirs.
qemu_shell () {
    sed "s,$socket,$T/vm.sock,g" "$1" >line
    timeout --foreground -k 5 60 bash -euo pipefail line </dev/null >shell.log 2>&1
}

# qemu_verdict BLOCK: from what has been noted in the file "wrong".
qemu_verdict () {
    verdict "$(basename "$1"): $(head -1 "$1")" "$(<wrong)"
}

through_a_command () {
    local save restore

    save=$(block 'exec:iohelper save')
    restore=$(block 'exec:iohelper restore')
    start_qemu
    type_lines "$save"
    end_qemu >wrong
    qemu_verdict "$save"
    ok "the report tells of success" grep -qE '"outcome" *: *"done"' vm.json
    is "the image is a stream of QEMU's" "$(head -c 4 vm.img)" QEVM
    start_qemu -incoming defer
    type_lines "$restore"
    end_qemu >wrong
    qemu_verdict "$restore"
}

through_a_socket () {
    local save restore shell_pid

    save=$(block 'iohelper save --listen')
    save=${save%.*}
    restore=$(block 'iohelper restore --connect')
    rm vm.img
    qemu_shell "$save.user" &
    shell_pid=$!
    wait_for test -S "$T/vm.sock"
    start_qemu
    type_lines "$save.qemu"
    end_qemu >wrong
    wait "$shell_pid" || printf 'the save ended with status %d: %s\n' $? "$(<shell.log)" >>wrong
    qemu_verdict "$save.user"
    is "the image from the socket is a stream of QEMU's" "$(head -c 4 vm.img)" QEVM
    start_qemu -incoming "unix:$T/vm.sock"
    wait_for test -S "$T/vm.sock"
    qemu_shell "$restore" ||
        printf 'the restore ended with status %d: %s\n' $? "$(<shell.log)" >shell.wrong
    end_qemu >wrong
    cat shell.wrong >>wrong 2>/dev/null
    qemu_verdict "$restore"
}

blocks "$source/docs/iohelper.1.rst"
blocks "$source/docs/libvirt_iohelper.8.rst"
if have "$qemu"; then
    fresh
    rm vm.img
    through_a_command
    through_a_socket
else
    skip "the examples with QEMU" "no $qemu"
fi
attach_device
for block in "$T"/blocks/*; do
    case "$block" in
    *.user) grep -qF "$socket" "$block" || shell_block "$block" ;;
    *.root) root_block "$block" ;;
    esac
done
finish

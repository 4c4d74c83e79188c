#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions that others call by name
#
# Real libvirt, a real (emulated) domain: everything that libvirt uses its helper for, with ours in
# the place of its own. The same is done with libvirt's own helper, and what the user sees has to be
# the same.
#
# test-scenarios.sh [stock|dropin]...   whose helper (default: both)
# IOH_DROPIN        the libvirt_iohelper to test
# IOH_OPEN_ON_FD    open-on-fd.c
# and what cli/lib.sh needs

here=$(dirname "$(realpath "$0")")
export TMPDIR=${TMPDIR:-/var/tmp} # often a disk where /tmp is memory
export PATH=$PATH:/usr/sbin:/sbin
# shellcheck source-path=SCRIPTDIR source=dropin.sh
source "$here/dropin.sh"
# shellcheck source-path=SCRIPTDIR source=private-libvirtd.sh
source "$here/private-libvirtd.sh"
# shellcheck source-path=SCRIPTDIR source=domain.sh
source "$here/domain.sh"

limit=60

# ---- outside -------------------------------------------------------------------------------------

# What must be the same before and after.
machine_state () {
    cksum "$stock"
    stat -c '%n %d:%i %Y' /etc/libvirt /var/lib/libvirt "$stock"
    ls -ld /run/libvirt 2>&1
    grep -E 'libvirt|ioh-test-scenarios' /proc/self/mounts
}

# The kernel detaches a loop device when its last user closes it, which may be another program.
no_loop_device () {
    ! losetup --list --noheadings --output BACK-FILE | grep -qF "$T"
}

outside () {
    local reason before
    reason=$(missing_need)
    [[ -z $reason ]] || skip_all "$reason"
    stock=$(stock_helper) || skip_all "no libvirt_iohelper of libvirt"
    before=$(machine_state)
    TMPDIR=$T IOH_INSIDE=1 in_private_world "$BASH" "$here/$(basename "$0")" "$@"
    [[ ! -s $T/impossible ]] || skip_all "$(<"$T/impossible")"
    read -r tap_count tap_failed <"$T/count" || fail "the scenarios came to their end"
    is "nothing runs on" "$(namespace_members "$world")" ""
    is "the machine is as it was" "$(machine_state)" "$before"
    ok "no loop device is left" wait_for no_loop_device
    is "no file is left" "$(names_in "$T" | tr ' ' '\n' | grep -vE '^(count|label|probe|)$')" ""
    finish
}

# ---- a run, and what is seen of it ---------------------------------------------------------------

# user VIRSH-ARGUMENT...: status in $T/rc, text in $T/out and $T/err.
user () {
    timeout -k 2 "$limit" virsh -c qemu:///system "$@" >"$T/out" 2>"$T/err"
    echo $? >"$T/rc"
}

find_helper () {
    local dir name
    for dir in /proc/[0-9]*; do
        if { read -r name <"$dir/comm"; } 2>/dev/null && [[ $name == libvirt_i* ]]; then
            helper_pid=${dir#/proc/}
            return
        fi
    done
    return 1
}

# at_work FD IMAGE: the helper is there, and a save has begun to arrive.
at_work () {
    find_helper && [[ $1 == 0 || -s $2 ]]
}

is_stopped () {
    grep -q '^State:.T' "/proc/$helper_pid/status"
}

# The bit of O_DIRECT, which is not the same on every architecture.
direct_bit () {
    local with without
    with=$("$open_on_fd" 9 wcd "$T/probe" sed -n 's/^flags:\t*//p' /proc/self/fdinfo/9)
    without=$("$open_on_fd" 9 wc "$T/probe" sed -n 's/^flags:\t*//p' /proc/self/fdinfo/9)
    echo $(((8#$with) & ~(8#$without)))
}

# look_at FD IMAGE: what others find who look for the helper by the file, as lsof does.
look_at () {
    local proc=/proc/$helper_pid words flags
    [[ $proc/exe -ef $program ]] || printf 'runs %s\n' "$(readlink "$proc/exe")"
    mapfile -d '' -t words <"$proc/cmdline"
    [[ "${words[*]}" == "$stock $2 $1" ]] || printf 'called as %s\n' "${words[*]}"
    [[ $proc/fd/$1 -ef $2 ]] || printf 'FD %s is %s\n' "$1" "$(readlink "$proc/fd/$1")"
    flags=$(sed -n 's/^flags:\t*//p' "$proc/fdinfo/$1")
    if [[ $mode == bypass ]]; then
        (((8#$flags) & direct)) || echo "no O_DIRECT on the file: $flags"
    else
        ! (((8#$flags) & direct)) || echo "O_DIRECT on the file: $flags"
    fi
}

# caught FD IMAGE FUNCTION...: the helper of the virsh that runs as $user_pid is stopped at work,
#   FUNCTION has the time it needs, and the helper goes on.
caught () {
    # On a busy machine the helper could be done between being seen and being stopped.
    renice -n -10 "$BASHPID" >/dev/null 2>&1
    while ! at_work "$1" "$2"; do
        kill -0 "$user_pid" 2>/dev/null || { echo "the helper was never seen at work"; return; }
    done
    kill -STOP "$helper_pid"
    wait_for is_stopped
    "${@:3}"
    kill -CONT "$helper_pid"
}

# watched FD IMAGE VIRSH-ARGUMENT...: run it, and look at the helper meanwhile.
watched () {
    local user_pid
    user "${@:3}" &
    user_pid=$!
    caught "$1" "$2" look_at "$1" "$2"
    wait "$user_pid"
    ! find_helper || echo "the helper is still there"
}

# said: what the user has seen, without what is different each time.
said () {
    printf 'exit %s; ' "$(status)"
    cat "$T/out" "$T/err" | grep . | sed "s|$T|DIR|g" | tr '\n' ';'
}

# record NAME: the visible result goes to the list of this helper; the test is about the complaints.
record () {
    printf '%s: %s state %s\n' "$1" "$(said)" "$(vsh domstate "$domain" 2>&1)" >>"$T/seen.$who"
}

# finished NAME STATUS: prints what is wrong with how it ended.
finished () {
    record "$1"
    [[ $(status) == "$2" ]] || printf 'virsh: %s\n' "$(said)"
}

state_is () {
    local state
    state=$(vsh domstate "$domain")
    [[ $state == "$1" ]] || printf 'the domain is "%s", not "%s"\n' "$state" "$1"
}

# image_good FILE: complete by its magic, and about as long as what the guest's memory holds.
image_good () {
    local size
    [[ $(head -c 16 "$1") == LibvirtQemudSave ]] || echo "not marked complete: $(head -c 16 "$1")"
    size=$(size_of "$1")
    ((size > filled && size < filled + (16 << 20))) || echo "image of $size bytes"
}

# told FILE: what `iohelper info` says of it, and the stream that is found in it.
told () {
    local offset
    "$IOH_HELPER" info --json "$1" >"$T/info" || cat "$T/info"
    offset=$(sed -n 's/^ *"offset" : \([0-9]*\).*/\1/p' "$T/info")
    grep -q "\"domain\" : \"$domain\"" "$T/info" || echo "info tells another domain"
    grep -q '"state" : "complete"' "$T/info" || echo "info does not call it complete"
    grep -q '"machine" : "pc-' "$T/info" || echo "info tells no machine"
    cmp <("$IOH_HELPER" restore --skip-header "$1") <(tail -c +$((offset + 1)) "$1")
    [[ $(tail -c +$((offset + 1)) "$1" | head -c 4) == QEVM ]] || echo "no stream at $offset"
}

# core_good FILE: an ELF core that holds all memory.
core_good () {
    local size
    [[ $(head -c 4 "$1") == $'\x7fELF' ]] || echo "not an ELF file"
    size=$(size_of "$1")
    ((size > memory && size < memory + (1 << 20))) || echo "core of $size bytes"
    echo "core of $size bytes" >>"$T/seen.$who"
}

# ---- scenarios; $mode and $bypass tell about the page cache --------------------------------------

save () {
    watched 1 "$T/image" save "$domain" "$T/image" "${bypass[@]}"
    finished "save, $mode" 0
    state_is "shut off"
    image_good "$T/image"
    told "$T/image"
}

# Only with --bypass-cache does libvirt use the helper here.
run_restore () {
    if [[ $mode == bypass ]]; then
        watched 0 "$@" "${bypass[@]}"
    else
        user "${@:2}"
    fi
}

restore () {
    run_restore "$T/image" restore "$T/image"
    finished "restore, $mode" 0
    state_is running
    memory_good
    rm -f "$T/image"
}

managed_image=/var/lib/libvirt/qemu/save/$domain.save

managed_save () {
    watched 1 "$managed_image" managedsave "$domain" "${bypass[@]}"
    finished "managedsave, $mode" 0
    state_is "shut off"
    image_good "$managed_image"
}

managed_start () {
    run_restore "$managed_image" start "$domain"
    finished "start, $mode" 0
    state_is running
    memory_good
    [[ ! -e $managed_image ]] || echo "the image is still there"
}

dump () {
    watched 1 "$T/core" dump "$domain" "$T/core" --memory-only "${bypass[@]}"
    finished "dump, $mode" 0
    state_is running
    core_good "$T/core"
    rm -f "$T/core"
}

# no_room NAME VIRSH-ARGUMENT...: into $T/small, where it does not fit.
no_room () {
    rm -f "$T"/small/*
    user "${@:2}" "${bypass[@]}"
    finished "$1, $mode" 1
    grep -q 'No space left on device' "$T/err" || printf 'virsh: %s\n' "$(said)"
    state_is running
    memory_good
    ! find_helper || echo "the helper is still there"
    [[ -z $(ls -A "$T/small") ]] || ls -l "$T/small"
}

# abort NAME VIRSH-ARGUMENT...: into $T/image; the job is cancelled half way.
abort () {
    local user_pid
    user "${@:2}" "${bypass[@]}" &
    user_pid=$!
    caught 1 "$T/image" vsh domjobabort "$domain"
    wait "$user_pid"
    finished "$1, $mode" 1
    state_is running
    memory_good
    ! find_helper || echo "the helper is still there"
    [[ ! -e $T/image ]] || echo "the image is still there"
}

# scenario NAME FUNCTION...: on a running domain with good memory, also after others have failed.
scenario () {
    local complaints
    [[ $2 == *restore || $2 == *start ]] || domain_ready
    complaints=$("${@:2}" 2>&1)
    verdict "$who: $1, $mode" "$complaints"
    [[ -z $complaints ]] || domain_lost
}

# without_room WHAT VIRSH-ARGUMENT...
without_room () {
    if [[ $mode == buffered ]] || takes_direct "$T/small/probe"; then
        scenario "$1 without room" no_room "$1 without room" "${@:2}"
    else
        skip "$who: $1 without room, $mode" "no loop device, and no O_DIRECT on tmpfs"
    fi
}

everything () {
    scenario "save" save
    scenario "restore" restore
    scenario "managedsave" managed_save
    scenario "start" managed_start
    scenario "dump" dump
    without_room save save "$domain" "$T/small/image"
    without_room dump dump "$domain" "$T/small/core" --memory-only
    scenario "save, cancelled" abort "save, cancelled" save "$domain" "$T/image"
    scenario "dump, cancelled" abort "dump, cancelled" dump "$domain" "$T/image"
}

# with_helper WHO: buffered, then with --bypass-cache.
with_helper () {
    who=$1 program=$stock
    if [[ $who == dropin ]]; then
        program=$IOH_DROPIN
        mount --bind "$program" "$stock"
    fi
    mode=buffered bypass=()
    everything
    mode=bypass bypass=(--bypass-cache)
    if [[ ${direct:-0} == 0 ]]; then
        skip "$who: everything, $mode" "no O_DIRECT in $T"
    else
        everything
    fi
    [[ $who == stock ]] || umount "$stock"
}

# A file system of 16 MiB; in memory where there are no loop devices.
make_small () {
    mkdir "$T/small"
    truncate -s 16M "$T/small.fs"
    if mkfs.ext4 -q -m 0 -O ^has_journal "$T/small.fs" &&
        mount -o loop "$T/small.fs" "$T/small"; then
        defer "umount '$T/small'"
    else
        mount_tmpfs small size=16M || return
    fi
    rm -rf "$T/small/lost+found"
}

# impossible REASON: not here; the shell outside is told why.
impossible () {
    echo "$1" >"$(dirname "$T")/impossible"
    exit 1
}

inside () {
    stock=$(stock_helper)
    direct=$(direct_bit 2>/dev/null)
    mkdir -p "$T/managed"
    make_small || impossible "cannot make a small file system"
    start_libvirt "$T/managed" ||
        impossible "libvirtd does not start: $(tail -1 "$T/libvirtd.log")"
    domain_ready || impossible "the domain does not start: $(tail -1 "$T/err")"
    for who in "$@"; do
        with_helper "$who"
    done
    [[ $# == 1 ]] || is "the user sees the same" "$(<"$T/seen.dropin")" "$(<"$T/seen.stock")"
    echo "$tap_count $tap_failed" >"$(dirname "$T")/count"
}

[[ $# != 0 ]] || set -- stock dropin
if [[ ${IOH_INSIDE:-0} == 1 ]]; then
    inside "$@"
else
    outside "$@"
fi

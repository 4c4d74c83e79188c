#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions that others call by name
#
# Every byte, no more and no less: all tail sizes, both directions, buffered and O_DIRECT, any FD.

# What it mounts goes away with it. Root stays root, for the loop device.
if [[ ${IOH_INSIDE:-0} != 1 ]]; then
    export IOH_INSIDE=1
    own=(unshare -Urm)
    [[ $(id -u) != 0 ]] || own=(unshare -m --propagation private)
    "${own[@]}" true 2>/dev/null && exec "${own[@]}" "$BASH" "$0"
fi

here=$(dirname "$(realpath "$0")")
# shellcheck source-path=SCRIPTDIR source=dropin.sh
source "$here/dropin.sh"

tail_sizes=(0 "${tail_sizes[@]}")

# each_size FUNCTION...: for every tail size; prints what went wrong and at which.
each_size () {
    local size said
    for size in "${tail_sizes[@]}"; do
        rm -f image
        said=$("$@" "$size"; succeeded)
        [[ -z $said ]] || printf '%s bytes: %s\n' "$size" "$said"
    done
}

# save_as FD FLAGS SIZE: the stream comes through a pipe.
save_as () {
    gen "$3" | opened "$1" "wct$2" image
    check "$3" <image
}

# save_in_pieces FLAGS: pieces of every length, so that reads are short and blocks never fit.
save_in_pieces () {
    "$IOH_PATTERN" trickle 8389385 "${IOH_SEED:-1}" 70000 0 | opened 1 "wct$1" image
    succeeded
    check 8389385 <image
}

# restore_as FD FLAGS SIZE
restore_as () {
    gen "$3" >image
    opened "$1" "r$2" image | check "$3"
}

# restore_slowly FLAGS: the reader takes little at a time, from a small pipe.
restore_slowly () {
    gen 1048577 >image
    opened 0 "r$1" image | { "$IOH_PATTERN" pipe-size 0 4096 >/dev/null; "$IOH_PATTERN" sip 3000 100; } |
        check 1048577
    succeeded
}

test_bytes () {
    verdict "$who: save, FD 1" "$(each_size save_as 1 '')"
    direct "$who: save, FD 1, O_DIRECT" each_size save_as 1 d
    verdict "$who: restore, FD 0" "$(each_size restore_as 0 '')"
    direct "$who: restore, FD 0, O_DIRECT" each_size restore_as 0 d
    verdict "$who: save, another FD" "$(each_size save_as 7 '')"
    direct "$who: save, another FD, O_DIRECT" each_size save_as 7 d
    verdict "$who: restore, another FD" "$(each_size restore_as 7 '')"
    direct "$who: restore, another FD, O_DIRECT" each_size restore_as 7 d
    verdict "$who: save from odd pieces" "$(save_in_pieces '')"
    direct "$who: save from odd pieces, O_DIRECT" save_in_pieces d
    verdict "$who: restore to a slow reader" "$(restore_slowly '')"
    direct "$who: restore to a slow reader, O_DIRECT" restore_slowly d
}

save_at_offset () {
    { printf 'before: '; gen 70000 | run_to 1; } >image
    succeeded
    [[ $(head -c 8 image) == 'before: ' ]] || echo "what stood before is gone"
    tail -c +9 image | check 70000
}

save_appending () {
    printf 'before: ' >image
    gen 70000 | run_to 1 >>image
    succeeded
    tail -c +9 image | check 70000
}

restore_at_offset () {
    { printf 'before: '; gen 70000; } >image
    { dd bs=8 count=1 status=none >/dev/null; run_to 0; } <image | check 70000
    succeeded
}

# Libvirt's own refuses what is not a whole file; ours writes or reads it from where it stands, and
# a written file ends where the stream ends.
save_direct_not_empty () {
    gen 8192 >image
    gen 5000 100 | opened 1 wd image
    if only_dropin; then
        succeeded
        check 5000 100 <image
    else
        failed 'O_DIRECT write needs empty seekable file'
        check 8192 <image
    fi
}

restore_direct_from_middle () {
    gen 8192 >image
    "$open_on_fd" 0 rd image "$BASH" -c '
        dd bs=4096 count=1 of=/dev/null status=none; "$@"' - \
        timeout -k 2 "$limit" "$program" "$label" 0 >out 2>"$T/err"
    echo $? >"$T/rc"
    if only_dropin; then
        succeeded
        check 4096 4096 <out
    else
        failed 'O_DIRECT read needs entire seekable file'
        check 0 <out
    fi
}

save_null () {
    gen 3M | run_to 1 >/dev/null
    succeeded
}

# The label is a FIFO everywhere else; here a file, and a name that is not there.
label_untouched () {
    local label=$T/other-label
    gen 1000 | run_to 1 >image
    succeeded
    [[ ! -e $label ]] || echo "the label was created"
    echo kept >"$label"
    gen 1000 | run_to 1 >image
    succeeded
    [[ $(<"$label") == kept ]] || echo "the label was written to"
    rm -f "$label"
}

test_places () {
    verdict "$who: save goes on where the descriptor stands" "$(save_at_offset)"
    verdict "$who: save appends" "$(save_appending)"
    verdict "$who: restore begins where the descriptor stands" "$(restore_at_offset)"
    direct "$who: O_DIRECT save into a file with contents" save_direct_not_empty
    direct "$who: O_DIRECT restore from the middle" restore_direct_from_middle
    verdict "$who: save to /dev/null" "$(save_null)"
    verdict "$who: PATH is only a label" "$(label_untouched)"
}

# Exactly the room that the stream needs, with a tail that ends in the middle of 64 KiB.
room=$((1048576 + 4096))

exact_room () {
    gen "$room" | opened 1 wctd small/image
    succeeded
    check "$room" <small/image
}

# device_tail DEVICE: what stands behind the end of the stream stays there.
device_tail () {
    local size said
    for size in 1 4095 65537 1048577; do
        tr '\0' '\377' </dev/zero | head -c 2M >"$1"
        said=$(
            gen "$size" | opened 1 wd "$1"
            succeeded
            head -c "$size" "$1" | check "$size"
            [[ -z $(tail -c "+$((size + 1))" "$1" | tr -d '\377' | head -c 1 | od -An -c) ]] ||
                echo "something behind the stream has changed"
        )
        [[ -z $said ]] || printf '%s bytes: %s\n' "$size" "$said"
    done
}

# in_small_fs NAME
in_small_fs () {
    if ! mount_tmpfs small "size=$room" 2>/dev/null; then
        skip "$1" "cannot mount"
    elif ! takes_direct small/probe; then
        skip "$1" "no O_DIRECT on tmpfs"
    else
        verdict "$1" "$(exact_room)"
    fi
}

# on_device NAME
on_device () {
    local device
    tr '\0' '\377' </dev/zero | head -c 4M >disk
    if ! device=$(losetup --show -f disk 2>/dev/null); then
        skip "$1" "no loop device"
        return
    fi
    defer "losetup -d $device"
    direct "$1" device_tail "$device"
}

test_better () {
    in_small_fs "$who: O_DIRECT save that just fits"
    on_device "$who: nothing behind the stream on a device"
}

story () {
    test_bytes
    test_places
    ! only_dropin || test_better
}

each_helper story
finish

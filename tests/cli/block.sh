#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Block devices, with sectors of 512 and of 4096 bytes: to the byte, never past the stream, never
# past the device.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

enter_mounts "$@"
have losetup || skip_all "no losetup"
cd "$T" || exit
gen 1049276 >stream

# ff SIZE: the old contents of a device, told from every stream.
ff () {
    head -c "$1" /dev/zero | tr '\0' '\377'
}

# attach SECTOR FILE: $device; detached for good when $hold closes, whatever happens to us.
attach () {
    device=$(losetup -f --show --sector-size "$1" "$2") || return 1
    exec {hold}<"$device"
    losetup -d "$device"
}

detach () {
    exec {hold}<&-
}

# holds SIZE: what is on the device from the start, and that the rest is old.
holds () {
    head -c "$1" "$device" | check "$1"
    [[ $(tail -c +$(($1 + 1)) "$device" | tr -d '\377' | wc -c) == 0 ]] ||
        echo "bytes past the stream have changed"
    [[ $(blockdev --getsize64 "$device") == 8388608 ]] || echo "the device has changed its size"
}

for sector in 512 4096; do
    ff 8388608 >disk
    if ! attach $sector disk; then
        skip "block devices of $sector byte sectors" "no loop device to be had"
        continue
    fi
    is "the device has sectors of $sector bytes" "$(blockdev --getss "$device")" $sector
    for engine in $(engines); do
        for cache in direct keep; do
            fits save --cache "$cache" "$device" || continue
            for size in 1 511 4097 1049276; do
                ff 8388608 >"$device"
                gen $size | save --cache "$cache" "$device"
                verdict "$engine: $size bytes, sectors of $sector, cache=$cache" \
                    "$(complaint 0; holds $size)"
            done
            restore --cache "$cache" --expect-size 1049276 "$device" >out
            restored "$engine: expected so long, it is all that is read, $sector $cache" \
                out 1049276
            restore --cache "$cache" "$device" | cmp - "$device"
            is "$engine: all of the device, $sector $cache" "$(status)" 0
            for offset in 4095 1000001; do
                ff 8388608 >"$device"
                save --cache "$cache" --offset $offset "$device" <stream
                verdict "$engine: at offset $offset, sectors of $sector, cache=$cache" "$(
                    complaint 0
                    tail -c +$((offset + 1)) "$device" | head -c 1049276 | check 1049276
                    for part in "head -c $offset" "tail -c +$((offset + 1049276 + 1))"; do
                        [[ $($part "$device" | tr -d '\377' | wc -c) == 0 ]] ||
                            echo "$part has changed"
                    done
                )"
                restore --cache "$cache" --offset $offset --expect-size 1049276 "$device" >out
                restored "$engine: back from $offset, sectors of $sector, cache=$cache" \
                    out 1049276
            done
            gen 8388608 | save --cache "$cache" "$device"
            verdict "$engine: exactly as large, sectors of $sector, cache=$cache" \
                "$(complaint 0; holds 8388608)"
            gen 8388609 | save --cache "$cache" "$device"
            expect "$engine: one byte too large, sectors of $sector, cache=$cache" \
                5 file "$device" "No space left on device" 8388608
            yes | save --cache "$cache" "$device"
            expect "$engine: far too large, sectors of $sector, cache=$cache" \
                5 file "$device" "No space left on device" 8388608
        done
        ff 8388608 >"$device"
        {
            save --expect-size 8388609 "$device"
            check 1049276
        } <stream >said
        expect "$engine: known to be too large: refused first" 5 file "$device" 8388609 8388608
        verdict "$engine: nothing read, nothing written" "$(cat said; holds 0)"
        save --expect-size 1049277 "$device" <stream
        expect "$engine: a stream that ends early" 3 stream 1049276 1049277
        save --exists refuse "$device" <stream
        expect "$engine: --exists is for files only" 0
        restore --expect-size 8388609 "$device" >out
        expect "$engine: more expected than the device has" 7 file "$device" truncated 8388609
        restore "$device" | head -c 1048576 >out
        expect "$engine: a reader that has enough" 3 stream "Broken pipe"
        save --report report fd:7 7<>"$device" <stream
        verdict "$engine: by descriptor, and the report" "$(
            complaint 0
            head -c 1049276 "$device" | check 1049276
            grep -qE '"kind" *: *"block"' report || cat report
            grep -qE '"bytes" *: *1049276' report || cat report
        )"
        ln -sf "$device" link
        ff 8388608 >"$device"
        save link <stream
        verdict "$engine: through a link" "$(complaint 0; holds 1049276; readlink link | grep -vx "$device")"
        mknod node b $((0x$(stat -c %t "$device"))) $((0x$(stat -c %T "$device")))
        save node <stream
        verdict "$engine: another node stays a node" "$(complaint 0; [[ -b node ]] || echo gone)"
        rm node
    done
    detach
done
engine=${IOH_ENGINE:-auto}

# A device that is not to be written.
ff 1048576 >disk
if device=$(losetup -f --show --read-only disk); then
    exec {hold}<"$device"
    losetup -d "$device"
    save "$device" <stream
    expect "a read-only device" 4 file "$device"
    ok "it is as it was" cmp "$device" <(ff 1048576)
    detach
fi

# More promised than there is: a sparse file on a small disk, behind the device.
mount_tmpfs thin size=1M
truncate -s 8M thin/disk
if attach 512 thin/disk; then
    for engine in $(engines); do
        for cache in keep direct; do
            fits save --cache $cache "$device" || continue
            gen 4M | save --cache $cache "$device"
            case $(status) in
            4 | 5 | 6) verdict "$engine: a thin device, cache=$cache" \
                "$(complaint "$(status)" file "$device" | grep -v ^status)" ;;
            *) fail "$engine: a thin device, cache=$cache" "status $(status)" "$(<err)" ;;
            esac
        done
    done
    detach
fi

finish

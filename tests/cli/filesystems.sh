#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# File systems as they come: sectors of 4096 bytes below, small ones that fill up, and other kinds
# than the one the other stories run on.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

enter_mounts "$@"
have losetup || skip_all "no losetup"
cd "$T" || exit

# mounted KIND SECTOR SIZE [OPTION...]: a new file system at fs; gone with us, whatever happens. The
# options are of mkfs.
mounted () {
    local device
    truncate -s "$3" "disk.$1.$2"
    device=$(losetup -f --show --sector-size "$2" "disk.$1.$2") || return 1
    mkdir -p fs
    if "mkfs.$1" "${@:4}" "$device" >mkfs.log 2>&1 && mount "$device" fs; then
        defer "umount -lq '$T/fs'"
        losetup -d "$device"
        return 0
    fi
    losetup -d "$device"
    return 1
}

for kind in ext4:4096 xfs:4096 btrfs:4096 vfat:512; do
    sector=${kind#*:}
    if ! have "mkfs.${kind%:*}" || ! mounted "${kind%:*}" "$sector" 384M; then
        [[ $kind == ext4* ]] && skip "$kind" "cannot be made or mounted"
        [[ $kind == ext4* ]] || echo "# no $kind here"
        continue
    fi
    for engine in $(engines); do
        for cache in direct drop; do
            fits save --cache "$cache" fs/f || continue
            verdict "$engine on $kind, cache=$cache" "$(
                for size in 1 511 4097 1000001; do
                    gen $size | save --cache "$cache" --report "$T/report" fs/f
                    if [[ $cache == direct && $(status) == 4 && $(<err) == *irect* ]]; then
                        continue
                    fi
                    { complaint 0; check $size <fs/f; } 2>&1 | sed "s/^/save $size: /"
                    restore --cache "$cache" fs/f >out
                    { complaint 0; check $size <out; } 2>&1 | sed "s/^/restore $size: /"
                    restore --cache "$cache" --offset 1 --expect-size $((size - 1)) fs/f >out
                    [[ $size == 1 ]] ||
                        { complaint 0; check $((size - 1)) 1 <out; } 2>&1 |
                        sed "s/^/restore $size from 1: /"
                done
                [[ $(names_in fs | sed 's/lost+found//') == *f* ]] || names_in fs
            )"
        done
        verdict "$engine on $kind: an odd piece in place, direct" "$(
            gen 3000001 >fs/g
            gen 1000001 4097 | save --cache direct --exists overwrite --offset 4097 fs/g
            if [[ $(status) == 0 ]]; then
                head -c 1004098 fs/g | check 1004098
            elif [[ $(status) != 4 ]]; then
                cat err
            fi
        )"
    done
    [[ $kind != ext4:4096 ]] ||
        ok "the alignment comes from the kernel" grep -qE '"origin" *: *"statx"' report
    umount fs
done
engine=${IOH_ENGINE:-auto}

# Really full, with the flush behind: ext4 allocates late.
if mounted ext4 512 24M; then
    gen 5000 >fs/f
    for engine in $(engines); do
        for cache in direct keep; do
            fits save --cache "$cache" fs/f || continue
            gen 32M | save --cache "$cache" fs/f
            verdict "$engine: ext4 full in the middle, cache=$cache" "$(
                complaint 5 file fs/f "No space left on device"
                check 5000 <fs/f
                [[ $(names_in fs) == "f lost+found" ]] || names_in fs
            )"
        done
    done
    umount fs
fi
engine=${IOH_ENGINE:-auto}

# Half of it is kept for root, which takes it and is not told beforehand that there is no room.
if mounted ext4 512 24M -m 50; then
    gen 15M | save --expect-size 15728640 fs/f
    saved "the room that is kept for root is room for root" fs/f 15728640
    rm fs/f
    if have setpriv; then
        chmod 711 . && chmod 777 fs
        under=(setpriv --reuid 65534 --regid 65534 --clear-groups)
        gen 15M | save --expect-size 15728640 "$T/fs/f"
        under=()
        expect "but not for others" 5 file needs 15728640
    fi
    umount fs
fi

# What stays in the page cache.
if have fincore; then
    head -c 64M /dev/urandom >stream
    for engine in $(engines); do
        for cache in direct drop; do
            rm -f f
            fits save --cache $cache f || continue
            save --cache $cache f <stream
            pages=$(fincore -nbo PAGES f)
            ok "$engine: cache=$cache leaves little of a save ($pages pages)" \
                test "$pages" -lt 164
            restore --cache $cache f >/dev/null
            pages=$(fincore -nbo PAGES f)
            ok "$engine: cache=$cache leaves little of a restore ($pages pages)" \
                test "$pages" -lt 164
            restore --cache $cache --block-size 16M f >/dev/null
            pages=$(fincore -nbo PAGES f)
            ok "$engine: cache=$cache, great blocks ($pages pages)" test "$pages" -lt 164
        done
        rm -f f
        save --cache drop f < <(gen 12345677)
        ok "$engine: cache=drop of an odd size ($(fincore -nbo PAGES f) pages)" \
            test "$(fincore -nbo PAGES f)" -lt 31
        cat f >/dev/null
        restore --cache drop f >/dev/null
        ok "$engine: what was cached before stays ($(fincore -nbo PAGES f) of 3015 pages)" \
            test "$(fincore -nbo PAGES f)" -gt 2900
    done
else
    skip "what stays in the page cache" "no fincore"
fi

finish

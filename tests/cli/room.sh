#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Disks that are full, nearly full, just big enough, or not to be written at all: small tmpfs mounts
# in a namespace of our own.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

enter_namespace "$@"
cd "$T" || exit
mount_tmpfs d size=8M || skip_all "no tmpfs in a namespace"
n=16777216
small=1048583
gen $small >stream
gen 100000 7 >old

# tmpfs is memory: there is no going round the page cache.
cache_modes=(auto drop keep)

for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        fits save --cache "$cache" d/f || continue
        cp old d/f
        before=$(stamp_of d/f)
        gen $n | save --cache "$cache" --report "$T/report" d/f
        expect "$engine: full in the middle, cache=$cache" \
            5 file d/f write "No space left on device" byte
        is "$engine: the old file stays, alone, cache=$cache" \
            "$(names_in d) $(stamp_of d/f)" "f $before"
        rm d/f
    done
    # The producer learns of it at once.
    gen $n 2>said | save d/f
    is "$engine: the producer gets EPIPE" "${PIPESTATUS[0]} $(<said)" \
        "141 "
    gen $n | save --keep-partial d/f
    expect "$engine: full in the middle, --keep-partial" 5 file d/f write "No space left"
    verdict "$engine: what fitted is kept, and is right" "$(
        names_in d | grep -vx f.part
        size=$(size_of d/f.part)
        ((size > 4194304)) || echo "only $size bytes"
        check "$size" <d/f.part
    )"
    rm d/f.part
    gen $n | save --exists overwrite d/f
    expect "$engine: full in the middle, in place" 5 file d/f write "No space left"
    rm -f d/f
    gen $n | save fd:5 5>d/f
    expect "$engine: full in the middle, a descriptor" 5 file "fd 5" write "No space left"
    rm d/f

    # Exactly as much room as the stream: nothing is padded past it, nothing is needed twice.
    for size in $((8 << 20)) $(((8 << 20) - 1)) $(((8 << 20) - 4095)); do
        for cache in "${cache_modes[@]}"; do
            fits save --cache "$cache" d/f || continue
            gen $size | save --cache "$cache" --expect-size $size d/f
            saved "$engine: $size bytes into 8 MiB, cache=$cache" d/f $size
            rm -f d/f
        done
    done
    gen $(((8 << 20) + 1)) | save d/f
    expect "$engine: one byte too many" 5 file d/f write "No space left on device"

    # Known beforehand: refused while the stream is still whole.
    cp old d/f
    before=$(stamp_of d/f)
    for size in 1G 8389000; do
        {
            save --expect-size $size d/f
            check $small
        } <stream >said
        expect "$engine: --expect-size $size does not fit" 5 file d/f needs
        is "$engine: not a byte is taken" "$(<said)" ""
        is "$engine: nothing is touched" "$(names_in d) $(stamp_of d/f)" "f $before"
    done
    like "$engine: room that is needed and room there is" "$(<err)" "*8389000*[0-9]*"
    # Through a pipe, where the bytes stay for whoever comes next.
    gen 5000 | {
        save --expect-size 1G d/f
        check 5000 >said
    }
    is "$engine: the bytes are still in the pipe" "$(<said)" ""
    save --expect-size 1G fd:5 5<>d/f <stream
    expect "$engine: a descriptor" 5 file "fd 5"
    is "$engine: its file is untouched" "$(stamp_of d/f)" "$before"
    rm d/f
    gen 7340032 >d/f
    gen 7340032 | save --expect-size 7340032 fd:5 5<>d/f
    saved "$engine: in a descriptor's file that is as large" d/f 7340032
    # In place, the old file's room counts as room.
    gen 7340032 >d/f
    gen 7340032 | save --exists overwrite --expect-size 7340032 d/f
    saved "$engine: in place of an old file as large" d/f 7340032
    gen 7340032 | save --expect-size 7340032 d/f
    expect "$engine: next to it there is no room" 5 file d/f
    ok "$engine: and the old one stays" check 7340032 <d/f
    save --cache direct d/f <stream
    [[ $engine != copy ]] || expect "$engine: direct to memory" 4 file d/f direct
    rm d/f

    # Restoring to a full disk.
    restore stream >d/out
    saved "$engine: a restore that fits" d/out $small
    gen $n >big
    restore big >d/out
    expect "$engine: a restore that does not" 3 stream write "No space left on device" byte
    ok "$engine: delivered is a beginning" cmp -n "$(size_of d/out)" d/out big
    rm d/out big
done
engine=${IOH_ENGINE:-auto}

# A file system that tells of no room, and has some.
if mkdir -p untold && mount -t ramfs ramfs untold 2>/dev/null; then
    defer "umount -l '$T/untold'"
    save --expect-size $small --report "$T/report" untold/f <stream
    saved "a file system that does not tell its room" untold/f $small
    ok "the report does not claim O_DIRECT for it" grep -q '"the file system lives in memory"' report
else
    excuse "a file system that does not tell its room" "no ramfs in a namespace"
fi

# No inode left.
mount_tmpfs few size=8M,nr_inodes=2
touch few/last
save few/f <stream
expect "no inode left" 5 file few/f open "No space left on device"

# Not to be written.
mount_tmpfs ro size=8M
cp old ro/f
mkfifo ro/fifo
mount -o remount,bind,ro "$T/ro"
before=$(stamp_of ro/f)
for how in replace overwrite refuse; do
    save --exists $how ro/new <stream
    expect "a read-only file system, --exists $how, new" 4 file ro/new "Read-only file system"
    [[ $how == refuse ]] && continue
    save --exists $how ro/f <stream
    expect "a read-only file system, --exists $how" 4 file ro/f "Read-only file system"
done
is "it is as it was" "$(stamp_of ro/f)" "$before"
restore ro/f >out
verdict "a restore from a read-only file system" "$(complaint 0; cmp old out)"
cat ro/fifo >out &
save ro/fifo <stream
wait
saved "a FIFO on a read-only file system" out $small

# Memory in huge pages takes and gives less at a time than is asked for.
if mount_tmpfs huge huge=always,size=64M; then
    for engine in $(engines); do
        gen 8389385 | save --block-size 4M huge/f
        saved "$engine: into huge pages" huge/f 8389385
        restore --block-size 4M huge/f >out
        restored "$engine: out of huge pages" out 8389385
        rm huge/f
    done
    engine=${IOH_ENGINE:-auto}
else
    skip "huge pages" "this kernel has none for tmpfs"
fi

# A limit on the size of a report's disk is no reason to lose the stream.
mount_tmpfs tiny size=4k
cp old d/f
head -c 4096 /dev/zero >tiny/full
save --report "$T/tiny/report" d/f <stream
[[ $(status) == 0 ]] && fail "a report that cannot be written is told" "status 0"
[[ $(status) == 0 ]] || expect "a report that cannot be written is told" "$(status)" report
ok "but the stream is saved" check $small <d/f

finish

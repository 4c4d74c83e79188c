#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Byte for byte, exact to the last: tails, cache modes, block sizes, ways to sync, offsets, chunks.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
seed=${IOH_SEED:-$RANDOM}
echo "# seed $seed (IOH_SEED=$seed repeats this)"

# both SIZE OPTION...: a save, its check, a restore, its check; prints what is wrong.
both () {
    local size=$1
    shift
    rm -f f
    gen "$size" | save --sync none "$@" f
    { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/save $size: /"
    restore "$@" f | cat >out
    { complaint 0 && check "$size" <out; } 2>&1 | sed "s/^/restore $size: /"
}

for engine in $(engines); do
    for cache in direct drop keep; do
        fits save --cache "$cache" f || continue
        verdict "$engine: every tail, cache=$cache" "$(
            for size in "${tail_sizes[@]}"; do
                both "$size" --cache "$cache"
            done
        )"
    done
    for sync in none data full; do
        verdict "$engine: tails, sync=$sync" "$(
            for size in 1 513 65537 3640428; do
                rm -f f
                save --sync $sync f < <(gen "$size")
                { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/$size: /"
            done
        )"
    done
    for block in 4096 12345 4M; do
        for cache in direct keep; do
            fits save --cache "$cache" --block-size $block f || continue
            verdict "$engine: tails, block size $block, cache=$cache" "$(
                for size in 1 4097 1048577; do
                    both "$size" --cache $cache --block-size $block
                done
            )"
        done
    done

    # An old file that is longer, in place.
    for cache in direct keep; do
        fits save --cache "$cache" f || continue
        verdict "$engine: nothing of a longer old file, cache=$cache" "$(
            for size in 1 4095 65537; do
                tr '\0' '\377' </dev/zero | head -c 1500000 >f
                save --exists overwrite --cache "$cache" f < <(gen "$size")
                { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/overwrite $size: /"
                tr '\0' '\377' </dev/zero | head -c 1500000 >f
                save --cache "$cache" f < <(gen "$size")
                { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/replace $size: /"
                tr '\0' '\377' </dev/zero | head -c 1500000 >f
                save --cache "$cache" fd:5 5<>f < <(gen "$size")
                { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/fd:5 $size: /"
            done
        )"
    done

    # Odd places.
    for cache in direct drop keep; do
        fits save --cache "$cache" f || continue
        verdict "$engine: any --offset, cache=$cache" "$(
            for offset in 1 512 4095 4097 66721 1048577; do
                rm -f f
                head -c $offset /dev/zero | tr '\0' x >f
                head -c 3000000 /dev/zero >>f
                save --exists overwrite --cache "$cache" --offset $offset f < <(gen 1300007)
                {
                    complaint 0 && tail -c +$((offset + 1)) f | check 1300007
                    [[ $(head -c $offset f | tr -d x | wc -c) == 0 ]] || echo "the head is gone"
                } 2>&1 | sed "s/^/save at $offset: /"
                restore --cache "$cache" --offset $offset f | cat >out
                { complaint 0 && check 1300007 <out; } 2>&1 | sed "s/^/restore at $offset: /"
            done
        )"
        verdict "$engine: past 4 GiB, cache=$cache" "$(
            for offset in 2147483640 4294967293; do
                rm -f f
                : >f
                save --exists overwrite --cache "$cache" --offset $offset f < <(gen 1048577)
                { complaint 0 && tail -c 1048577 f | check 1048577; } 2>&1
                [[ $(size_of f) == $((offset + 1048577)) ]] || echo "length $(size_of f)"
                restore --cache "$cache" --offset $offset f | cat >out
                { complaint 0 && check 1048577 <out; } 2>&1
            done
        )"
    done
    rm -f f

    verdict "$engine: a stream in random pieces" "$(
        for max in 1 513 4097 65537 200000; do
            for cache in direct keep; do
                fits save --cache "$cache" f || continue
                size=$((max * 100 + 777))
                "$IOH_PATTERN" trickle $size "$seed" $max 50 | save --cache $cache f
                { complaint 0 && check $size <f; } 2>&1 | sed "s/^/max $max $cache: /"
            done
        done
    )"
    (head -c 100 /dev/zero; gen 1M) | save --cache "${cache_modes[1]}" f
    verdict "$engine: 100 bytes, then a mebibyte" \
        "$(complaint 0 && tail -c +101 f | check 1048576)"
    "$IOH_PATTERN" trickle 1M "$seed" 4095 0 | taskset -c 0 "$IOH_HELPER" save --engine "$engine" f
    verdict "$engine: on one processor" "$(check 1048576 <f 2>&1)"

    head -c 3145729 /dev/urandom >random
    save --cache "${cache_modes[1]}" f <random
    restore f >out
    is "$engine: random bytes come back" \
        "$(sha256sum <out) $(size_of f)" "$(sha256sum <random) 3145729"
done
engine=${IOH_ENGINE:-auto}

# A stream longer than 4 GiB each way: holes but for a block at the places where counters break.
truncate -s 5368709133 big
for at in 2147221504 4294705152 5368446976; do
    gen $((at == 5368446976 ? 262157 : 524288)) $at |
        dd of=big bs=64K oflag=seek_bytes seek=$at conv=notrunc status=none
done
for engine in $(engines); do
    restore --cache "${cache_modes[1]}" big | "$IOH_PATTERN" scan 5368709133 >out
    is "$engine: a stream of 5 GiB comes out, each mark at its place" \
        "${PIPESTATUS[1]} $(status) $(<out)" "0 0 6"
done
engine=${IOH_ENGINE:-auto}
rm big
head -c 5368709123 /dev/zero | save --report "$T/report" /dev/null
expect "a stream of 5 GiB goes in" 0
ok "and is counted" grep -qE '"bytes" *: *5368709123' report

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Errors of the stream, of a restore, and of what the system around us refuses: read, O_DIRECT that
# lies, missing calls, limits, and streams that are not as long as they should be.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/faultlib.sh
. "$(dirname "$0")/faultlib.sh"

# O_DIRECT is refused when the target is opened, and once more if it is tried once more.
direct_lies_at_open () {
    local at again
    traced -e trace=openat
    gen $n | save --cache direct d/f
    at=$(nth openat 'O_DIRECT[|,]')
    broken openat EINVAL "$at"
    gen $n | save --cache auto d/f
    again=$(grep -E 'openat\(' trace | grep -nE 'O_DIRECT[|,]' | sed -n '2s/:.*//p')
    old_file
    broken openat EINVAL "$at..${again:-$at}+$((${again:-at + 1} - at))"
    gen $n | save --cache auto d/f
    verdict "$engine: no O_DIRECT at open, cache=auto: says so and goes on" \
        "$(hit; complaint 0 "drop instead of direct" "Invalid argument"; check $n <d/f)"
    old_file
    broken openat EINVAL "$at..${again:-$at}+$((${again:-at + 1} - at))"
    gen $n | save --cache direct d/f
    fails "$engine: no O_DIRECT at open, cache=direct" 4 file d/f direct
}

# It opens, but a whole block is refused.
direct_lies_in_writes () {
    local call at
    save_points pwrite64,pwritev 'pwrite.* 1048576, ' --cache direct >list
    old_file
    ok "$engine: there are direct writes" test -s list
    while read -r call at; do
        broken "$call" EINVAL "$at"
        gen $n | save --cache auto d/f
        verdict "$engine: EINVAL from direct $call ($at), cache=auto: says so and goes on" "$(
            hit
            complaint 0 "drop instead of direct" "Invalid argument"
            check $n <d/f
            names_in d | grep -vx f
        )"
        old_file
        broken "$call" EINVAL "$at"
        gen $n | save --cache direct d/f
        fails "$engine: EINVAL from direct $call ($at), cache=direct" \
            4 file d/f write direct "Invalid argument"
    done <list
}

# The same in a restore.
direct_lies_in_reads () {
    local when
    for when in 1 2; do
        broken $reads EINVAL $when "${image[@]}"
        restore --cache direct image | cat >out
        verdict "$engine: EINVAL from direct read $when, cache=direct" "$(
            hit
            if [[ $(<err) == *"engine $engine cannot go on"* ]]; then
                complaint 3 stream "use --engine=auto"
            else
                complaint 4 file image read direct "Invalid argument"
            fi
            cmp -n "$(size_of out)" out image 2>&1
        )"
    done
}

# It goes on, perhaps with another engine. Only the call that reads direct fails, whichever it is.
direct_reads_give_way () {
    local call when
    broken $reads EINVAL 1 "${image[@]}"
    helper restore --engine "$1" --queue threads --queue-depth 1 image | cat >/dev/null
    call=$(sed -nE '/INJECTED/{s/^[0-9]+ +([a-z0-9]+)\(.*/\1/p;q}' trace)
    for when in 1 2; do
        broken "${call:-read}" EINVAL $when "${image[@]}"
        helper restore --engine "$1" --queue threads --queue-depth 1 image | cat >out
        verdict "$1: EINVAL from direct $call $when, cache=auto: says so and goes on" "$(
            hit
            [[ $(status) == 0 ]] || echo "status $(status)"
            grep -q "drop instead of direct: Invalid argument" err || cat err
            cmp out image 2>&1
        )"
    done
}

# long enough for two reads of each of several threads
gen 9437197 >image

for engine in $(engines); do
    # ---- the stream ------------------------------------------------------------------------------
    save_points $reads '\(0, ' >list
    old_file
    ok "$engine: there are reads of the stream" test -s list
    while read -r call at; do
        broken "$call" EIO "$at"
        gen $n | save d/f
        if [[ $(<err) == *file* ]]; then
            fails "$engine: EIO from $call ($at) to the file" 4 file d/f write "Input/output"
            verdict "$engine: and that is so" "$(blames file)"
        else
            fails "$engine: EIO from $call ($at) of the stream" 3 stream read "Input/output"
            verdict "$engine: and that is so" "$(blames stream)"
        fi
    done <list

    # ---- restore ---------------------------------------------------------------------------------
    # Only calls that have to do with the image count, as many as each thread makes.
    image=(-P "$T/image")
    for cache in keep direct; do
        fits restore --cache $cache image || continue
        for when in 1 2; do
            broken $reads EIO $when "${image[@]}"
            restore --cache $cache image | cat >out
            verdict "$engine: EIO from read $when of the image, cache=$cache" "$(
                hit
                complaint 4 file image read "Input/output error"
                cmp -n "$(size_of out)" out image 2>&1
            )"
        done
    done
    traced -e trace=$writes
    restore image | cat >out
    points $writes '(write[v2]*|sendfile)\(1,|splice\([0-9]+, [^,]*, 1,' >list
    ok "$engine: there are writes to the stream" test -s list
    while read -r call at; do
        broken "$call" EIO "$at"
        restore image | cat >out
        verdict "$engine: EIO from $call ($at) to the stream" "$(
            if [[ $(<err) == *file* ]]; then
                complaint 4 file image read "Input/output error"
                blames file
            else
                complaint 3 stream write "Input/output error"
                blames stream
            fi
            cmp -n "$(size_of out)" out image 2>&1
        )"
    done <list

    # ---- O_DIRECT that lies ----------------------------------------------------------------------
    if fits save --cache direct d/f; then
        direct_lies_at_open
        direct_lies_in_writes
    fi
    if fits restore --cache direct image; then
        direct_lies_in_reads
    fi
    if fits restore --cache direct image && [[ $engine != splice ]]; then
        direct_reads_give_way "$engine"
    fi

    # ---- a file that takes no pages --------------------------------------------------------------
    save_points splice 'splice\([^0]' --cache keep >list
    old_file
    while read -r call at; do
        broken "$call" EINVAL "$at"
        gen $n | save --cache keep d/f
        verdict "$engine: EINVAL from splice ($at) to the file: what was taken is copied" \
            "$(
                hit
                if [[ $(<err) == *"cannot go on"* ]]; then
                    blames stream
                else
                    { complaint 0; check $n <d/f; } 2>&1
                fi
            )"
        old_file
    done <list

    # ---- odds and ends ---------------------------------------------------------------------------
    traced -e trace=statx -e inject=statx:error=ENOSYS
    gen $n | save --cache auto d/f
    verdict "$engine: a kernel without statx" "$([[ $(status) == 0 ]] || cat err; check $n <d/f)"
    traced -e trace=fcntl -e inject=fcntl:error=EPERM
    gen $n | save d/f
    verdict "$engine: fcntl refused everything: done or a clear failure" \
        "$([[ $(status) == 0 ]] && check $n <d/f || [[ -s err ]] || echo "silent")"
    traced -e trace=pwritev2,preadv2 -e inject=pwritev2,preadv2:error=EOPNOTSUPP
    gen $n | save --cache drop d/f
    verdict "$engine: no RWF flags here" "$(complaint 0; check $n <d/f)"
    traced -e trace=fallocate,fadvise64,sync_file_range\
        -e inject=fallocate,fadvise64:error=EOPNOTSUPP
    gen $n | save d/f
    verdict "$engine: no fallocate, no fadvise here" "$(complaint 0; check $n <d/f)"
    traced -e trace=pipe2 -e inject=pipe,pipe2:error=EMFILE
    gen $n | save d/f
    verdict "$engine: no descriptors left for a pipe" "$(
        case $(status) in
        0) check $n <d/f ;;
        *) complaint "$(status)" "Too many open files" ;;
        esac
    )"
    untraced
    # shellcheck disable=SC2016
    limits=(bash -c 'ulimit "$1" "$2"; shift 2; exec "$@"' -)
    under=("${limits[@]}" -n 16)
    gen $n | save d/f
    verdict "$engine: ulimit -n 16" "$(complaint 0; check $n <d/f)"
    under=("${limits[@]}" -n 4)
    gen $n | save d/f
    verdict "$engine: ulimit -n 4" "$(
        case $(status) in
        0) check $n <d/f ;;
        *) complaint "$(status)" "Too many open files" ;;
        esac
        [[ $(names_in d) == f ]] || echo "litter: $(names_in d)"
    )"
    old_file

    # A size limit instead of a full disk.
    under=("${limits[@]}" -f 1025)
    for block in 4096 1M; do
        gen $n | save --block-size $block d/f
        verdict "$engine: a file size limit, block size $block" "$(
            complaint 5 file d/f write "File too large"
            [[ $(stamp_of d/f) == "$before" ]] || echo "the old file was touched"
            [[ $(names_in d) == f ]] || echo "litter: $(names_in d)"
        )"
    done
    gen $n | save --exists overwrite d/f
    expect "$engine: the same in place" 5 file d/f write "File too large" 1049600
    ok "$engine: what is there is the stream's beginning" cmp -n "$(size_of d/f)" d/f stream
    ok "$engine: and all that fitted in whole blocks" test "$(size_of d/f)" -ge 1048576
    old_file

    # Up to the limit there is room: no block is padded past the stream's end.
    under=(prlimit --fsize="$n")
    for cache in keep direct; do
        fits save --cache $cache d/f || continue
        gen $n | save --cache $cache d/f
        saved "$engine: a limit of just the stream's length, cache=$cache" d/f $n
        old_file
    done
done
engine=${IOH_ENGINE:-auto}

in_memory . || direct_reads_give_way auto

# ---- nothing came --------------------------------------------------------------------------------

untraced
save d/f </dev/null
expect "an empty stream" 3 stream "0 bytes"
is "the old file stays, alone" "$(names_in d) $(stamp_of d/f)" "f $before"
save --expect-size 0 d/g </dev/null
verdict "an empty stream that is meant" "$(complaint 0; size_of d/g | grep -vx 0)"
rm -f d/g

# ---- as long as expected? ------------------------------------------------------------------------

save --expect-size $n d/g <stream
saved "as long as expected" d/g $n
rm d/g
for wrong in $((n + 1)) $((n * 2)); do
    save --expect-size $wrong d/f <stream
    expect "shorter than expected" 3 stream $n $wrong
done
for wrong in $((n - 1)) 4096 1 0; do
    save --expect-size $wrong d/f <stream
    expect "longer than $wrong" 3 stream $wrong
    is "the old file stays, alone" "$(names_in d) $(stamp_of d/f)" "f $before"
done
yes | save --expect-size 100000 d/f
expect "an endless stream is ended soon" 3 stream 100000

# Failures of all kinds, many times: nothing is left, here or where temporary files could be.
mkdir scratch
export TMPDIR=$T/scratch
for when in 1 2 3; do
    broken fsync EIO 1
    save d/f <stream
    broken pwrite64 ENOSPC $when
    save d/f <stream
    untraced
    save --expect-size 7 d/f <stream
    save d <stream
done
is "failures leave nothing" "$(names_in d)$(names_in scratch)" f

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Errors of the file's side, one call at a time: the right exit status, one line with side, name,
# step and errno text, no success, nothing left behind, the old file as it was.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/faultlib.sh
. "$(dirname "$0")/faultlib.sh"

# closes_behind_flush: of the run that was traced, the numbers of the closes that follow its flush
closes_behind_flush () {
    sed -nE 's/^[0-9]+ +(close|fsync)\(.*/\1/p' trace |
        awk '/close/ { n++ } /fsync/ { flushed = 1 } /close/ && flushed { print n }'
}

# save_in_place TARGET OPTION...: with what is traced now, as far as it has to do with the target
save_in_place () {
    gen 5000 >place
    if [[ $1 == fd:* ]]; then
        gen $n | save "${@:2}" "$1" 5<>place
    else
        gen $n | save --exists overwrite "${@:2}" "$1"
    fi
}

for engine in $(engines); do
    # ---- the flush -------------------------------------------------------------------------------
    for error in EIO ENOSPC EDQUOT; do
        for sync in data full; do
            broken fsync,fdatasync $error 1
            gen $n | save --sync $sync d/f
            fails "$engine: $error from the flush, sync=$sync" \
                "$(status_of $error 6)" file d/f flush "$(text_of $error)"
        done
    done
    # EINVAL and the like from the flush of a regular file is an error; of a device it is not.
    broken fsync,fdatasync EINVAL 1
    gen $n | save d/f
    fails "$engine: a file that cannot be flushed" 6 file d/f flush "Invalid argument"
    # The kernel tells it once: what is flushed afterwards goes well.
    for when in 1 2; do
        broken sync_file_range EIO $when
        gen 17M | save --cache drop d/f
        fails "$engine: EIO while writing behind ($when)" 6 file d/f flush "Input/output error"
    done
    # The flush of the directory: the name is there, but may not last.
    broken fsync,fdatasync EIO 2
    gen $n | save d/f
    verdict "$engine: EIO from the directory's flush" \
        "$(hit; complaint 6 file d/f flush "Input/output error"; names_in d | grep -vx f)"
    old_file

    # ---- writes ----------------------------------------------------------------------------------
    for cache in keep direct; do
        fits save --cache $cache d/f || continue
        save_points pwrite64,pwritev,pwritev2,splice 'pwrite|splice\([^0]' --cache $cache >list
        old_file
        ok "$engine: there are writes, cache=$cache" test -s list
        while read -r call at; do
            for error in EIO ENOSPC EDQUOT EFBIG; do
                broken "$call" $error "$at"
                gen $n | save --cache $cache d/f
                if [[ $(<err) == *stream* ]]; then
                    fails "$engine: $error from $call ($at) of the stream, cache=$cache" \
                        3 stream read "$(text_of $error)"
                    verdict "$engine: and that is so" "$(blames stream)"
                else
                    fails "$engine: $error from $call ($at), cache=$cache" \
                        "$(status_of $error 4)" file d/f write "$(text_of $error)"
                    verdict "$engine: and that is so" "$(blames file)"
                fi
            done
        done <list
    done
    for cache in keep direct; do
        fits save --cache $cache d/f || continue
        save_points pwrite64,pwritev,pwritev2,splice 'pwrite|splice\([^0]' --cache $cache >list
        old_file
        read -r call at <list
        broken "$call" EDQUOT "$at+"
        yes | save --queue-depth 4 --cache $cache d/f
        fails "$engine: writes that fail for ever end an endless stream, cache=$cache" \
            5 file write quota
        ok "$engine: at the first failure ($(calls INJECTED)), cache=$cache" \
            test "$(calls INJECTED)" -le 8
    done

    # ---- the end of a file -----------------------------------------------------------------------
    for cache in keep direct; do
        fits save --cache $cache d/f || continue
        broken ftruncate EIO 1
        gen $n | save --cache $cache d/f
        if injected; then
            fails "$engine: EIO from ftruncate, cache=$cache" \
                6 file d/f truncate "Input/output error"
        else
            verdict "$engine: no ftruncate needed, cache=$cache" "$(complaint 0)"
            old_file
        fi
    done
    cp stream longer
    cat stream >>longer
    broken ftruncate EIO 1
    gen $n | save --exists overwrite longer
    verdict "$engine: EIO from the ftruncate of a longer file" \
        "$(injected || grep -q O_TRUNC trace || echo "neither cut nor emptied"
        injected || exit 0
        complaint 6 file longer truncate "Input/output error")"

    # ---- publishing ------------------------------------------------------------------------------
    for error in EIO ENOSPC EDQUOT EPERM; do
        broken linkat $error 1
        gen $n | save d/f
        fails "$engine: $error from linkat" \
            "$(status_of $error 6)" file d/f publish "$(text_of $error)"
        broken rename,renameat,renameat2 $error 1
        gen $n | save d/f
        fails "$engine: $error from rename" \
            "$(status_of $error 6)" file d/f publish "$(text_of $error)"
    done
    broken linkat ENOENT 1
    gen $n | save d/f
    verdict "$engine: no linkat by descriptor: another way or a clear failure" \
        "$(hit; if [[ $(status) == 0 ]]; then check $n <d/f; else complaint 6 file d/f publish; fi)"
    old_file

    # ---- close -----------------------------------------------------------------------------------
    # Each close between the flush and the name fails in turn.
    traced -e trace=close,fsync,linkat
    gen $n | save d/f
    sed -i '/linkat(/,$d' trace
    old_file
    while read -r at; do
        for error in EIO EDQUOT; do
            broken close $error "$at"
            gen $n | save d/f
            fails "$engine: $error from close $at" \
                "$(status_of $error 6)" file d/f close "$(text_of $error)"
        done
    done < <(closes_behind_flush)

    # In place there is no other file to fall back to, but each close behind the flush is told.
    for cache in keep direct; do
        fits save --cache $cache d/f || continue
        for target in place fd:5; do
            broken fsync,fdatasync EIO 1 -P "$T/place"
            save_in_place $target --cache $cache
            verdict "$engine: EIO from the flush in place, $target, cache=$cache" \
                "$(hit; complaint 6 file flush "Input/output error")"
            traced -e trace=close,fsync -P "$T/place"
            save_in_place $target --cache $cache
            number=0
            while read -r at; do
                broken close EDQUOT "$at" -P "$T/place"
                save_in_place $target --cache $cache
                verdict "$engine: EDQUOT from close $((++number)) in place, $target, cache=$cache" \
                    "$(hit; complaint 5 file close "Disk quota exceeded")"
            done < <(closes_behind_flush)
            ok "$engine: there is such a close, $target, cache=$cache" test $number -gt 0
        done
    done
done

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Errors of the file's side, one call at a time: the right exit status, one line with side, name,
# step and errno text, no success, nothing left behind, the old file as it was.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/faultlib.sh
. "$(dirname "$0")/faultlib.sh"

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
    broken sync_file_range EIO 1
    gen $n | save --cache drop d/f
    if injected; then
        fails "$engine: EIO while writing behind" 6 file d/f flush "Input/output error"
    else
        verdict "$engine: no writing behind here" "$(complaint 0)"
        old_file
    fi
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
    save_points pwrite64,pwritev,pwritev2,splice 'pwrite|splice\([^0]' --cache keep >list
    old_file
    read -r call at <list
    broken "$call" EDQUOT "$at+"
    yes | save --cache keep d/f
    fails "$engine: writes that fail for ever end an endless stream" 5 file write quota
    ok "$engine: at the first failure ($(calls INJECTED))" test "$(calls INJECTED)" -le 8

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
    # Each close between the flush and the name fails in turn: one of them is the file's.
    traced -e trace=close,fsync,linkat
    gen $n | save d/f
    old_file
    while read -r at; do
        for error in EIO EDQUOT; do
            broken close $error "$at"
            gen $n | save d/f
            fails "$engine: $error from close $at" \
                "$(status_of $error 6)" file d/f close "$(text_of $error)"
        done
    done < <(sed -nE '/linkat\(/q; s/^[0-9]+ +(close|fsync)\(.*/\1/p' trace |
        awk '/close/ { n++ } /fsync/ { flushed = 1 } /close/ && flushed { print n }' | tail -1)
done

finish

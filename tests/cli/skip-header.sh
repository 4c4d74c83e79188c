#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# `iohelper restore --skip-header` gives the stream of a libvirt save image, and nothing else of it; what
# has no such stream is refused before the first byte, with status 7 and the reason.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

n=3000001

# image MAGIC FORMAT BYTES-BEFORE-DATA
image () {
    libvirt_header "$1" "$2" demo
    printf '%b' "$3"
    gen $n
}

image LibvirtQemudSave 0 QEVM >"$T/image"

# is_stream FILE: the stream of the image, whole.
is_stream () {
    [[ $(head -c 4 "$1") == QEVM ]] || echo "no stream of QEMU's"
    tail -c +5 "$1" | check $n
}

for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        fits restore --cache "$cache" "$T/image" || continue
        restore --cache "$cache" --skip-header "$T/image" >"$T/out"
        verdict "$engine, cache=$cache: the stream comes out" "$(complaint 0; is_stream "$T/out" 2>&1)"
        restore --cache "$cache" --skip-header "$T/image" | cat >"$T/out"
        verdict "$engine, cache=$cache: also into a pipe" "$(complaint 0; is_stream "$T/out" 2>&1)"
    done
done
engine=${IOH_ENGINE:-auto}

helper restore --skip-header - <"$T/image" >"$T/out"
verdict "from a descriptor" "$(complaint 0; is_stream "$T/out" 2>&1)"
{ printf 'something else'; cat "$T/image"; } >"$T/behind"
{ head -c 14 >/dev/null && helper restore --skip-header - ; } <"$T/behind" >"$T/out"
verdict "from the position of a descriptor" "$(complaint 0; is_stream "$T/out" 2>&1)"
helper restore --skip-header --expect-size $((n + 4)) "$T/image" >"$T/out"
verdict "the expected size is that of the stream" "$(complaint 0; is_stream "$T/out" 2>&1)"
helper restore --skip-header --expect-size $((n + 5)) "$T/image" >"$T/out"
expect "another size is refused" 7
is "before the first byte" "$(size_of "$T/out")" 0
like "the plan tells the offset" "$("$IOH_HELPER" restore --explain --skip-header "$T/image")" \
    "*offset      1092*"

# refused NAME STATUS WORD ARGUMENT...
refused () {
    helper restore --skip-header "${@:4}" >"$T/out" </dev/null
    expect "$1 is refused" "$2" "$3"
    is "$1: no byte came out" "$(size_of "$T/out")" 0
}

image LibvirtQemudPart 0 QEVM >"$T/part"
refused "an image that libvirt has not completed" 7 "not marked it" "$T/part"
image LibvirtQemudSave 3 '\xfd7zXZ\x00' >"$T/xz"
refused "a compressed image" 7 "compressed by xz and begins at byte 1092" "$T/xz"
image LibvirtQemudSave 6 QEVM >"$T/sparse"
refused "a sparse image" 7 sparse "$T/sparse"
image LibvirtQemudSave 0 ELSE >"$T/else"
refused "an image with something else in it" 7 "not what its libvirt header says" "$T/else"
head -c 500 "$T/image" >"$T/short"
refused "an image that is cut" 7 "before the stream begins" "$T/short"
gen $n >"$T/data"
refused "a file that is no image" 7 "no libvirt save image" "$T/data"
: >"$T/empty"
refused "an empty file" 7 "no libvirt save image" "$T/empty"
refused "an offset as well" 2 "--offset" --offset 10 "$T/image"
mkfifo "$T/fifo"
refused "a FIFO" 2 "no positions" "$T/fifo"
helper save --skip-header "$T/new" <"$T/data"
expect "only a restore has it" 2 skip-header

# with_direct FILE COMMAND...: FILE on descriptor 9, with O_DIRECT.
with_direct () {
    python3 -c '
import os, sys
os.dup2 (os.open (sys.argv[1], os.O_RDONLY | os.O_DIRECT), 9)
os.execvp (sys.argv[2], sys.argv[2:])' "$@"
}

if ! in_memory "$T"; then
    with_direct "$T/image" "$IOH_HELPER" restore --skip-header fd:9 >"$T/out" 2>"$T/err"
    echo $? >"$T/rc"
    verdict "from a descriptor with O_DIRECT" "$(complaint 0; is_stream "$T/out" 2>&1)"
else
    skip "from a descriptor with O_DIRECT" "no O_DIRECT in memory"
fi

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What reaches the storage: whole blocks of the size that was asked for, however small the pieces in
# which the stream comes; zeros as zeros, holes as zeros; and no read of what the page cache holds.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

have python3 || skip_all "no python3"
cd "$T" || exit
n=$((4 * 1048576 + 12345))

# ---- the size of a request -----------------------------------------------------------------------

# sizes: of the writes at positions in the trace, one a line
sizes () {
    sed -nE 's/.* pwrite64\(.*, ([0-9]+), [0-9]+(\)| <unf).*/\1/p' trace
}

if ! have_strace; then
    skip "the size of a request" "no strace"
elif in_memory "$T"; then
    skip "the size of a request" "no O_DIRECT in memory"
else
    for engine in copy direct; do
        [[ ${IOH_ENGINE:-$engine} == "$engine" ]] || continue
        for block in 65536 1048576 4194304; do
            traced -e trace=pwrite64
            "$IOH_PATTERN" trickle $n 7 30000 0 |
                save --cache direct --queue threads --block-size $block f
            untraced
            verdict "$engine: a stream in small pieces is saved" "$({ complaint 0; check $n <f; } 2>&1)"
            is "$engine: blocks of $block, and a rest" \
                "$(sizes | grep -vx "$block" | awk -v rest=$((n % block)) '
                    { sum += $1; if ($1 > rest) print } END { if (sum != rest) print sum, rest }')" ""
            is "$engine: of which there are" "$(sizes | grep -cx "$block")" $((n / block))
        done
    done
fi
engine=${IOH_ENGINE:-auto}

# ---- zeros and holes -----------------------------------------------------------------------------

# A stream with zeros at its beginning, in its middle and at its end, and the same as a file with holes.
python3 -c '
import os
block = 1 << 20
data = b"".join(i.to_bytes(8, "little") for i in range(0, block, 8))
with open("zeros", "wb") as zeros, open("holes", "wb") as holes:
    for piece in (None, data, None, None, data[:12345], None):
        zeros.write(piece or bytes(block))
        if piece is None:
            holes.seek(block, os.SEEK_CUR)
        else:
            holes.write(piece)
    holes.truncate()'
ok "a file with holes is one" test "$(($(stat -c %b holes) * 512))" -lt 2097152
for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        if fits restore --cache "$cache" holes; then
            restore --cache "$cache" holes >out
            verdict "$engine: holes come out as zeros, cache=$cache" "$({ complaint 0; cmp zeros out; } 2>&1)"
        fi
        fits save --cache "$cache" f || continue
        tr '\0' '\377' <zeros >f
        save --cache "$cache" --exists overwrite f <zeros
        verdict "$engine: no old byte shows through zeros, cache=$cache" \
            "$({ complaint 0; cmp zeros f; } 2>&1)"
        save --cache "$cache" --report report new <zeros
        verdict "$engine: zeros are saved like all else, cache=$cache" "$(
            { complaint 0; cmp zeros new; } 2>&1
            python3 -c '
import json, os
told, seen = json.load(open("report"))["file"], os.stat("new")
if told["length"] != seen.st_size or told["allocated"] != seen.st_blocks * 512:
    print("the report tells", told, "and the file is", seen)')"
    done
done
engine=${IOH_ENGINE:-auto}

# ---- what is cached already ----------------------------------------------------------------------

# blocks_read COMMAND...: how much it made the disk read, in units of 512 bytes
blocks_read () {
    python3 -c '
import resource, subprocess, sys
if subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL) != 0:
    print("failed")
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock)' "$@"
}

gen 16M >image
cat image >/dev/null
# the program itself may have to be read
ok "a restore with cache=keep reads what is cached from there" \
    test "$(blocks_read "$IOH_HELPER" restore --cache keep image)" -lt 4096
ok "once more: it has thrown nothing out" \
    test "$(blocks_read "$IOH_HELPER" restore --cache keep image)" -lt 4096
if ! in_memory "$T"; then
    ok "with cache=direct it is read from the disk" \
        test "$(blocks_read "$IOH_HELPER" restore --cache direct image)" -ge 32768
fi

finish

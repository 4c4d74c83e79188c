#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The guide, libiohelper(3), explains all there is: every property, function, error and state.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cd "${IOH_SOURCE:?the source tree}" || exit
guide=docs/libiohelper.3.rst

# all_told NAME WORD...: each word is in the guide, in bold, alone or with a call's parentheses.
all_told () {
    local name=$1 word missing=
    shift
    ok "$name: there are some" test $# -gt 3
    for word in "$@"; do
        grep -qF "**$word**" "$guide" || missing+=" $word"
    done
    is "$name: each is in the guide" "$missing" ""
}

mapfile -t properties < <(sed -nE 's/^ \* IohTransfer:([a-z-]+):$/\1/p' src/libiohelper-transfer.h)
all_told properties "${properties[@]}"
mapfile -t functions < <(grep -oE '\bioh_[a-z_]+' src/libiohelper.map | grep -vE '_get_type$|_quark$')
all_told functions "${functions[@]}"
mapfile -t errors < <(sed -nE 's/^    (IOH_TRANSFER_ERROR_[A-Z_]+).*/\1/p' src/libiohelper-error.h)
all_told errors "${errors[@]}"
mapfile -t states < <(sed -nE 's/^    IOH_TRANSFER_STATE_([A-Z]+),/\1/p' src/libiohelper-transfer.h)
all_told states "${states[@]}"
mapfile -t words < <(sed -nE 's/^    (IOH_(CACHE|SYNC|EXISTS|TRANSPORT|QUEUE|PARENT_DEATH)_[A-Z_]+).*/\1/p' \
    src/libiohelper-types.h src/libiohelper-transfer.h)
all_told values "${words[@]}"

codes=$(grep -E '^    IOH_TRANSFER_ERROR_[A-Z_]+ = ' src/libiohelper-error.h |
    sed -E 's/^ *([A-Z_]+) = ([0-9]+),/\1 \2/')
is "the codes of the errors" \
    "$(sed -nE 's/^\*\*(IOH_TRANSFER_ERROR_[A-Z_]+)\*\* \(([0-9]+)\)$/\1 \2/p' "$guide")" "$codes"

finish

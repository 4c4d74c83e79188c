#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The two examples that are managers: each saves and resumes a real virtual machine.
# IOH_SAVE_VM  the one in C; the one in Python is in the source tree
# IOH_SOURCE   the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${IOH_SAVE_VM:?the example in C}" "${IOH_SOURCE:?the source tree}"
have qemu-system-x86_64 || skip_all "no qemu-system-x86_64"

# managed NAME COMMAND...: saves and resumes, and tells what a save into nowhere fails of.
managed () {
    local name=$1
    shift
    timeout 120 "$@" "$T/image" >"$T/said" 2>"$T/err"
    is "$name ends well" "$?" 0
    like "$name has saved and resumed" "$(<"$T/said")" "*saved: *resumed*"
    ok "$name has left an image" test -s "$T/image"
    rm -f "$T/image"
    timeout 120 "$@" "$T/none/image" >"$T/said" 2>"$T/err"
    is "$name fails without a directory" "$?" 1
    is "$name says why, and nothing else" "$(grep -v ^qemu "$T/err")" \
        "$name: file $T/none/image: open failed: No such file or directory"
    IOH_HELPER=$T/none timeout 120 "$@" "$T/image" >"$T/said" 2>"$T/err"
    is "$name fails without a helper" "$?" 1
    is "$name says that, and nothing else" "$(grep -v ^qemu "$T/err")" \
        "$name: cannot start $T/none: No such file or directory"
}

managed save-vm "$IOH_SAVE_VM"
python=$(for python in python3 /usr/bin/python3; do
    "$python" -c 'import gi' 2>/dev/null && echo "$python" && break
done)
if [[ -n ${GI_TYPELIB_PATH:-} && -n $python ]]; then
    managed save_vm.py "$python" "$IOH_SOURCE/examples/save_vm.py"
else
    skip "save_vm.py" "no introspection data, or no python3 with gi"
fi

finish

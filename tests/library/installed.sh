#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a user of the library gets: everything is installed into a staging directory, and from then on
# only what is there is used, found by pkg-config.
# IOH_BUILD   the build directory
# IOH_SOURCE  the source tree: its examples, and the symbol map
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${IOH_BUILD:?the build directory}" "${IOH_SOURCE:?the source tree}"
cc=${CC:-cc}
have meson || skip_all "no meson"
have pkg-config || skip_all "no pkg-config"
have "$cc" || skip_all "no compiler"

meson install -C "$IOH_BUILD" --no-rebuild --quiet --destdir "$T/stage" >"$T/said" 2>&1 ||
    { fail "meson install" "$(tail -n 5 "$T/said")"; finish; }
pc=$(find "$T/stage" -name libiohelper.pc)
library=$(find "$T/stage" -name libiohelper.so)
ok "there is a pkg-config file" test -n "$pc"
ok "there is a library to link with" test -n "$library"
prefix=$(sed -n 's/^prefix=//p' "$pc")
root=$T/stage$prefix

# As if it had been installed there.
sed -i "s|^prefix=.*|prefix=$root|" "$pc"
export PKG_CONFIG_PATH LD_LIBRARY_PATH
PKG_CONFIG_PATH=$(dirname "$pc")
LD_LIBRARY_PATH=$(dirname "$library")
read -ra cflags <<<"$(pkg-config --cflags libiohelper gio-unix-2.0 json-glib-1.0)"
read -ra libs <<<"$(pkg-config --libs libiohelper gio-unix-2.0 json-glib-1.0)"
headers=$(pkg-config --variable=includedir libiohelper)/libiohelper-0
warnings=(-Wall -Wextra -Wno-unused-parameter -Werror)

# ---- headers -------------------------------------------------------------------------------------

ok "headers are installed" test -f "$headers/libiohelper.h"
for header in "$headers"/*.h; do
    name=$(basename "$header")
    printf '#include "%s"\n' "$name" >"$T/alone.c"
    ok "$name compiles alone as C" \
        "$cc" -std=c11 "${warnings[@]}" -Wno-pedantic "${cflags[@]}" -x c -fsyntax-only "$T/alone.c"
    if have c++; then
        ok "$name compiles alone as C++" \
            c++ -std=c++11 "${warnings[@]}" "${cflags[@]}" -x c++ -fsyntax-only "$T/alone.c"
    else
        skip "$name compiles alone as C++" "no C++ compiler"
    fi
done

# ---- symbols -------------------------------------------------------------------------------------

mapped=$(grep -oE '\bioh_[a-z_]+' "$IOH_SOURCE/src/libiohelper.map" | sort)
exported=$(nm -D --defined-only "$library" | sed -nE 's/^[0-9a-f]+ [A-Z] ([a-z_]+).*/\1/p' | sort)
declared=$(cat "$headers"/*.h | sed 's|^ \*.*||' | grep -oE '\bioh_[a-z_]+ \(' | tr -d ' (' | sort -u)
is "the library exports what the map says" "$exported" "$mapped"
is "and every function of the headers, and no other" "$declared" "$mapped"
is "all of it has a version" \
    "$(nm -D --defined-only --with-symbol-versions "$library" | grep ioh_ | grep -vc '@@LIBIOHELPER_')" 0
is "the soname" "$(readelf -d "$library" | sed -nE 's/.*soname: \[(.*)\]/\1/p')" libiohelper.so.0

# ---- the helper ----------------------------------------------------------------------------------

is "where the library finds its helper" "$(pkg-config --variable=helper libiohelper)" \
    "$root/libexec/iohelper/iohelper"
is "which is the program itself" "$(readlink "$root/libexec/iohelper/iohelper")" \
    "$prefix/bin/iohelper"
IOH_HELPER=$root/bin/iohelper
export IOH_HELPER

# ---- the examples --------------------------------------------------------------------------------

for example in save-output save-vm; do
    ok "$example.c compiles" "$cc" -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror \
        "${cflags[@]}" "$IOH_SOURCE/examples/$example.c" "${libs[@]}" -o "$T/$example"
done

# The program in the guide, which is the first of the examples without its checks.
sed -n '/^A SAVE WITH PROGRESS/,/^THE LIFE OF/p' "$IOH_SOURCE/docs/libiohelper.3.rst" |
    sed -n 's/^    //p; s/^$//p' >"$T/guide.c"
ok "the program in the guide compiles" "$cc" -std=gnu11 "${warnings[@]}" "${cflags[@]}" \
    "$T/guide.c" "${libs[@]}" -o "$T/guide"

gen 3000001 >"$T/stream"
"$T/guide" "$T/image" cat "$T/stream" 2>"$T/err"
is "the program in the guide saves" "$?" 0
ok "to the byte" cmp "$T/stream" "$T/image"
rm -f "$T/image"
"$T/save-output" "$T/image" cat "$T/stream" 2>"$T/err"
is "a command's output is saved" "$?" 0
like "with progress and an end" "$(tr '\r' '\n' <"$T/err")" "*3000001 bytes in *saved"
ok "to the byte" cmp "$T/stream" "$T/image"

"$T/save-output" "$T/image" sh -c 'echo half; exit 1' 2>"$T/err"
is "a command that fails is no success" "$?" 1
like "and is said to be cancelled" "$(<"$T/err")" "*cancelled"
ok "the older image stays" cmp "$T/stream" "$T/image"

rm -f "$T/err"
env --default-signal=INT "$T/save-output" "$T/image" sh -c 'echo half; exec sleep 100' 2>"$T/err" &
pid=$!
wait_for grep -qs "5 bytes" "$T/err"
kill -INT "$pid"
wait "$pid"
is "an interrupt is no success" "$?" 1
like "but a cancel" "$(<"$T/err")" "*cancelled"
ok "and the older image stays" cmp "$T/stream" "$T/image"

# ---- introspection -------------------------------------------------------------------------------

typelib=$(find "$T/stage" -name 'IoHelper-0.typelib')
python=$(for python in python3 /usr/bin/python3; do
    "$python" -c 'import gi' 2>/dev/null && echo "$python" && break
done)
if [[ -z $typelib || -z $python ]]; then
    skip "a save and a restore in Python" "no introspection data, or no python3 with gi"
else
    GI_TYPELIB_PATH=$(dirname "$typelib") \
        "$python" "$(dirname "$0")/introspection.py" "$T/stream" "$T/python" >"$T/said" 2>&1
    is "a save and a restore in Python" "$(<"$T/said")" "fine"
    ok "to the byte in Python" cmp "$T/stream" "$T/python"
fi

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The translations are complete: every file with text for people is listed, every listed text is
# translated, and the program really speaks that language.
# IOH_SOURCE     the source tree
# IOH_CATALOGUES the directory with the compiled catalogues, LANGUAGE/LC_MESSAGES/iohelper.mo
# IOH_LOCALEDIR  where the program looks for them
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cd "${IOH_SOURCE:?the source tree}" || exit
have msgfmt || skip_all "no gettext"

is "po/POTFILES lists every file with text for people" "$(sort po/POTFILES)" \
    "$(grep -lE '(^|[^A-Za-z_])N?_ ?\("' iohelper/*.c iohelper/*.h src/*.c src/*.h | sort)"

xgettext --files-from=po/POTFILES --from-code=UTF-8 --keyword=_ --keyword=N_ \
    --output="$T/new.pot" 2>"$T/err"
ok "there are texts to translate" test -s "$T/new.pot"
languages=$(<po/LINGUAS)
is "no text is cut by a macro that xgettext does not know" "$(grep -E '^(msgid )?".*%"$' "$T/new.pot")" ""
ok "there are languages" test -n "$languages"
for language in $languages; do
    ok "$language: every text is translated" msgcmp "po/$language.po" "$T/new.pot"
    ok "$language: the catalogue is sound" msgfmt --check -o /dev/null "po/$language.po"
done

# The program looks in one place. In a mount namespace of our own the new catalogues are there, on an
# empty file system over the nearest directory that exists.
place=${IOH_LOCALEDIR:?}
while [[ ! -d $place ]]; do
    place=$(dirname "$place")
done
if unshare -Urm mount -t tmpfs tmpfs "$place" 2>/dev/null; then
    # shellcheck disable=SC2016 # for the inner shell
    said=$(unshare -Urm bash -c '
        mount -t tmpfs tmpfs "$1" && mkdir -p "$3" && cp -r "$2/." "$3" &&
            LC_ALL=C.UTF-8 LANGUAGE=de "$4" --help' \
        bash "$place" "${IOH_CATALOGUES:?}" "$IOH_LOCALEDIR" "$IOH_HELPER" 2>&1)
    like "the program speaks German" "$said" "Aufruf:*"
else
    skip "the program speaks German" "no user namespaces"
fi
is "and not with LC_ALL=C" "$("$IOH_HELPER" --help | grep -c Aufruf)" 0

finish

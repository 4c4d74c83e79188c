#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The translations are complete: every file with text for people is listed, every listed text is
# translated, and the program really speaks every language, without running out of the terminal.
# IOH_SOURCE     the source tree
# IOH_CATALOGUES the directory with the compiled catalogues, LANGUAGE/LC_MESSAGES/iohelper.mo
# IOH_LOCALEDIR  where the program looks for them
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cd "${IOH_SOURCE:?the source tree}" || exit
have msgfmt || skip_all "no gettext"
have python3 || skip_all "no python3"

is "po/POTFILES lists every file with text for people" "$(sort po/POTFILES)" \
    "$(grep -lE '(^|[^A-Za-z_])(N?_|ngettext) ?\("' iohelper/*.c iohelper/*.h src/*.c src/*.h | sort)"

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

# with_language LANGUAGE COMMAND...: runs it there, in the locale $locale.
locale=C.UTF-8
with_language () {
    local language=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    LC_ALL=$locale LANGUAGE=$language unshare -Urm bash -c '
        mount -t tmpfs tmpfs "$1" && mkdir -p "$3" && cp -r "$2/." "$3" && shift 3 && exec "$@"' \
        bash "$place" "${IOH_CATALOGUES:?}" "$IOH_LOCALEDIR" "$@" 2>&1
}

# in_language LANGUAGE ARGUMENT...: what the program says there.
in_language () {
    with_language "$1" "$IOH_HELPER" "${@:2}"
}

terminal=$(realpath "$(dirname "$0")")/terminal.py

# sayings: commands that say all that the program says for people; errors are whole lines.
# shellcheck disable=SC2016 # for the shell that runs them
sayings () {
    local command image suite
    printf '%s\n' '$IOH_HELPER --help' '$IOH_HELPER engines' \
        'head -c 5000000 /dev/zero | $IOH_HELPER save --progress=always -v image' \
        'head -c 5000000 /dev/zero 2>/dev/null | $IOH_HELPER save --explain image' \
        '$IOH_HELPER save --explain /dev/null' \
        '$IOH_HELPER restore --progress=always -v image | cat >/dev/null' \
        '$IOH_HELPER restore --explain image'
    for command in $commands; do
        printf '$IOH_HELPER %s --help\n$IOH_HELPER %s --help-all\n' "$command" "$command"
    done
    for image in data libvirt libvirt-cut libvirt-zstd mapped-ram stream stream-pages stream-undescribed; do
        printf '$IOH_HELPER info %s 2>/dev/null\n' "$image"
    done
    for suite in $suites; do
        printf '$IOH_HELPER bench %s --size=1M --runs=1 --exists=overwrite image\n' "$suite"
    done
}

# has_room LANGUAGE: prints what of that has no room in a terminal.
has_room () {
    # shellcheck disable=SC2016 # for the inner shell
    sayings | with_language "$1" bash -c 'cd "$1" && python3 "$2"' bash "$T" "$terminal"
}

# unspoken LANGUAGE SAID TEXT [VALUE...]: prints what is wrong unless the program, which has SAID
# something, said TEXT in that language, with the values in it.
unspoken () {
    local language=$1 said=$2 text=$3 format wanted
    shift 3
    format=$(TEXTDOMAINDIR=$IOH_CATALOGUES LC_ALL=C.UTF-8 LANGUAGE=$language \
        gettext iohelper "$text")
    [[ $format != "$text" ]] || printf 'not translated: %s\n' "$text"
    # shellcheck disable=SC2059 # the format is the translation
    printf -v wanted -- "$format" "$@"
    [[ $said == *"$wanted"* ]] || printf 'not said: %s\nbut: %s\n' "$wanted" "$said"
}

overview="Usage: iohelper COMMAND [OPTION...]

Moves a hypervisor's migration stream to a file and back.

Commands:
"

# speaks LANGUAGE: it does so in help, in failures and in tables.
speaks () {
    local said
    said=$(in_language "$1" --help)
    verdict "$1: help on the program" "$(
        unspoken "$1" "$said" "$overview"
        unspoken "$1" "$said" 'Save a migration stream to TARGET')"
    said=$(in_language "$1" save --help)
    verdict "$1: help on a command" "$(
        unspoken "$1" "$said" $'Usage: iohelper %s [OPTION...]%s%s\n' save ' ' TARGET
        unspoken "$1" "$said" 'A new file'
        unspoken "$1" "$said" 'After a failure leave TARGET.part')"
    verdict "$1: a failure" "$(
        unspoken "$1" "$(in_language "$1")" "a command is missing; see 'iohelper --help'")"
    verdict "$1: a failure with values" "$(
        unspoken "$1" "$(in_language "$1" restore --xyzzy)" \
            "%s: there is no option --%s; see 'iohelper %s --help'" restore xyzzy restore)"
    said=$(in_language "$1" info "$T/empty")
    verdict "$1: a table" "$(
        unspoken "$1" "$said" kind
        unspoken "$1" "$said" nothing)"
    like "$1: not in the locale C" "$(locale=C in_language "$1" --help)" "Usage:*"
}

if unshare -Urm mount -t tmpfs tmpfs "$place" 2>/dev/null; then
    export IOH_HELPER
    cp tests/fuzz/corpus/image/* "$T"
    commands=$("$IOH_HELPER" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    ok "there are commands" test -n "$commands"
    suites=$("$IOH_HELPER" bench none 2>&1 | sed -n "s/.* is not one of //p" | tr -d ,)
    ok "there are suites" test -n "$suites"
    : >"$T/empty"
    for language in $languages; do
        speaks "$language"
        verdict "$language: all that is said has room in 80 columns" "$(has_room "$language")"
    done
    verdict "C: all that is said has room in 80 columns" "$(locale=C has_room C)"
else
    skip "the program speaks its languages" "no user namespaces"
fi

finish

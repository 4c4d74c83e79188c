#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual page, the README and the program tell the same: options, engines, exit statuses, report
# members; and no link in the guides leads nowhere.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

source=${IOH_SOURCE:?the source tree}
page=$source/docs/iohelper.1.rst

# section TITLE UNDERLINE: the text under that heading of the page, up to the next such heading.
section () {
    awk -v title="$1" -v mark="$2" '
        { line[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                heading = i < NR && line[i + 1] ~ ("^[" mark "]+$") && line[i] != ""
                if (heading)
                    inside = line[i] == title
                else if (inside)
                    print line[i]
            }
        }' "$page"
}

# long_options <TEXT: those that have an entry in it.
long_options () {
    sed -nE 's/^(-[a-z], )?(--[a-z][a-z-]+)(\[?=[^ ]+)?( .*)?$/\2/p' | sort
}

# documented PART...: the long options of these parts of OPTIONS.
documented () {
    local part
    for part in "$@"; do
        section OPTIONS = | page=/dev/stdin section "$part" -
    done | long_options
}

# offered COMMAND: the long options that its help prints.
offered () {
    "$IOH_HELPER" "$1" --help-all | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z][a-z-]+).*/\2/p' | sort
}

is "save: the options of help and manual page" \
    "$(offered save)" "$(documented 'Save and restore' 'Save only' 'Every command')"
is "restore: the options of help and manual page" \
    "$(offered restore)" "$(documented 'Save and restore' 'Restore only' 'Every command')"
is "info: the options of help and manual page" \
    "$(offered info)" "$(documented 'Info only' 'Info and engines only' 'Every command')"
is "engines: the options of help and manual page" \
    "$(offered engines)" "$(documented 'Info and engines only' 'Every command')"

is "help: the options of help and manual page" "$(offered help)" "$(documented 'Every command')"

bench_page=$source/docs/iohelper-bench.1.rst
is "bench: the options of help and manual page" \
    "$(offered bench)" "$(page=$bench_page section OPTIONS = | long_options)"

# entry OPTION: what its page tells of it.
entry () {
    awk -v option="$1" '/^(-[a-z], )?--/ { inside = $0 ~ "(^|, )" option "(=|$)" } inside' "$bench_page"
}

missing=
while read -r option value; do
    entry "$option" | grep -qF "**$value**" || missing+=" $option: $value"
done < <("$IOH_HELPER" bench --help | sed -nE 's/^ +(--[a-z-]+).*\((default )?([a-z0-9]+)\)$/\1 \3/p')
is "bench: every default is in its entry" "$missing" ""
is "bench: there are defaults" \
    "$("$IOH_HELPER" bench --help | grep -cE '\((default )?[a-z0-9]+\)$')" 3
"$IOH_HELPER" bench none 2>"$T/err"
is "bench: every suite is in the manual page, and no other" \
    "$(page=$bench_page section SUITES = | sed -nE 's/^\*\*([a-z-]+)\*\*$/\1/p' | paste -sd, | sed 's/,/, /g')" \
    "$(sed -n "s/.*'none' is not one of //p" "$T/err")"

"$IOH_HELPER" engines --json |
    python3 -c 'import json, sys; [print(e["name"]) for e in json.load(sys.stdin)]' |
    sort >"$T/engines"
ok "there are engines" test -s "$T/engines"
section ENGINES = | sed -nE 's/^\*\*([a-z]+)\*\*$/\1/p' | sort >"$T/engines-documented"
is "every engine is in the manual page, and no other" "$(<"$T/engines-documented")" "$(<"$T/engines")"

section REPORT = >"$T/report"
missing=
for member in $(sed -nE 's/^#define IOH_REPORT_[A-Z_]+ +"([a-z-]+)".*/\1/p' "$source/src/wire.h"); do
    grep -qF "**$member**" "$T/report" || missing+=" $member"
done
is "every member of the report is in the manual page" "$missing" ""

section IMAGES = >"$T/images"
missing=
for member in $(sed -nE 's/.*(json_(add|begin)_[a-z]+|set_member_name) \(builder, "([a-z-]+)".*/\3/p' \
    "$source/iohelper/info-json.c"); do
    grep -qF "**$member**" "$T/images" || missing+=" $member"
done
is "every member of what info tells is in the manual page" "$missing" ""
missing=
for kind in $(sed -nE 's/.*IOH_IMAGE_IS_[A-Z]+, "([a-z0-9]+)".*/\1/p' "$source/iohelper/image.c"); do
    grep -qF "**$kind**" "$T/images" || missing+=" $kind"
done
is "every kind of image is in the manual page" "$missing" ""

statuses=$(sed -nE 's/^ *IOH_EXIT_[A-Z_]+ = ([0-9]+),.*/\1/p' "$source/src/wire.h")
ok "there are exit statuses" test -n "$statuses"
is "every exit status is in the manual page, and no other" \
    "$(section 'EXIT STATUS' = | sed -nE 's/^\*\*([0-9]+)\*\*$/\1/p')" "$statuses"
is "every exit status is in the README, and no other" \
    "$(sed -nE 's/^\| ([0-9]+) \|.*/\1/p' "$source/README.md")" "$statuses"

# wide_literals: the lines of literal blocks that run out of a terminal of 80 columns once they are
# rendered, ten columns from the left. Text is filled, they are not.
wide_literals () {
    awk '
        /^ *$/ { next }
        { indent = match ($0, /[^ ]/) - 1 }
        literal && indent <= base { literal = 0 }
        literal && first < 0 { first = indent }
        literal && length ($0) - first > 70 { print FILENAME ": " $0 }
        /::$/ && !literal { literal = 1; base = indent; first = -1 }' "$source"/docs/*.rst
}
verdict "examples in the manual pages have room in 80 columns" "$(wide_literals)"

missing=
for other in "$source"/docs/*.rst; do
    while IFS='()' read -r name number; do
        [[ -e $source/docs/$name.$number.rst ]] || missing+="${other##*/}: $name($number)"$'\n'
    done < <(sed 's/[*\\ ]//g' "$other" | grep -oE '(lib|libvirt_)?iohelper(-[a-z]+)?\([0-9]\)')
    name=${other##*/}
    name=${name%.rst}
    [[ $other == "$page" ]] || sed 's/[*\\ ]//g' "$page" | grep -qF "${name%.*}(${name##*.})" ||
        missing+="iohelper(1) does not know $name"$'\n'
done
verdict "the manual pages know each other" "$missing"

missing=
for guide in "$source"/*.md "$source"/docs/*.md; do
    while read -r link; do
        [[ -e $(dirname "$guide")/$link ]] || missing+="${guide#"$source/"}: $link"$'\n'
    done < <(grep -oE '\]\([^)#:]+\)' "$guide" | sed 's/^](//; s/)$//')
done
verdict "every link in the guides leads somewhere" "$missing"

missing=
while read -r path; do
    [[ -e $source/$path || -e $source/$path.c ]] || missing+=" $path"
done < <(grep -ohE '`(iohelper|src|tests|docs|po|examples)/[a-z/.0-9_-]*`' "$source"/*.md "$source"/docs/*.md |
    tr -d '`' | sort -u)
is "every file and folder that the guides name exists" "$missing" ""
verdict "every test that the guide to testing names for a fault exists" \
    "$(python3 "$(dirname "$0")/faults.py" "$source" 2>&1)"

finish

# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the test-dropin stories share: starting "libvirt_iohelper PATH FD" as libvirt does, and what a
# good success and a good failure look like. Libvirt itself is not needed; where its own helper is
# installed it gets the same tests, except those of what iohelper does better.
#
# A story sets $here to its directory, sources this file, defines "story" and says "each_helper story".
# IOH_DROPIN        the libvirt_iohelper to test
# IOH_OPEN_ON_FD    open-on-fd.c
# and what cli/lib.sh needs

: "${here:?the directory of the story}"
: "${IOH_DROPIN:?the libvirt_iohelper binary}" "${IOH_OPEN_ON_FD:?the open-on-fd program}"
export TMPDIR=${TMPDIR:-/var/tmp} # often a disk where /tmp is memory
# shellcheck source-path=SCRIPTDIR source=../cli/lib.sh
source "$here/../cli/lib.sh"
# shellcheck source-path=SCRIPTDIR source=stock-helper.sh
source "$here/stock-helper.sh"
# Not the file behind a symbolic link: the name is what chooses the mode.
IOH_DROPIN=$(realpath -s "$IOH_DROPIN")
open_on_fd=$(realpath "$IOH_OPEN_ON_FD")
cd "$T" || exit 1

label=$T/label
# A process that would open its label waits here for ever, and runs into the limit.
mkfifo "$label"

# All that libvirt leaves of it.
environment=(LIBVIRT_LOG_OUTPUTS=1:stderr)

# run_to FD: as libvirt starts it; standard input and output are the caller's.
run_to () {
    rm -f "$T/rc"
    timeout -k 2 "$limit" "${under[@]}" env -i "${environment[@]}" \
        "$program" "$label" "$1" 2>"$T/err"
    echo $? >"$T/rc"
}

# opened FD FLAGS FILE: the same with FILE, opened in that way, on FD.
opened () {
    rm -f "$T/rc"
    timeout -k 2 "$limit" "$open_on_fd" "$1" "$2" "$3" \
        env -i "${environment[@]}" "$program" "$label" "$1" 2>"$T/err"
    echo $? >"$T/rc"
}

# refused WORD...: prints what is wrong with a run that had to fail with one line that holds each.
#   The line goes into libvirt's own message: it must not end in a newline.
refused () {
    local text word
    text=$(cat "$T/err"; printf .)
    text=${text%.}
    [[ $(status) == 1 ]] || printf 'status %s instead of 1\n' "$(status)"
    [[ $text == "$program: "?* ]] || printf 'does not start with the program: %s\n' "$text"
    [[ $text != *$'\n'* ]] || printf 'holds a newline: %s\n' "$text"
    for word in "$@"; do
        [[ $text == *"$word"* ]] || printf 'nothing of "%s": %s\n' "$word" "$text"
    done
}

# failed MESSAGE: the same for the failure of a transfer, whose shape is fixed.
failed () {
    refused "$program: failure with $label: $1"
}

# succeeded: prints what is wrong with a run that had to be silent and fine.
succeeded () {
    [[ $(status) == 0 ]] || printf 'status %s instead of 0\n' "$(status)"
    [[ ! -s $T/err ]] || printf 'not silent: %s\n' "$(<"$T/err")"
}

# takes_direct FILE: it can be opened with O_DIRECT.
takes_direct () {
    "$open_on_fd" 9 wcd "$1" true 2>/dev/null
}

# direct NAME FUNCTION...: a test that needs O_DIRECT.
direct () {
    if takes_direct "$T/probe"; then
        verdict "$1" "$("${@:2}")"
    else
        skip "$1" "no O_DIRECT in $T"
    fi
}

# only_dropin: this helper is ours. Libvirt's own is not asked for what it never promised.
only_dropin () {
    [[ $who == dropin ]]
}

# each_helper FUNCTION: with $who and $program set, for ours and for libvirt's own.
each_helper () {
    who=dropin program=$IOH_DROPIN
    "$1"
    who=stock
    if program=$(stock_helper); then
        "$1"
    else
        printf '# no libvirt_iohelper of libvirt here to compare with\n'
    fi
}

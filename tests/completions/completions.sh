#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What bash and zsh offer for iohelper: every command, every option of help, and for a value the same
# words that the program takes.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

source=${IOH_SOURCE:?the source tree}
here=$(realpath "$(dirname "$0")")
cd "$T" || exit
mkdir bin directory
ln -s "$IOH_HELPER" bin/iohelper
PATH=$T/bin:$PATH
: >file.img

commands=$(iohelper --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p' | sort)

# options COMMAND: its long options; those that need a value with a "=".
options () {
    iohelper "$1" --help-all | grep -oE '^ +(-[a-z], )?--[a-z-]+=?' | grep -oE -- '--[a-z-]+=?' | sort
}

# words COMMAND OPTION: what the value may be, as a refusal tells; nothing when it is no word.
words () {
    iohelper "$1" "$2=?" x 2>&1 | sed -n "s/.* '?' is not one of //p" | tr -d ' ' | tr , '\n' | sort
}

# suites: of the command "bench".
suites () {
    iohelper bench '?' 2>&1 | sed -n "s/.* '?' is not one of //p" | tr -d ' ' | tr , '\n' | sort
}

# ---- bash ------------------------------------------------------------------------------------------

# load_bash_completion: it is not made for "set -u", and takes "have" away.
load_bash_completion () {
    local have_of_ours

    have_of_ours=$(declare -f have)
    set +u
    # shellcheck source=/dev/null
    . /usr/share/bash-completion/bash_completion
    # shellcheck source=completions/iohelper.bash
    . "$source/completions/iohelper.bash"
    eval "$have_of_ours"
    # it works within a completion only
    compopt () { :; }
}

# offers LINE: what bash offers at its end, with the line in words as readline does it.
# shellcheck disable=SC2034 # bash-completion reads them
offers () {
    local COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9 COMP_WORDS=() COMP_CWORD COMPREPLY=()

    mapfile -t COMP_WORDS < <(grep -oE '[^ :=]+|[:=]+' <<<"$1")
    [[ $1 != *' ' && $1 != *[:=] ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _iohelper "${COMP_WORDS[0]}" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" 2>&1
    [[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}" | sort
}

lines () {
    printf '%s\n' "$@" | sort
}

test_bash () {
    local command option said wrong=

    load_bash_completion
    is "bash: commands" "$(offers 'iohelper ')" "$(lines $commands --help --version)"
    is "bash: the beginning of one" "$(offers 'iohelper resto')" "restore"
    for command in $commands; do
        is "bash: every option of $command" "$(offers "iohelper $command --")" "$(options "$command")"
        while IFS= read -r option; do
            said=$(offers "iohelper $command $option=")
            [[ $(words "$command" "$option") == "$said" ]] || wrong+="$command $option: $said"$'\n'
        done < <(options "$command" | sed -n 's/=//p' | grep -vE -- '--(listen|connect|report|plot)$')
    done
    verdict "bash: the words of every value" "$wrong"
    is "bash: a value behind a blank" "$(offers 'iohelper save --cache d')" "$(lines direct drop)"
    is "bash: a value that may be left out" "$(offers 'iohelper save --progress=a')" \
        "$(lines always auto)"
    is "bash: and is not there" "$(offers 'iohelper save --progress f')" "file.img"
    is "bash: suites" "$(offers 'iohelper bench ')" "$(suites)"
    is "bash: what there is help on" "$(offers 'iohelper help ')" "$(lines $commands)"
    is "bash: files" "$(offers 'iohelper restore f')" "file.img"
    is "bash: a report" "$(offers 'iohelper save --report=f')" "file.img"
    is "bash: addresses" "$(offers 'iohelper save --listen=')" "$(lines unix: tcp: vsock:)"
    is "bash: a kind of address" "$(offers 'iohelper save --connect v')" "vsock:"
    is "bash: sockets" "$(offers 'iohelper save --listen unix:fi')" "file.img"
}

if [[ -r /usr/share/bash-completion/bash_completion ]]; then
    test_bash
else
    skip "bash" "no bash-completion"
fi

# ---- zsh -------------------------------------------------------------------------------------------

# shown LINE: what zsh shows when it is asked for completions of LINE.
shown () {
    timeout -k 2 60 python3 "$here/zsh.py" "$source/completions" "$1" 2>&1
}

# missing LINE WORD...: those that are not shown.
missing () {
    local said word
    said=$(shown "$1")
    shift
    for word in "$@"; do
        grep -qE -- "(^|[^a-z-])$word([^a-z-]|$)" <<<"$said" || printf '%s is missing in: %s\n' "$word" "$said"
    done
}

test_zsh () {
    local command

    verdict "zsh: commands" "$(missing 'iohelper ' $commands)"
    for command in $commands; do
        # shellcheck disable=SC2046
        verdict "zsh: every option of $command" \
            "$(missing "iohelper $command --" $(options "$command" | tr -d =))"
    done
    # shellcheck disable=SC2046
    for option in --cache --engine --exists --parent-death --queue --sync --progress; do
        verdict "zsh: the words of $option" \
            "$(missing "iohelper save $option=" $(words save $option))"
    done
    # shellcheck disable=SC2046
    verdict "zsh: suites" "$(missing 'iohelper bench ' $(suites))"
    verdict "zsh: what there is help on" "$(missing 'iohelper help ' $commands)"
    verdict "zsh: files" "$(missing 'iohelper restore ' file.img)"
    verdict "zsh: addresses" "$(missing 'iohelper save --listen=' unix: tcp: vsock:)"
    verdict "zsh: sockets" "$(missing 'iohelper save --listen=unix:' file.img)"
}

if have zsh; then
    test_zsh
else
    skip "zsh" "no zsh"
fi

finish

# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154,SC2207 # what bash-completion sets; no word has a blank
#
# Completion of iohelper(1) for bash, with the functions of bash-completion. Commands and options are
# those that the program itself tells of.

# _iohelper_commands PROGRAM
_iohelper_commands () {
    LC_ALL=C "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p'
}

# _iohelper_options PROGRAM COMMAND: those with a value end with "=".
_iohelper_options () {
    LC_ALL=C "$1" "$2" --help-all 2>/dev/null |
        sed -nE 's/^  (-[a-z], )?(--[a-z-]+=?).*/\2/p'
}

# _iohelper_suites PROGRAM: of the command "bench".
_iohelper_suites () {
    LC_ALL=C "$1" bench --help 2>/dev/null | sed -n '/^Suites:/,/^$/s/^  \([a-z-]*\).*/\1/p'
}

# _iohelper_address: what QEMU and iohelper call an address.
_iohelper_address () {
    local address=$cur

    if [[ $cur == unix:* ]]; then
        cur=${cur#unix:}
        _filedir
        COMPREPLY=("${COMPREPLY[@]/#/unix:}")
        cur=$address
    else
        COMPREPLY=($(compgen -W 'unix: tcp: vsock:' -- "$cur"))
        compopt -o nospace
    fi
    __ltrim_colon_completions "$cur"
}

# _iohelper_value COMMAND OPTION: FALSE when any text will do, or there is no value.
_iohelper_value () {
    local words=

    case "$2" in
    --cache) words='auto direct drop keep' ;;
    --engine) words='auto splice direct copy' ;;
    --exists)
        words='replace refuse overwrite'
        [[ $1 != bench ]] || words='refuse overwrite'
        ;;
    --parent-death) words='cancel finish-save' ;;
    --progress) words='auto always never' ;;
    --queue) words='auto io_uring threads' ;;
    --sync) words='full data none' ;;
    --listen | --connect) _iohelper_address; return ;;
    --report | --plot) _filedir; return ;;
    *) return 1 ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

_iohelper () {
    local cur prev words cword split

    _init_completion -s -n : || return
    if ((cword == 1)); then
        COMPREPLY=($(compgen -W "$(_iohelper_commands "$1") --help --version" -- "$cur"))
        return
    fi
    # a value that may be left out is never an argument of its own
    if [[ $split == true || $prev != --progress ]] && _iohelper_value "${words[1]}" "$prev"; then
        return
    fi
    if [[ $split == true ]]; then
        return
    fi
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_iohelper_options "$1" "${words[1]}")" -- "$cur"))
        if [[ ${COMPREPLY[*]-} == *= ]]; then
            compopt -o nospace
        fi
        return
    fi
    if [[ ${words[1]} == bench && $cword == 2 ]]; then
        COMPREPLY=($(compgen -W "$(_iohelper_suites "$1")" -- "$cur"))
        return
    fi
    if [[ ${words[1]} == help ]]; then
        COMPREPLY=($(compgen -W "$(_iohelper_commands "$1")" -- "$cur"))
        return
    fi
    _filedir
}

complete -F _iohelper iohelper

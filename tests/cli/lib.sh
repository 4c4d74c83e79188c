# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What every story in this directory stands on: TAP, a directory of its own, running the helper under
# a limit, and one place that knows what a good failure looks like.
#
# A story sources this file, says its tests by pass/fail/ok/is/expect and ends with "finish".
# IOH_HELPER     the iohelper binary
# IOH_PATTERN    the data generator (pattern.c)
# IOH_ENGINE     only this engine (default: what the helper picks; loops: every engine listed)
# IOH_MUST_WORK  1: a need that is missing is a failure, not a skip
# IOH_SEED       the seed of stories that draw random numbers

set -u
export LC_ALL=C
umask 022

: "${IOH_HELPER:?the iohelper binary}" "${IOH_PATTERN:?the pattern program}"
IOH_HELPER=$(realpath "$IOH_HELPER")
IOH_PATTERN=$(realpath "$IOH_PATTERN")
engine=${IOH_ENGINE:-auto}
story=$(basename "$0" .sh)

# Memory has no O_DIRECT: another place is better, if there is one.
scratch=${TMPDIR:-/tmp}
in_memory () {
    [[ $(stat -f -c %T "$1") == @(tmpfs|ramfs) ]]
}
if in_memory "$scratch" && [[ -w /var/tmp ]] && ! in_memory /var/tmp; then
    scratch=/var/tmp
fi
T=$(mktemp -d "$scratch/ioh-$story.XXXXXX")
on_exit=()
# A user who is nobody else: what the kernel counts for each user, it counts for this story alone.
# shellcheck disable=SC2034 # used by the stories
stranger=$((20000 + $$ % 40000))
tap_count=0
tap_failed=0

clean_up () {
    local i
    [[ $BASHPID == "$$" ]] || return
    # whoever still waits at the other end of a FIFO
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null
    for ((i = ${#on_exit[@]} - 1; i >= 0; i--)); do
        eval "${on_exit[i]}"
    done
    rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 143' TERM INT HUP

# defer COMMAND: run at the end, whatever happens; the last one first.
defer () {
    on_exit+=("$1")
}

# ---- TAP -----------------------------------------------------------------------------------------

pass () {
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' "$tap_count" "$1"
}

# fail NAME [DIAGNOSTIC...]
fail () {
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    shift
    [[ $# -eq 0 ]] || printf '%s\n' "$@" | sed 's/^#* */# /'
}

# verdict NAME DIAGNOSTICS: passes when there is nothing to say.
verdict () {
    if [[ -z $2 ]]; then pass "$1"; else fail "$1" "$2"; fi
}

# ok NAME COMMAND...
ok () {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then pass "$name"; else fail "$name" "$* said ($?): $said"; fi
}

# is NAME SEEN WANTED
is () {
    if [[ $2 == "$3" ]]; then pass "$1"; else fail "$1" "seen:   $2" "wanted: $3"; fi
}

# like NAME TEXT GLOB
like () {
    # shellcheck disable=SC2053 # a glob is meant
    if [[ $2 == $3 ]]; then pass "$1"; else fail "$1" "seen:   $2" "wanted: $3"; fi
}

# skip NAME REASON
skip () {
    if [[ ${IOH_MUST_WORK:-0} == 1 ]]; then
        fail "$1" "must work, but: $2"
    else
        tap_count=$((tap_count + 1))
        printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
    fi
}

# excuse NAME REASON: what neither a package nor root can give, so that nobody is to blame.
excuse () {
    IOH_MUST_WORK=0 skip "$@"
}

skip_all () {
    if [[ ${IOH_MUST_WORK:-0} == 1 ]]; then
        fail "$story" "must work, but: $1"
        finish
    fi
    printf '1..0 # SKIP %s\n' "$1"
    exit 0
}

finish () {
    printf '1..%d\n' "$tap_count"
    [[ $tap_failed -eq 0 ]]
    exit
}

# ---- needs ---------------------------------------------------------------------------------------

have () {
    command -v "$1" >/dev/null
}

# strace has to be there and be allowed to trace.
have_strace () {
    have strace && strace -o /dev/null true 2>/dev/null
}

# The story goes on as root of a user and mount namespace of its own: mounts need no root outside
# and go away with it.
enter_namespace () {
    [[ ${IOH_INSIDE:-0} == 1 ]] && return
    unshare -Urm true 2>/dev/null || skip_all "no user namespaces"
    rm -rf "$T"
    trap - EXIT
    IOH_INSIDE=1 exec unshare -Urm "$BASH" "$0" "$@"
}

# The same with mounts only, for stories that need the real root.
enter_mounts () {
    [[ $(id -u) == 0 ]] || skip_all "needs root"
    [[ ${IOH_INSIDE:-0} == 1 ]] && return
    unshare -m true 2>/dev/null || skip_all "no mount namespaces"
    rm -rf "$T"
    trap - EXIT
    IOH_INSIDE=1 exec unshare -m --propagation private "$BASH" "$0" "$@"
}

# mount_tmpfs DIR OPTIONS: in $T
mount_tmpfs () {
    mkdir -p "$T/$1" && mount -t tmpfs -o "$2" tmpfs "$T/$1" && defer "umount -l '$T/$1'"
}

# ---- data ----------------------------------------------------------------------------------------

gen () {
    timeout 30 "$IOH_PATTERN" gen "$@"
}

# check SIZE [FROM] <FILE
check () {
    "$IOH_PATTERN" check "$@"
}

# number VALUE: four bytes in the order of this machine, as escapes for printf.
number () {
    local i shifts=(0 8 16 24)
    [[ $(printf '\001\000' | od -An -d) -eq 1 ]] || shifts=(24 16 8 0)
    for i in "${shifts[@]}"; do
        printf '\\x%02x' $((($1 >> i) & 255))
    done
}

# libvirt_header MAGIC FORMAT DOMAIN: what libvirt puts in front of a stream, 1092 bytes with the XML
# and room for it to grow.
libvirt_header () {
    printf '%s' "$1"
    printf '%b' "$(number 2)$(number 1000)$(number 1)$(number "$2")"
    head -c 60 /dev/zero
    { printf '<domain><name>%s</name></domain>' "$3"; head -c 1000 /dev/zero; } | head -c 1000
}

size_of () {
    stat -c %s -- "$1"
}

# names_in DIR: all of them, in one line.
names_in () {
    find "$1" -mindepth 1 -printf '%P\n' | sort | paste -sd ' '
}

# inode, owner, mode, size and times: the same text, the same untouched file.
stamp_of () {
    stat -c '%i %u %g %a %s %y %z' -- "$1"
}

# shellcheck disable=SC2034 # used by the stories
tail_sizes=(1 511 512 513 4095 4096 4097 65535 65536 65537 1048575 1048576 1048577 3640428)
# shellcheck disable=SC2034
if in_memory "$T"; then
    cache_modes=(auto drop keep)
else
    cache_modes=(auto direct drop keep)
fi

# ---- the helper ----------------------------------------------------------------------------------

# What the helper runs under (strace, setpriv ...), and how long it may take before it hangs.
under=()
limit=30

# helper ARGUMENT...: standard input and output are the caller's; status in $T/rc, text in $T/err.
helper () {
    rm -f "$T/rc"
    timeout -k 2 "$limit" "${under[@]}" "$IOH_HELPER" "$@" 2>"$T/err"
    echo $? >"$T/rc"
}

# attempt DIRECTION ARGUMENT...: with the engine under test. Where it is refused, which touches
# nothing, the same is asked of copy, which never is.
attempt () {
    local direction=$1
    shift
    helper "$direction" --engine "$engine" "$@"
    [[ $(status) != 2 || $(<"$T/err") != *"engine $engine cannot"* ]] ||
        helper "$direction" --engine copy "$@"
}

save () {
    attempt save "$@"
}

restore () {
    attempt restore "$@"
}

status () {
    cat "$T/rc"
}

# engines: the names of all there are.
engines () {
    if [[ -n ${IOH_ENGINE:-} ]]; then
        echo "$IOH_ENGINE"
    else
        "$IOH_HELPER" engines --json |
            python3 -c 'import json, sys; print(*(e["name"] for e in json.load(sys.stdin)))'
    fi
}

# fits DIRECTION ARGUMENT...: the engine takes this on, with a pipe for a stream. Copy always does:
# its refusals are failures.
fits () {
    local direction=$1
    shift
    [[ " $* " != *" --cache direct "* ]] || ! in_memory "$T" || return 1
    [[ $engine == copy || $engine == auto ]] || : |
        "$IOH_HELPER" "$direction" --explain --engine "$engine" "$@" 2>/dev/null | grep -q engine
}

# start DIRECTION ARGUMENT...: as attempt, but in the background, as $pid, signals at their defaults.
start () {
    local direction=$1 used=$engine
    shift
    rm -f "$T/rc"
    fits "$direction" "$@" || used=copy
    env --default-signal "${under[@]}" "$IOH_HELPER" "$direction" --engine "$used" "$@" \
        <&0 2>"$T/err" &
    pid=$!
    wait_for launched "$pid"
}

# launched PID: it is neither a copy of this shell nor env any more.
launched () {
    [[ ! /proc/$1/exe -ef $BASH && ! /proc/$1/exe -ef $(command -v env) ]]
}

gone () {
    ! kill -0 "$1" 2>/dev/null
}

# end: waits for $pid and takes its status; a helper that does not end is killed, status "hangs".
end () {
    if wait_for gone "$pid"; then
        wait "$pid" 2>/dev/null
        echo $? >"$T/rc"
    else
        kill -9 "$pid"
        wait "$pid" 2>/dev/null
        echo hangs >"$T/rc"
    fi
}

# ---- what a run must look like -------------------------------------------------------------------

# complaint STATUS WORD...: prints what is wrong with the run just made.
#   Status 0 asks for silence. Anything else asks for exactly one line, "iohelper: ...", which holds
#   each word, and for no word of success.
complaint () {
    local wanted=$1 seen text word
    shift
    seen=$(status)
    text=$(<"$T/err")
    [[ $seen == "$wanted" ]] || printf 'status %s instead of %s\n' "$seen" "$wanted"
    if [[ $wanted == 0 && $# == 0 ]]; then
        [[ -z $text ]] || printf 'not silent: %s\n' "$text"
        return 0
    fi
    [[ $(grep -c '' "$T/err") == 1 ]] || printf 'not one line: %s\n' "$text"
    [[ $text == iohelper:* ]] || printf 'does not start with the program: %s\n' "$text"
    [[ ! ${text,,} =~ (saved|restored|success|complete[^l]|100\ ?%|errno\ 0) ]] ||
        printf 'a word of success: %s\n' "$text"
    for word in "$@"; do
        [[ $text == *"$word"* ]] || printf 'nothing of "%s": %s\n' "$word" "$text"
    done
}

# expect NAME STATUS [WORD...]
expect () {
    local name=$1
    shift
    verdict "$name" "$(complaint "$@")"
}

# saved NAME FILE SIZE: a silent success, and the file holds exactly the stream.
saved () {
    verdict "$1" "$({ complaint 0 && check "$3" <"$2"; } 2>&1)"
}

# restored NAME FILE SIZE: the same; FILE is what came out.
restored () {
    saved "$@"
}

# wait_for COMMAND...: until it holds; gives up after ten seconds.
wait_for () {
    local i
    for ((i = 0; i < 1000; i++)); do
        "$@" && return 0
        sleep 0.01
    done
    return 1
}

# ---- strace --------------------------------------------------------------------------------------

# traced ARGUMENT...: what strace is asked for, for runs that follow; the log is $T/trace. In a
# sanitized build nothing looks for leaks then: that needs ptrace for itself.
traced () {
    under=(strace -f -qq -E "ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0" -o "$T/trace" "$@")
}

untraced () {
    under=()
}

# nth CALL REGEX: which call of that name in $T/trace is the first that matches.
nth () {
    grep -E "^[0-9]+ +$1\(" "$T/trace" | grep -nE -- "$2" | head -1 | cut -d: -f1
}

# calls REGEX: how many lines of the trace match.
calls () {
    grep -cE -- "$1" "$T/trace"
}

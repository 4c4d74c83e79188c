#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Killed by SIGKILL at random moments of saves of every kind, from before the start of the program to
# after its end: the target is the old file or the complete new one, never half, and nothing lies beside it.
# IOH_KILLS  how many moments, 40 by default
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=6291981
gen $n >stream
gen 5000 7 >old
moments=${IOH_KILLS:-40}
seed=${IOH_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed (IOH_SEED=$seed IOH_KILLS=$moments repeats this, as far as time does)"

# The ways of a save that publishes; the queues as well, since each has its own threads.
ways=()
for engine in $(engines); do
    for mode in "${cache_modes[@]}"; do
        fits save --cache "$mode" f <stream || continue
        ways+=("--engine $engine --cache $mode")
        [[ $engine != direct ]] || ways+=("--engine $engine --cache $mode --queue threads")
    done
done

# timed_save ARGUMENT...: how long a save takes when it is left alone, in microseconds.
timed_save () {
    local begun=${EPOCHREALTIME/./}
    "$IOH_HELPER" save "$@" f < <(cat stream)
    echo $((${EPOCHREALTIME/./} - begun))
}

is_new () {
    [[ -e f ]] && check $n <f >/dev/null 2>&1
}

# left_after STATUS HAD_OLD: prints what is wrong with what is left.
left_after () {
    local part
    # The kernel has no link that replaces: the complete file has two names for a moment.
    for part in .f.*.part; do
        [[ ! -e $part ]] || check $n <"$part" || echo "$part is not complete"
        rm -f "$part"
    done
    if is_new; then
        :
    elif [[ $1 == 0 ]]; then
        echo "status 0 without the new file"
    elif [[ $2 == 1 ]]; then
        cmp f old || echo "neither the old file nor the new one"
    elif [[ -e f ]]; then
        echo "half a file of $(size_of f) bytes"
    fi
    [[ $(names_in .) =~ ^(f )?old\ stream$ ]] || echo "in the directory: $(names_in .)"
} 2>&1

killed=0
new=0
wrong=
for ((i = 0; i < moments; i++)); do
    read -ra way <<<"${ways[i % ${#ways[@]}]}"
    rm -f f
    longest=$(timed_save "${way[@]}")
    had_old=$((RANDOM % 2))
    if ((had_old)); then cp old f; else rm -f f; fi
    us=$((RANDOM * 32768 + RANDOM))
    us=$((us % (longest * 6 / 5 + 1)))
    delay=$(printf '%d.%06d' $((us / 1000000)) $((us % 1000000)))
    # a shell of its own takes the message of the death
    bash -c 'timeout -s KILL "$1" "${@:2}"; exit $?' - "$delay" "$IOH_HELPER" save "${way[@]}" f < <(cat stream) 2>/dev/null
    result=$?
    [[ $result != 137 ]] || killed=$((killed + 1))
    said=$(left_after "$result" "$had_old")
    ! is_new || new=$((new + 1))
    [[ -z $said ]] || wrong+="moment $i, ${way[*]}, after $us us: $said"$'\n'
done
verdict "SIGKILL at $moments random moments" "$wrong"
ok "most of them came in time ($killed killed, $new new files)" test $((killed * 4)) -ge "$moments"

finish

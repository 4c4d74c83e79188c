# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the stories about hosts that allow little share: a user without rights, a group of processes
# without memory, and transfers in every way there is.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"

# Who we are when nobody special.
nobody=()
if [[ $(id -u) == 0 ]]; then
    # shellcheck disable=SC2034 # used by the stories
    nobody=(setpriv --reuid "$stranger" --regid "$stranger" --clear-groups --inh-caps -all)
fi

# What anybody can reach, wherever the build is.
chmod 755 "$T"
mkdir -m 777 "$T/his"
cp "$IOH_HELPER" "$T/iohelper"
cp "$IOH_PATTERN" "$T/pattern"
chmod 755 "$T/iohelper" "$T/pattern"
IOH_HELPER=$T/iohelper
IOH_PATTERN=$T/pattern

# What our caller has left open would count as ours.
for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    ((fd < 3 || fd == 255)) || exec {fd}>&-
done

# can COMMAND...: nobody to be is no reason for all else to fail.
can () {
    "$@" true 2>/dev/null
}

# met ADDR ARGUMENT...: a restore that goes there, unless nobody listens there yet.
met () {
    restore --connect "$@"
    [[ $(<"$T/err") != *refused* ]]
}

# What may be said of a transfer that is well, as a pattern of sed; nothing by default.
tolerated=

# well: the run just made ended well; prints what is wrong.
well () {
    [[ -z $tolerated ]] || sed -i "/$tolerated/d" "$T/err"
    complaint 0
}

# all_ways SIZE OPTION...: a save and a restore by every engine in every cache mode, from and to a
# pipe and a socket, under what $under says. Prints what is wrong; silence and every byte are right.
all_ways () {
    local size=$1 mode address=unix:$T/his/s
    shift
    for engine in $(engines); do
        for mode in "${cache_modes[@]}"; do
            rm -f his/f
            gen "$size" | save --cache "$mode" "$@" "$T/his/f"
            { well && check "$size" <his/f; } 2>&1 | sed "s/^/$engine $mode: save: /"
            restore --cache "$mode" "$@" "$T/his/f" | check "$size" 2>&1 |
                sed "s/^/$engine $mode: restored: /"
            well | sed "s/^/$engine $mode: restore: /"
        done
        rm -f his/f2
        start save --listen "$address" "$@" "$T/his/f2" </dev/null
        wait_for test -S his/s
        wait_for met "$address" "$@" "$T/his/f"
        well | sed "s/^/$engine: restore to a socket: /"
        end
        [[ $(status) == 0 ]] || echo "$engine: save from a socket: status $(status)"
        check "$size" <his/f2 2>&1 | sed "s/^/$engine: from a socket: /"
    done
    engine=${IOH_ENGINE:-auto}
}

# enter_memory LIMIT: makes a group of processes that may have so much memory, as $memory, a command
# that puts itself there. FALSE where that is not for us.
enter_memory () {
    local base group limit
    base=$(awk -F: '$2 == "memory" { print "/sys/fs/cgroup/memory" $3 }' /proc/self/cgroup)
    limit=memory.limit_in_bytes
    if [[ -z $base ]]; then
        base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
        limit=memory.max
    fi
    group=$base/iohelper-limits-$$
    mkdir "$group" 2>/dev/null || return
    defer "rmdir '$group'"
    echo "$1" 2>/dev/null >"$group/$limit" || return
    # shellcheck disable=SC2016 # for the inner shell
    memory=(bash -c 'echo $$ >"$1" || exit 99; shift; exec "$@"' - "$group/cgroup.procs")
    can "${memory[@]}"
}

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Hosts and users that are allowed little: without rights, io_uring, locked memory, descriptors or
# memory. What can go on goes on in silence, in every engine; what cannot says so.
# IOH_WITHOUT_IO_URING  the program that runs another where io_uring is refused
# shellcheck source=tests/limits/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=9437321
gen $n >stream
cp "${IOH_WITHOUT_IO_URING:?the program that refuses io_uring}" without-io-uring
chmod 755 without-io-uring

# reported FILE WHAT WORD: a member of a choice in a report
reported () {
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))[sys.argv[2]][sys.argv[3]])' "$@"
}

# ---- rights --------------------------------------------------------------------------------------

if can "${nobody[@]}"; then
    under=("${nobody[@]}")
    verdict "a user without rights" "$(all_ways $n)"
    is "and his files are his" "$(stat -c '%u %a' his/f)" "$("${nobody[@]}" id -u) 600"
else
    skip "a user without rights" "setpriv cannot become nobody"
fi

under=(setpriv --bounding-set -sys_resource --inh-caps -sys_resource)
[[ $(id -u) == 0 ]] || under=()
if can "${under[@]}"; then
    verdict "without CAP_SYS_RESOURCE" "$(all_ways $n)"
    most=$(</proc/sys/fs/pipe-max-size)
    gen $n | save --pipe-size $((most * 4)) --report "$T/report" his/f
    saved "a larger pipe than the system allows" his/f $n
    is "the largest that it allows is used" \
        "$(python3 -c 'import json; print(json.load(open("report"))["stream"]["pipe-size"]["used"])')" "$most"
else
    skip "without CAP_SYS_RESOURCE" "capabilities cannot be dropped"
fi

for mask in 077 000; do
    under=(bash -c "umask $mask; exec \"\$@\"" -)
    verdict "umask $mask" "$(IOH_ENGINE=auto all_ways $n)"
    rm -f his/f
    gen $n | save his/f
    is "umask $mask: a new file is for its owner only" "$(stat -c %a his/f)" 600
    rm -f his/f
    gen $n | save --mode 640 his/f
    is "umask $mask: --mode means what it says" "$(stat -c %a his/f)" 640
done

# ---- io_uring ------------------------------------------------------------------------------------

under=("$T/without-io-uring")
if can "${under[@]}"; then
    verdict "io_uring is refused" "$(all_ways $n)"
    gen $n | helper save --engine direct --report report his/f
    saved "io_uring is refused to the direct engine" his/f $n
    is "threads take its place" "$(reported report queue used)" threads
    gen $n | helper save --engine direct --queue io_uring his/f
    expect "a queue that is named is not replaced" 2 io_uring "Operation not permitted"
else
    skip "io_uring is refused" "no seccomp"
fi

# ---- memory --------------------------------------------------------------------------------------

# The ring itself is locked memory, and the kernel may still be busy giving back that of the last run.
tolerated='went on with threads instead of io_uring: Cannot allocate memory'
for locked in 65536 0; do
    under=("${nobody[@]}" prlimit --memlock="$locked")
    if can "${under[@]}"; then
        verdict "$locked bytes of locked memory" "$(all_ways $n)"
        verdict "$locked bytes of locked memory, many large requests" \
            "$(all_ways $n --block-size 4M --queue-depth 8)"
    else
        skip "$locked bytes of locked memory" "no setpriv, no prlimit"
    fi
done

tolerated=
large=100663297
if enter_memory $((64 * 1048576)); then
    under=("${memory[@]}")
    cache_modes=(auto keep)
    verdict "a group with 64 MiB of memory" "$(all_ways $large)"
    cache_modes=(auto)
    verdict "a group with 64 MiB of memory, many large requests" \
        "$(all_ways $large --block-size 2M --queue-depth 8)"
else
    excuse "a group with 64 MiB of memory" "no memory cgroup can be made here"
fi
rm -f his/f his/f2

# short_of_descriptors FILE: all is in FILE, or all that was said is why not: not that it went on.
short_of_descriptors () {
    case $(status) in
    0) check $n <"$1" ;;
    1) [[ $(<err) == iohelper:*"Too many open files" && $(wc -l <err) == 1 ]] || cat err ;;
    *) echo "status $(status): $(<err)" ;;
    esac
}

# ---- descriptors ---------------------------------------------------------------------------------

cache_modes=(auto keep drop)
under=(prlimit --nofile=16)
if can "${under[@]}"; then
    verdict "16 descriptors" "$(all_ways $n)"
    # Fewer, until there are too few: it ends well or says why, and the old file stays.
    verdict "fewer descriptors than that" "$(
        for engine in $(engines); do
            for ((fds = 15; fds > 3; fds--)); do
                under=(prlimit --nofile="$fds")
                # what the loader of the program needs is not ours to say
                can "${under[@]}" || continue
                echo old >his/f
                save his/f <stream
                short_of_descriptors his/f 2>&1 | sed "s/^/$engine, $fds: /"
                [[ $(status) == 0 || $(<his/f) == old ]] || echo "the old file was touched"
                restore "$T/stream" >out
                short_of_descriptors out 2>&1 | sed "s/^/$engine, $fds: restore: /"
            done
        done
    )"
    is "no litter" "$(names_in his)" "f f2"
else
    skip "16 descriptors" "no prlimit"
fi

# ---- all of it -----------------------------------------------------------------------------------

under=("${memory[@]:-env}" "${nobody[@]}" prlimit --memlock=65536 --nofile=16 "$T/without-io-uring")
if can "${under[@]}"; then
    verdict "all of these at once" "$(all_ways $n)"
else
    skip "all of these at once" "one of them cannot be had"
fi

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Killed at every point of a save: the old file or the complete new one, and no litter. Signals that
# can be handled clean up and then do what they are for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=1048583
gen $n >stream
mkdir d

# fresh: nothing but the old file
fresh () {
    rm -rf d
    mkdir d
    cp old d/f
}

# whole: d/f is the old file or the complete new one, and alone; prints what is wrong.
whole () {
    [[ $(names_in d) == f ]] || echo "in the directory: $(names_in d)"
    cmp -s d/f old || check $n <d/f || echo "neither the old file nor the new one"
} 2>&1

new_file () { check $n <d/f >/dev/null 2>&1; }

gen 5000 7 >old

# ---- every system call in turn -------------------------------------------------------------------

# points: each call of a good run from the one that creates the file: its name, and its number among
# its equals.
points () {
    sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(/\1 &/p' trace | awk '
        { count[$1]++ }
        /O_TMPFILE/ { begun = 1 }
        begun && $1 !~ /^(exit|brk|m(un)?map|mprotect|futex)/ { print $1, count[$1] }'
}

# sweep SIGNAL STATUS ARGUMENT...: the signal on entering each call in turn, one run each; prints
# what is wrong. The run ends with STATUS, or well if the signal came too late to matter.
sweep () {
    local signal=$1 wanted=$2 call at seen
    shift 2
    fresh
    traced -e trace=all
    save "$@" d/f <stream
    points >list
    (($(wc -l <list) > 8)) || echo "only $(wc -l <list) points to stop at"
    while read -r call at; do
        fresh
        traced -e "trace=$call" -e "inject=$call:signal=$signal:when=$at"
        save "$@" d/f <stream
        seen=$(status)
        {
            [[ $seen == "$wanted" || $seen == 0 ]] || echo "status $seen"
            cat err
            [[ $seen != 0 ]] || new_file || echo "status 0 without the new file"
            # The kernel has no link that replaces: the complete file has two names for a moment.
            [[ $signal != KILL || $call != rename* ]] || rm -f d/.f.*.part
            whole
        } 2>&1 | sed "s/^/$call $at: /"
    done <list
}

if have_strace; then
    for engine in $(engines); do
        verdict "$engine: kill -9 at any call" \
            "$(sweep KILL 137 --block-size 512K)"
        verdict "$engine: SIGTERM at any call" \
            "$(sweep TERM 143 --block-size 512K)"
        is "$engine: nothing left after all of that" "$(names_in d)" f
    done
    engine=${IOH_ENGINE:-auto}
else
    skip "kill -9 at any call" "no strace"
fi
untraced

# ---- random moments ------------------------------------------------------------------------------

seed=${IOH_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed (IOH_SEED=$seed repeats this)"
rm -f fifo
mkfifo fifo
verdict "kill -9 after any number of bytes" "$(
    for ((i = 0; i < 12; i++)); do
        cp old d/f
        exec 6<>fifo
        start save --cache "${cache_modes[i % ${#cache_modes[@]}]}" d/f <fifo 6>&-
        gen $((RANDOM * 31)) >&6
        kill -9 "$pid"
        exec 6>&-
        end
        [[ $(status) == 137 ]] || echo "status $(status)"
        whole
        cmp -s d/f old || echo "published before the end of the stream"
    done
)"
verdict "kill -9 about when the stream ends" "$(
    for ((i = 0; i < 24; i++)); do
        fresh
        exec 6<>fifo
        start save d/f <fifo 6>&-
        gen $n >&6
        exec 6>&-
        for ((j = RANDOM % 600; j > 0; j--)); do :; done
        kill -9 "$pid" 2>/dev/null
        end
        for part in d/.f.*.part; do
            [[ ! -e $part ]] || check $n <"$part" && rm -f "$part"
        done
        whole
        [[ $(status) != 0 ]] || new_file || echo "status 0 without the new file"
    done
)"

# ---- signals that can be handled -----------------------------------------------------------------

for signal in TERM INT HUP; do
    number=$(kill -l $signal)
    for engine in $(engines); do
        cp old d/f
        exec 6<>fifo
        start save d/f <fifo 6>&-
        gen 300000 >&6
        kill -$signal "$pid"
        end
        exec 6>&-
        is "$engine: SIG$signal while the stream waits: dies of it" "$(status)" $((128 + number))
        is "$engine: SIG$signal: silent" "$(<err)" ""
        ok "$engine: SIG$signal: the old file stays, alone" cmp d/f old
        is "$engine: SIG$signal: no litter" "$(names_in d)" f

        # Before the first byte, and with a producer that never stops.
        exec 6<>fifo
        start save d/f <fifo 6>&-
        kill -$signal "$pid"
        end
        exec 6>&-
        is "$engine: SIG$signal before the first byte" "$(status)" $((128 + number))
        exec 6<>fifo
        yes >fifo &
        producer=$!
        start save d/f <fifo 6>&-
        read -rn1 -u6 _
        kill -$signal "$pid"
        end
        kill $producer
        wait $producer 2>/dev/null
        exec 6>&-
        is "$engine: SIG$signal in the middle of a fast stream" "$(status)" $((128 + number))
        is "$engine: SIG$signal: nothing new" "$(names_in d) $(size_of d/f)" "f 5000"

        exec 6<>fifo
        start restore stream >fifo
        kill -$signal "$pid"
        end
        is "$engine: SIG$signal on a restore to a reader that sleeps" \
            "$(status)" $((128 + number))
        exec 6>&-
    done
    engine=${IOH_ENGINE:-auto}
    cp old d/f
    exec 6<>fifo
    start save --keep-partial d/f <fifo 6>&-
    gen 300000 >&6
    wait_for grep -qE '^rchar: [0-9]{6}' "/proc/$pid/io"
    kill -$signal "$pid"
    end
    exec 6>&-
    is "SIG$signal with --keep-partial" "$(status) $(names_in d)" "$((128 + number)) f f.part"
    rm -f d/f.part
done

# Ignored by whoever started us (nohup): it stays ignored.
exec 6<>fifo
env --default-signal --ignore-signal=HUP "$IOH_HELPER" save --engine "$engine" d/f \
    <fifo 2>err 6>&- &
pid=$!
wait_for launched $pid
gen 100000 >&6
kill -HUP "$pid"
gen $((n - 100000)) 100000 >&6
exec 6>&-
end
saved "SIGHUP that was ignored at the start stays ignored" d/f $n

# A second signal while cleaning up does no harm either; nor does SIGPIPE at its default.
exec 6<>fifo
start save d/f <fifo 6>&-
kill -TERM "$pid"
kill -TERM "$pid" 2>/dev/null
end
exec 6>&-
is "twice SIGTERM" "$(status) $(names_in d)" "143 f"

# A producer that dies looks like an end; only the expected size can tell.
cp old d/f
# shellcheck disable=SC2016
bash -c '"$1" gen 100000; kill -9 $$' - "$IOH_PATTERN" 2>/dev/null | save --expect-size $n d/f
expect "the producer is killed" 3 stream 100000 $n
ok "the old file stays" cmp d/f old
is "no litter" "$(names_in d)" f

finish

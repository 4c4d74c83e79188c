#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The direct engine where the host gives it less than it would like: no io_uring, no locked memory, no
# pipe of its own, nothing reserved ahead. What was written counts, and nothing is left of what was
# not.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

[[ ${IOH_ENGINE:-direct} == direct ]] || skip_all "this is about the engine direct"
# shellcheck source=tests/cli/faultlib.sh
. "$(dirname "$0")/faultlib.sh"
engine=direct

# with the queue the helper picks
save () {
    attempt save --report "$T/report" "$@"
}

# in strace's reach, and one request after the other
save_in_turn () {
    save --queue threads --queue-depth 1 "$@"
}

# reported MEMBER...: of the report just written
reported () {
    python3 -c 'import functools, json, sys
step = lambda node, name: node[int(name) if name.isdigit() else name]
print(functools.reduce(step, sys.argv[2:], json.load(open(sys.argv[1]))))' \
        "$T/report" "$@"
}

# ---- the queue -----------------------------------------------------------------------------------

built=yes
"$IOH_HELPER" engines | grep -q "this build is without it" && built=no

for error in EPERM ENOSYS ENOMEM; do
    if [[ $built == no ]]; then
        pass "$error from io_uring_setup # SKIP this build is without io_uring"
        continue
    fi
    text=$(text_of $error)
    [[ $error != ENOSYS ]] || text="Function not implemented"
    broken io_uring_setup $error 1+
    gen $n | save d/f
    saved "$error from io_uring_setup: threads" d/f $n
    like "$error: the report tells" \
        "$(reported queue asked) $(reported queue used) $(reported queue reason)" \
        "auto threads *$text*"
    restore --queue auto d/f >out
    restored "$error: the other way" out $n
    like "$error: the list of engines tells" "$(helper engines)" "*queue*threads: *$text*"
    is "$error: and as JSON" "$(helper engines --json | python3 -c 'import json, sys
print([e["queue"]["name"] for e in json.load(sys.stdin) if e["name"] == "direct"][0])')" threads
    old_file
    gen $n | save --queue io_uring d/f
    fails "$error: io_uring asked for is refused" 2 --queue=io_uring "$text"
    is "$error: the same by --explain" \
        "$(helper save --engine direct --explain --queue io_uring d/f; status)" 2
    under=()
done
gen $n | save --queue threads d/f
is "threads asked for" "$(reported queue used) $(reported queue reason)" "threads asked for"
like "--explain tells the queue and its depth" \
    "$(helper save --engine direct --queue threads --queue-depth 7 --explain d/f)" \
    "*queue*threads*7*asked for*"

if "$IOH_HELPER" save --engine direct --queue io_uring --explain d/f >/dev/null 2>&1; then
    # probed, and then not to be had: the limit on locked memory of older kernels
    broken io_uring_setup ENOMEM 2+
    gen $n | save d/f
    verdict "no second ring: threads, and one line says so" "$(
        hit
        complaint 0 queue io_uring threads "$(text_of ENOMEM)"
        check $n <d/f 2>&1
    )"
    is "and the report" "$(reported queue used) $(reported steps-down 0 what)" "threads queue"
    old_file
    gen $n | save --queue io_uring d/f
    fails "no second ring, io_uring asked for" 1 "$(text_of ENOMEM)"
    for error in ENOMEM EPERM; do
        broken io_uring_register $error 1+
        gen $n | save d/f
        saved "$error from io_uring_register: the same without" d/f $n
        is "$error from io_uring_register: still io_uring" "$(reported queue used)" io_uring
        restore --queue io_uring d/f >out
        restored "$error from io_uring_register: restore" out $n
    done
    untraced
    for depth in 1 2 64; do
        gen $n | save --queue io_uring --queue-depth $depth --block-size 64K d/f
        saved "io_uring, depth $depth" d/f $n
        restore --queue io_uring --queue-depth $depth --block-size 64K d/f >out
        restored "io_uring, depth $depth: restore" out $n
    done
elif [[ $built == no ]]; then
    pass "io_uring with less than it likes # SKIP this build is without io_uring"
else
    skip "io_uring with less than it likes" "no io_uring"
fi

# ---- what threads tell ---------------------------------------------------------------------------

# Their news cannot be told, and who waits for it looks by itself.
broken write EIO 1+ -e inject=pwrite64,pread64:delay_enter=20000
gen $n | attempt save --queue threads --queue-depth 1 d/f
saved "EIO from what wakes us" d/f $n
ok "there was such a call" injected
attempt restore --queue threads --queue-depth 1 d/f | cat >out
restored "EIO from what wakes us: restore" out $n
ok "restore: there was such a call" injected
engine=splice
attempt restore --cache auto d/f | cat >out
restored "EIO from what wakes us: restore by pages" out $n
engine=direct

# ---- the pipe ------------------------------------------------------------------------------------

for error in EMFILE ENFILE; do
    broken pipe2 $error 1+
    gen $n | save d/f
    saved "$error from pipe2: reads the stream itself" d/f $n
    ok "$error: there was such a call" injected
done
for error in EINVAL ENOSYS; do
    for when in 1+ 2; do
        broken splice $error $when
        gen $n | save d/f
        saved "$error from splice ($when): reads the stream itself" d/f $n
        ok "$error ($when): there was such a call" injected
    done
done
old_file
broken splice EIO 2
gen $n | save d/f
fails "EIO from splice" 3 stream read "$(text_of EIO)"

# ---- room reserved ahead -------------------------------------------------------------------------

for error in EOPNOTSUPP ENOSPC EFBIG EINVAL EDQUOT; do
    broken fallocate $error 1+
    gen $n | save d/f
    saved "$error from fallocate: goes on without" d/f $n
    ok "$error: there was such a call" injected
    gen $n | save --exists overwrite --offset 1000 d/f
    verdict "$error from fallocate, in place" "$({
        complaint 0
        [[ $(size_of d/f) == $((n + 1000)) ]] || echo "$(size_of d/f) bytes long"
        tail -c +1001 d/f | check $n
    } 2>&1)"
done

# room_wanted: the end of what was reserved, "none" without a call
room_wanted () {
    local wanted
    wanted=$(sed -nE 's/.*fallocate\([0-9]+, 0, ([0-9]+), ([0-9]+)\).*/\1 \2/p' "$T/trace" | tail -1)
    [[ -n $wanted ]] || { echo none; return; }
    echo $((${wanted% *} + ${wanted#* }))
}

traced -e trace=fallocate
gen $n | save --expect-size $n d/f
is "no more is reserved than expected" "$(room_wanted)" $n
gen $n | save --expect-size $n --offset 4096 --exists overwrite d/f
is "nor behind an offset" "$(room_wanted)" $((n + 4096))
gen 1000000 | save d/f
is "nothing for a stream of one block" "$(room_wanted)" none
gen $n | save d/f
verdict "more for a longer one" "$(
    (($(room_wanted) > n)) || echo "only up to $(room_wanted)"
    complaint 0
)"
is "the end is exact" "$(size_of d/f)" $n
ok "and no room is kept" test "$(($(stat -c %b d/f) * 512))" -lt $((n + 65536))

# What a failure leaves ends where writing without a gap ended.
for error in EIO ENOSPC; do
    old_file
    broken pwrite64 $error 3
    gen $n | save_in_turn --keep-partial d/f
    verdict "$error from the third write: the partial file is a prefix" "$({
        hit
        complaint "$(status_of $error 4)" file d/f write "at byte 2097152" "$(text_of $error)"
        [[ $(names_in d) == "f f.part" ]] || names_in d
        [[ $(size_of d/f.part) == 2097152 ]] || size_of d/f.part
        check 2097152 <d/f.part
    } 2>&1)"
    rm -f d/f.part
    rm d/f
    broken pwrite64 $error 3
    gen $n | save_in_turn fd:5 5>d/f
    verdict "$error from the third write: so is what a descriptor is left with" "$({
        hit
        [[ $(size_of d/f) == 2097152 ]] || size_of d/f
        check 2097152 <d/f
    } 2>&1)"
done
untraced
for queue in threads io_uring; do
    [[ $queue == threads || $built == yes ]] || continue
    (
        ulimit -f 1025
        gen 8388608 | save --queue $queue --keep-partial d/f
    )
    if [[ $(status) == 2 && $queue == io_uring ]]; then
        skip "$queue: a limit cuts a block" "no io_uring"
        continue
    fi
    verdict "$queue: a limit cuts a block" "$({
        complaint 5 file d/f write "at byte 1049600" "$(text_of EFBIG)"
        [[ $(size_of d/f.part) == 1049600 ]] || size_of d/f.part
        check 1049600 <d/f.part
    } 2>&1)"
    rm -f d/f.part
    (
        ulimit -f 4
        gen 100001 | save --queue $queue d/f
    )
    verdict "$queue: what fails before the odd end is told, not the end" "$(
        complaint 5 file d/f write "at byte 4096" "$(text_of EFBIG)"
    )"
done

# ---- a descriptor that appends -------------------------------------------------------------------

old_file
gen $n | helper save --engine direct fd:5 5>>d/f
verdict "refused: several writes at a time would go where they like" "$(
    complaint 2 "engine direct" appends
)"
cp old d/f
gen $n | helper save fd:5 5>>d/f
verdict "another engine is found" "$({
    complaint 0
    [[ $(size_of d/f) == $((n + 5000)) ]] || size_of d/f
    tail -c +5001 d/f | check $n
} 2>&1)"

finish

#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A transfer that has begun keeps what it needs and nothing else: descriptors, privileges, system
# calls. Looked at from outside, while it waits.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=1048583
gen $n >stream
gen $((n * 4)) >image
echo secret >secret
mkfifo fifo control

# sandbox_in FILE: what the report says was used.
sandbox_in () {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sandbox"]["used"])' "$1"
}

helper save --report said new <stream
built=$(sandbox_in said)
reason=$(python3 -c 'import json; print(json.load(open("said"))["sandbox"]["reason"])')
case $built in
seccomp) pass "system calls are filtered" ;;
basic)
    if [[ $reason == *"without libseccomp"* ]]; then
        pass "built without a filter, and it says so"
    else
        skip "system calls are filtered" "$reason"
    fi
    ;;
*) fail "a sandbox there is" "$built: $reason" ;;
esac

# threads_have KEY VALUE: all threads of $pid.
threads_have () {
    [[ $(sed -n "s/^$1:\t//p" /proc/"$pid"/task/*/status | sort -u) == "$2" ]]
}

# leads_to FILE [PID]: numbers of the descriptors (of $pid) that do.
leads_to () {
    find "/proc/${2:-$pid}/fd" -lname "*$1" -printf '%f\n' 2>/dev/null | sort -n | paste -sd ' '
}

# has FILE PID: it has it open.
has () {
    [[ -n $(leads_to "$@") ]]
}

# gave_up: it has neither a descriptor nor a privilege left that it was not told to use.
gave_up () {
    threads_have NoNewPrivs 1 && [[ -z $(leads_to /secret) ]]
}

# inspect NAME: of a helper that runs with descriptors nobody has named.
inspect () {
    if wait_for gave_up; then
        pass "$1: the descriptors that were not named are closed, no thread gets new privileges"
    else
        fail "$1: the descriptors that were not named are closed, no thread gets new privileges" \
            "$(ls -l "/proc/$pid/fd" 2>&1)" "$(grep -h NoNewPrivs /proc/"$pid"/task/*/status)"
    fi
    [[ $built != seccomp ]] ||
        ok "$1: no thread is without the filter" wait_for threads_have Seccomp 2
}

for engine in $(engines); do
    exec 6<>fifo 7<>control 8<secret 9<secret 20<secret 63<secret
    # Nothing of its own may be open for somebody else, either.
    start save --progress-fd 10 --control-fd 11 --report fd:12 --fd 13 f \
        </dev/null >out 6<&- 7<&- 10>progress 11<control 12>report 13<fifo
    exec 8<&- 9<&- 20<&- 63<&-
    inspect "$engine"
    is "$engine: what was named is there" \
        "$(leads_to /progress) $(leads_to /control) $(leads_to /fifo) $(leads_to /out)" \
        "10 11 13 1"
    is "$engine: the report's was duplicated" "$(leads_to /report | wc -w)" 1
    gen $n >&6
    echo commit >&7
    exec 6>&- 7>&-
    end
    verdict "$engine: a save with all of that" "$({ complaint 0 && check $n <f; } 2>&1)"
    is "$engine: its report" "$(sandbox_in report)" "$built"

    # More than the pipe takes.
    exec 7<>fifo 8<secret
    start restore image >fifo 7<&-
    exec 8<&-
    inspect "$engine, restore"
    cat <fifo >out 7<&- &
    reader=$!
    wait_for has /fifo "$reader"
    exec 7<&-
    end
    wait $reader
    restored "$engine: a restore" out $((n * 4))
done
engine=${IOH_ENGINE:-auto}

# A stream whose writing end was inherited by accident ends all the same.
exec 5<>fifo
start save f <fifo
gen 5000 >&5
exec 5>&-
end
saved "the stream ends although the helper was given its writing end" f 5000

# The drop-in, with the descriptor it was given.
exec 6<>fifo 8<secret
"$IOH_DROPIN" f 10 <fifo 10>f 6<&- &
pid=$!
wait_for launched "$pid"
exec 8<&-
inspect "libvirt's way"
like "libvirt's way: what was named is there" "$(leads_to "$T/f") $(leads_to /fifo)" "*10 0"
gen $n >&6
exec 6>&-
wait "$pid"
is "libvirt's way: status" $? 0
ok "libvirt's way: data" check $n <f

# Without.
exec 6<>fifo 8<secret
start save --no-sandbox --report report f <fifo 6<&-
exec 8<&-
gen $n >&6
is "--no-sandbox: the other descriptors stay" "$(leads_to /secret)" 8
ok "--no-sandbox: privileges stay" threads_have NoNewPrivs 0
ok "--no-sandbox: no filter" threads_have Seccomp "$(sed -n 's/^Seccomp:\t//p' /proc/$$/status)"
exec 6>&-
end
saved "--no-sandbox: a save" f $n
is "--no-sandbox: its report" "$(sandbox_in report)" none

# A look at an image, of which nobody knows what is in it.
if have_strace && [[ $built == seccomp ]]; then
    traced -y -e trace=pread64,seccomp
    helper info image >out
    untraced
    is "info: the filter comes before the first byte" \
        "$(sed -nE 's/.*(seccomp|pread64)\((SECCOMP_SET_MODE_FILTER|[0-9]+<.*image>).*/\1/p' trace |
            uniq | paste -sd ' ')" "seccomp pread64"
    like "info: and says what it would say" "$(<out)" "*data of an unknown kind*"
    helper info --no-sandbox image >out
    expect "info: without" 0
fi

# What must not end a transfer, and what must.
if ! have_strace; then
    skip "faults in the sandbox" "no strace"
elif [[ $built != seccomp ]]; then
    pass "no filter, no faults in it"
else
    traced -e trace=seccomp -e inject=seccomp:error=EPERM
    save --report report f <stream
    saved "a machine that allows no filter" f $n
    is "a machine that allows no filter: the report" "$(sandbox_in report)" basic
    save -v f <stream
    like "a machine that allows no filter: -v" "$(<err)" \
        "*system calls are not filtered: Operation not **"

    # The flush becomes a call that no transfer makes.
    mkdir d
    cp secret d/f
    before=$(stamp_of d/f)
    traced -e trace=fsync -e inject=fsync:error=EIO:syscall=getegid:when=1
    save d/f <stream
    expect "a forbidden call" 1 "its own sandbox" --no-sandbox " number: "
    is "a forbidden call: the old file stays, alone" "$(names_in d) $(stamp_of d/f)" "f $before"
    traced -e trace=openat
    save d/f <stream
    echo secret >d/f
    before=$(stamp_of d/f)
    at=$(nth openat O_TMPFILE)
    traced -e trace=openat,fsync -e "inject=openat:error=EOPNOTSUPP:when=$at" \
        -e inject=fsync:error=EIO:syscall=getegid:when=1
    save d/f <stream
    ok "a forbidden call with a temporary name: it had one" grep -q '\.part"' trace
    expect "a forbidden call with a temporary name" 1 "its own sandbox"
    is "a forbidden call with a temporary name: it is gone" \
        "$(names_in d) $(stamp_of d/f)" "f $before"

    # The ring is another way to the kernel, which no filter sees.
    fits save --engine direct f && {
        traced -e trace=io_uring_setup,io_uring_register,seccomp
        helper save --engine direct f <stream
        verdict "requests to a ring are limited before they could be made" "$(
            grep -q 'IORING_REGISTER_ENABLE' trace || ! grep -q 'ring_setup.*= [0-9]' trace ||
                cat trace
            tail -3 trace | grep -q 'seccomp(SECCOMP_SET_MODE_FILTER.*= 0' || cat trace
        )"
    }
    untraced
fi

finish

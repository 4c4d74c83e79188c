#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How a file gets its name: modes, --exists, --keep-partial, the order of the steps, what is synced,
# and the way round O_TMPFILE where a file system lacks it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=1048583
gen $n >stream
mkdir d

mode_of () {
    stat -c %a "$1"
}

# ---- modes ---------------------------------------------------------------------------------------

for mask in 000 022 077; do
    (umask $mask && save d/f <stream)
    saved "new under umask $mask" d/f $n
    is "umask $mask: nobody else may read it" "$(mode_of d/f)" 600
    rm -f d/f
    (umask $mask && save --exists overwrite d/f <stream)
    is "umask $mask: --exists overwrite" "$(mode_of d/f)" 600
    rm -f d/f
    (umask $mask && save --mode 0640 d/f <stream)
    is "--mode under umask $mask" "$(mode_of d/f)" 640
    rm -f d/f
done
for mode in 600 644 400 755 0; do
    echo old >d/f
    chmod $mode d/f
    save d/f <stream
    verdict "replacing keeps mode $mode" \
        "$(complaint 0; [[ $(mode_of d/f) == "$mode" ]] || echo "mode $(mode_of d/f)")"
    chmod 600 d/f
    ok "and has the stream, mode $mode" check $n <d/f
    rm -f d/f
done
# An image is data, and has nothing that makes it more.
for mode in 4755 2755 1644 7777; do
    echo old >d/f
    chmod $mode d/f
    save d/f <stream
    expect "replacing a file of mode $mode says what is not kept" 0 "setuid, setgid or sticky"
    is "replacing keeps the permissions of mode $mode" "$(mode_of d/f)" "${mode:1}"
    ok "and has the stream, mode $mode" check $n <d/f
    rm -f d/f
done
echo old >d/f
chmod 640 d/f
save --mode 0600 d/f <stream
is "--mode is for new files: a replaced one keeps its own" "$(mode_of d/f)" 640

# ---- --exists, --keep-partial --------------------------------------------------------------------

echo old >d/f
before=$(stamp_of d/f)
{
    save --exists refuse d/f
    check $n
} <stream >said
expect "--exists refuse" 4 file d/f "exists"
is "--exists refuse: nothing touched" "$(stamp_of d/f) $(<said)" "$before "
rm d/f
save --exists refuse d/f <stream
saved "--exists refuse: a new file" d/f $n
echo old >d/f
inode=$(stat -c %i d/f)
save --exists overwrite d/f <stream
saved "--exists overwrite" d/f $n
is "--exists overwrite: the same file" "$(stat -c %i d/f)" "$inode"
echo old >d/f
exec 8<d/f
save --exists replace d/f <stream
saved "--exists replace" d/f $n
is "--exists replace: who has the old one open keeps it" "$(cat <&8)" old
exec 8<&-
rm d/f
save --exists overwrite d/f <stream
saved "--exists overwrite: a new file" d/f $n

# A failure at the end of the stream is the same everywhere: a stream shorter than expected.
echo old >d/f
before=$(stamp_of d/f)
for how in "" --keep-partial; do
    # shellcheck disable=SC2086
    save $how --expect-size $((n + 1)) d/f <stream
    expect "a stream that ends early ${how:-is dropped}" 3 stream $n $((n + 1))
    is "the old file stays" "$(stamp_of d/f)" "$before"
done
is "--keep-partial leaves a .part" "$(names_in d)" "f f.part"
ok "with the bytes that came" check $n <d/f.part
is "which nobody else may read" "$(mode_of d/f.part)" 600
rm d/f.part d/f
save --keep-partial --expect-size $((n + 1)) d/f <stream
is "--keep-partial of a new file" "$(names_in d) $(mode_of d/f.part)" "f.part 600"
echo older >d/f.part
save --keep-partial --expect-size $((n + 1)) d/f <stream
ok "--keep-partial over an older .part" check $n <d/f.part
rm d/f.part
save --keep-partial d/f <stream
is "--keep-partial: nothing partial after a success" "$(names_in d)" "f"
rm d/f

# What was taken from the stream is nowhere else any more. The last block is not full.
# drained FIFO: all that it held was taken.
drained () {
    python3 -c '
import fcntl, os, struct, sys, termios
fd = os.open(sys.argv[1], os.O_RDWR)
sys.exit(struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"    "))[0] != 0)' "$1"
}
arrived=3670021
for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        rm -f fifo
        mkfifo fifo
        exec 6<>fifo
        fits save --cache "$cache" d/f || continue
        start save --keep-partial --cache "$cache" --report report d/f <fifo 6>&-
        gen $arrived >&6
        wait_for drained fifo
        kill "$pid"
        end
        exec 6>&-
        verdict "$engine, cache=$cache: --keep-partial keeps all that came before SIGTERM" "$({
            [[ $(status) == 143 && ! -s err ]] || echo "status $(status): $(<err)"
            check $arrived <d/f.part
            grep -q "\"bytes\" : $arrived\>" report || cat report
        } 2>&1)"
        rm -f d/f.part report
    done
    exec 6<>fifo
    gen $arrived >fifo &
    save --keep-partial --stall-timeout 1 d/f <fifo
    exec 6>&-
    expect "$engine: a producer that stalls" 3 stream $arrived "nothing has moved"
    ok "$engine: --keep-partial keeps all that came before that" check $arrived <d/f.part
    rm -f d/f.part
    save --keep-partial --expect-size $((n - 5)) d/f <stream
    expect "$engine: a stream that is too long" 3 stream $((n - 5))
    ok "$engine: --keep-partial keeps what came of it" check "$(size_of d/f.part)" <d/f.part
    ok "$engine: which is more than was wanted" test "$(size_of d/f.part)" -gt $((n - 5))
    rm -f d/f.part
done
engine=${IOH_ENGINE:-auto}

# Two at a time: each is whole, the last to finish is the one that stays.
rm -f fifo
mkfifo fifo
exec 6<>fifo
start save d/f <fifo 6>&-
save d/f <stream
saved "one save finishes while another to the same name goes on" d/f $n
gen 5000 >fifo
exec 6>&-
end
saved "then the other does" d/f 5000
is "and nothing is left of either" "$(names_in d)" f
rm d/f

# ---- without O_TMPFILE ---------------------------------------------------------------------------

if ! have_strace; then
    skip "the steps of publishing" "no strace"
    finish
fi

# without_tmpfile ARGUMENT...: as on a file system that does not know O_TMPFILE.
long=$(printf 'n%.0s' {1..255})
traced -e trace=openat
save d/f <stream
open=$(nth openat O_TMPFILE)
rm d/f
ok "an unnamed file is used where there is one" test -n "$open"
is "it is 0600 all along" "$(calls 'O_TMPFILE.*, 0[0-7]?([1-7][0-7]|[0-7][1-7])\)')" 0
for error in EOPNOTSUPP EISDIR ENOENT; do
    traced -e trace=openat,linkat,renameat,renameat2,rename,unlinkat,unlink \
        -e inject=openat:error=$error:when="$open"
    for name in f "$long"; do
        save "d/$name" <stream
        saved "no O_TMPFILE ($error): ${name::10}" "d/$name" $n
        is "no O_TMPFILE ($error): nothing but the target: ${name::10}" "$(names_in d)" "$name"
        is "no O_TMPFILE ($error): 0600 all along" "$(calls 'O_CREAT.*, 0[0-7]?([1-7][0-7]|[0-7][1-7])\)')" 0
        rm "d/$name"
    done
    save --expect-size $((n + 1)) d/f <stream
    expect "no O_TMPFILE ($error): a failure" 3 stream $n
    is "no O_TMPFILE ($error): leaves nothing" "$(names_in d)" ""
    save --keep-partial --expect-size $((n + 1)) d/f <stream
    is "no O_TMPFILE ($error): --keep-partial" "$(names_in d)" "f.part"
    rm d/f.part
    mkfifo early
    exec 6<>early
    rm trace
    start save d/f <early 6>&-
    wait_for grep -qs part "$T/trace"
    like "no O_TMPFILE ($error): meanwhile a hidden .part" "$(names_in d)" ".f.*.part"
    helper_pid=$(head -1 trace | cut -d' ' -f1)
    kill -TERM "$helper_pid"
    end
    exec 6>&-
    rm early
    is "no O_TMPFILE ($error): a signal" "$(status)" 143
    is "no O_TMPFILE ($error): and it cleans up" "$(names_in d)" ""
done
# Other errors of that open are errors.
traced -e trace=openat -e inject=openat:error=EDQUOT:when="$open"
save d/f <stream
expect "no inode for the file" 5 file d/f open "Disk quota exceeded"

# ---- the order of the steps ----------------------------------------------------------------------

# steps: the calls in the trace, writes and renames of all kinds under one name, repeats once.
steps () {
    sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$T/trace" |
        sed -E 's/^(pwrite.*|splice|io_uring_enter|write)$/write/; s/^rename.*/rename/' |
        uniq | paste -sd ' '
}
watch=pwrite64,pwritev,pwritev2,write,splice,io_uring_enter
watch+=,fdatasync,fsync,linkat,renameat,renameat2,rename
traced -e trace=$watch
for engine in $(engines); do
    rm -f d/f
    save --cache keep d/f <stream
    is "$engine: full, a new file" "$(steps)" "write fsync linkat fsync"
    save --cache keep d/f <stream
    is "$engine: full, replaced" "$(steps)" "write fsync linkat rename fsync"
    save --cache keep --sync data d/f <stream
    is "$engine: data" "$(steps)" "write fdatasync linkat rename"
    save --cache keep --sync none d/f <stream
    is "$engine: none" "$(steps)" "write linkat rename"
    save --cache keep --exists overwrite d/f <stream
    is "$engine: full, in place" "$(steps)" "write fsync"
    save --cache keep fd:5 5<>d/f <stream
    is "$engine: full, a descriptor" "$(steps)" "write fsync"
    rm d/f
    save --cache keep --exists refuse d/f <stream
    is "$engine: full, refuse: the link itself refuses" "$(steps)" "write fsync linkat fsync"
    fits save --cache direct d/f || continue
    save --cache direct d/f <stream
    is "$engine: full, direct" "$(steps)" "write fsync linkat rename fsync"
done
engine=${IOH_ENGINE:-auto}

# With --exists refuse, a file that comes into being meanwhile is not replaced.
rm -f d/f early trace
mkfifo early
traced -e trace=openat
exec 6<>early
start save --exists refuse d/f <early 6>&-
wait_for grep -qzs 'O_TMPFILE.*O_TMPFILE' trace
gen 5000 >&6
echo other >d/f
exec 6>&-
end
expect "--exists refuse: somebody else was faster" 6 file d/f publish "exists"
is "--exists refuse: his file stays" "$(<d/f) $(names_in d)" "other f"

untraced
finish

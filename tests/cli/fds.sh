#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Descriptors handed in: fd:N, -, /dev/fd/N, --fd N. They are used as they are, their flags stay as
# they were, and the wrong ones are refused with their number.
# shellcheck disable=SC2094 # reading and writing one FIFO is meant
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

have python3 || skip_all "no python3"
cd "$T" || exit
n=1048583
gen $n >stream

# flags_of FD: of this shell's descriptor
flags_of () {
    sed -n 's/^flags:\t//p' "/proc/$$/fdinfo/$1"
}

# in_place NAME: f, open as descriptor 8 all the while, has the stream; no other file took its name.
in_place () {
    verdict "$1" "$(
        complaint 0
        check $n </dev/fd/8
        [[ f -ef /dev/fd/8 ]] || echo "the name is another file now"
    )"
}

# a save to a socket, and what comes out of that
to_socket='import os, socket, subprocess, sys
ours, theirs = socket.socketpair()
words = [os.environ["IOH_HELPER"], "save", "--sync", "full", "--engine", sys.argv[1]]
producer = subprocess.Popen(["cat", "stream"], stdout=subprocess.PIPE)
helper = subprocess.Popen(words + ["fd:%d" % theirs.fileno()], stdin=producer.stdout,
                          pass_fds=[theirs.fileno()])
theirs.close()
came = b"".join(iter(lambda: ours.recv(65536), b""))
sys.exit(producer.wait() or helper.wait() or came != open("stream", "rb").read())'

# what reads does not mind that the descriptor would append
from_appending='import os, sys
fd = os.open("f", os.O_RDWR | os.O_APPEND)
os.set_inheritable(fd, True)
os.execv(os.environ["IOH_HELPER"], ["iohelper", "restore", "fd:%d" % fd])'

cp stream f
python3 -c "$from_appending" 2>err | check $n >bad
verdict "a restore from a descriptor that appends" "$(cat bad err)"

# with_another BYTES: the stream, and when so many of f are written, a line of somebody else's in f
with_another () {
    cat stream
    until (( $(stat -c %s f) >= $1 )); do sleep 0.01; done
    echo theirs >>f
}

for engine in $(engines); do
    echo old >f
    exec 8<f
    save fd:5 5>f <stream
    in_place "$engine: fd:5"
    save --exists overwrite fd:5 5<>f <stream
    in_place "$engine: fd:5, read and write"
    save fd:5 5>>f <stream
    verdict "$engine: fd:5, appending" "$(complaint 0 && tail -c $n f | check $n)"
    cp f old
    save --offset 1 fd:5 5>>f <stream
    verdict "$engine: fd:5, appending elsewhere" \
        "$(complaint 2 " appends" "begins at byte $(stat -c %s old)" && cmp f old)"
    save --offset "$(stat -c %s f)" fd:5 5>>f <stream
    verdict "$engine: fd:5, appending at its end" \
        "$(complaint 0 && cmp f <(cat old stream))"
    : >f
    save fd:5 5>>f < <(with_another 1048576)
    verdict "$engine: fd:5, appending beside somebody else" \
        "$(complaint 0 && (( $(stat -c %s f) == n + 7 )) || stat -c '%s bytes' f)"
    : >f
    save fd:5 5>>f <stream
    in_place "$engine: fd:5, appending to nothing"
    : >f
    save - >f <stream
    in_place "$engine: -"
    save /dev/stdout >f <stream
    in_place "$engine: /dev/stdout"
    save /dev/fd/5 5>f <stream
    in_place "$engine: /dev/fd/5"
    save /proc/self/fd/5 5>f <stream
    in_place "$engine: /proc/self/fd/5"
    exec 8<&-

    save - <stream | cat >out
    saved "$engine: - is a pipe" out $n
    save --sync full /dev/stdout <stream | cat >out
    saved "$engine: /dev/stdout is a pipe" out $n
    [[ $engine == direct ]] || ok "$engine: fd:5 is a socket" python3 -c "$to_socket" "$engine"
    save --sync full fd:5 5>/dev/null <stream
    expect "$engine: fd:5 is /dev/null" 0
    save --sync full - >/dev/full <stream
    expect "$engine: - is /dev/full" 5 file write "No space left on device"
    save - <stream | head -c 1000 >out
    expect "$engine: the pipe's reader leaves" 4 file write "Broken pipe"
    save --cache direct - <stream | cat >out
    expect "$engine: direct to a pipe" 4 file "direct I/O is not supported" pipe
    is "$engine: which gets nothing" "$(size_of out)" 0
    save --fd 7 f 7<stream </dev/null
    saved "$engine: the stream on --fd 7" f $n
    save f <stream
    saved "$engine: the stream is a file" f $n
    (head -c 4096 >/dev/null; save f) <stream
    verdict "$engine: the stream is a file somebody has begun to read" \
        "$(complaint 0 && check $((n - 4096)) 4096 <f)"

    # The descriptor is at some place already: that is where a plain writer would go on.
    { printf 'head....' >&5 && save fd:5; } 5>f <stream
    verdict "$engine: a descriptor that is not at 0" \
        "$(complaint 0 && head -c 8 f | grep -qx head.... && tail -c +9 f | check $n)"
    { head -c 4096 <&5 >/dev/null; restore fd:5; } 5<stream >out
    verdict "$engine: an image descriptor that is not at 0" \
        "$(complaint 0 && check $((n - 4096)) 4096 <out)"

    # Flags of what we were given.
    rm -f fifo
    mkfifo fifo
    exec 6<>fifo 5<fifo 7>>log
    "$IOH_PATTERN" nonblock 5
    before=$(flags_of 5)/$(flags_of 7)
    start save fd:7 <&5 6>&-
    is "$engine: flags of the caller's descriptors while it waits" \
        "$(flags_of 5)/$(flags_of 7)" "$before"
    "$IOH_PATTERN" trickle 50000 1 200 500 >&6
    is "$engine: while it works" "$(flags_of 5)/$(flags_of 7)" "$before"
    exec 6>&-
    end
    verdict "$engine: a read end that does not block, slow bytes" \
        "$(complaint 0 && check 50000 <log)"
    is "$engine: afterwards" "$(flags_of 5)/$(flags_of 7)" "$before"

    exec 6<>fifo
    start save fd:7 <&5 6>&-
    gen 100000 >&6
    kill -9 "$pid"
    end
    is "$engine: after kill -9" "$(flags_of 5)/$(flags_of 7)" "$before"
    exec 5<&- 6>&- 7>&-
    rm log
done

# meanwhile CACHE: a save to a descriptor whose other holder changes the flags of both ends again and
# again. What was given by then does not fit into any pipe.
meanwhile () {
    local at changes=(append nonblock overwrite block append)
    rm -f f fifo
    mkfifo fifo
    exec 6<>fifo 5<fifo 7>f
    start save --cache "$1" fd:7 <&5 6>&-
    for ((at = 0; at < 5; at++)); do
        gen 3000000 $((at * 3000000)) >&6
        "$IOH_PATTERN" "${changes[at]}" $((at % 2 ? 5 : 7))
    done
    gen 777 15000000 >&6
    exec 5<&- 6>&- 7>&-
    end
    { complaint 0; check 15000777 <f; } 2>&1
}
for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        fits save --cache "$cache" f || continue
        verdict "$engine: somebody else changes the flags meanwhile, cache=$cache" \
            "$(meanwhile "$cache")"
    done
done

# A wait is a wait: few calls although nothing comes for long.
for engine in $(engines); do
    if ! have_strace; then
        skip "$engine: no spinning" "no strace"
        continue
    fi
    rm -f fifo f
    mkfifo fifo
    exec 6<>fifo 5<fifo
    "$IOH_PATTERN" nonblock 5
    traced -e trace=read,preadv2,readv,poll,ppoll,splice,epoll_wait,io_uring_enter
    start save f <&5 6>&-
    untraced
    "$IOH_PATTERN" trickle 50 7 1 8000 >&6
    exec 6>&-
    end
    expect "$engine: single bytes with pauses" 0
    ok "$engine: no spinning ($(calls .) calls for 50 bytes)" test "$(calls .)" -lt 1000
    exec 5<&-
done
engine=${IOH_ENGINE:-auto}

# ---- the wrong ones ------------------------------------------------------------------------------

rm -f new
save fd:97 <stream
expect "a target that is closed" 2 file "fd 97" "Bad file descriptor"
restore fd:97 >out
expect "an image that is closed" 2 file "fd 97" "Bad file descriptor"
save --fd 97 new <stream
expect "a stream to read that is closed" 2 stream "fd 97" "Bad file descriptor"
restore --fd 97 stream
expect "a stream to write that is closed" 2 stream "fd 97" "Bad file descriptor"
save /dev/fd/97 <stream
expect "/dev/fd of a closed one" 2 file 97 "Bad file descriptor"
save fd:5 5<stream </dev/null
expect "a target that is only for reading" 2 file "fd 5" "reading only"
restore fd:5 5>out2 >out
expect "an image that is only for writing" 2 file "fd 5" "writing only"
save --fd 5 new 5>out2
expect "a stream to read that is only for writing" 2 stream "fd 5" "writing only"
restore --fd 5 stream 5<stream
expect "a stream to write that is only for reading" 2 stream "fd 5" "reading only"
save - <stream 1<stream
expect "standard output only for reading" 2 file "standard output" "reading only"
save new <&-
expect "standard input closed" 2 stream "standard input is closed"
save - <stream >&-
expect "target -, standard output closed" 2 file "standard output is closed"
restore stream >&-
expect "standard output closed" 2 stream "standard output is closed"
restore - <&- >out
expect "image -, standard input closed" 2 file "standard input is closed"
helper info - <&-
expect "info -, standard input closed" 2 file "standard input is closed"
for wanted in "info stream" "info fd:1" "info --json stream" engines bench "bench --help" --version \
    "save --explain new" "save --report - new" "save --report fd:1 new" \
    "save --report /dev/stdout new"; do
    # shellcheck disable=SC2086
    helper $wanted <stream >&-
    expect "$wanted, standard output closed" 2 "iohelper: standard output is closed"
done
helper save --report /dev/stdin new <&-
expect "report and stream both on what is closed" 2 "already carries the data"
"$IOH_HELPER" save --report fd:2 new <stream 2>&-
is "a report on standard error, which is closed" $? 2
helper info fd:1 1<>stream
expect "info would print over the image" 2 "standard output is for what info prints"
ok "and has not" check $n <stream
save new <"$T"
expect "the stream is a directory" 3 stream "standard input" "Is a directory"
is "none of them made the target" "$(find . -name 'new*' -o -name '.*part')" ""

# A report goes on where the descriptor is.
{ echo above; save --report /dev/stdout new <stream; echo below; } >said
is "a report on /dev/stdout" "$(head -2 said | paste -sd ' ') $(tail -1 said)" "above { below"
rm new

# With standard descriptors closed, no file of ours may land on their numbers.
"$IOH_HELPER" save --engine "$engine" new <stream 2>&- >&-
is "standard output and error closed: done" $? 0
ok "and only the stream is in the file" check $n <new
"$IOH_HELPER" save --engine "$engine" --expect-size 5 new2 <stream 2>&- >&-
is "a failure with standard error closed" $? 3
ok "leaves no file" test ! -e new2
"$IOH_HELPER" save --engine "$engine" -v new <stream 2>&-
is "-v with standard error closed" $? 0
ok "does not write into the image" check $n <new
"$IOH_HELPER" restore --engine "$engine" -v stream 2>&- >out
is "restore -v with standard error closed" $? 0
ok "does not write into the stream" check $n <out

finish

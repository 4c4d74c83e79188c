#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Where a save can go: names of every kind, links, devices, FIFOs, and what cannot be a target.
# shellcheck disable=SC2094 # one file at both ends is meant
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=1048583
gen $n >stream

# ---- names ---------------------------------------------------------------------------------------

mkdir d
long=$(printf 'n%.0s' {1..255})
for name in plain 'with space' "it's \"quoted\"" $'new\nline' $'not\xffutf8' '%s%n' -dash "$long"; do
    save -- "$T/d/$name" <stream
    saved "a name: ${name@Q}" "$T/d/$name" $n
    rm -f "$T/d/$name"
    (cd d && save -- "./$name") <stream
    saved "a relative name: ${name@Q}" "$T/d/$name" $n
    (cd d && save -- "./$name") <stream
    saved "once more over it: ${name@Q}" "$T/d/$name" $n
    rm -f "$T/d/$name"
done
save bare <stream
saved "a bare name in the working directory" bare $n
is "nothing but the targets is left" "$(names_in d)" ""

# ---- links ---------------------------------------------------------------------------------------

mkdir d/links d/far
echo old >d/far/data
ln -s ../far/data d/links/link
ln -s link d/links/second
save d/links/link <stream
saved "a link to a file: the file gets the stream" d/far/data $n
is "the link stays" "$(readlink d/links/link)" ../far/data
is "nothing else appears" "$(names_in d/links) $(names_in d/far)" "link second data"
echo old >d/far/data
save d/links/second <stream
saved "a link to a link" d/far/data $n
is "both links stay" "$(readlink d/links/link) $(readlink d/links/second)" "../far/data link"
echo old >d/far/data
save --exists overwrite d/links/link <stream
saved "overwriting through a link" d/far/data $n

ln -s ../far/later d/links/dangling
save d/links/dangling <stream
saved "a dangling link: the file it names is made" d/far/later $n
is "the dangling link stays" "$(readlink d/links/dangling)" ../far/later
ln -sfn ../nowhere/later d/links/dangling
save d/links/dangling <stream
expect "a link into a directory that is not there" 4 file dangling "No such file or directory"
ln -s loop d/links/loop
save d/links/loop <stream
expect "links in a circle" 4 file d/links/loop "Too many levels of symbolic links"
ln -s ../far d/links/dir
save d/links/dir <stream
expect "a link to a directory" 4 file d/links/dir "Is a directory"
ok "that link stays too" test -L d/links/dir
save --exists refuse d/links/second <stream
expect "--exists refuse looks through links" 4 file d/links/second "exists"
ln -sfn ../far/free d/links/dangling
save --exists refuse d/links/dangling <stream
saved "--exists refuse takes a dangling link" d/far/free $n

# A name with a second hard link: the other name keeps the old bytes when replaced.
echo old >d/one
ln d/one d/two
save d/one <stream
saved "a hard link is replaced" d/one $n
is "its other name keeps the old bytes" "$(<d/two)" old

# Reading and writing one file.
gen 5000 >d/one
save d/one <d/one
saved "a file saved over itself is replaced" d/one 5000
save --exists overwrite d/one <d/one
expect "a file saved into itself" 2 d/one both
ok "it stays" check 5000 <d/one
save fd:5 <d/one 5<>d/one
expect "a file saved into itself by descriptor" 2 "fd 5" both
ok "it stays as well" check 5000 <d/one

# ---- what cannot be a target ---------------------------------------------------------------------

mkdir e
for how in replace overwrite refuse; do
    save --exists $how e <stream
    [[ $how == refuse ]] || expect "$how: a directory" 4 file "Is a directory"
    save --exists $how e/ <stream
    [[ $how == refuse ]] || expect "$how: a directory with a slash" 4 file "Is a directory"
    save --exists $how gone/f <stream
    expect "$how: a parent that is not there" 4 file gone/f "No such file or directory"
    save --exists $how stream/f <stream
    expect "$how: a parent that is a file" 4 file stream/f "Not a directory"
    save --exists $how "e/${long}x" <stream
    expect "$how: a name too long" 4 file "File name too long"
    save --exists $how "$(printf 'd/%.0s' {1..2100})f" <stream
    expect "$how: a path too long" 4 file "File name too long"
done
is "nothing appeared in the directory" "$(names_in e)" ""
save $'gone\nline/f' <stream
expect "a bad name with a line break is still told in one line" 4 file gone
save $'gone\xff/f' <stream
expect "a bad name that is not UTF-8 is told" 4 file gone
save f/ <stream
is "a name with a slash behind it makes no file" "$(status) $(names_in e)" "4 "

socket=$T/e/socket
if python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$socket"; then
    save "$socket" <stream
    expect "a socket in the file system" 4 file "$socket" "No such device or address"
    ok "it stays" test -S "$socket"
    rm "$socket"
else
    skip "a socket in the file system" "no python3"
fi

# ---- devices and FIFOs ---------------------------------------------------------------------------

for engine in $(engines); do
    for cache in auto drop keep; do
        save --cache $cache /dev/null <stream
        expect "$engine: /dev/null, cache=$cache" 0
    done
    save --expect-size $n --offset 4096 /dev/null <stream
    [[ $(status) != 0 ]] || ok "$engine: /dev/null stays a device" test -c /dev/null
    save --cache direct /dev/null <stream
    [[ $engine != copy ]] || expect "/dev/null, cache=direct" 4 /dev/null "direct"
    ok "$engine: /dev/null stays a device" test -c /dev/null
    save --sync full /dev/full <stream
    expect "$engine: /dev/full" 5 file /dev/full write "No space left on device"
    ok "$engine: /dev/full stays a device" test -c /dev/full

    rm -f fifo seen
    mkfifo fifo
    cat fifo >seen &
    reader=$!
    save fifo <stream
    wait $reader
    saved "$engine: a FIFO" seen $n
    ok "$engine: the FIFO stays" test -p fifo
    cat fifo >seen &
    reader=$!
    save --expect-size $n --exists overwrite --mode 0644 fifo <stream
    wait $reader
    saved "$engine: a FIFO, size known" seen $n

    save --cache direct fifo <stream
    expect "$engine: a FIFO, direct, is not even opened" 4 file fifo "direct I/O is not supported"

    head -c 10000 fifo >seen &
    reader=$!
    gen 8M | save fifo
    wait $reader
    expect "$engine: the FIFO's reader leaves" 4 file fifo write "Broken pipe"
done
engine=${IOH_ENGINE:-auto}

# Nobody reads: it waits, and a signal still ends it, or its patience.
waits_for_a_reader () {
    grep -qsx fifo /proc/"$pid"/task/*/comm
}
start save --report report fifo <stream
wait_for waits_for_a_reader
kill -TERM $pid
end
is "a FIFO without a reader waits until told to stop" "$(status)" 143
like "and says so" "$(<report)" '*"outcome"*"cancelled"*'
save --stall-timeout 1 fifo <stream
expect "a FIFO without a reader, a limit" 4 file fifo open "timed out" "other end" "1 second"
start save fifo <stream
cat fifo >seen
end
saved "the reader may come late" seen $n

exec 5<>fifo
"$IOH_PATTERN" pipe-size 5 65536 >/dev/null
start save fifo <stream
wait_for test -e "/proc/$pid/fd/0"
kill -TERM $pid
end
is "a FIFO whose reader sleeps: the signal ends it" "$(status)" 143
exec 5>&-

finish

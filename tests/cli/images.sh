#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a restore can read from, and how it meets readers that are slow or leave.
# shellcheck disable=SC2094 # one file at both ends is meant
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=2097169
gen $n >image
before=$(stamp_of image)
mkdir empty

for engine in $(engines); do
    for cache in "${cache_modes[@]}"; do
        fits restore --cache "$cache" image || continue
        restore --cache "$cache" image >out
        restored "$engine, cache=$cache: to a file" out $n
        restore --cache "$cache" image | cat >out
        restored "$engine, cache=$cache: to a pipe" out $n
    done
    restore image >/dev/null
    expect "$engine: to /dev/null" 0
    restore image >/dev/full
    expect "$engine: to /dev/full" 3 stream write "No space left on device"
    restore - <image >out
    restored "$engine: from standard input" out $n
    restore fd:5 5<image >out
    restored "$engine: from fd:5" out $n
    restore /dev/fd/5 5<image >out
    restored "$engine: from /dev/fd/5" out $n
    restore /dev/stdin <image >out
    restored "$engine: from /dev/stdin" out $n
    restore <(cat image) >out
    restored "$engine: from a process substitution" out $n
    gzip -1c image | gzip -dc | restore - >out
    restored "$engine: from a pipe" out $n
    rm -f fifo
    mkfifo fifo
    cat image >fifo &
    restore fifo >out
    restored "$engine: from a FIFO" out $n
    cat image >fifo &
    restore --stall-timeout 30 fifo >out
    restored "$engine: from a FIFO, with a limit" out $n
    : >fifo &
    restore --stall-timeout 30 fifo >out
    expect "$engine: who opens the FIFO may write nothing" 7 fifo empty
    restore --fd 7 image 7>out >unused
    restored "$engine: the stream on --fd 7" out $n
    is "$engine: then standard output gets nothing" "$(size_of unused)" 0
    echo tail >>out
    restore image >>out
    restored "$engine: appended" <(tail -c +$((n + 6)) out) $n
    ln -sf image link
    restore link >out
    restored "$engine: through a link" out $n

    restore image | "$IOH_PATTERN" sip 4096 100 >out
    restored "$engine: a slow reader" out $n
    rm -f fifo
    mkfifo fifo
    exec 6<>fifo
    "$IOH_PATTERN" pipe-size 6 4096 >/dev/null
    "$IOH_PATTERN" sip 3000 100 <fifo >out 6>&- &
    reader=$!
    start restore --pipe-size 4096 image >fifo 6>&-
    exec 6>&-
    end
    wait $reader
    restored "$engine: a slow reader behind one page" out $n
    "$IOH_PATTERN" sip 40000 500 <fifo >out &
    reader=$!
    { "$IOH_PATTERN" nonblock 1 && restore image; } >fifo
    wait $reader
    restored "$engine: a write end that does not block" out $n

    restore image | head -c 1 >out
    expect "$engine: the reader leaves" 3 stream write "at byte" "Broken pipe"
    exec 5<image
    restore fd:5 | head -c 100000 >out
    exec 5<&-
    expect "$engine: the reader leaves later" 3 stream write "Broken pipe"

    restore --expect-size $n image >out
    restored "$engine: as long as expected" out $n
    for wrong in $((n + 1)) $((n - 1)) 0; do
        difference="$((n - wrong)) bytes more"
        ((wrong < n)) || difference="1 of $wrong bytes are missing"
        restore --expect-size $wrong image >out
        expect "$engine: $wrong bytes expected" 7 file image "$difference"
        is "$engine: nothing came out" "$(size_of out)" 0
    done
    gen 100000 | restore --expect-size 100001 - >out
    expect "$engine: a pipe as image ends early" 7 file 100000 100001
    gen 100000 | restore --expect-size 99999 - >out
    expect "$engine: a pipe as image goes on too long" 7 file 99999
    : >nothing
    restore nothing >out
    expect "$engine: an empty image" 7 file nothing empty
    restore --expect-size 0 nothing >out
    restored "$engine: an empty image that is meant" out 0
    restore - </dev/null >out
    expect "$engine: an empty image on standard input" 7 file "standard input" empty
    restore /dev/null >out
    expect "$engine: /dev/null as image" 7 file /dev/null empty
done
engine=${IOH_ENGINE:-auto}

# An image that grows while it is read would be read for ever.
for cache in keep auto; do
    restore --cache $cache image >>image
    expect "the stream goes back into the image, cache=$cache" 2 image both
    is "the image stays as long as it is" "$(size_of image)" $n
done

restore gone >out
expect "an image that is not there" 4 file gone open "No such file or directory"
restore empty >out
expect "a directory as image" 4 file empty "Is a directory"
restore image/x >out
expect "an image under a file" 4 file image/x "Not a directory"
restore $'gone\nline' >out
expect "a bad name with a line break is still told in one line" 4 file gone
is "a failed start leaves standard output empty" "$(size_of out)" 0

# Somebody who may not read it.
chmod 0711 .
chmod 0600 image
chmod 0777 empty
if [[ $(id -u) != 0 ]]; then
    chmod 0 image
else
    under=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
if [[ $(id -u) == 0 ]] && ! "${under[@]}" "$IOH_HELPER" --version >/dev/null 2>&1; then
    skip "an unreadable image" "the helper cannot be run as another user from here"
else
    restore "$T/image" >out
    expect "an unreadable image" 4 file "$T/image" open "Permission denied"
fi
under=()
chmod 0644 image

# A directory that may not be written: a restore needs nothing there.
chmod 0555 empty .
restore image >/dev/null
expect "a restore writes nothing next to the image" 0
chmod 0755 .
is "nothing was made on the way" "$(names_in empty)" ""
touch -d @0 image
before=$(stamp_of image)
restore image >out
is "the image is not touched" "$(stamp_of image)" "$before"

# Time passes for nothing while nobody reads.
mkfifo slow
restore --stall-timeout 1 slow >out
expect "from a FIFO that nobody writes to, a limit" 4 file slow open "timed out" "other end"
{ read -rt 20 <>fifo; } >slow &
writer=$!
restore --stall-timeout 1 slow >out
expect "from one that is opened, and nothing comes" 4 file slow read "timed out" moved
kill $writer
exec 5<>slow
start restore image >slow
ok "it sleeps while nobody reads" wait_for grep -q "^State:.S" "/proc/$pid/status"
kill -TERM "$pid"
end
is "and a signal ends it" "$(status)" 143
exec 5>&-

finish

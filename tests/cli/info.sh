#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What `iohelper info` says of images that are cut, partial, or none at all, by its exit status, in
# words and in JSON; and that it reads files which it cannot.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
have python3 || skip_all "no python3"

domain=$'d\e[2J\n'

# member NAME...: of the JSON in $T/out; nothing when it is not there.
member () {
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    value = value.get(name) if value is not None else None
print("" if value is None else value)' "$T/out" "$@"
}

# info STATUS FILE: the JSON to $T/out.
info () {
    "$IOH_HELPER" info --json "$2" >"$T/out" 2>"$T/err"
    [[ $? == "$1" ]]
}

gen 100000 >"$T/data"
ok "data is data" info 0 "$T/data"
is "and nothing tells whether it is complete" "$(member kind) $(member state)" "data unknown"

: >"$T/empty"
ok "an empty file is no image" info 7 "$T/empty"
is "it is called truncated" "$(member kind) $(member state)" "empty truncated"
like "and standard error has one line about it" "$(<"$T/err")" "iohelper: file $T/empty: check failed*"

{ libvirt_header LibvirtQemudPart 0 "$domain"; printf QEVM; } >"$T/part"
ok "what libvirt has not completed is refused" info 7 "$T/part"
is "as partial" "$(member kind) $(member state)" "libvirt partial"

{ libvirt_header LibvirtQemudSave 0 "$domain"; printf QEVM; } >"$T/cut"
ok "a stream of four bytes is refused" info 7 "$T/cut"
is "as truncated" "$(member state) $(member stream kind) $(member stream offset)" "truncated qemu 1092"
libvirt_header LibvirtQemudSave 0 "$domain" | head -c 500 >"$T/short"
ok "an image cut before its stream is refused" info 7 "$T/short"
is "with what is missing" "$(member state) $(member missing)" "truncated 593"
libvirt_header LibvirtQemudSave 4294967295 "$domain" >"$T/odd"
head -c 10 /dev/zero >>"$T/odd"
ok "an unknown format is told" info 0 "$T/odd"
is "by its number" "$(member libvirt format-number) $(member libvirt format)" "4294967295 "

# compress FORMAT: the data, as that program writes it.
compress () {
    case $1 in
    zstd) printf '\x28\xb5\x2f\xfd\x04\x00' ;;
    *) python3 -c '
import bz2, gzip, lzma, sys
data = open(sys.argv[2], "rb").read()
sys.stdout.buffer.write({"gzip": gzip, "bzip2": bz2, "xz": lzma}[sys.argv[1]].compress(data))' \
        "$1" "$T/data" ;;
    esac
}

for format in 1:gzip 2:bzip2 3:xz 5:zstd; do
    name=${format#*:}
    compress "$name" >"$T/alone"
    { libvirt_header LibvirtQemudSave "${format%:*}" "$domain"; cat "$T/alone"; } >"$T/compressed"
    ok "an image compressed by $name" info 0 "$T/compressed"
    is "$name is named, also for the stream" \
        "$(member libvirt format) $(member stream kind) $(member state)" "$name $name unknown"
    ok "what $name has compressed" info 0 "$T/alone"
    is "$name is recognised" "$(member kind)" "$name"
done

"$IOH_HELPER" info "$T/part" >"$T/out" 2>/dev/null
like "the table has the name of the domain" "$(<"$T/out")" '*domain *d*'
is "but no control character of it" "$(tr -d '[:print:]\n' <"$T/out")" ""
is "its values begin in one column" \
    "$(sed -nE 's/^([a-zA-Z]+( [a-zA-Z]+)*  +).*/\1/p' "$T/out" | awk '{print length}' | sort -u | wc -l)" 1

{ printf QEVM; printf '\0\0\0\3\7\0\0\0\2pc\1\0\0\0\1\3ram\0\0\0\0\0\0\0\4'; } >"$T/stream"
wrong=
for ((length = 8; length <= $(size_of "$T/stream"); length++)); do
    head -c $length "$T/stream" >"$T/short"
    wrong+=$("$IOH_HELPER" info "$T/short" 2>/dev/null | grep -vE '^[a-zA-Z ]+  +[^ ]' | sed "s/^/$length: /")
done
is "wherever a stream is cut, no label is without a value" "$wrong" ""

{ head -c 1000 >/dev/null && "$IOH_HELPER" info --json fd:0; } <"$T/data" >"$T/out"
is "an inherited descriptor is looked at from its position" \
    "$(member bytes) $(member stream offset)" "99000 1000"
"$IOH_HELPER" info - <"$T/data" >"$T/out"
like "standard input is looked at" "$(<"$T/out")" "*standard input*"

# refused NAME STATUS WORD ARGUMENT...
refused () {
    helper info "${@:4}"
    expect "$1" "$2" "$3"
}

refused "a file that is not there" 4 "No such file" "$T/nothing"
refused "a directory" 4 "Is a directory" "$T"
mkfifo "$T/fifo"
refused "a FIFO is not waited for" 4 "only files and block devices" "$T/fifo"
helper info fd:5 5>"$T/new"
expect "a descriptor that is not for reading" 2 "open for writing only"
refused "two images" 2 "$T/part" "$T/data" "$T/part"
refused "no image" 2 IMAGE
helper info "$T/data" >/dev/full
expect "output that cannot be written is a failure" 1 "No space left on device"

finish

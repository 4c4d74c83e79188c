#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What people have at hand for sockets, at the other end: socat and nc, both ways.
# shellcheck source=tests/sockets/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=3145741
gen $n >image
path=$T/s
port=$(free_port)

# listener COMMAND...: as $tool, until somebody may come to $address.
listener () {
    timeout 30 "$@" >out 2>tool.err </dev/null &
    tool=$!
    wait_for listens "$address"
}

# with SOCAT-OR-NC LISTEN CALL: both, listening and calling, with a save and with a restore. They are
# arrays of words, by name.
with () {
    local name=$1
    local -n listening=$2 calling=$3

    start_listening save "$address" f </dev/null
    timeout 30 "${calling[@]}" <image >out 2>tool.err
    end
    saved "$name calls a save at ${address%%:*}" f $n
    start_listening restore "$address" image </dev/null
    timeout 30 "${calling[@]}" </dev/null >out 2>tool.err
    end
    restored "$name calls a restore at ${address%%:*}" out $n
    listener "${listening[@]}"
    helper restore --connect "$address" image
    wait $tool
    restored "a restore calls $name at ${address%%:*}" out $n
    listener bash -c 'exec "$@" <image' - "${listening[@]}"
    helper save --connect "$address" f
    wait $tool
    saved "a save calls $name at ${address%%:*}" f $n
    rm -f "$path"
}

# shellcheck disable=SC2034 # by name
if have socat; then
    address=unix:$path
    listen=(socat -t 30 - "UNIX-LISTEN:$path") call=(socat -t 30 - "UNIX-CONNECT:$path")
    with socat listen call
    address=tcp:$loopback:$port
    listen=(socat -t 30 - "TCP-LISTEN:$port,bind=$loopback,reuseaddr")
    call=(socat -t 30 - "TCP:$loopback:$port")
    with socat listen call
else
    skip "socat" "socat is not installed"
fi

# Of the programs of this name, one that knows unix sockets and -N: end when the input does.
# shellcheck disable=SC2034 # by name
if have nc && nc -h 2>&1 | grep -q -- '-N'; then
    address=unix:$path
    listen=(nc -N -l -U "$path") call=(nc -N -U "$path")
    with nc listen call
    address=tcp:$loopback:$port
    listen=(nc -N -l "$loopback" "$port") call=(nc -N "$loopback" "$port")
    with nc listen call
else
    skip "nc" "no nc of OpenBSD is installed"
fi

finish

# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the stories about sockets share: addresses that are free, and knowing when somebody listens.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"

# An address of our own: who tries a port until somebody listens there would otherwise meet the listener
# of another test that was given the same port.
# shellcheck disable=SC2034 # for who includes this
loopback=127.$((1 + $$ % 250)).$(($$ / 250 % 250)).1

# free_port: a TCP port that nobody uses now, of either family.
free_port () {
    python3 -c 'import socket
s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

# listens ADDR: somebody waits there. A path is absolute.
listens () {
    local rest=${1#*:}
    case $1 in
    unix:*) awk '$4 == "00010000" { print $NF }' /proc/net/unix | grep -qxF -- "$rest" ;;
    tcp:*) grep -qiE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "${rest##*:}") [0-9A-F:]+ 0A " \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null ;;
    esac
}

# start_listening DIRECTION ADDR ARGUMENT...: as start, until somebody may come.
start_listening () {
    local direction=$1 address=$2
    shift 2
    start "$direction" --listen "$address" "$@"
    wait_for listens "$address" || echo "nobody listens at $address: $(<"$T/err")"
}

# python_peer ADDR SCRIPT [ARGUMENT...]: a peer that misbehaves; "s" is its connected socket.
python_peer () {
    local address=$1 script=$2
    shift 2
    timeout 30 python3 -c "
import socket, struct, sys
kind, rest = sys.argv[1].split(':', 1)
if kind == 'unix':
    s = socket.socket(socket.AF_UNIX)
    s.connect('\0' + rest[1:] if rest[0] == '@' else rest)
else:
    host, port = rest.rsplit(':', 1)
    s = socket.create_connection((host.strip('[]'), int(port)))
$script" "$address" "$@"
}

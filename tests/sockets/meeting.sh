#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Meeting a peer: who is let in, what becomes of the path, what is said about it.
# shellcheck source=tests/sockets/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=1048583
gen $n >image
address=unix:$T/s

# ---- one peer ------------------------------------------------------------------------------------

umask 000
start_listening save "$address" --report report f </dev/null
is "the path is for its owner only, whatever the umask" "$(stat -c %A s)" srw-------
umask 022
helper restore --connect "$address" --report report2 image
expect "the other end of the same program comes" 0
end
saved "a save met by path" f $n
is "the path is gone afterwards" "$(names_in . | tr ' ' '\n' | grep -x s)" ""
ok "the report names who came" grep -q "\"peer-pid\" : [0-9]" report
ok "and his user" grep -q "\"peer-uid\" : $(id -u)" report
ok "the report of who came names who listened" grep -q "\"peer-pid\" : $pid" report2
ok "it tells the size of the buffer" grep -A3 '"socket-buffer"' report2

start_listening restore unix:@"$T" image </dev/null
is "an abstract name makes no file" "$(find . -type s)" ""
helper save --connect unix:@"$T" f
saved "a save that goes to an abstract name" f $n
end
expect "a restore that listens at one" 0

# The second is turned away, also while the first is served.
start_listening save "$address" f </dev/null
mkfifo fifo
python_peer "$address" 'print("met", flush=True)
second = socket.socket(socket.AF_UNIX)
try:
    second.connect(rest)
    refused = not second.recv(1)
except OSError:
    refused = True
print("refused" if refused else "let in", flush=True)
sys.stdin.read()
s.sendall(open("image", "rb").read())' <fifo >said &
exec 6>fifo
ok "a second peer is turned away while the first is served" wait_for grep -q refused said
is "the path is gone as soon as the first is in" "$(names_in . | tr ' ' '\n' | grep -x s)" ""
exec 6>&-
end
saved "and the first is not disturbed" f $n

# ---- the path ------------------------------------------------------------------------------------

echo precious >s
helper save --listen "$address" f </dev/null
expect "a file is in the way" 3 stream "$address" "exists and is not a socket"
is "it stays" "$(<s)" precious
rm s
ln -s nowhere s
helper save --listen "$address" f </dev/null
expect "a dangling link is in the way" 3 stream "$address" "exists and is not a socket"
ok "it stays a link" test -L s
rm s

start_listening save "$address" f </dev/null
first=$pid
before=$(stamp_of s)
helper save --listen "$address" f2 </dev/null
expect "somebody listens there already" 3 stream "$address" "Address already in use"
is "his socket stays" "$(stamp_of s)" "$before"
pid=$first
kill -9 "$pid"
end
ok "kill -9 leaves the path" test -S s
start_listening save "$address" f </dev/null
helper restore --connect "$address" image
end
saved "a path that nobody listens on any more is taken over" f $n
ok "and removed afterwards" test ! -e s

for signal in TERM INT HUP; do
    start_listening restore "$address" image </dev/null
    kill -$signal "$pid"
    end
    is "SIG$signal while nobody has come" "$(status) $(<err)" "$((128 + $(kill -l $signal))) "
    ok "SIG$signal: the path is gone" test ! -e s
done
cp image f
before=$(stamp_of f)
helper save --listen "$address" --stall-timeout 1 f </dev/null
expect "--stall-timeout: nobody comes" 3 stream "$address" "timed out" "for 1 second"
ok "the path is gone" test ! -e s
is "the old file is untouched" "$(stamp_of f)" "$before"
helper save --listen unix:"$T/none/s" f </dev/null
expect "no such directory" 3 stream "$T/none/s" "No such file"
helper save --connect "$address" f </dev/null
expect "nobody listens there" 3 stream "$address" "No such file"
helper restore --connect tcp:"$loopback:$(free_port)" image
expect "nobody listens at that port" 3 stream "tcp:$loopback" "Connection refused"
helper restore --connect tcp:no-such-host.invalid:4444 image
expect "no such host" 3 stream no-such-host.invalid open
is "the old file is still untouched" "$(stamp_of f)" "$before"
helper save --listen "$address" --explain f </dev/null >plan
ok "--explain makes no path" test ! -e s
is "nor waits" "$(status)" 0

# ---- the buffer ----------------------------------------------------------------------------------

# buffer_of FILE WORD: a member of the report's socket-buffer
buffer_of () {
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["stream"]["socket-buffer"][sys.argv[2]])' "$@"
}

# transfer OPTION...: to the other end of the same program
transfer () {
    start_listening save "$address" f </dev/null
    restore --connect "$address" --report report "$@" image
    mv err said
    end
}

limit=$(</proc/sys/net/core/wmem_max)
((limit < 536870912)) || limit=536870912
transfer --socket-buffer 300K
is "--socket-buffer" "$(buffer_of report asked) $(buffer_of report used)" "307200 307200"
unprivileged=(setpriv --bounding-set -net_admin --inh-caps -net_admin)
if "${unprivileged[@]}" true 2>/dev/null && [[ $(id -u) == 0 ]] || [[ $(id -u) != 0 ]]; then
    [[ $(id -u) != 0 ]] || under=("${unprivileged[@]}")
    transfer --socket-buffer $((limit * 2)) -v
    is "a buffer beyond the system's limit is cut to it" "$(buffer_of report used)" "$limit"
    like "the report says why" "$(buffer_of report reason)" "*net.core.wmem_max*"
    ok "-v says which sysctl to change" \
        grep -q "net.core.wmem_max=$((limit * 2))" said
    is "in one line" "$(grep -c wmem_max said)" 1
    transfer --socket-buffer $((limit * 2))
    is "without -v nothing is said" "$(<said)" ""
    under=()
else
    skip "a buffer beyond the system's limit" "capabilities cannot be dropped"
fi
if setpriv --bounding-set +net_admin true 2>/dev/null && [[ $(id -u) == 0 ]] &&
    unshare -n true 2>/dev/null; then
    transfer --socket-buffer $((limit * 2)) -v
    is "CAP_NET_ADMIN gets what it asks for" "$(buffer_of report used)" $((limit * 2))
    ok "and no advice" test "$(grep -c wmem_max said)" = 0
else
    skip "CAP_NET_ADMIN gets what it asks for" "needs CAP_NET_ADMIN"
fi

finish

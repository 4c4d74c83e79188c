#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Two hosts: network namespaces with a cable between them. A save in one is fed by a restore in the
# other, and the cable may be pulled.
# shellcheck source=tests/sockets/lib.sh
. "$(dirname "$0")/lib.sh"

enter_network () {
    [[ $(id -u) == 0 ]] || skip_all "needs root"
    [[ ${IOH_INSIDE:-0} == 1 ]] && return
    have ip || skip_all "no ip(8)"
    unshare -n true 2>/dev/null || skip_all "no network namespaces"
    rm -rf "$T"
    trap - EXIT
    IOH_INSIDE=1 exec unshare -nm --propagation private "$BASH" "$0" "$@"
}

enter_network "$@"
mount -t sysfs sysfs /sys 2>/dev/null
cd "$T" || exit
n=20971597
gen $n >image

# The other host is what a process that sleeps stands in for.
unshare -n sleep 1000 &
other=$!
wait_for test ! /proc/$other/ns/net -ef /proc/$$/ns/net
there=(nsenter -t "$other" -n)
ip link add here type veth peer name cable 2>"$T/err" || skip_all "no veth: $(<"$T/err")"
ip link set cable netns "$other" name there
ip link set lo up
ip addr add 192.0.2.1/24 dev here
ip -6 addr add 2001:db8::1/64 dev here nodad 2>/dev/null
ip link set here up
"${there[@]}" ip addr add 192.0.2.2/24 dev there
"${there[@]}" ip -6 addr add 2001:db8::2/64 dev there nodad 2>/dev/null
"${there[@]}" ip link set there up

hosts=(192.0.2.1)
if ip -6 addr show dev here 2>/dev/null | grep -q 2001:db8::1; then
    hosts+=('[2001:db8::1]')
else
    excuse "IPv6" "this kernel has none"
fi

for host in "${hosts[@]}"; do
    for engine in $(engines); do
        start_listening save "tcp:$host:4444" f </dev/null
        under=("${there[@]}")
        restore --connect "tcp:$host:4444" image
        under=()
        expect "$engine $host: a restore there" 0
        end
        saved "$engine $host: a save here" f $n
    done
    start_listening restore "tcp:$host:4444" image </dev/null
    under=("${there[@]}")
    helper save --connect "tcp:$host:4444" f
    under=()
    saved "$host: a save there" f $n
    end
    expect "$host: a restore here" 0
    start_listening save "tcp::4444" f </dev/null
    under=("${there[@]}")
    helper restore --connect "tcp:$host:4444" image
    under=()
    end
    saved "$host: a save that listens for any host" f $n
done

# The cable is pulled: nothing tells of it but that nothing moves.
mkfifo fifo
start_listening save tcp:192.0.2.1:4444 --stall-timeout 3 --progress-fd 5 f </dev/null 5>progress
"${there[@]}" timeout 30 python3 -c '
import socket, sys
s = socket.create_connection(("192.0.2.1", 4444))
s.sendall(open("image", "rb").read(3000000))
sys.stdin.read()' <fifo 2>/dev/null &
exec 6>fifo
ok "some bytes come" wait_for grep -qE '"bytes" ?: ?[1-9]' progress
ip link set here down
end
exec 6>&-
expect "the cable is pulled during a save" 3 stream read "timed out"
ip link set here up

start_listening restore tcp:192.0.2.1:4444 --stall-timeout 3 image </dev/null
"${there[@]}" timeout 30 python3 -c '
import socket, sys
s = socket.create_connection(("192.0.2.1", 4444))
s.recv(1000, socket.MSG_WAITALL)
print("some", flush=True)
sys.stdin.read()' <fifo >said 2>&1 &
exec 6>fifo
wait_for grep -q some said
ip link set here down
end
exec 6>&-
expect "the cable is pulled during a restore" 3 stream "timed out"

finish

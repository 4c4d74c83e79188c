#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Between a guest and its host. Here the kernel plays both, if it has a loopback for that.
# shellcheck source=tests/sockets/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=3145741
gen $n >image

# can_loop: something that listens at CID 1 can be reached there.
can_loop () {
    timeout 10 python3 -c 'import socket
listener = socket.socket(socket.AF_VSOCK)
listener.bind((1, socket.VMADDR_PORT_ANY))
listener.listen()
caller = socket.socket(socket.AF_VSOCK)
caller.settimeout(5)
caller.connect(listener.getsockname())' 2>"$T/why"
}

# Needs nobody at the other end.
helper save --stall-timeout 1 --listen vsock:4294967295:44444 f </dev/null
if [[ $(<err) == *"timed out"* ]]; then
    expect "nobody comes" 3 stream vsock:4294967295:44444 "timed out"
    is "nothing is left" "$(names_in . | tr ' ' '\n' | grep -c '^f')" 0
else
    excuse "nobody comes" "$(<err)"
fi

can_loop || skip_rest=$(tail -1 why)
if [[ -n ${skip_rest:-} ]]; then
    excuse "through the loopback" "no vsock loopback: $skip_rest"
    finish
fi
for engine in $(engines); do
    start save --listen vsock:1:44444 --report report f </dev/null
    # nothing in /proc tells who listens there
    wait_for eval 'helper restore --engine "$engine" --connect vsock:1:44444 image && [[ $(status) == 0 ]]'
    expect "$engine: a restore that connects" 0
    end
    saved "$engine: a save that listens" f $n
    ok "$engine: the report tells the size of the buffer" grep -A3 '"socket-buffer"' report
done

finish

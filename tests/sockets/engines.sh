#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every engine at both ends of every kind of socket: all bytes, an end that is told from a reset, and
# nobody killed by SIGPIPE.
# shellcheck source=tests/sockets/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
n=9437321
gen $n >image
port=$(free_port)
addresses=(unix:"$T/s" tcp:"$loopback:$port")
if [[ -e /proc/net/if_inet6 ]] && grep -q ' lo$' /proc/net/if_inet6; then
    addresses+=("tcp:[::1]:$port")
else
    excuse "IPv6" "this kernel or machine has none"
fi

# Both ends are under test, in turn.
for address in "${addresses[@]}"; do
    for engine in $(engines); do
        start_listening save "$address" f </dev/null
        restore --connect "$address" image
        expect "$engine $address: a restore that connects" 0
        end
        saved "$engine $address: a save that listens" f $n
        start_listening restore "$address" image </dev/null
        save --connect "$address" f
        saved "$engine $address: a save that connects" f $n
        end
        expect "$engine $address: a restore that listens" 0
    done
done

# Sizes that end in the middle of things; the writer leaves at once.
for address in "${addresses[@]:0:2}"; do
    for engine in $(engines); do
        verdict "$engine $address: sizes with odd ends" "$(
            for size in "${tail_sizes[@]}"; do
                start_listening save "$address" f </dev/null
                head -c "$size" image >part
                "$IOH_HELPER" restore --connect "$address" part || echo "the restore failed"
                end
                { complaint 0 && check "$size" <f; } 2>&1 | sed "s/^/$size: /"
            done
        )"
    done
done

# ---- ends ----------------------------------------------------------------------------------------

for address in "${addresses[@]:0:2}"; do
    for engine in $(engines); do
        what="$engine ${address%%:*}"
        # The writer says that it has done, and waits until we have.
        start_listening save "$address" f </dev/null
        said=$(python_peer "$address" 's.sendall(open("image", "rb").read())
s.shutdown(socket.SHUT_WR)
print(len(s.recv(1)))')
        end
        saved "$what: half-closing is the end of the stream" f $n
        is "$what: and ours comes when all is done" "$said" 0

        # A reader that had something to say, and said that it has no more.
        start_listening restore "$address" image </dev/null
        said=$(python_peer "$address" 's.sendall(b"thank you")
s.shutdown(socket.SHUT_WR)
got = b""
while True:
    piece = s.recv(65536)
    if not piece: break
    got += piece
sys.stdout.buffer.write(got)' | check $n 2>&1)
        is "$what: a reader that talks gets everything, and an end" "$said" ""
        end
        expect "$what: which is a success" 0

        # A reader that leaves.
        start_listening restore "$address" image </dev/null
        python_peer "$address" 's.recv(100000)'
        end
        expect "$what: a reader that leaves" 3 stream "$address"
    done
done

# Only TCP can break off what was sent.
for engine in $(engines); do
    cp image old
    cp image f
    start_listening save "${addresses[1]}" f </dev/null
    python_peer "${addresses[1]}" 's.sendall(open("image", "rb").read(3000000))
s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
s.close()'
    end
    expect "$engine: a reset is no end" 3 stream "${addresses[1]}" read "Connection reset"
    ok "$engine: the old file stays" cmp -s old f
done

finish

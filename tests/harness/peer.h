/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_PEER_H
#define IOH_TEST_PEER_H

#include <glib.h>
#include <stdint.h>

/* The other end of a stream, FIFO or socket: the hypervisor, or who reads a FIFO. It acts in a
 * thread of its own, or step by step when asked to. */
typedef struct Peer Peer;

#define PEER_NEVER SIZE_MAX

/* How it behaves. Set before it starts. */
typedef struct {
    size_t max_piece;   /* pieces of 1 to so many bytes, drawn from SEED; 0: as much as goes */
    uint32_t seed;      /* of the pieces */
    gboolean paced;     /* acts only while the helper waits */
    gboolean holds;     /* a reader that moves the pages on by splice and looks at them last */
    size_t leave_after; /* closes its end after so many bytes, or PEER_NEVER */
    size_t stall_after; /* does nothing more after so many bytes until released, or PEER_NEVER */
    /* called once then, from the peer's thread; TRUE: it goes on at once. May be NULL. */
    gboolean (*at_stall) (gpointer data);
    gpointer at_stall_data;
} PeerManner;

/* Takes over FD. A writer writes LENGTH bytes of DATA (borrowed) and closes; a reader reads to the
 * end, LENGTH being what it expects at most. */
Peer *peer_new_writer (int fd, const uint8_t *data, size_t length);
Peer *peer_new_reader (int fd, size_t length);
PeerManner *peer_manner (Peer *peer);

/* Its descriptor, which stays its own. */
int peer_fd (const Peer *peer);

/* Lets it act in a thread. */
void peer_start (Peer *peer);

/* Waits until a reader that acts in a thread has BYTES. */
void peer_await (Peer *peer, size_t bytes);

/* Tells it whether the helper waits. */
void peer_helper_waits (Peer *peer, gboolean waits);

/* Without a thread: one piece, or closing its end, if that is possible without waiting. FALSE when
 * nothing came of it. */
gboolean peer_step (Peer *peer);

/* The transfer is over: ends stalls and pacing and waits for its end, which a writer reaches by
 * EPIPE when the helper has gone. */
void peer_finish (Peer *peer);

/* After peer_finish: what it has read, or how much it has written. */
const uint8_t *peer_bytes (const Peer *peer, size_t *out_length);

void peer_free (Peer *peer);

#endif

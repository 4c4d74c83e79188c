/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer - reads or writes the other end of a transfer.
 *
 * Owns its descriptor and the turns it takes with the helper: a paced peer acts only while the
 * helper is known to wait, so that it is slow without any clock.
 */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A reader may get this much more than expected before it stops looking. */
#define PEER_SURPLUS 65536

#define PEER_MOST_HOLDS 64
#define PEER_HOLD_BYTES 1048576

struct Peer {
    int fd;
    gboolean is_socket;
    gboolean writes;
    const uint8_t *data; /* a writer's */
    uint8_t *got;        /* a reader's */
    size_t length;
    size_t done;
    PeerManner manner;
    GRand *random;
    int holds[PEER_MOST_HOLDS][2];
    unsigned hold_count;
    GThread *thread;
    GMutex mutex;
    GCond cond;
    gboolean helper_waits;
    gboolean released;
};

static Peer *
peer_new (int fd, size_t length)
{
    Peer *peer = g_new0 (Peer, 1);
    struct stat st;

    g_assert_cmpint (fstat (fd, &st), ==, 0);
    peer->is_socket = S_ISSOCK (st.st_mode);
    peer->fd = fd;
    peer->length = length;
    peer->manner.leave_after = PEER_NEVER;
    peer->manner.stall_after = PEER_NEVER;
    g_mutex_init (&peer->mutex);
    g_cond_init (&peer->cond);
    return peer;
}

Peer *
peer_new_writer (int fd, const uint8_t *data, size_t length)
{
    Peer *peer = peer_new (fd, length);

    peer->writes = TRUE;
    peer->data = data;
    return peer;
}

Peer *
peer_new_reader (int fd, size_t length)
{
    Peer *peer = peer_new (fd, length + PEER_SURPLUS);

    peer->got = g_malloc (peer->length);
    return peer;
}

PeerManner *
peer_manner (Peer *peer)
{
    return &peer->manner;
}

int
peer_fd (const Peer *peer)
{
    return peer->fd;
}

static void
peer_close (Peer *peer)
{
    if (peer->fd >= 0)
        close (peer->fd);
    peer->fd = -1;
}

static size_t
peer_piece_length (Peer *peer)
{
    const PeerManner *manner = &peer->manner;
    size_t left = MIN (peer->length - peer->done, manner->leave_after - peer->done);

    if (!peer->released)
        left = MIN (left, manner->stall_after - peer->done);
    if (manner->max_piece == 0)
        return left;
    if (peer->random == NULL)
        peer->random = g_rand_new_with_seed (manner->seed);
    size_t drawn = 1 + g_rand_int (peer->random) % manner->max_piece;
    return MIN (left, drawn);
}

/* Moves what is there into a pipe of our own, and another when that is full: the pages themselves
 * go there, so that whoever still writes to them is found out. */
static ssize_t
peer_hold (Peer *peer, size_t length)
{
    struct pollfd pollfd = {.fd = peer->fd, .events = POLLIN};

    poll (&pollfd, 1, -1);
    for (;;) {
        unsigned last = peer->hold_count - 1;
        ssize_t moved = -1;
        errno = EAGAIN;
        if (peer->hold_count > 0)
            moved = splice (peer->fd, NULL, peer->holds[last][1], NULL, length, SPLICE_F_NONBLOCK);
        if (moved >= 0 || errno != EAGAIN)
            return moved;
        g_assert_cmpuint (peer->hold_count, <, PEER_MOST_HOLDS);
        g_assert_cmpint (pipe2 (peer->holds[peer->hold_count], O_CLOEXEC), ==, 0);
        fcntl (peer->holds[peer->hold_count++][1], F_SETPIPE_SZ, PEER_HOLD_BYTES);
    }
}

static void
peer_look_at_holds (Peer *peer)
{
    for (unsigned i = 0; i < peer->hold_count; i++) {
        ssize_t got = 1;
        close (peer->holds[i][1]);
        for (; got > 0; peer->done += (size_t) MAX (got, 0))
            got = read (peer->holds[i][0], peer->got + peer->done, peer->length - peer->done);
        close (peer->holds[i][0]);
    }
}

/* One piece; what read, write or splice returns. */
static ssize_t
peer_move (Peer *peer, size_t length, gboolean may_wait)
{
    int flags = may_wait ? 0 : MSG_DONTWAIT;

    if (peer->manner.holds)
        return peer_hold (peer, length);
    if (peer->is_socket && peer->writes)
        return send (peer->fd, peer->data + peer->done, length, flags | MSG_NOSIGNAL);
    if (peer->is_socket)
        return recv (peer->fd, peer->got + peer->done, length, flags);
    fcntl (peer->fd, F_SETFL, may_wait ? 0 : O_NONBLOCK); /* our end of the pipe only */
    if (peer->writes)
        return write (peer->fd, peer->data + peer->done, length);
    return read (peer->fd, peer->got + peer->done, length);
}

static void
peer_count (Peer *peer, size_t bytes)
{
    g_mutex_lock (&peer->mutex);
    peer->done += bytes;
    g_cond_broadcast (&peer->cond);
    g_mutex_unlock (&peer->mutex);
}

typedef enum {
    PEER_MOVED,
    PEER_NOTHING, /* not now */
    PEER_ENDED,
} PeerPiece;

static PeerPiece
peer_piece (Peer *peer, gboolean may_wait)
{
    size_t length = peer_piece_length (peer);
    ssize_t moved = length > 0 ? peer_move (peer, length, may_wait) : 0;

    if (moved < 0 && errno == EAGAIN)
        return PEER_NOTHING;
    if (moved <= 0) {
        peer_close (peer);
        return PEER_ENDED;
    }
    if (!peer->manner.holds)
        peer_count (peer, (size_t) moved);
    return PEER_MOVED;
}

static gboolean
peer_stalls (const Peer *peer)
{
    return peer->done >= peer->manner.stall_after && !peer->released;
}

/* Waits until it may act: not stalled, and paced only while the helper waits. */
static void
peer_await_turn (Peer *peer)
{
    PeerManner *manner = &peer->manner;

    g_mutex_lock (&peer->mutex);
    while (manner->paced && !peer->helper_waits && !peer->released)
        g_cond_wait (&peer->cond, &peer->mutex);
    gboolean calls = peer_stalls (peer) && manner->at_stall != NULL;
    g_mutex_unlock (&peer->mutex);
    if (calls && manner->at_stall (manner->at_stall_data))
        manner->stall_after = PEER_NEVER;
    g_mutex_lock (&peer->mutex);
    while (peer_stalls (peer))
        g_cond_wait (&peer->cond, &peer->mutex);
    g_mutex_unlock (&peer->mutex);
}

static gpointer
peer_run (gpointer data)
{
    Peer *peer = data;

    do
        peer_await_turn (peer);
    while (peer_piece (peer, TRUE) != PEER_ENDED);
    return NULL;
}

void
peer_start (Peer *peer)
{
    peer->thread = g_thread_new ("peer", peer_run, peer);
}

void
peer_await (Peer *peer, size_t bytes)
{
    g_mutex_lock (&peer->mutex);
    while (peer->done < bytes)
        g_cond_wait (&peer->cond, &peer->mutex);
    g_mutex_unlock (&peer->mutex);
}

void
peer_helper_waits (Peer *peer, gboolean waits)
{
    g_mutex_lock (&peer->mutex);
    peer->helper_waits = waits;
    g_cond_broadcast (&peer->cond);
    g_mutex_unlock (&peer->mutex);
}

gboolean
peer_step (Peer *peer)
{
    return peer->fd >= 0 && !peer_stalls (peer) && peer_piece (peer, FALSE) != PEER_NOTHING;
}

void
peer_finish (Peer *peer)
{
    g_mutex_lock (&peer->mutex);
    peer->released = TRUE;
    g_cond_broadcast (&peer->cond);
    g_mutex_unlock (&peer->mutex);
    if (peer->thread != NULL)
        g_thread_join (peer->thread);
    else if (peer->fd >= 0)
        peer_run (peer);
    peer->thread = NULL;
    peer_close (peer);
    peer_look_at_holds (peer);
    peer->hold_count = 0;
}

const uint8_t *
peer_bytes (const Peer *peer, size_t *out_length)
{
    *out_length = peer->done;
    return peer->got;
}

void
peer_free (Peer *peer)
{
    if (peer == NULL)
        return;
    peer_close (peer);
    g_free (peer->got);
    g_clear_pointer (&peer->random, g_rand_free);
    g_mutex_clear (&peer->mutex);
    g_cond_clear (&peer->cond);
    g_free (peer);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer - meets the other end of a stream at an address.
 *
 * Owns the listening socket and its path for as long as nobody has come. Must never wait without
 * watching for signals, and never remove a path that is not its own or dead.
 */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "error.h"
#include "i18n.h"
#include "label.h"
#include "resolve.h"
#include "sys.h"

/* How often a TCP connection is asked whether everything has arrived. */
#define PEER_DRAIN_US 5000

/* What a peer said and nobody wanted is thrown away in so many pieces at most. */
#define PEER_MOST_DISCARDS 64

/* A path that a socket of ours has made; NULL when there is none. */
typedef struct {
    const char *path;
    struct statx status;
} PeerPath;

/* One meeting: what was asked, and for how long we wait. */
typedef struct {
    const IohOptions *options;
    const IohAddress *address;
    IohPatience patience;
    IohPeer *peer;
} Meeting;

/* Before a connection is made: TCP offers a window for as much as there is room at that time. */
static void
meeting_tune (const Meeting *meeting, int fd)
{
    IohAddressKind kind = meeting->address->kind;
    int one = 1;

    ioh_socket_buffer_ask (&meeting->peer->buffer, fd, kind, meeting->options->socket_bytes);
    if (kind != IOH_ADDRESS_TCP)
        return;
    ioh_sys_set_option (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    /* a machine that has gone says nothing: ask it now and then */
    ioh_sys_set_option (fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
}

static void
peer_look (IohPeer *peer, IohAddressKind kind)
{
    struct ucred credentials = {0};

    ioh_socket_buffer_read_back (&peer->buffer, peer->fd, kind);
    if (kind == IOH_ADDRESS_UNIX && ioh_sys_get_option (peer->fd, SOL_SOCKET, SO_PEERCRED,
                                                        &credentials, sizeof credentials) >= 0) {
        peer->has_process = TRUE;
        peer->pid = credentials.pid;
        peer->uid = credentials.uid;
    }
}

/* The path itself, not what a symbolic link leads to. */
static int
peer_path_status (const char *path, struct statx *out_status)
{
    return ioh_sys_statx (AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_INO, out_status);
}

static gboolean
peer_path_is (const PeerPath *path)
{
    const struct statx *was = &path->status;
    struct statx is;

    /* where nobody can say, what we have made is ours */
    if (was->stx_ino == 0 || peer_path_status (path->path, &is) < 0)
        return TRUE;
    return is.stx_ino == was->stx_ino && is.stx_dev_major == was->stx_dev_major &&
           is.stx_dev_minor == was->stx_dev_minor;
}

static void
peer_path_remove (const PeerPath *path)
{
    if (path->path != NULL && peer_path_is (path))
        ioh_sys_unlink (AT_FDCWD, path->path);
}

/* TRUE when PATH is a socket that belongs to nobody any more. A datagram socket may ask without
 * disturbing: it is refused for its type where a stream socket lives. */
static gboolean
peer_path_is_dead (const char *path, const IohSocketName *name)
{
    struct statx status;

    if (peer_path_status (path, &status) < 0 || !S_ISSOCK (status.stx_mode))
        return FALSE;
    ioh_autofd fd = ioh_sys_socket (AF_UNIX, SOCK_DGRAM);
    return fd >= 0 && ioh_sys_connect (fd, (const struct sockaddr *) &name->storage,
                                       name->length) == -ECONNREFUSED;
}

/* Binds FD to NAME, and fills in the path that came of it. 0 or -errno. */
static int
meeting_bind (const Meeting *meeting, int fd, const IohSocketName *name, PeerPath *out_path)
{
    const struct sockaddr *sockaddr = (const struct sockaddr *) &name->storage;
    const IohAddress *address = meeting->address;
    gboolean has_path = ioh_address_has_path (address);
    int one = 1;
    int zero = 0;

    if (address->kind == IOH_ADDRESS_TCP)
        ioh_sys_set_option (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (name->storage.ss_family == AF_INET6 && address->name[0] == '\0')
        ioh_sys_set_option (fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
    int result = ioh_sys_bind (fd, sockaddr, name->length);
    if (result == -EADDRINUSE && has_path && peer_path_is_dead (address->name, name)) {
        ioh_sys_unlink (AT_FDCWD, address->name);
        result = ioh_sys_bind (fd, sockaddr, name->length);
    }
    if (result < 0 || !has_path)
        return result;
    out_path->path = address->name;
    if (peer_path_status (address->name, &out_path->status) < 0)
        out_path->status = (struct statx){0};
    return 0;
}

/* A socket that listens at NAME, or -errno. */
static int
meeting_listen_at (const Meeting *meeting, const IohSocketName *name, PeerPath *out_path)
{
    ioh_autofd fd = ioh_sys_socket (name->storage.ss_family, SOCK_STREAM);

    if (fd < 0)
        return fd;
    meeting_tune (meeting, fd);
    int result = meeting_bind (meeting, fd, name, out_path);
    /* one place in the queue: who comes second is turned away when the first has been let in */
    if (result >= 0)
        result = ioh_sys_listen (fd, 1);
    if (result < 0)
        return result;
    int listening = fd;
    fd = -1;
    return listening;
}

/* Says what is in the way where that is not what the system's message makes one look for. */
static gboolean
meeting_check_taken (const IohAddress *address, GError **error)
{
    const IohPlace place = {IOH_SIDE_STREAM, address->text, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    struct statx status;

    return !ioh_address_has_path (address) || peer_path_status (address->name, &status) < 0 ||
           S_ISSOCK (status.stx_mode) ||
           ioh_error_set (error, IOH_EXIT_STREAM, &place, "%s",
                          _ ("the path exists and is not a socket"));
}

/* A socket that listens at the first of NAMES that works, or -errno; -ECANCELED when the error is
 * set. */
static int
meeting_listen (const Meeting *meeting, const GArray *names, PeerPath *out_path, GError **error)
{
    const IohAddress *address = meeting->address;
    const IohPlace place = {IOH_SIDE_STREAM, address->text, IOH_STAGE_LABEL, IOH_NO_OFFSET};
    gboolean labelled = ioh_address_has_path (address) && meeting->options->label != NULL;
    int result = labelled ? ioh_label_creations (meeting->options->label) : 0;
    int fd = -EADDRNOTAVAIL;

    if (result < 0) {
        ioh_error_errno (error, &place, -result);
        return -ECANCELED;
    }
    for (unsigned i = 0; i < names->len && fd < 0; i++)
        fd = meeting_listen_at (meeting, &g_array_index (names, IohSocketName, i), out_path);
    if (labelled)
        ioh_label_creations (NULL);
    if (fd == -EADDRINUSE && !meeting_check_taken (address, error))
        return -ECANCELED;
    return fd;
}

/* Lets one peer in. Its descriptor or -errno, as ioh_cancel_wait has them. */
static int
meeting_accept (const Meeting *meeting, int listen_fd)
{
    for (;;) {
        int result = ioh_cancel_wait (&meeting->patience, listen_fd, POLLIN);
        if (result < 0)
            return result;
        int fd = ioh_sys_accept (listen_fd);
        /* else a peer that left again before it was let in */
        if (fd != -EAGAIN && fd != -ECONNABORTED)
            return fd;
    }
}

static int
meeting_await (const Meeting *meeting, const GArray *names, GError **error)
{
    PeerPath path = {0};
    ioh_autofd listen_fd = meeting_listen (meeting, names, &path, error);

    int fd = listen_fd >= 0 ? meeting_accept (meeting, listen_fd) : listen_fd;
    peer_path_remove (&path);
    if (fd >= 0)
        meeting_tune (meeting, fd);
    return fd;
}

/* Goes to NAME. A descriptor or -errno, as ioh_cancel_wait has them. */
static int
meeting_connect_to (const Meeting *meeting, const IohSocketName *name)
{
    ioh_autofd fd = ioh_sys_socket (name->storage.ss_family, SOCK_STREAM);
    int refused = 0;

    if (fd < 0)
        return fd;
    meeting_tune (meeting, fd);
    int result = ioh_sys_connect (fd, (const struct sockaddr *) &name->storage, name->length);
    if (result == -EINPROGRESS) {
        result = ioh_cancel_wait (&meeting->patience, fd, POLLOUT);
        if (result >= 0)
            result = ioh_sys_get_option (fd, SOL_SOCKET, SO_ERROR, &refused, sizeof refused);
    }
    if (result < 0 || refused != 0)
        return result < 0 ? result : -refused;
    int connected = fd;
    fd = -1;
    return connected;
}

static int
meeting_connect (const Meeting *meeting, const GArray *names)
{
    int fd = -EADDRNOTAVAIL;

    for (unsigned i = 0; i < names->len && fd < 0 && fd != -ECANCELED; i++)
        fd = meeting_connect_to (meeting, &g_array_index (names, IohSocketName, i));
    return fd;
}

gboolean
ioh_peer_open (IohPeer *peer, const IohOptions *options, IohCancel *cancel, GError **error)
{
    const IohAddress *address = options->listen != NULL ? options->listen : options->connect;
    gint64 stall_us = options->stall_us;
    gint64 seconds = stall_us / G_USEC_PER_SEC;
    const Meeting meeting = {
        .options = options,
        .address = address,
        .patience = ioh_cancel_patience (cancel, stall_us),
        .peer = peer,
    };
    const IohPlace place = {IOH_SIDE_STREAM, address->text, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    g_autoptr (GError) failure = NULL;

    *peer = (IohPeer){.fd = -1};
    g_autoptr (GArray) names =
        ioh_resolve (address, options->listen != NULL, &meeting.patience, error);
    if (names == NULL)
        return FALSE;
    int fd = options->listen != NULL ? meeting_await (&meeting, names, &failure)
                                     : meeting_connect (&meeting, names);
    if (fd >= 0) {
        peer->fd = fd;
        peer_look (peer, address->kind);
        return TRUE;
    }
    if (failure != NULL)
        g_propagate_error (error, g_steal_pointer (&failure));
    else if (fd == -ETIME)
        ioh_error_set (error, IOH_EXIT_STREAM, &place,
                       ngettext ("timed out: no peer for %" PRId64 " second",
                                 "timed out: no peer for %" PRId64 " seconds", seconds),
                       seconds);
    else if (fd != -ECANCELED)
        ioh_error_errno (error, &place, -fd);
    return FALSE;
}

/* Bytes that were sent and not yet acknowledged; 0 where the kernel does not count them: what a
 * local socket took is with the peer already. */
static int
peer_unacknowledged (int fd)
{
    int domain = 0;
    int bytes = 0;

    if (ioh_sys_get_option (fd, SOL_SOCKET, SO_DOMAIN, &domain, sizeof domain) < 0 ||
        (domain != AF_INET && domain != AF_INET6) || ioh_sys_get_unsent (fd, &bytes) < 0)
        return 0;
    return bytes;
}

/* What broke the connection, as an errno value, or 0. */
static int
peer_broken (int fd)
{
    int broken = 0;

    ioh_sys_get_option (fd, SOL_SOCKET, SO_ERROR, &broken, sizeof broken);
    return broken;
}

/* Waits until everything is acknowledged. 0 or -errno, as ioh_cancel_wait has them. The kernel has
 * no event for this, and the events it has may have come long ago. */
static int
peer_drain (int fd, gint64 stall_us, IohCancel *cancel)
{
    gint64 moved_us = g_get_monotonic_time ();
    int before = -1;
    int left;

    while ((left = peer_unacknowledged (fd)) > 0) {
        gint64 now_us = g_get_monotonic_time ();
        const IohPatience patience = {cancel, now_us + PEER_DRAIN_US};
        int broken = peer_broken (fd);
        if (broken != 0)
            return -broken;
        if (left != before)
            moved_us = now_us;
        before = left;
        if (stall_us > 0 && now_us - moved_us >= stall_us)
            return -ETIME;
        int result = ioh_cancel_wait (&patience, -1, 0);
        if (result < 0 && result != -ETIME)
            return result;
    }
    return -peer_broken (fd);
}

gboolean
ioh_peer_finish (const IohPeer *peer, const char *name, uint64_t delivered, gint64 stall_us,
                 IohCancel *cancel, GError **error)
{
    const IohPlace place = {IOH_SIDE_STREAM, name, IOH_STAGE_CLOSE, delivered};
    gint64 seconds = stall_us / G_USEC_PER_SEC;
    int result = ioh_sys_end_sending (peer->fd);

    if (result >= 0)
        result = peer_drain (peer->fd, stall_us, cancel);
    if (result == -ECANCELED)
        return FALSE;
    if (result == -ETIME)
        return ioh_error_set (
            error, IOH_EXIT_STREAM, &place,
            ngettext ("timed out: nothing was acknowledged for %" PRId64 " second",
                      "timed out: nothing was acknowledged for %" PRId64 " seconds", seconds),
            seconds);
    if (result < 0)
        return ioh_error_errno (error, &place, -result);
    /* closing over unread bytes would tell the peer of a reset instead of the end */
    for (unsigned i = 0; i < PEER_MOST_DISCARDS && ioh_sys_discard (peer->fd) > 0; i++)
        ;
    return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer - meets the other end of a stream at an address.
 *
 * Owns the listening socket and its path for as long as nobody has come. Sockets are made
 * non-blocking, which disturbs nobody: their descriptions are ours alone. Must never wait without
 * watching for signals.
 */
#include "peer.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "label.h"
#include "sys.h"

/* How often a TCP connection is asked whether everything has arrived. */
#define PEER_DRAIN_US 5000

typedef struct {
    struct sockaddr_storage storage;
    socklen_t length;
} PeerName;

static gboolean
peer_failed (const char *name, IohStage stage, uint64_t offset, int error_number, GError **error)
{
    const IohPlace place = {IOH_SIDE_STREAM, name, stage, offset};

    return ioh_error_errno (error, &place, error_number);
}

static PeerName
peer_unix_name (const IohAddress *address)
{
    PeerName name = {0};
    struct sockaddr_un *sun = (struct sockaddr_un *) &name.storage;
    size_t length = strlen (address->name);

    sun->sun_family = AF_UNIX;
    memcpy (sun->sun_path + (address->hidden ? 1 : 0), address->name, length);
    name.length = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + length + 1);
    return name;
}

static PeerName
peer_vsock_name (const IohAddress *address)
{
    PeerName name = {.length = sizeof (struct sockaddr_vm)};
    struct sockaddr_vm *svm = (struct sockaddr_vm *) &name.storage;

    svm->svm_family = AF_VSOCK;
    svm->svm_cid = address->cid;
    svm->svm_port = address->number;
    return name;
}

/* The name of an address that needs no looking up. */
static PeerName
peer_fixed_name (const IohAddress *address)
{
    return address->kind == IOH_ADDRESS_UNIX ? peer_unix_name (address) : peer_vsock_name (address);
}

/* Looks up a TCP host. Returns what getaddrinfo does; the list is freed by the caller. */
static gboolean
peer_look_up (const IohAddress *address, gboolean listens, struct addrinfo **out_list,
              GError **error)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = listens ? AI_PASSIVE : 0,
    };
    const char *host = address->name[0] != '\0' ? address->name : NULL;
    int result = getaddrinfo (host, address->port, &hints, out_list);
    const IohPlace place = {IOH_SIDE_STREAM, address->text, IOH_STAGE_OPEN, IOH_NO_OFFSET};

    if (result == 0)
        return TRUE;
    return ioh_error_set (error, IOH_EXIT_STREAM, &place, "%s", gai_strerror (result));
}

/* How long to wait for a peer. */
typedef struct {
    IohCancel *cancel;
    gint64 until_us; /* 0: for ever */
} PeerPatience;

/* Waits for EVENTS on FD. 0, -ETIMEDOUT, or -ECANCELED when a signal came first. */
static int
peer_wait (int fd, short events, const PeerPatience *patience)
{
    gint64 left_us =
        patience->until_us > 0 ? MAX (patience->until_us - g_get_monotonic_time (), 0) : -1;
    struct pollfd fds[2] = {{.fd = fd, .events = events},
                            {.fd = ioh_cancel_fd (patience->cancel), .events = POLLIN}};

    int ready = ioh_sys_poll (fds, G_N_ELEMENTS (fds), left_us);
    if (ioh_cancel_signal (patience->cancel) != 0)
        return -ECANCELED;
    return ready == 0 ? -ETIMEDOUT : 0;
}

/* Buffers have to be known before a connection is made for TCP to offer a window that large. */
static void
peer_tune (IohPeer *peer, int fd, IohAddressKind kind)
{
    int one = 1;
    int wanted = (int) MIN (peer->buffer_asked, (uint64_t) G_MAXINT / 2);
    uint64_t vsock_bytes = peer->buffer_asked;
    int result = 0;

    if (kind == IOH_ADDRESS_VSOCK) {
        setsockopt (fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_MAX_SIZE, &vsock_bytes, sizeof vsock_bytes);
        result =
            setsockopt (fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &vsock_bytes, sizeof vsock_bytes);
    } else {
        /* without the privilege the size is cut to net.core.wmem_max, and no error told */
        if (setsockopt (fd, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) < 0)
            result = setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    }
    peer->buffer_errno = result < 0 ? errno : 0;
    if (kind == IOH_ADDRESS_TCP)
        setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* Reads back what came of it: the kernel counts double for sockets it keeps its own books in. */
static void
peer_read_back (IohPeer *peer, IohAddressKind kind)
{
    uint64_t vsock_bytes = 0;
    socklen_t length = sizeof vsock_bytes;
    struct ucred credentials;

    if (kind == IOH_ADDRESS_VSOCK) {
        if (getsockopt (peer->fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &vsock_bytes, &length) == 0)
            peer->buffer_used = vsock_bytes;
        return;
    }
    peer->buffer_used = (uint64_t) MAX (ioh_sys_get_send_buffer (peer->fd), 0) / 2;
    length = sizeof credentials;
    if (kind == IOH_ADDRESS_UNIX &&
        getsockopt (peer->fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
        peer->has_process = TRUE;
        peer->pid = credentials.pid;
        peer->uid = credentials.uid;
    }
}

/* TRUE when the path of NAME is a socket that belongs to nobody any more. A datagram socket may ask
 * without disturbing: it is refused for its type where a stream socket lives. */
static gboolean
peer_is_dead (const IohAddress *address, const PeerName *name)
{
    struct stat st;

    if (lstat (address->name, &st) < 0 || !S_ISSOCK (st.st_mode))
        return FALSE;
    ioh_autofd fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd >= 0 && connect (fd, (const struct sockaddr *) &name->storage, name->length) < 0 &&
           errno == ECONNREFUSED;
}

/* Binds FD to NAME. *OUT_CREATED: a path has come into being. 0 or an errno value. */
static int
peer_bind (int fd, const IohAddress *address, const PeerName *name, gboolean *out_created)
{
    const struct sockaddr *sockaddr = (const struct sockaddr *) &name->storage;
    gboolean has_path = address->kind == IOH_ADDRESS_UNIX && !address->hidden;
    int one = 1;

    if (address->kind == IOH_ADDRESS_TCP)
        setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    /* the mode of a socket's inode before bind is the mode of its path after */
    if (has_path && fchmod (fd, 0600) < 0)
        return errno;
    int refused = bind (fd, sockaddr, name->length) < 0 ? errno : 0;
    if (refused == EADDRINUSE && has_path && peer_is_dead (address, name)) {
        unlink (address->name);
        refused = bind (fd, sockaddr, name->length) < 0 ? errno : 0;
    }
    *out_created = refused == 0 && has_path;
    return refused;
}

static int
peer_listen_at (IohPeer *peer, int family, const IohAddress *address, const PeerName *name,
                const char *context, gboolean *out_created)
{
    int fd = socket (family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    peer_tune (peer, fd, address->kind);
    int refused = -ioh_label_creations (context);
    if (refused == 0)
        refused = peer_bind (fd, address, name, out_created);
    ioh_label_creations (NULL);
    /* one place in the queue: whoever comes second is refused when the first is let in */
    if (refused == 0 && listen (fd, 1) < 0)
        refused = errno;
    if (refused != 0) {
        ioh_sys_close (fd);
        return -refused;
    }
    return fd;
}

/* A listening socket at the first address of a host that works, or -errno. */
static int
peer_listen (IohPeer *peer, const IohAddress *address, const char *context, gboolean *out_created,
             GError **error)
{
    struct addrinfo *list = NULL;
    PeerName name;
    int fd = -EADDRNOTAVAIL;

    if (address->kind != IOH_ADDRESS_TCP) {
        name = peer_fixed_name (address);
        return peer_listen_at (peer, name.storage.ss_family, address, &name, context, out_created);
    }
    if (!peer_look_up (address, TRUE, &list, error))
        return fd;
    for (const struct addrinfo *info = list; info != NULL && fd < 0; info = info->ai_next) {
        memcpy (&name.storage, info->ai_addr, info->ai_addrlen);
        name.length = info->ai_addrlen;
        fd = peer_listen_at (peer, info->ai_family, address, &name, NULL, out_created);
    }
    freeaddrinfo (list);
    return fd;
}

/* Lets one peer in. Its descriptor, -errno, or -ECANCELED when a signal came first. */
static int
peer_accept (int listen_fd, const PeerPatience *patience)
{
    for (;;) {
        int result = peer_wait (listen_fd, POLLIN, patience);
        if (result < 0)
            return result;
        int fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            return fd;
        /* a peer that left again before it was let in */
        if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
            return -errno;
    }
}

static int
peer_await (IohPeer *peer, const IohAddress *address, const char *context,
            const PeerPatience *patience, GError **error)
{
    gboolean created = FALSE;
    ioh_autofd listen_fd = peer_listen (peer, address, context, &created, error);

    if (listen_fd < 0)
        return listen_fd;
    int fd = peer_accept (listen_fd, patience);
    if (created)
        unlink (address->name);
    if (fd >= 0)
        peer_tune (peer, fd, address->kind);
    return fd;
}

static int
peer_connect_to (IohPeer *peer, int family, IohAddressKind kind, const PeerName *name,
                 const PeerPatience *patience)
{
    ioh_autofd fd = socket (family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int refused = 0;
    socklen_t length = sizeof refused;

    if (fd < 0)
        return -errno;
    peer_tune (peer, fd, kind);
    if (connect (fd, (const struct sockaddr *) &name->storage, name->length) < 0) {
        if (errno != EINPROGRESS)
            return -errno;
        int result = peer_wait (fd, POLLOUT, patience);
        if (result < 0)
            return result;
        if (getsockopt (fd, SOL_SOCKET, SO_ERROR, &refused, &length) < 0 || refused != 0)
            return refused != 0 ? -refused : -errno;
    }
    int connected = fd;
    fd = -1;
    return connected;
}

/* Goes to the peer. Its descriptor, -errno, or -ECANCELED when a signal came first. */
static int
peer_connect (IohPeer *peer, const IohAddress *address, const PeerPatience *patience,
              GError **error)
{
    struct addrinfo *list = NULL;
    PeerName name;
    int fd = -EADDRNOTAVAIL;

    if (address->kind != IOH_ADDRESS_TCP) {
        name = peer_fixed_name (address);
        return peer_connect_to (peer, name.storage.ss_family, address->kind, &name, patience);
    }
    if (!peer_look_up (address, FALSE, &list, error))
        return fd;
    for (const struct addrinfo *info = list; info != NULL && fd < 0 && fd != -ECANCELED;
         info = info->ai_next) {
        memcpy (&name.storage, info->ai_addr, info->ai_addrlen);
        name.length = info->ai_addrlen;
        fd = peer_connect_to (peer, info->ai_family, address->kind, &name, patience);
    }
    freeaddrinfo (list);
    return fd;
}

gboolean
ioh_peer_open (IohPeer *peer, const IohAddress *address, gboolean listens, uint64_t buffer_bytes,
               const char *context, gint64 timeout_us, IohCancel *cancel, GError **error)
{
    const PeerPatience patience = {cancel,
                                   timeout_us > 0 ? g_get_monotonic_time () + timeout_us : 0};
    g_autoptr (GError) failure = NULL;

    *peer = (IohPeer){.fd = -1, .buffer_asked = buffer_bytes};
    int fd = listens ? peer_await (peer, address, context, &patience, &failure)
                     : peer_connect (peer, address, &patience, &failure);
    if (fd >= 0) {
        peer->fd = fd;
        peer_read_back (peer, address->kind);
        return TRUE;
    }
    if (failure != NULL)
        g_propagate_error (error, g_steal_pointer (&failure));
    else if (fd != -ECANCELED)
        peer_failed (address->text, IOH_STAGE_OPEN, IOH_NO_OFFSET, -fd, error);
    return FALSE;
}

/* Bytes that were sent and not yet acknowledged; 0 where the kernel does not count them: what a
 * local socket took is with the peer already. */
static int
peer_unacknowledged (int fd)
{
    int domain = 0;
    socklen_t length = sizeof domain;
    int bytes = 0;

    if (getsockopt (fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0 ||
        (domain != AF_INET && domain != AF_INET6) || ioctl (fd, SIOCOUTQ, &bytes) < 0)
        return 0;
    return bytes;
}

gboolean
ioh_peer_finish (const IohPeer *peer, const char *name, uint64_t delivered, IohCancel *cancel,
                 GError **error)
{
    int broken = 0;
    socklen_t length = sizeof broken;

    if (shutdown (peer->fd, SHUT_WR) < 0)
        return peer_failed (name, IOH_STAGE_CLOSE, delivered, errno, error);
    while (peer_unacknowledged (peer->fd) > 0) {
        struct pollfd fds[2] = {{.fd = peer->fd}, {ioh_cancel_fd (cancel), POLLIN, 0}};
        ioh_sys_poll (fds, G_N_ELEMENTS (fds), PEER_DRAIN_US);
        if (ioh_cancel_signal (cancel) != 0)
            return FALSE;
        if ((fds[0].revents & POLLERR) != 0)
            break;
    }
    if (getsockopt (peer->fd, SOL_SOCKET, SO_ERROR, &broken, &length) == 0 && broken != 0)
        return peer_failed (name, IOH_STAGE_CLOSE, delivered, broken, error);
    return TRUE;
}

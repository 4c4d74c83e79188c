/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-link - pipes and sockets for a benchmark, all within this machine.
 *
 * Owns their making. Sockets listen where nobody else can be: an abstract name, the loopback. It is
 * the benchmark that listens and iohelper that connects, so that nothing has to be waited for.
 */
#include "bench-link.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"

static const char *const link_names[] = {
    [IOH_BENCH_PIPE] = "pipe", [IOH_BENCH_SOCKETPAIR] = "socketpair", [IOH_BENCH_UNIX] = "unix",
    [IOH_BENCH_TCP] = "tcp",   [IOH_BENCH_VSOCK] = "vsock",
};

const char *
ioh_bench_link_name (IohBenchLinkKind kind)
{
    return link_names[kind];
}

typedef struct {
    struct sockaddr_storage storage;
    socklen_t length;
} LinkName;

/* A name of KIND that the kernel completes: any abstract name, any port. */
static LinkName
link_any_name (IohBenchLinkKind kind)
{
    LinkName name = {0};
    struct sockaddr_in *sin = (struct sockaddr_in *) &name.storage;
    struct sockaddr_vm *svm = (struct sockaddr_vm *) &name.storage;

    switch (kind) {
    case IOH_BENCH_TCP:
        sin->sin_family = AF_INET;
        sin->sin_addr.s_addr = htonl (INADDR_LOOPBACK);
        name.length = sizeof *sin;
        break;
    case IOH_BENCH_VSOCK:
        svm->svm_family = AF_VSOCK;
        svm->svm_cid = VMADDR_CID_LOCAL;
        svm->svm_port = VMADDR_PORT_ANY;
        name.length = sizeof *svm;
        break;
    default:
        name.storage.ss_family = AF_UNIX;
        name.length = sizeof (sa_family_t);
        break;
    }
    return name;
}

/* NAME as --connect takes it. */
static char *
link_spell (const LinkName *name)
{
    const struct sockaddr_in *sin = (const struct sockaddr_in *) &name->storage;
    const struct sockaddr_vm *svm = (const struct sockaddr_vm *) &name->storage;
    const struct sockaddr_un *sun = (const struct sockaddr_un *) &name->storage;

    if (name->storage.ss_family == AF_INET)
        return g_strdup_printf ("tcp:127.0.0.1:%u", ntohs (sin->sin_port));
    if (name->storage.ss_family == AF_VSOCK)
        return g_strdup_printf ("vsock:%u:%u", svm->svm_cid, svm->svm_port);
    /* what follows the first byte, which is zero, is not terminated */
    int length = (int) (name->length - sizeof (sa_family_t)) - 1;
    return g_strdup_printf ("unix:@%.*s", length, sun->sun_path + 1);
}

/* The kernel takes half of what it books for itself. */
static void
link_set_buffer (IohBenchLink *link, int fd, uint64_t bytes)
{
    int wanted = (int) MIN (bytes, G_MAXINT / 2);

    if (bytes == 0)
        return;
    setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    link->buffer_bytes = (uint64_t) MAX (ioh_sys_get_send_buffer (fd), 0) / 2;
}

static void
link_send_at_once (int fd, IohBenchLinkKind kind)
{
    int one = 1;

    if (kind == IOH_BENCH_TCP)
        setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static gboolean
link_failed (IohBenchLinkKind kind, GError **error)
{
    const IohPlace place = {IOH_SIDE_STREAM, link_names[kind], IOH_STAGE_OPEN, IOH_NO_OFFSET};

    return ioh_error_errno (error, &place, errno);
}

/* FALSE with errno set. */
static gboolean
link_listen (IohBenchLink *link, IohBenchLinkKind kind, LinkName *out_name)
{
    LinkName name = link_any_name (kind);
    struct sockaddr *address = (struct sockaddr *) &name.storage;

    link->listen_fd = socket (name.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->listen_fd < 0 || bind (link->listen_fd, address, name.length) < 0 ||
        listen (link->listen_fd, 1) < 0)
        return FALSE;
    name.length = sizeof name.storage;
    if (getsockname (link->listen_fd, address, &name.length) < 0)
        return FALSE;
    *out_name = name;
    return TRUE;
}

/* FALSE with errno set. */
static gboolean
link_connect (IohBenchLink *link, const LinkName *name)
{
    link->helper_fd = socket (name->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return link->helper_fd >= 0 &&
           connect (link->helper_fd, (const struct sockaddr *) &name->storage, name->length) == 0;
}

static gboolean
link_open_sockets (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error)
{
    LinkName name;

    if (!link_listen (link, wish->kind, &name))
        return link_failed (wish->kind, error);
    if (!wish->handed) {
        link->address = link_spell (&name);
        return TRUE;
    }
    if (!link_connect (link, &name))
        return link_failed (wish->kind, error);
    if (wish->helper_sends)
        link_set_buffer (link, link->helper_fd, wish->buffer_bytes);
    link_send_at_once (link->helper_fd, wish->kind);
    return ioh_bench_link_accept (link, wish, error);
}

static gboolean
link_open_pair (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error)
{
    int fds[2];
    gboolean pipes = wish->kind == IOH_BENCH_PIPE;

    if ((pipes ? pipe2 (fds, O_CLOEXEC)
               : socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) < 0)
        return link_failed (wish->kind, error);
    link->helper_fd = fds[wish->helper_sends ? 1 : 0];
    link->peer_fd = fds[wish->helper_sends ? 0 : 1];
    if (!pipes)
        link_set_buffer (link, fds[1], wish->buffer_bytes);
    return TRUE;
}

gboolean
ioh_bench_link_open (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error)
{
    *link = IOH_BENCH_LINK_NONE;
    if (wish->kind == IOH_BENCH_PIPE || wish->kind == IOH_BENCH_SOCKETPAIR
            ? link_open_pair (link, wish, error)
            : link_open_sockets (link, wish, error))
        return TRUE;
    ioh_bench_link_close (link);
    return FALSE;
}

gboolean
ioh_bench_link_accept (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error)
{
    link->peer_fd = accept4 (link->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (link->peer_fd < 0)
        return link_failed (wish->kind, error);
    ioh_sys_clear_fd (&link->listen_fd);
    if (!wish->helper_sends)
        link_set_buffer (link, link->peer_fd, wish->buffer_bytes);
    link_send_at_once (link->peer_fd, wish->kind);
    return TRUE;
}

void
ioh_bench_link_close (IohBenchLink *link)
{
    ioh_sys_clear_fd (&link->helper_fd);
    ioh_sys_clear_fd (&link->peer_fd);
    ioh_sys_clear_fd (&link->listen_fd);
    g_clear_pointer (&link->address, g_free);
}

char *
ioh_bench_link_missing (IohBenchLinkKind kind)
{
    const IohBenchLinkWish wish = {.kind = kind, .handed = TRUE};
    g_autoptr (GError) error = NULL;
    IohBenchLink link;

    if (!ioh_bench_link_open (&link, &wish, &error))
        return g_strdup (error->message);
    ioh_bench_link_close (&link);
    return NULL;
}

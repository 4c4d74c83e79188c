/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resolve - finds the names of sockets that an address stands for.
 *
 * Owns the looking up of a TCP host, which a thread does: whether name servers answer is not ours
 * to decide, and neither a signal nor the patience of the caller may wait for them.
 */
#include "resolve.h"

#include <errno.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "errand.h"
#include "error.h"
#include "i18n.h"

/* Shared by the thread and whoever waits for it. */
typedef struct {
    char *host; /* NULL: any, or this machine */
    char *port;
    int flags;
    int result; /* of getaddrinfo */
    int error_number;
    struct addrinfo *list;
} Lookup;

static IohSocketName
resolve_unix (const IohAddress *address)
{
    IohSocketName name = {0};
    struct sockaddr_un *sun = (struct sockaddr_un *) &name.storage;
    size_t length = strlen (address->name);

    sun->sun_family = AF_UNIX;
    memcpy (sun->sun_path + (address->hidden ? 1 : 0), address->name, length);
    name.length = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + length + 1);
    return name;
}

static IohSocketName
resolve_vsock (const IohAddress *address)
{
    IohSocketName name = {.length = sizeof (struct sockaddr_vm)};
    struct sockaddr_vm *svm = (struct sockaddr_vm *) &name.storage;

    svm->svm_family = AF_VSOCK;
    svm->svm_cid = address->cid;
    svm->svm_port = address->number;
    return name;
}

static void
lookup_clear (gpointer data)
{
    Lookup *lookup = data;

    g_clear_pointer (&lookup->list, freeaddrinfo);
    g_free (lookup->host);
    g_free (lookup->port);
}

static void
lookup_ask (Lookup *lookup, int flags)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = lookup->flags | flags,
    };

    lookup->result = getaddrinfo (lookup->host, lookup->port, &hints, &lookup->list);
    lookup->error_number = errno;
}

static void
lookup_run (gpointer data)
{
    lookup_ask (data, 0);
}

/* Asks in a thread and waits for it. FALSE with the error set, or without it when a signal came. */
static gboolean
lookup_await (Lookup *lookup, const IohPatience *patience, const IohPlace *place, GError **error)
{
    int result = ioh_errand ("resolve", lookup_run, lookup, lookup_clear, patience);

    if (result == -ETIME)
        return ioh_error_set (error, IOH_EXIT_STREAM, place,
                              _ ("timed out: the host was not looked up"));
    if (result < 0 && result != -ECANCELED)
        ioh_error_errno (error, place, -result);
    return result >= 0;
}

/* A socket of IPv6 that listens for any host is there for IPv4, too: it goes first. */
static void
resolve_take_list (GArray *names, const struct addrinfo *list, gboolean any)
{
    for (const struct addrinfo *info = list; info != NULL; info = info->ai_next) {
        IohSocketName name = {.length = info->ai_addrlen};
        memcpy (&name.storage, info->ai_addr, info->ai_addrlen);
        if (any && info->ai_family == AF_INET6)
            g_array_prepend_val (names, name);
        else
            g_array_append_val (names, name);
    }
}

static gboolean
resolve_host (GArray *names, const IohAddress *address, gboolean listens,
              const IohPatience *patience, GError **error)
{
    const IohPlace place = {IOH_SIDE_STREAM, address->text, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    gboolean any = address->name[0] == '\0';
    Lookup *lookup = g_atomic_rc_box_new0 (Lookup);

    lookup->host = any ? NULL : g_strdup (address->name);
    lookup->port = g_strdup (address->port);
    lookup->flags = listens ? AI_PASSIVE : 0;
    /* what is no name needs no looking up */
    lookup_ask (lookup, AI_NUMERICHOST);
    gboolean asked = lookup->result != EAI_NONAME || lookup_await (lookup, patience, &place, error);
    if (asked && lookup->result == EAI_SYSTEM)
        ioh_error_errno (error, &place, lookup->error_number);
    else if (asked && lookup->result != 0)
        ioh_error_set (error, IOH_EXIT_STREAM, &place, "%s", gai_strerror (lookup->result));
    else if (asked)
        resolve_take_list (names, lookup->list, any && listens);
    g_atomic_rc_box_release_full (lookup, lookup_clear);
    return names->len > 0;
}

GArray *
ioh_resolve (const IohAddress *address, gboolean listens, const IohPatience *patience,
             GError **error)
{
    g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (IohSocketName));
    IohSocketName name;

    if (address->kind == IOH_ADDRESS_TCP)
        return resolve_host (names, address, listens, patience, error) ? g_steal_pointer (&names)
                                                                       : NULL;
    name = address->kind == IOH_ADDRESS_UNIX ? resolve_unix (address) : resolve_vsock (address);
    g_array_append_val (names, name);
    return g_steal_pointer (&names);
}

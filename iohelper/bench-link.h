/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_LINK_H
#define IOH_BENCH_LINK_H

#include <glib.h>
#include <stdint.h>

/* What carries the stream between the generator and iohelper. */
typedef enum {
    IOH_BENCH_PIPE,
    IOH_BENCH_SOCKETPAIR,
    IOH_BENCH_UNIX,
    IOH_BENCH_TCP,
    IOH_BENCH_VSOCK,
} IohBenchLinkKind;

/* What is wanted. */
typedef struct {
    IohBenchLinkKind kind;
    gboolean handed;       /* both ends as descriptors; else iohelper goes to an address */
    gboolean helper_sends; /* a restore */
    uint64_t buffer_bytes; /* of the socket that sends; 0: as the system makes it */
} IohBenchLinkWish;

/* The two ends, as far as they are there. */
typedef struct {
    int helper_fd;         /* -1 when iohelper comes to the address */
    int peer_fd;           /* the generator's; -1 until iohelper has come */
    int listen_fd;         /* where it comes to, else -1 */
    char *address;         /* spelled for --connect, else NULL */
    uint64_t buffer_bytes; /* what the socket that sends got; 0 when none was wanted */
} IohBenchLink;

#define IOH_BENCH_LINK_NONE ((IohBenchLink){.helper_fd = -1, .peer_fd = -1, .listen_fd = -1})

const char *ioh_bench_link_name (IohBenchLinkKind kind);

/* Makes what can be made beforehand. FALSE with the error set. */
gboolean ioh_bench_link_open (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error);

/* Lets iohelper in, which has come to the address. FALSE with the error set. */
gboolean ioh_bench_link_accept (IohBenchLink *link, const IohBenchLinkWish *wish, GError **error);

/* Closes whatever is still open. */
void ioh_bench_link_close (IohBenchLink *link);

/* Why streams over KIND cannot be had on this machine, or NULL. The caller frees it. */
char *ioh_bench_link_missing (IohBenchLinkKind kind);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RESOLVE_H
#define IOH_RESOLVE_H

#include <glib.h>
#include <sys/socket.h>

#include "address.h"
#include "cancel.h"

/* A name as bind and connect take it. */
typedef struct {
    struct sockaddr_storage storage;
    socklen_t length;
} IohSocketName;

/* The names that ADDRESS may stand for, an array of IohSocketName, the one to be tried first first.
 * A TCP host is looked up for as long as PATIENCE has. NULL with the error set, or without it when
 * a signal came. */
GArray *ioh_resolve (const IohAddress *address, gboolean listens, const IohPatience *patience,
                     GError **error);

#endif

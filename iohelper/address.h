/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ADDRESS_H
#define IOH_ADDRESS_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    IOH_ADDRESS_UNIX,  /* unix:PATH, unix:@NAME */
    IOH_ADDRESS_TCP,   /* tcp:HOST:PORT, an IPv6 host in brackets */
    IOH_ADDRESS_VSOCK, /* vsock:CID:PORT */
} IohAddressKind;

/* Where a stream is met, spelled as QEMU spells it. Const once parsed. */
typedef struct {
    IohAddressKind kind;
    char *text;      /* as given, for messages */
    char *name;      /* unix: path or abstract name; tcp: host, empty for any; else NULL */
    char *port;      /* tcp: number or service name; else NULL */
    gboolean hidden; /* unix: an abstract name, without a file */
    uint32_t cid;    /* vsock */
    uint32_t number; /* vsock: the port */
} IohAddress;

/* Reads TEXT, the value of OPTION. NULL with a usage error. */
IohAddress *ioh_address_parse (const char *option, const char *text, GError **error);

/* TRUE when a socket that listens there (NULL: there is none) makes a file. */
gboolean ioh_address_has_path (const IohAddress *address);

void ioh_address_free (IohAddress *address);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohAddress, ioh_address_free)

#endif

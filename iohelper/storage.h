/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_STORAGE_H
#define IOH_STORAGE_H

#include <glib.h>
#include <stdint.h>

#include "error.h"
#include "options.h"
#include "plan.h"
#include "report.h"

/* A regular file or block device with positions, through up to two open file descriptions: one with
 * O_DIRECT for aligned requests, one without for the odd head and tail. Used by source and sink. */
typedef struct {
    const char *name;    /* borrowed from the options */
    int fd;              /* as opened or inherited; owned */
    int direct_fd;       /* fd, one of our own, or -1 when direct I/O is not used (any more) */
    int plain_fd;        /* fd, one of our own, or -1 when it has not been needed */
    int access;          /* O_RDONLY or O_WRONLY */
    gboolean steps_down; /* a refused direct request goes on without O_DIRECT */
    gboolean dontcache;  /* written pages are to leave the cache, and the kernel does that */
    size_t align;        /* of direct requests */
    size_t memory_align;
    IohReport *report;
} IohStorage;

/* Takes over FD, open for ACCESS and with O_DIRECT when OPENED_DIRECT. Makes the descriptions that
 * PLAN needs. Clears *STORAGE first, so that ioh_storage_clear may follow whatever happens. */
gboolean ioh_storage_init (IohStorage *storage, const IohOptions *options, const IohPlan *plan,
                           int fd, int access, gboolean opened_direct, IohReport *report,
                           GError **error);

/* For an inherited description, whose other holders may change its flags at any time: O_APPEND
 * sends every write to the end of the file, wherever it was meant to go. Requests go through
 * descriptions of our own from here on, where those can be had. */
void ioh_storage_detach (IohStorage *storage);

/* One request at OFFSET, direct where it is aligned and wanted. *OUT_BYTES is 1 to LENGTH, 0 at the
 * end of the file (reads). Steps down from direct I/O, once and noted, when that is refused. */
gboolean ioh_storage_write (IohStorage *storage, const void *buffer, size_t length, uint64_t offset,
                            size_t *out_bytes, GError **error);
gboolean ioh_storage_read (IohStorage *storage, void *buffer, size_t length, uint64_t offset,
                           size_t *out_bytes, GError **error);

/* Gives up direct I/O because RESULT (-errno) was the answer to it at OFFSET. FALSE with the error
 * set when that is not allowed, or RESULT is another failure. */
gboolean ioh_storage_step_down (IohStorage *storage, IohStage stage, uint64_t offset, int result,
                                GError **error);

/* The description without O_DIRECT, made when first wanted; -errno when it cannot be had. */
int ioh_storage_plain_fd (IohStorage *storage);

/* Fails with RESULT (-errno) of STAGE at OFFSET. */
gboolean ioh_storage_failed (const IohStorage *storage, IohStage stage, uint64_t offset, int result,
                             GError **error);

/* Closes the descriptions of our own. 0, or -errno when one of them tells of an error only now. */
int ioh_storage_clear_extra (IohStorage *storage);

/* Closes fd as well. Errors of close do not matter here. */
void ioh_storage_clear (IohStorage *storage);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SOURCE_H
#define IOH_SOURCE_H

#include <glib.h>
#include <stdint.h>

#include "cancel.h"
#include "channel.h"
#include "engine.h"
#include "error.h"
#include "plan.h"
#include "report.h"
#include "resident.h"
#include "storage.h"

/* The image a stream is restored from. */
typedef struct {
    const IohPlan *plan; /* borrowed */
    const char *name;
    IohEndKind kind;
    gboolean seekable;
    gboolean inherited;
    IohStorage storage; /* when seekable */
    IohChannel channel; /* when not */
    uint64_t position;  /* of the next byte, in the file */
    uint64_t end;       /* the stream ends here; UINT64_MAX while unknown */
    IohResident resident;
    uint64_t drop_from; /* nothing between here and the position was cached before us */
    gint64 wait_us;     /* spent in reads */
    uint64_t window;    /* start of the stretch that is being spliced */
    gboolean cached[2]; /* whether the cache held any of it before us, and of the one before */
} IohSource;

/* Opens or takes over the image. NULL with the error set, or without it when a signal came that
 * CANCEL watches for. */
IohSource *ioh_source_open (const IohOptions *options, const IohPlan *plan, const IohFacts *facts,
                            IohCancel *cancel, IohReport *report, GError **error);

/* Reads the next bytes of the stream into BUFFER of LENGTH, a multiple of the block size: MOVED
 * with *OUT_BYTES, DONE at the end, WAIT (images without positions) or FAILED. */
IohStep ioh_source_read (IohSource *source, void *buffer, size_t length, size_t *out_bytes,
                         IohWait *out_wait, GError **error);

/* For engines that read the storage themselves: whether the cache held any page of a range before
 * we came, or what it holds does not matter. To be asked in order, before the range is read. */
gboolean ioh_source_was_cached (IohSource *source, uint64_t offset, size_t length);

/* The range was read: unless it was CACHED before, it leaves the cache. To be told in order. */
void ioh_source_leave (IohSource *source, uint64_t offset, uint64_t end, gboolean cached);

/* For engines that splice: the description to read at the position through the page cache, -1 when
 * there is none. *OUT_LIMIT is how much may be read at once, 0 at the end of the stream. */
int ioh_source_splice_fd (IohSource *source, size_t *out_limit);

/* Tells that BYTES were read there by such an engine. */
void ioh_source_spliced (IohSource *source, size_t bytes);

/* Leaves an inherited descriptor behind what was DELIVERED and closes it. */
void ioh_source_close (IohSource *source, uint64_t delivered);

void ioh_source_free (IohSource *source);

/* Where a failure of the image at byte OFFSET happened. */
IohPlace ioh_source_place (const IohSource *source, IohStage stage, uint64_t offset);

#endif

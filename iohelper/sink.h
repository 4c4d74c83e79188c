/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SINK_H
#define IOH_SINK_H

#include <glib.h>
#include <stdint.h>

#include "behind.h"
#include "cancel.h"
#include "channel.h"
#include "engine.h"
#include "error.h"
#include "plan.h"
#include "publish.h"
#include "report.h"
#include "storage.h"

/* The file a stream is saved to. Files and block devices have positions and are written by
 * ioh_sink_write_at; FIFOs, sockets and character devices by ioh_sink_write. */
typedef struct {
    const IohPlan *plan; /* borrowed, as are options and facts */
    const char *name;
    IohEndKind kind;
    gboolean seekable;
    gboolean inherited;          /* the caller's descriptor: its position is left at the end */
    gboolean appends;            /* its writes go to the end of the file, whoever moved that */
    IohStorage storage;          /* when seekable */
    IohChannel channel;          /* when not */
    IohPublication *publication; /* NULL when written in place */
    int early_fd;                /* closed before the file gets its name; -1 without one */
    IohBehind behind;
    uint64_t reserved;        /* the file was made at least so long ahead of the writes */
    gboolean reserve_refused; /* or would have been */
    gboolean published;
    gint64 wait_us;     /* spent in writes */
    gint64 flush_us;    /* spent in the final flush */
    uint64_t length;    /* of the file, known once finished */
    uint64_t allocated; /* storage it holds, known once finished */
} IohSink;

/* Opens or takes over the target. NULL with the error set, or without it when a signal came that
 * CANCEL watches for; nothing is left behind then. */
IohSink *ioh_sink_open (const IohOptions *options, const IohPlan *plan, const IohFacts *facts,
                        IohCancel *cancel, IohReport *report, GError **error);

/* Writes all of LENGTH at OFFSET of the file. */
gboolean ioh_sink_write_at (IohSink *sink, const void *buffer, size_t length, uint64_t offset,
                            GError **error);

/* Says that a growing file is going to be written up to END, so that it may be enlarged ahead of
 * that, in steps. Never fails; ioh_sink_flush and ioh_sink_abandon cut off what was too much. */
void ioh_sink_reserve (IohSink *sink, uint64_t end);

/* Tells that data up to END was written to the file by other means than ioh_sink_write_at, through
 * the page cache. */
gboolean ioh_sink_wrote (IohSink *sink, uint64_t end, GError **error);

/* Hands over LENGTH, OFFSET bytes into the stream, whichever kind the target is: all of it at its
 * place in a file, some of it elsewhere. MOVED with *OUT_BYTES, WAIT or FAILED. */
IohStep ioh_sink_put (IohSink *sink, const void *buffer, size_t length, uint64_t offset,
                      size_t *out_bytes, IohWait *out_wait, GError **error);

/* The same out of the pipe PIPE_FD, by reference where that is possible. UNSUPPORTED when the
 * target refuses it: nothing has left the pipe then. */
IohStep ioh_sink_splice (IohSink *sink, int pipe_fd, size_t length, uint64_t offset,
                         size_t *out_bytes, IohWait *out_wait, GError **error);

/* Writes some of LENGTH, OFFSET bytes into the stream: MOVED, WAIT or FAILED. */
IohStep ioh_sink_write (IohSink *sink, const void *buffer, size_t length, uint64_t offset,
                        size_t *out_bytes, IohWait *out_wait, GError **error);

/* Makes the file end at END, durable as planned: what may take long. It has no name yet. */
gboolean ioh_sink_flush (IohSink *sink, uint64_t end, GError **error);

/* Gives the flushed file its name and closes it; a failure leaves no file that looks complete and
 * is not. */
gboolean ioh_sink_finish (IohSink *sink, GError **error);

/* Gives up: removes what was created, or keeps it as TARGET.part. The stream was written up to END
 * of the file without a gap. */
void ioh_sink_abandon (IohSink *sink, gboolean keep_partial, uint64_t end);

/* Removes the name that an unfinished target has for now, if it has one; of SINK may be NULL. Safe
 * in a signal handler, for the end of the process. */
void ioh_sink_drop (const IohSink *sink);

void ioh_sink_free (IohSink *sink);

/* Where a failure of the file at byte OFFSET happened. */
IohPlace ioh_sink_place (const IohSink *sink, IohStage stage, uint64_t offset);

#endif

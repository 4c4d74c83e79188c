/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sink - the file that a stream is saved to, from its opening to its name.
 *
 * Owns the target's descriptor and publication. The success path cuts, flushes, closes and
 * publishes by hand and checks each step, because each can be the one that reports lost data.
 */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "error.h"
#include "fifo.h"
#include "i18n.h"
#include "size.h"
#include "sys.h"

/* How far ahead a growing file is reserved. Writes beyond its end are serialised by the file
 * system; measured with QEMU on ext4, smaller steps wait more often for the writes under way. */
#define SINK_RESERVE_STEP (256 * IOH_MIB)

IohPlace
ioh_sink_place (const IohSink *sink, IohStage stage, uint64_t offset)
{
    return (IohPlace){IOH_SIDE_FILE, sink->name, stage, offset};
}

static gboolean
sink_failed (const IohSink *sink, IohStage stage, uint64_t offset, int result, GError **error)
{
    const IohPlace place = ioh_sink_place (sink, stage, offset);

    return ioh_error_errno (error, &place, -result);
}

/* O_DIRECT was refused: the target is opened without it, and storage decides what follows. */
static gboolean
sink_may_open_plain (const GError *error)
{
    const IohErrorPrivate *details = ioh_error_details (error);

    return details != NULL && details->error_number == EINVAL;
}

/* One attempt to open a path target with EXTRA_FLAGS. The descriptor or -1 with the error set. */
static int
sink_open_path (IohSink *sink, const IohOptions *options, const IohFacts *facts, int extra_flags,
                IohReport *report, GError **error)
{
    int fd = -1;

    if (sink->plan->publish != IOH_PUBLISH_IN_PLACE) {
        sink->publication =
            ioh_publication_new (options, sink->plan, facts, extra_flags, report, &fd, error);
        return fd;
    }
    fd = ioh_sys_open (AT_FDCWD, facts->file.path, O_WRONLY | O_NOCTTY | extra_flags, 0);
    if (fd < 0) {
        sink_failed (sink, IOH_STAGE_OPEN, IOH_NO_OFFSET, fd, error);
        return -1;
    }
    return fd;
}

/* Opens the target as planned, or one step below. *OUT_DIRECT: it carries O_DIRECT. */
static int
sink_open_target (IohSink *sink, const IohOptions *options, const IohFacts *facts,
                  IohReport *report, gboolean *out_direct, GError **error)
{
    g_autoptr (GError) failure = NULL;
    int fd;

    *out_direct = FALSE;
    if (sink->inherited) {
        *out_direct = facts->file.direct_flag;
        return options->file_fd;
    }
    if (sink->plan->cache != IOH_CACHE_DIRECT)
        return sink_open_path (sink, options, facts, 0, report, error);
    fd = sink_open_path (sink, options, facts, O_DIRECT, report, &failure);
    *out_direct = fd >= 0;
    if (fd >= 0)
        return fd;
    if (!sink_may_open_plain (failure)) {
        g_propagate_error (error, g_steal_pointer (&failure));
        return -1;
    }
    return sink_open_path (sink, options, facts, 0, report, error);
}

/* What is in the file behind the stream's beginning goes first. */
static gboolean
sink_truncate_overwritten (IohSink *sink, GError **error)
{
    if (sink->kind != IOH_END_REGULAR || sink->publication != NULL || sink->inherited)
        return TRUE;
    int result = ioh_sys_truncate (sink->storage.fd, sink->plan->offset);
    return result >= 0 || sink_failed (sink, IOH_STAGE_TRUNCATE, IOH_NO_OFFSET, result, error);
}

/* A second descriptor to be closed before the file gets its name. Had at once: when there are no
 * more descriptors, nothing has been taken from the stream yet. */
static gboolean
sink_prepare_close (IohSink *sink, GError **error)
{
    if (sink->publication == NULL)
        return TRUE;
    sink->early_fd = ioh_sys_dup (sink->storage.fd);
    return sink->early_fd >= 0 ||
           sink_failed (sink, IOH_STAGE_OPEN, IOH_NO_OFFSET, sink->early_fd, error);
}

IohSink *
ioh_sink_open (const IohOptions *options, const IohPlan *plan, const IohFacts *facts,
               IohCancel *cancel, IohReport *report, GError **error)
{
    IohSink *sink = g_new0 (IohSink, 1);
    gboolean direct = FALSE;

    sink->plan = plan;
    sink->name = options->file_name;
    sink->kind = facts->file.kind;
    sink->seekable = facts->file.seekable;
    sink->inherited = options->file_fd >= 0;
    sink->appends = facts->file.appends;
    sink->storage.fd = sink->storage.direct_fd = sink->storage.plain_fd = -1;
    sink->early_fd = -1;
    sink->reserved = plan->offset;
    ioh_behind_init (&sink->behind, plan->cache, plan->offset);
    int fd = sink->kind == IOH_END_PIPE && !sink->inherited
                 ? ioh_fifo_open (options, facts->file.path, O_WRONLY | O_NOCTTY, cancel, error)
                 : sink_open_target (sink, options, facts, report, &direct, error);
    if (fd < 0) {
        ioh_sink_free (sink);
        return NULL;
    }
    if (options->label != NULL && sink->publication == NULL &&
        !ioh_address_has_path (options->listen))
        ioh_report_note (report, _ ("the label %s was not set: only created files get one"),
                         options->label);
    ioh_channel_init (&sink->channel, fd, sink->kind);
    sink->storage.fd = fd;
    if (!sink_prepare_close (sink, error) ||
        (sink->seekable &&
         (!ioh_storage_init (&sink->storage, options, plan, fd, O_WRONLY, direct, report, error) ||
          !sink_truncate_overwritten (sink, error)))) {
        ioh_sink_abandon (sink, FALSE, plan->offset);
        ioh_sink_free (sink);
        return NULL;
    }
    if (sink->seekable && sink->inherited && !sink->appends)
        ioh_storage_detach (&sink->storage);
    return sink;
}

void
ioh_sink_reserve (IohSink *sink, uint64_t end)
{
    const IohPlan *plan = sink->plan;
    uint64_t goal = sink->reserved + SINK_RESERVE_STEP;

    if (sink->kind == IOH_END_BLOCK || end <= sink->reserved)
        return;
    if (plan->expect_bytes != IOH_UNSET)
        goal = MIN (goal, plan->offset + plan->expect_bytes);
    goal = MAX (goal, end);
    /* any refusal will do: the writes themselves tell whether there is room */
    if (!sink->reserve_refused)
        sink->reserve_refused =
            ioh_sys_allocate (sink->storage.fd, sink->reserved, goal - sink->reserved) < 0;
    sink->reserved = goal;
}

gboolean
ioh_sink_wrote (IohSink *sink, uint64_t end, GError **error)
{
    int result = ioh_behind_wrote (&sink->behind, sink->storage.fd, end);

    return result >= 0 || sink_failed (sink, IOH_STAGE_FLUSH, end, result, error);
}

gboolean
ioh_sink_write_at (IohSink *sink, const void *buffer, size_t length, uint64_t offset,
                   GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    gboolean written = TRUE;

    while (written && length > 0) {
        size_t bytes = 0;
        written = ioh_storage_write (&sink->storage, buffer, length, offset, &bytes, error);
        buffer = (const char *) buffer + bytes;
        length -= bytes;
        offset += bytes;
    }
    if (written && sink->storage.direct_fd < 0)
        written = ioh_sink_wrote (sink, offset, error);
    sink->wait_us += g_get_monotonic_time () - begun_us;
    return written;
}

IohStep
ioh_sink_write (IohSink *sink, const void *buffer, size_t length, uint64_t offset,
                size_t *out_bytes, IohWait *out_wait, GError **error)
{
    ssize_t written = ioh_channel_write (&sink->channel, buffer, length);

    if (written == -EAGAIN)
        return ioh_wait_for (out_wait, sink->channel.fd, POLLOUT, IOH_SIDE_FILE);
    if (written < 0) {
        sink_failed (sink, IOH_STAGE_WRITE, offset, (int) written, error);
        return IOH_STEP_FAILED;
    }
    *out_bytes = (size_t) written;
    return IOH_STEP_MOVED;
}

IohStep
ioh_sink_put (IohSink *sink, const void *buffer, size_t length, uint64_t offset, size_t *out_bytes,
              IohWait *out_wait, GError **error)
{
    if (!sink->seekable)
        return ioh_sink_write (sink, buffer, length, offset, out_bytes, out_wait, error);
    if (!ioh_sink_write_at (sink, buffer, length, sink->plan->offset + offset, error))
        return IOH_STEP_FAILED;
    *out_bytes = length;
    return IOH_STEP_MOVED;
}

/* Splices to where the target is written next. The bytes, or -errno. */
static ssize_t
sink_splice_call (IohSink *sink, int pipe_fd, size_t length, uint64_t offset)
{
    uint64_t position = sink->plan->offset + offset;
    int fd = sink->seekable ? ioh_storage_plain_fd (&sink->storage) : sink->channel.fd;

    if (fd < 0)
        return -EINVAL;
    /* sockets heed only their own O_NONBLOCK */
    if (sink->kind == IOH_END_SOCKET && !ioh_channel_ready (&sink->channel, POLLOUT))
        return -EAGAIN;
    if (sink->kind == IOH_END_SOCKET)
        length = MIN (length, 64 * IOH_KIB);
    return ioh_sys_splice (pipe_fd, NULL, fd, sink->seekable ? &position : NULL, length,
                           SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

IohStep
ioh_sink_splice (IohSink *sink, int pipe_fd, size_t length, uint64_t offset, size_t *out_bytes,
                 IohWait *out_wait, GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    ssize_t bytes = sink_splice_call (sink, pipe_fd, length, offset);

    sink->wait_us += g_get_monotonic_time () - begun_us;
    if (bytes == -EAGAIN)
        return ioh_wait_for (out_wait, sink->channel.fd, POLLOUT, IOH_SIDE_FILE);
    if (bytes == -EINVAL || bytes == -ENOSYS)
        return IOH_STEP_UNSUPPORTED;
    if (bytes <= 0) {
        sink_failed (sink, IOH_STAGE_WRITE, offset, bytes < 0 ? (int) bytes : -ENOSPC, error);
        return IOH_STEP_FAILED;
    }
    *out_bytes = (size_t) bytes;
    if (sink->seekable &&
        !ioh_sink_wrote (sink, sink->plan->offset + offset + (uint64_t) bytes, error))
        return IOH_STEP_FAILED;
    return IOH_STEP_MOVED;
}

/* Cuts a regular file to the stream's end: preallocation and old content may lie behind it. What
 * lies behind what was appended, somebody else has appended meanwhile. */
static gboolean
sink_cut (IohSink *sink, uint64_t end, GError **error)
{
    if (sink->kind == IOH_END_BLOCK || sink->appends)
        return TRUE;
    int result = ioh_sys_truncate (sink->storage.fd, end);
    return result >= 0 || sink_failed (sink, IOH_STAGE_TRUNCATE, end, result, error);
}

static gboolean
sink_flush (IohSink *sink, uint64_t end, GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    int result = 0;

    if (sink->plan->sync == IOH_SYNC_FULL)
        result = ioh_sys_sync (sink->storage.fd);
    else if (sink->plan->sync == IOH_SYNC_DATA)
        result = ioh_sys_sync_data (sink->storage.fd);
    /* the odd head and tail of a direct save leave pages as well */
    if (result >= 0 && sink->plan->cache != IOH_CACHE_KEEP)
        ioh_behind_drop (sink->storage.fd, sink->plan->offset, end);
    sink->flush_us += g_get_monotonic_time () - begun_us;
    return result >= 0 || sink_failed (sink, IOH_STAGE_FLUSH, end, result, error);
}

/* Lets the file system say what it only says when a file is closed (NFS over quota), while the
 * file has no name yet: closing one of two descriptors is enough for that. */
static gboolean
sink_close_early (IohSink *sink, GError **error)
{
    int result = ioh_storage_clear_extra (&sink->storage);

    if (result >= 0 && sink->early_fd >= 0) {
        result = ioh_sys_close (sink->early_fd);
        sink->early_fd = -1;
    }
    return result >= 0 || sink_failed (sink, IOH_STAGE_CLOSE, IOH_NO_OFFSET, result, error);
}

static void
sink_measure (IohSink *sink)
{
    struct stat st;

    if (ioh_sys_fstat (sink->storage.fd, &st) < 0)
        return;
    sink->length = (uint64_t) st.st_size;
    sink->allocated = (uint64_t) st.st_blocks * 512;
}

static gboolean
sink_close (IohSink *sink, GError **error)
{
    int fd = sink->storage.fd;

    sink->storage.fd = -1;
    int result = ioh_sys_close (fd);
    return result >= 0 || sink_failed (sink, IOH_STAGE_CLOSE, IOH_NO_OFFSET, result, error);
}

gboolean
ioh_sink_flush (IohSink *sink, uint64_t end, GError **error)
{
    if (!sink->seekable)
        return TRUE;
    if (!sink_cut (sink, end, error) || !sink_flush (sink, end, error))
        return FALSE;
    if (sink->inherited)
        ioh_sys_seek (sink->storage.fd, (gint64) end, SEEK_SET);
    sink_measure (sink);
    return sink_close_early (sink, error);
}

gboolean
ioh_sink_finish (IohSink *sink, GError **error)
{
    if (sink->publication == NULL)
        return sink_close (sink, error);
    if (!ioh_publication_commit (sink->publication, sink->storage.fd, error))
        return FALSE;
    /* what fails from here on cannot take the name back */
    sink->published = TRUE;
    if (sink->plan->sync == IOH_SYNC_FULL && !ioh_publication_flush (sink->publication, error))
        return FALSE;
    return sink_close (sink, error);
}

/* Cuts off what was reserved and not written, or written behind a gap. */
static void
sink_cut_reserved (IohSink *sink, uint64_t end)
{
    struct stat st;

    if (sink->reserved > sink->plan->offset && sink->storage.fd >= 0 &&
        ioh_sys_fstat (sink->storage.fd, &st) >= 0 && (uint64_t) st.st_size > end &&
        (uint64_t) st.st_size <= sink->reserved)
        ioh_sys_truncate (sink->storage.fd, end);
}

void
ioh_sink_abandon (IohSink *sink, gboolean keep_partial, uint64_t end)
{
    sink_cut_reserved (sink, end);
    if (sink->publication != NULL && !sink->published)
        ioh_publication_discard (sink->publication, sink->storage.fd, keep_partial);
}

void
ioh_sink_drop (const IohSink *sink)
{
    if (sink != NULL && sink->publication != NULL)
        ioh_publication_drop (sink->publication);
}

void
ioh_sink_free (IohSink *sink)
{
    if (sink == NULL)
        return;
    ioh_storage_clear (&sink->storage);
    ioh_sys_clear_fd (&sink->early_fd);
    ioh_publication_free (sink->publication);
    g_free (sink);
}

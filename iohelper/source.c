/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * source - the image that a stream is restored from.
 *
 * Owns the image's descriptor and the position in it. Writes nothing and leaves nothing beside the
 * image, which may lie in a directory that cannot be written.
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "behind.h"
#include "error.h"
#include "fifo.h"
#include "i18n.h"
#include "size.h"
#include "sys.h"

/* In stretches of this length pages that were not cached before leave the cache behind us. More
 * than any pipe holds: pages that are still in one cannot be dropped. */
#define SOURCE_WINDOW (8 * IOH_MIB)

/* A large folio (2 MiB at most) only leaves the cache when all of it is to: those that stuck out of
 * the last range are asked to leave once more. */
#define SOURCE_DROP_AGAIN (4 * IOH_MIB)

IohPlace
ioh_source_place (const IohSource *source, IohStage stage, uint64_t offset)
{
    return (IohPlace){IOH_SIDE_FILE, source->name, stage, offset};
}

/* Opens the image as planned, or one step below. The descriptor, or -errno. */
static int
source_open_image (const IohSource *source, const IohOptions *options, const IohFacts *facts,
                   gboolean *out_direct)
{
    const IohPlan *plan = source->plan;
    int fd = -EINVAL;

    if (source->inherited) {
        *out_direct = facts->file.direct_flag;
        return options->file_fd;
    }
    *out_direct = FALSE;
    if (plan->cache == IOH_CACHE_DIRECT) {
        fd = ioh_sys_open (AT_FDCWD, facts->file.path, O_RDONLY | O_NOCTTY | O_DIRECT, 0);
        *out_direct = fd >= 0;
        /* O_DIRECT was refused: storage decides what follows */
        if (fd != -EINVAL)
            return fd;
    }
    return ioh_sys_open (AT_FDCWD, facts->file.path, O_RDONLY | O_NOCTTY, 0);
}

/* The descriptor, or -1 with the error set, or without it when a signal came. */
static int
source_open (const IohSource *source, const IohOptions *options, const IohFacts *facts,
             IohCancel *cancel, gboolean *out_direct, GError **error)
{
    const IohPlace place = ioh_source_place (source, IOH_STAGE_OPEN, IOH_NO_OFFSET);

    if (source->kind == IOH_END_PIPE && !source->inherited)
        return ioh_fifo_open (options, facts->file.path, O_RDONLY | O_NOCTTY, cancel, error);
    int fd = source_open_image (source, options, facts, out_direct);
    if (fd >= 0)
        return fd;
    ioh_error_errno (error, &place, -fd);
    return -1;
}

IohSource *
ioh_source_open (const IohOptions *options, const IohPlan *plan, const IohFacts *facts,
                 IohCancel *cancel, IohReport *report, GError **error)
{
    IohSource *source = g_new0 (IohSource, 1);
    gboolean direct = FALSE;

    source->plan = plan;
    source->name = options->file_name;
    source->kind = facts->file.kind;
    source->seekable = facts->file.seekable;
    source->inherited = options->file_fd >= 0;
    source->position = plan->offset;
    source->window = UINT64_MAX;
    source->cached[0] = source->cached[1] = TRUE;
    source->end = plan->limit_bytes == UINT64_MAX ? UINT64_MAX : plan->offset + plan->limit_bytes;
    source->storage.direct_fd = source->storage.plain_fd = -1;
    source->storage.fd = source_open (source, options, facts, cancel, &direct, error);
    if (source->storage.fd < 0) {
        ioh_source_free (source);
        return NULL;
    }
    ioh_resident_init (&source->resident, plan->block_bytes, plan->offset);
    source->drop_from = plan->offset;
    ioh_channel_init (&source->channel, source->storage.fd, source->kind);
    if (source->seekable && !ioh_storage_init (&source->storage, options, plan, source->storage.fd,
                                               O_RDONLY, direct, report, error)) {
        ioh_source_free (source);
        return NULL;
    }
    return source;
}

/* Whether the file ends at the position. Asking its size saves a last read at an odd offset, which
 * O_DIRECT would refuse. */
static gboolean
source_at_end (IohSource *source)
{
    struct stat st;

    return source->kind == IOH_END_REGULAR && ioh_sys_fstat (source->storage.fd, &st) >= 0 &&
           source->position >= (uint64_t) st.st_size;
}

gboolean
ioh_source_was_cached (IohSource *source, uint64_t offset, size_t length)
{
    return source->plan->cache == IOH_CACHE_KEEP || source->storage.direct_fd >= 0 ||
           ioh_resident_was (&source->resident, source->storage.fd, offset, length);
}

void
ioh_source_leave (IohSource *source, uint64_t offset, uint64_t end, gboolean cached)
{
    if (cached)
        source->drop_from = end;
    else
        ioh_behind_drop (source->storage.fd,
                         MAX (source->drop_from, offset - MIN (offset, SOURCE_DROP_AGAIN)), end);
}

static IohStep
source_read_at (IohSource *source, void *buffer, size_t length, size_t *out_bytes, GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    size_t block = source->plan->block_bytes;
    size_t asked = MIN (length, block - (size_t) (source->position % block));
    gboolean cached = ioh_source_was_cached (source, source->position, asked);
    size_t got = 0;

    gboolean read =
        ioh_storage_read (&source->storage, buffer, asked, source->position, &got, error);
    source->wait_us += g_get_monotonic_time () - begun_us;
    if (!read)
        return IOH_STEP_FAILED;
    ioh_source_leave (source, source->position, source->position + got, cached);
    if (source->end - source->position < got)
        got = (size_t) (source->end - source->position);
    source->position += got;
    *out_bytes = got;
    if (got < asked && source_at_end (source))
        source->end = source->position;
    return got > 0 ? IOH_STEP_MOVED : IOH_STEP_DONE;
}

IohStep
ioh_source_read (IohSource *source, void *buffer, size_t length, size_t *out_bytes,
                 IohWait *out_wait, GError **error)
{
    if (source->position >= source->end)
        return IOH_STEP_DONE;
    if (source->seekable)
        return source_read_at (source, buffer, length, out_bytes, error);
    ssize_t got = ioh_channel_read (&source->channel, buffer, length);
    if (got == -EAGAIN)
        return ioh_wait_for (out_wait, source->channel.fd, POLLIN, IOH_SIDE_FILE);
    if (got < 0) {
        const IohPlace place = ioh_source_place (source, IOH_STAGE_READ, source->position);
        ioh_error_errno (error, &place, (int) -got);
        return IOH_STEP_FAILED;
    }
    source->position += (uint64_t) got;
    *out_bytes = (size_t) got;
    return got > 0 ? IOH_STEP_MOVED : IOH_STEP_DONE;
}

/* Looks whether the stretch at the position is cached, before it is read. */
static void
source_enter_window (IohSource *source)
{
    source->cached[1] = source->cached[0];
    source->cached[0] = ioh_resident_was (&source->resident, source->storage.fd, source->position,
                                          SOURCE_WINDOW - source->position % SOURCE_WINDOW);
    source->window = source->position;
}

int
ioh_source_splice_fd (IohSource *source, size_t *out_limit)
{
    /* a splice that finds the end has to wait for the reader, who may be gone with the last byte */
    if (source_at_end (source))
        source->end = MIN (source->end, source->position);
    uint64_t left = source->end > source->position ? source->end - source->position : 0;

    *out_limit = (size_t) MIN (left, SOURCE_WINDOW);
    if (source->plan->cache == IOH_CACHE_KEEP || !source->seekable)
        return source->seekable ? ioh_storage_plain_fd (&source->storage) : -1;
    if (source->window == UINT64_MAX ||
        (source->position % SOURCE_WINDOW == 0 && source->position != source->window))
        source_enter_window (source);
    *out_limit = (size_t) MIN (left, SOURCE_WINDOW - source->position % SOURCE_WINDOW);
    return ioh_storage_plain_fd (&source->storage);
}

/* Lets go of the stretch before the current one: its pages have left the stream's pipe. */
static void
source_leave_window (IohSource *source)
{
    if (!source->cached[1] && source->window >= SOURCE_WINDOW)
        ioh_behind_drop (source->storage.fd, source->window - SOURCE_WINDOW, source->window);
}

void
ioh_source_spliced (IohSource *source, size_t bytes)
{
    source->position += bytes;
    if (source->plan->cache != IOH_CACHE_KEEP && source->position % SOURCE_WINDOW == 0)
        source_leave_window (source);
}

void
ioh_source_close (IohSource *source, uint64_t delivered)
{
    if (source->window != UINT64_MAX) {
        source_leave_window (source);
        if (!source->cached[0])
            ioh_behind_drop (source->storage.fd, source->window, source->position);
    }
    if (source->seekable && source->inherited)
        ioh_sys_seek (source->storage.fd, (gint64) (source->plan->offset + delivered), SEEK_SET);
    ioh_storage_clear (&source->storage);
}

void
ioh_source_free (IohSource *source)
{
    if (source == NULL)
        return;
    ioh_storage_clear (&source->storage);
    g_free (source);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * storage - requests to a file that may or may not take O_DIRECT.
 *
 * Owns the descriptors of the file and the rule when a request goes direct: aligned ones do, odd
 * heads and tails go through a second description, so that no flag changes under anybody's feet and
 * no byte beside the stream is touched. May assume buffers aligned as the plan says.
 */
#include "storage.h"

#include <errno.h>
#include <fcntl.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"

gboolean
ioh_storage_failed (const IohStorage *storage, IohStage stage, uint64_t offset, int result,
                    GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, storage->name, stage, offset};

    return ioh_error_errno (error, &place, -result);
}

/* One more description of the file, as safe as the one there is: a caller who opened it with
 * O_DSYNC means every write. */
static int
storage_reopen (const IohStorage *storage, int flags)
{
    int inherited = ioh_sys_get_flags (storage->fd);
    int kept = inherited < 0 ? 0 : inherited & (O_SYNC | O_DSYNC);

    return ioh_sys_reopen (storage->fd, storage->access | kept | flags);
}

gboolean
ioh_storage_init (IohStorage *storage, const IohOptions *options, const IohPlan *plan, int fd,
                  int access, gboolean opened_direct, IohReport *report, GError **error)
{
    gboolean direct = plan->cache == IOH_CACHE_DIRECT;

    *storage = (IohStorage){
        .name = options->file_name,
        .fd = fd,
        .direct_fd = opened_direct ? fd : -1,
        .plain_fd = opened_direct ? -1 : fd,
        .access = access,
        .steps_down = plan->cache_steps_down,
        .align = plan->file_align,
        .memory_align = plan->memory_align,
        .report = report,
    };
    if (direct && !opened_direct) {
        storage->direct_fd = storage_reopen (storage, O_DIRECT);
        if (storage->direct_fd < 0)
            return ioh_storage_step_down (storage, IOH_STAGE_OPEN, IOH_NO_OFFSET,
                                          storage->direct_fd, error);
    } else if (!direct && opened_direct) {
        storage->direct_fd = -1;
        int result = ioh_storage_plain_fd (storage);
        if (result < 0)
            return ioh_storage_failed (storage, IOH_STAGE_OPEN, IOH_NO_OFFSET, result, error);
    }
    storage->dontcache = plan->cache == IOH_CACHE_DROP;
    /* for odd heads and tails; a transfer that has begun opens nothing any more. What cannot be had
     * twice is dealt with when it comes to that. */
    if (storage->direct_fd >= 0)
        ioh_storage_plain_fd (storage);
    return TRUE;
}

int
ioh_storage_plain_fd (IohStorage *storage)
{
    if (storage->plain_fd < 0)
        storage->plain_fd = storage_reopen (storage, 0);
    return storage->plain_fd;
}

/* Puts one of our own in the place of the inherited description, if that may be opened. */
static void
storage_own (const IohStorage *storage, int *fd, int flags)
{
    int own_fd = *fd == storage->fd ? storage_reopen (storage, flags) : -1;

    if (own_fd >= 0)
        *fd = own_fd;
}

void
ioh_storage_detach (IohStorage *storage)
{
    storage_own (storage, &storage->direct_fd, O_DIRECT);
    storage_own (storage, &storage->plain_fd, 0);
}

gboolean
ioh_storage_step_down (IohStorage *storage, IohStage stage, uint64_t offset, int result,
                       GError **error)
{
    /* at open anything may be the answer of a file that cannot be had twice */
    gboolean refused = result == -EINVAL || result == -EOPNOTSUPP || stage == IOH_STAGE_OPEN;

    if (!refused)
        return ioh_storage_failed (storage, stage, offset, result, error);
    if (!storage->steps_down) {
        const IohPlace place = {IOH_SIDE_FILE, storage->name, stage, offset};
        return ioh_error_set (error, IOH_EXIT_FILE, &place,
                              _ ("direct I/O was refused (%s); use --cache=auto"),
                              g_strerror (-result));
    }
    if (storage->direct_fd >= 0 && storage->direct_fd != storage->fd)
        ioh_sys_close (storage->direct_fd);
    storage->direct_fd = -1;
    storage->dontcache = TRUE;
    ioh_report_step_down (storage->report, IOH_REPORT_CACHE, "direct", "drop", offset,
                          g_strerror (-result));
    return TRUE;
}

/* How much of a request of LENGTH at OFFSET can go direct now; 0 when none. */
static size_t
storage_direct_length (const IohStorage *storage, const void *buffer, size_t length,
                       uint64_t offset)
{
    if (storage->direct_fd < 0 || offset % storage->align != 0 ||
        (uintptr_t) buffer % storage->memory_align != 0)
        return 0;
    return length - length % storage->align;
}

/* How much of it goes through the page cache: up to where direct requests can begin. */
static size_t
storage_plain_length (const IohStorage *storage, size_t length, uint64_t offset)
{
    size_t odd = (size_t) (offset % storage->align);

    if (storage->direct_fd < 0 || odd == 0)
        return length;
    return MIN (length, storage->align - odd);
}

/* The kernel would not let us have a second description: take the flag off ours for one request.
 * Only ever reached for inherited descriptors whose file we may not open ourselves. The flags as
 * they were, or -errno. */
static int
storage_take_flag_off (const IohStorage *storage)
{
    int flags = ioh_sys_get_flags (storage->fd);
    int result = flags < 0 ? flags : ioh_sys_set_flags (storage->fd, flags & ~O_DIRECT);

    return result < 0 ? result : flags;
}

static ssize_t
storage_write_without_flag (IohStorage *storage, const void *buffer, size_t length, uint64_t offset)
{
    int flags = storage_take_flag_off (storage);

    if (flags < 0)
        return flags;
    ssize_t written = ioh_sys_pwrite (storage->fd, buffer, length, offset);
    ioh_sys_set_flags (storage->fd, flags);
    return written;
}

static ssize_t
storage_read_without_flag (IohStorage *storage, void *buffer, size_t length, uint64_t offset)
{
    int flags = storage_take_flag_off (storage);

    if (flags < 0)
        return flags;
    ssize_t got = ioh_sys_pread (storage->fd, buffer, length, offset);
    ioh_sys_set_flags (storage->fd, flags);
    return got;
}

static ssize_t
storage_write_plain (IohStorage *storage, const void *buffer, size_t length, uint64_t offset)
{
    int fd = ioh_storage_plain_fd (storage);

    if (fd < 0)
        return storage_write_without_flag (storage, buffer, length, offset);
    if (storage->dontcache) {
        ssize_t written = ioh_sys_pwrite_dontcache (fd, buffer, length, offset);
        if (written != -EOPNOTSUPP)
            return written;
        storage->dontcache = FALSE;
    }
    return ioh_sys_pwrite (fd, buffer, length, offset);
}

gboolean
ioh_storage_write (IohStorage *storage, const void *buffer, size_t length, uint64_t offset,
                   size_t *out_bytes, GError **error)
{
    size_t direct = storage_direct_length (storage, buffer, length, offset);
    ssize_t written = 0;

    if (direct > 0) {
        written = ioh_sys_pwrite (storage->direct_fd, buffer, direct, offset);
        if (written < 0 &&
            !ioh_storage_step_down (storage, IOH_STAGE_WRITE, offset, (int) written, error))
            return FALSE;
    }
    if (direct == 0 || written < 0) {
        length = storage_plain_length (storage, length, offset);
        written = storage_write_plain (storage, buffer, length, offset);
        if (written < 0)
            return ioh_storage_failed (storage, IOH_STAGE_WRITE, offset, (int) written, error);
    }
    /* a write that takes nothing and says nothing: the end of a device */
    if (written == 0)
        return ioh_storage_failed (storage, IOH_STAGE_WRITE, offset, -ENOSPC, error);
    *out_bytes = (size_t) written;
    return TRUE;
}

static ssize_t
storage_read_plain (IohStorage *storage, void *buffer, size_t length, uint64_t offset)
{
    int fd = ioh_storage_plain_fd (storage);

    return fd < 0 ? storage_read_without_flag (storage, buffer, length, offset)
                  : ioh_sys_pread (fd, buffer, length, offset);
}

gboolean
ioh_storage_read (IohStorage *storage, void *buffer, size_t length, uint64_t offset,
                  size_t *out_bytes, GError **error)
{
    size_t direct = storage_direct_length (storage, buffer, length, offset);
    ssize_t got = 0;

    if (direct > 0) {
        got = ioh_sys_pread (storage->direct_fd, buffer, direct, offset);
        if (got < 0 && !ioh_storage_step_down (storage, IOH_STAGE_READ, offset, (int) got, error))
            return FALSE;
    }
    if (direct == 0 || got < 0) {
        length = storage_plain_length (storage, length, offset);
        got = storage_read_plain (storage, buffer, length, offset);
        if (got < 0)
            return ioh_storage_failed (storage, IOH_STAGE_READ, offset, (int) got, error);
    }
    *out_bytes = (size_t) got;
    return TRUE;
}

/* Closes one of our own. 0 or -errno. */
static int
storage_close_own (const IohStorage *storage, int *fd)
{
    int own_fd = *fd;

    *fd = -1;
    return own_fd >= 0 && own_fd != storage->fd ? ioh_sys_close (own_fd) : 0;
}

int
ioh_storage_clear_extra (IohStorage *storage)
{
    int direct_result = storage_close_own (storage, &storage->direct_fd);
    int plain_result = storage_close_own (storage, &storage->plain_fd);

    return direct_result < 0 ? direct_result : plain_result;
}

void
ioh_storage_clear (IohStorage *storage)
{
    ioh_storage_clear_extra (storage);
    ioh_sys_clear_fd (&storage->fd);
}

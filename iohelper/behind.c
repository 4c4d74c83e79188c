/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * behind - keeps dirty pages few while a file is written through the page cache.
 *
 * Owns two marks in the file: where writing to storage has begun and up to where it was waited for.
 * Between them lie at most BEHIND_AHEAD windows, the bound of the dirty data.
 */
#include "behind.h"

#include <errno.h>
#include <fcntl.h>

#include "size.h"
#include "sys.h"

#define BEHIND_WINDOW (8 * IOH_MIB)
#define BEHIND_AHEAD (3 * BEHIND_WINDOW)

void
ioh_behind_init (IohBehind *behind, IohCache cache, uint64_t start)
{
    *behind = (IohBehind){.cache = cache, .begun = start, .settled = start};
}

void
ioh_behind_drop (int fd, uint64_t start, uint64_t end)
{
    /* whole pages only are dropped: widen to them */
    uint64_t first = start & ~(uint64_t) 4095;

    ioh_sys_advise (fd, first, end - first + 4095, POSIX_FADV_DONTNEED);
}

/* Waits until the oldest window is on storage and lets it leave the cache. */
static int
behind_settle (IohBehind *behind, int fd)
{
    int result = ioh_sys_sync_range (fd, behind->settled, BEHIND_WINDOW,
                                     SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                         SYNC_FILE_RANGE_WAIT_AFTER);

    if (result < 0)
        return result;
    if (behind->cache == IOH_CACHE_DROP)
        ioh_behind_drop (fd, behind->settled, behind->settled + BEHIND_WINDOW);
    behind->settled += BEHIND_WINDOW;
    return 0;
}

int
ioh_behind_wrote (IohBehind *behind, int fd, uint64_t end)
{
    int result = 0;

    while (result >= 0 && end - behind->begun >= BEHIND_WINDOW) {
        result = ioh_sys_sync_range (fd, behind->begun, BEHIND_WINDOW, SYNC_FILE_RANGE_WRITE);
        if (result < 0)
            break;
        behind->begun += BEHIND_WINDOW;
        if (behind->begun - behind->settled > BEHIND_AHEAD)
            result = behind_settle (behind, fd);
    }
    /* no such thing on this kind of file: the final flush does it all */
    return result == -ESPIPE || result == -EINVAL || result == -ENOSYS ? 0 : result;
}

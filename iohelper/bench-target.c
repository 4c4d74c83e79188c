/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-target - the file, block device or /dev/null of a benchmark.
 *
 * Owns the promise that nothing is written over that was not meant to be, and that no file of ours
 * stays.
 */
#include "bench-target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"

static IohPlace
target_place (const char *path, IohStage stage)
{
    return (IohPlace){IOH_SIDE_FILE, path, stage, IOH_NO_OFFSET};
}

/* A device is asked for as a mount or a swap area has it: alone. */
static gboolean
target_check_free (const IohBenchTarget *target, GError **error)
{
    const IohPlace place = target_place (target->path, IOH_STAGE_OPEN);
    int alone = target->kind == IOH_END_BLOCK ? O_EXCL : 0;
    ioh_autofd fd = ioh_sys_open (AT_FDCWD, target->path, O_RDWR | alone, 0);

    return fd >= 0 || ioh_error_errno (error, &place, -fd);
}

static gboolean
target_check (const IohBenchTarget *target, gboolean overwrite, GError **error)
{
    const IohPlace place = target_place (target->path, IOH_STAGE_OPEN);

    switch (target->kind) {
    case IOH_END_MISSING:
    case IOH_END_NULL:
        return TRUE;
    case IOH_END_REGULAR:
    case IOH_END_BLOCK:
        if (!overwrite)
            return ioh_error_set (error, IOH_EXIT_FILE, &place,
                                  _ ("it exists, and only --%s=%s would write over it"),
                                  IOH_OPTION_EXISTS, ioh_wire_exists_name (IOH_EXISTS_OVERWRITE));
        return target_check_free (target, error);
    default:
        return ioh_error_set (error, IOH_EXIT_FILE, &place,
                              _ ("neither a file nor a block device nor /dev/null"));
    }
}

gboolean
ioh_bench_target_open (IohBenchTarget *target, const char *path, gboolean overwrite, GError **error)
{
    g_autoptr (IohOptions) options = ioh_options_new (IOH_COMMAND_SAVE);
    g_autofree char *absolute = g_canonicalize_filename (path, NULL);

    *target = IOH_BENCH_TARGET_NONE;
    ioh_options_set_file (options, absolute, -1);
    g_autoptr (IohFacts) facts = ioh_probe (options, error);
    if (facts == NULL)
        return FALSE;
    const IohEndFacts *file = &facts->file;
    target->path = g_strdup (file->path);
    target->kind = file->kind;
    target->file_system = file->file_system;
    target->in_place = file->kind != IOH_END_MISSING;
    target->room_bytes = MIN (file->room, file->size_limit);
    if (target_check (target, overwrite, error))
        return TRUE;
    ioh_bench_target_close (target);
    return FALSE;
}

gboolean
ioh_bench_target_is_storage (const IohBenchTarget *target)
{
    return target->kind != IOH_END_NULL;
}

gboolean
ioh_bench_target_need_room (const IohBenchTarget *target, uint64_t bytes, GError **error)
{
    const IohPlace place = target_place (target->path, IOH_STAGE_CHECK);

    if (bytes <= target->room_bytes)
        return TRUE;
    return ioh_error_set (error, IOH_EXIT_NO_ROOM, &place,
                          _ ("%" PRIu64 " bytes are needed, there is room for %" PRIu64), bytes,
                          target->room_bytes);
}

uint64_t
ioh_bench_target_memory_most (void)
{
    long pages = sysconf (_SC_AVPHYS_PAGES);
    long page_bytes = sysconf (_SC_PAGESIZE);

    return (uint64_t) MAX (pages, 0) / 4 * (uint64_t) MAX (page_bytes, 0);
}

gboolean
ioh_bench_target_fill_memory (IohBenchTarget *target, const IohBenchGenerator *generator,
                              uint64_t bytes, GError **error)
{
    uint64_t written = 0;

    target->memory_fd = memfd_create ("iohelper-bench", MFD_CLOEXEC);
    if (target->memory_fd < 0)
        return ioh_error_internal (error, _ ("cannot keep an image in memory"), errno);
    int result = ioh_bench_generator_send (generator, target->memory_fd, bytes, &written);
    return result == 0 || ioh_error_internal (error, _ ("cannot keep an image in memory"), -result);
}

void
ioh_bench_target_cool (const IohBenchTarget *target)
{
    ioh_autofd fd = ioh_sys_open (AT_FDCWD, target->path, O_RDONLY, 0);

    if (fd >= 0)
        ioh_sys_advise (fd, 0, 0, POSIX_FADV_DONTNEED);
}

void
ioh_bench_target_remove (IohBenchTarget *target)
{
    if (target->ours)
        ioh_sys_unlink (AT_FDCWD, target->path);
    target->ours = FALSE;
}

void
ioh_bench_target_close (IohBenchTarget *target)
{
    ioh_bench_target_remove (target);
    ioh_sys_clear_fd (&target->memory_fd);
    g_clear_pointer (&target->path, g_free);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-rig - what the cells of a benchmark are measured with.
 *
 * Owns the memory of the guest that is not there, and what processes are told by and tell. Memory
 * is shared with the processes of the generator instead of copied for each.
 */
#include "bench-rig.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "size.h"
#include "sys.h"

/* More than the caches of most machines hold: a guest's memory is not in them either. */
#define RIG_MEMORY_MOST (256 * IOH_MIB)

uint64_t
ioh_bench_lots (uint64_t bytes)
{
    uint64_t lots = bytes / IOH_BENCH_LOT_BYTES + (bytes % IOH_BENCH_LOT_BYTES != 0 ? 1 : 0);

    return MAX (lots, 1) * IOH_BENCH_LOT_BYTES;
}

/* NULL with the error set. */
static void *
rig_share (size_t bytes, GError **error)
{
    void *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED)
        return memory;
    ioh_error_internal (error, _ ("cannot get memory"), errno);
    return NULL;
}

static gboolean
rig_open_texts (IohBenchRig *rig, GError **error)
{
    rig->report_fd = memfd_create ("iohelper-bench-report", MFD_CLOEXEC);
    rig->messages_fd = memfd_create ("iohelper-bench-messages", MFD_CLOEXEC);
    return (rig->report_fd >= 0 && rig->messages_fd >= 0) ||
           ioh_error_internal (error, _ ("cannot get memory"), errno);
}

gboolean
ioh_bench_rig_open (IohBenchRig *rig, uint64_t bytes, gboolean zeros, GError **error)
{
    uint64_t most = MIN (RIG_MEMORY_MOST, ioh_bench_target_memory_most ());
    uint64_t records = MIN (bytes, MAX (most, IOH_MIB)) / IOH_BENCH_PAGE_BYTES;
    IohBenchGenerator *generator = &rig->generator;

    generator->memory_bytes = (size_t) (MAX (records, 1) * IOH_BENCH_PAGE_BYTES);
    generator->memory = rig_share (generator->memory_bytes, error);
    if (generator->memory == NULL)
        return FALSE;
    if (zeros)
        memset (generator->memory, 0, generator->memory_bytes);
    else
        ioh_bench_generator_fill (generator->memory, generator->memory_bytes);
    rig->tally = rig_share (sizeof *rig->tally, error);
    return rig->tally != NULL && rig_open_texts (rig, error);
}

void
ioh_bench_rig_clear (IohBenchRig *rig)
{
    memset (rig->tally, 0, sizeof *rig->tally);
    ioh_sys_truncate (rig->report_fd, 0);
    ioh_sys_seek (rig->report_fd, 0, SEEK_SET);
    ioh_sys_truncate (rig->messages_fd, 0);
    ioh_sys_seek (rig->messages_fd, 0, SEEK_SET);
}

char *
ioh_bench_rig_text (int fd)
{
    g_autoptr (GString) text = g_string_new (NULL);
    char piece[4096];
    ssize_t taken;

    while ((taken = ioh_sys_pread (fd, piece, sizeof piece, text->len)) > 0)
        g_string_append_len (text, piece, taken);
    return g_string_free (g_steal_pointer (&text), FALSE);
}

void
ioh_bench_rig_close (IohBenchRig *rig)
{
    if (rig->generator.memory != NULL)
        munmap (rig->generator.memory, rig->generator.memory_bytes);
    if (rig->tally != NULL)
        munmap (rig->tally, sizeof *rig->tally);
    ioh_sys_clear_fd (&rig->report_fd);
    ioh_sys_clear_fd (&rig->messages_fd);
    ioh_bench_target_close (&rig->target);
}

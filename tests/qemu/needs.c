/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks for what tests need. The system is asked itself, never the program under test: a fault of
 * that must not pass for a machine that lacks something.
 */
#include "needs.h"

#include "autofd.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C (1) << 20)
/* Room for a stream besides the RAM in it. */
#define NEEDS_EXTRA_BYTES (64 * MIB)
#define NEEDS_BLOCK_BYTES 4096

void
ioh_needs_skip (const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;

    va_start (args, format);
    reason = g_strdup_vprintf (format, args);
    va_end (args);
    if (g_strcmp0 (g_getenv ("IOH_MUST_WORK"), "1") == 0)
        g_test_fail_printf ("must work here, but %s", reason);
    else
        g_test_skip (reason);
}

void
ioh_needs_blame (const GError *error)
{
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE))
        ioh_needs_skip ("%s", error->message);
    else
        g_test_fail_printf ("%s", error->message);
}

gboolean
ioh_needs_room (const IohScratch *scratch, uint64_t ram_bytes)
{
    const char *path = ioh_scratch_path (scratch);

    if (ioh_scratch_room (path) >= ram_bytes + NEEDS_EXTRA_BYTES)
        return TRUE;
    ioh_needs_skip ("%s has no room for a stream of %u MiB", path, (unsigned) (ram_bytes / MIB));
    return FALSE;
}

static gboolean
needs_write_direct (const char *path)
{
    IOH_AUTOFD fd = open (path, O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    g_autofree void *block = NULL;

    if (fd < 0 || posix_memalign (&block, NEEDS_BLOCK_BYTES, NEEDS_BLOCK_BYTES) != 0)
        return FALSE;
    memset (block, 0, NEEDS_BLOCK_BYTES);
    return pwrite (fd, block, NEEDS_BLOCK_BYTES, 0) == NEEDS_BLOCK_BYTES;
}

gboolean
ioh_needs_direct (const IohScratch *scratch)
{
    g_autofree char *path = g_build_filename (ioh_scratch_path (scratch), "probe", NULL);
    gboolean works = needs_write_direct (path);

    g_unlink (path);
    if (!works)
        ioh_needs_skip ("the file system of %s has no O_DIRECT", ioh_scratch_path (scratch));
    return works;
}

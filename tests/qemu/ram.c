/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guest RAM as a file without a name. QEMU opens it again through /proc/self/fd, and nothing is
 * left of it once the last process is gone. The room is allocated beforehand: a full /dev/shm would
 * otherwise kill QEMU, or us, by SIGBUS in the middle of the test.
 */
#include "ram.h"

#include "autofd.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

/* Left to the rest of the machine when memory is counted. */
#define RAM_RESERVE_BYTES (UINT64_C (256) << 20)

static const char *
ram_place (uint64_t bytes)
{
    const char *const places[] = {"/dev/shm", ioh_scratch_default_parent ()};

    for (size_t i = 0; i < G_N_ELEMENTS (places); i++)
        if (ioh_scratch_room (places[i]) >= bytes + RAM_RESERVE_BYTES)
            return places[i];
    return NULL;
}

static int
ram_open (uint64_t bytes, GError **error)
{
    const char *place = ram_place (bytes);
    g_autofree char *path = NULL;
    IOH_AUTOFD fd = -1;
    int failed;

    if (place == NULL) {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                     "no room for %" PRIu64 " MiB of guest RAM in /dev/shm or %s", bytes >> 20,
                     ioh_scratch_default_parent ());
        return -1;
    }
    path = g_build_filename (place, "iohelper-ram.XXXXXX", NULL);
    fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
    failed = fd < 0 ? errno : 0;
    if (fd >= 0) {
        unlink (path);
        failed = posix_fallocate (fd, 0, (off_t) bytes);
    }
    if (failed != 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (failed), "guest RAM %s: %s", path,
                     g_strerror (failed));
        return -1;
    }
    return ioh_autofd_steal (&fd);
}

IohRam *
ioh_ram_new (uint64_t bytes, GError **error)
{
    IOH_AUTOFD fd = ram_open (bytes, error);
    void *data;
    IohRam *self;

    if (fd < 0)
        return NULL;
    data = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "mmap of guest RAM: %s",
                     g_strerror (errno));
        return NULL;
    }
    self = g_new0 (IohRam, 1);
    self->bytes = bytes;
    self->data = data;
    self->fd = ioh_autofd_steal (&fd);
    return self;
}

void
ioh_ram_fill (IohRam *self)
{
    for (uint64_t offset = 0; offset < self->bytes; offset += sizeof (uint64_t)) {
        /* Times an odd number, then a shifted xor: both are bijections, so no two places hold the
         * same number, and no page is empty or looks like another. */
        uint64_t word = (offset + 1) * UINT64_C (0x9e3779b97f4a7c15);

        word ^= word >> 29;
        memcpy (self->data + offset, &word, sizeof word);
    }
}

gboolean
ioh_ram_compare (const IohRam *saved, const IohRam *restored, GError **error)
{
    uint64_t offset = 0;

    if (saved->bytes != restored->bytes) {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                     "RAM of %" PRIu64 " bytes was saved, of %" PRIu64 " bytes restored",
                     saved->bytes, restored->bytes);
        return FALSE;
    }
    if (memcmp (saved->data, restored->data, saved->bytes) == 0)
        return TRUE;
    while (saved->data[offset] == restored->data[offset])
        offset++;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 "RAM differs at offset 0x%" PRIx64 ": 0x%02x was saved, 0x%02x restored", offset,
                 saved->data[offset], restored->data[offset]);
    return FALSE;
}

void
ioh_ram_free (IohRam *self)
{
    munmap (self->data, self->bytes);
    close (self->fd);
    g_free (self);
}

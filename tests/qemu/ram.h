/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_RAM_H
#define IOH_TESTS_RAM_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/* The RAM of a guest: an unnamed file that QEMU maps shared, so that a test sees what the guest
 * sees. */
typedef struct {
    int fd;
    uint64_t bytes;
    uint8_t *data;
} IohRam;

/*
 * All zero, its room already taken: in /dev/shm, else in the default scratch parent.
 * G_IO_ERROR_NO_SPACE when neither has the room.
 */
IohRam *ioh_ram_new (uint64_t bytes, GError **error);

/* Every 8 bytes become a number that occurs once: a function of their own offset. */
void ioh_ram_fill (IohRam *self);

/* False with an error that names the first offset that differs, or the two sizes. */
gboolean ioh_ram_compare (const IohRam *saved, const IohRam *restored, GError **error);

void ioh_ram_free (IohRam *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohRam, ioh_ram_free)

G_END_DECLS

#endif

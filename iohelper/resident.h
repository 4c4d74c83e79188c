/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RESIDENT_H
#define IOH_RESIDENT_H

#include <glib.h>
#include <stdint.h>

/* What of a file was in the page cache before we read it. */
typedef struct {
    uint64_t stretch_bytes; /* the file is looked at in stretches of this length */
    uint64_t looked;        /* up to which of them that was done */
    uint64_t cached;        /* what was seen of the last 64, a bit each */
} IohResident;

/* Begins at byte START of a file that is read in requests of BLOCK_BYTES. */
void ioh_resident_init (IohResident *resident, size_t block_bytes, uint64_t start);

/* Whether the cache held any page of [OFFSET, OFFSET + LENGTH) of FD before we came. To be asked
 * in order, before the range is read; LENGTH is 16 MiB or one block at most. */
gboolean ioh_resident_was (IohResident *resident, int fd, uint64_t offset, size_t length);

#endif

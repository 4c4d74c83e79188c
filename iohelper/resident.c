/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resident - remembers what was in the page cache before we read it.
 *
 * Owns the look ahead. Our own reads make the kernel read ahead, so that a range asked about right
 * before it is read always seems to have been there.
 */
#include "resident.h"

#include "size.h"
#include "sys.h"

/* In stretches of a mebibyte or more. The kernel reads ahead twice what read_ahead_kb says, and
 * 8192 is a value it has by itself. */
#define RESIDENT_LOOK_AHEAD 32

void
ioh_resident_init (IohResident *resident, size_t block_bytes, uint64_t start)
{
    uint64_t stretch_bytes = block_bytes * ((IOH_MIB + block_bytes - 1) / block_bytes);

    *resident = (IohResident){
        .stretch_bytes = stretch_bytes,
        .looked = start / stretch_bytes,
    };
}

static void
resident_look (IohResident *resident, int fd)
{
    uint64_t bit = UINT64_C (1) << resident->looked % 64;
    uint64_t offset = resident->looked * resident->stretch_bytes;

    resident->cached &= ~bit;
    if (ioh_sys_is_cached (fd, offset, resident->stretch_bytes))
        resident->cached |= bit;
    resident->looked++;
}

gboolean
ioh_resident_was (IohResident *resident, int fd, uint64_t offset, size_t length)
{
    uint64_t stretch = offset / resident->stretch_bytes;
    uint64_t last = (offset + length - 1) / resident->stretch_bytes;
    gboolean cached = FALSE;

    while (resident->looked <= last + RESIDENT_LOOK_AHEAD)
        resident_look (resident, fd);
    for (; stretch <= last; stretch++)
        cached = cached || (resident->cached >> stretch % 64 & 1) != 0;
    return cached;
}

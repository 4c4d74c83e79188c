/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * buffers - aligned memory for data on its way.
 *
 * Owns nothing. Mapped, not allocated: the memory goes back to the system when freed and direct
 * I/O finds it aligned.
 */
#include "buffers.h"

#include <errno.h>
#include <sys/mman.h>

#include "error.h"
#include "i18n.h"

/* A mapping is aligned to pages; ask for more and cut off what is in front and behind. */
static void *
buffer_map (size_t bytes, size_t align)
{
    char *base =
        mmap (NULL, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    size_t in_front = (align - (uintptr_t) base % align) % align;
    if (in_front > 0)
        munmap (base, in_front);
    if (align > in_front)
        munmap (base + in_front + bytes, align - in_front);
    return base + in_front;
}

void *
ioh_buffer_new (size_t bytes, size_t align, GError **error)
{
    void *buffer = bytes <= SIZE_MAX - align ? buffer_map (bytes, align) : NULL;

    if (buffer == NULL)
        ioh_error_internal (error, _ ("cannot get memory for data"), ENOMEM);
    return buffer;
}

void
ioh_buffer_free (void *buffer, size_t bytes)
{
    if (buffer != NULL)
        munmap (buffer, bytes);
}

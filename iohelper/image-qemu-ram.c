/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image-qemu-ram - guest memory in a QEMU migration stream.
 *
 * Owns the records that a "ram" section is made of: each begins with an address whose low bits,
 * smaller than a page, say what follows.
 */
#include "image-qemu-ram.h"

#include <string.h>

/* What the low bits say. The names are those of the field. */
#define RAM_ZERO 0x02
#define RAM_MEM_SIZE 0x04
#define RAM_PAGE 0x08
#define RAM_EOS 0x10
#define RAM_CONTINUE 0x20
#define RAM_XBZRLE 0x40
#define RAM_COMPRESSED 0x100
#define RAM_MULTIFD_FLUSH 0x200

/* Of the guests of nearly all machines; where it differs the stream says so. */
#define RAM_PAGE_BYTES 4096

static uint64_t
ram_page_bytes (const IohQemuStream *stream)
{
    return stream->page_bytes != 0 ? stream->page_bytes : RAM_PAGE_BYTES;
}

/* The blocks, TOTAL bytes in all. */
static gboolean
ram_pass_blocks (IohCursor *cursor, IohQemuStream *stream, uint64_t total, gboolean placed)
{
    stream->ram_bytes = total;
    while (total > 0 && cursor->state == IOH_CURSOR_GOOD) {
        char *name = ioh_cursor_text (cursor, ioh_cursor_byte (cursor));
        uint64_t bytes = ioh_cursor_be64 (cursor);
        if (placed)
            ioh_cursor_skip (cursor, sizeof (uint64_t));
        if (!ioh_qemu_stream_add_block (stream, name, bytes) || bytes > total)
            return FALSE;
        total -= bytes;
    }
    return cursor->state == IOH_CURSOR_GOOD;
}

/* The name of the block a page is in, when it is not that of the page before. */
static gboolean
ram_pass_name (IohCursor *cursor, const IohQemuStream *stream)
{
    g_autofree char *name = ioh_cursor_text (cursor, ioh_cursor_byte (cursor));

    return g_hash_table_contains (stream->block_names, name);
}

static gboolean
ram_pass_page (IohCursor *cursor, const IohQemuStream *stream, unsigned kind)
{
    switch (kind) {
    case RAM_ZERO:
        return ioh_cursor_skip (cursor, 1);
    case RAM_PAGE:
        return ioh_cursor_skip (cursor, ram_page_bytes (stream));
    case RAM_XBZRLE:
        return ioh_cursor_skip (cursor, 1) && ioh_cursor_skip (cursor, ioh_cursor_be16 (cursor));
    case RAM_COMPRESSED:
        return ioh_cursor_skip (cursor, ioh_cursor_be32 (cursor));
    default:
        return FALSE;
    }
}

gboolean
ioh_qemu_ram_pass (IohCursor *cursor, IohQemuStream *stream, gboolean placed)
{
    uint64_t low_bits = ram_page_bytes (stream) - 1;

    for (;;) {
        uint64_t word = ioh_cursor_be64 (cursor);
        unsigned flags = (unsigned) (word & low_bits);
        gboolean fine = cursor->state == IOH_CURSOR_GOOD;
        if (fine && flags == RAM_EOS)
            return TRUE;
        if (fine && flags == RAM_MEM_SIZE)
            fine = ram_pass_blocks (cursor, stream, word & ~low_bits, placed);
        else if (fine && flags != RAM_MULTIFD_FLUSH)
            fine = ((flags & RAM_CONTINUE) != 0 || ram_pass_name (cursor, stream)) &&
                   ram_pass_page (cursor, stream, flags & ~(unsigned) RAM_CONTINUE);
        if (!fine)
            return FALSE;
    }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_QEMU_H
#define IOH_IMAGE_QEMU_H

#include <glib.h>
#include <stdint.h>

#include "cursor.h"
#include "image-verdict.h"

/* A piece of guest memory. */
typedef struct {
    char *name;
    uint64_t bytes;
} IohQemuBlock;

/* The state of one device, or of one kind of memory. */
typedef struct {
    char *name;
    uint32_t instance;
    uint32_t version;
} IohQemuSection;

/* What a QEMU migration stream says of itself. */
typedef struct {
    uint32_t version;
    char *machine;       /* its type; NULL when the stream does not say */
    uint64_t page_bytes; /* of the guest; 0 when the stream does not say */
    uint64_t ram_bytes;
    GArray *blocks;          /* of IohQemuBlock */
    GHashTable *block_names; /* the same by name, borrowed from there */
    GArray *sections; /* of IohQemuSection, in the order of the stream; those behind the memory are
                         missing when the end was not found */
    gboolean ended;   /* its end was found */
    uint64_t end;     /* in the file, when it was */
    uint64_t description_bytes; /* of the description behind the end, 0 when there is none */
} IohQemuStream;

/* Reads the stream at the position, of which the magic has been recognised. The end is looked for
 * at the end of the file first; only when it is not there is the memory passed over page by page.
 */
IohQemuStream *ioh_qemu_stream_read (IohCursor *cursor, IohImageVerdict *out_verdict);

/* Adds to the lists, taking over NAME; FALSE when there are more than any machine has. */
gboolean ioh_qemu_stream_add_block (IohQemuStream *stream, char *name, uint64_t bytes);
gboolean ioh_qemu_stream_add_section (IohQemuStream *stream, char *name, uint32_t instance,
                                      uint32_t version);

void ioh_qemu_stream_free (IohQemuStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohQemuStream, ioh_qemu_stream_free)

#endif

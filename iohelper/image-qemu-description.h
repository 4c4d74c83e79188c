/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_QEMU_DESCRIPTION_H
#define IOH_IMAGE_QEMU_DESCRIPTION_H

#include "cursor.h"
#include "image-qemu.h"

/* The byte before the description, and that before the byte. */
#define IOH_QEMU_EOF 0x00
#define IOH_QEMU_DESCRIPTION 0x06

/* Looks whether the file ends with the end of a stream and a description. Then it is remembered in
 * STREAM, with the devices it tells about, and TRUE returned. */
gboolean ioh_qemu_description_at_end (IohCursor *cursor, IohQemuStream *stream);

/* Reads the description of LENGTH bytes at the position, and what it says of the page size; with
 * DEVICES, their sections are added. FALSE when it is none. */
gboolean ioh_qemu_description_read (IohCursor *cursor, IohQemuStream *stream, uint64_t length,
                                    gboolean devices);

#endif

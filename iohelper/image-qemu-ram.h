/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_QEMU_RAM_H
#define IOH_IMAGE_QEMU_RAM_H

#include "cursor.h"
#include "image-qemu.h"

/* Passes over the content of a section of guest memory, up to and with its end mark, and adds the
 * blocks it tells about to STREAM. Pages are skipped, not read. PLACED: addresses are told with the
 * blocks, as QEMU does with shared memory that is left out. FALSE when the content makes no sense,
 * or the cursor is no longer good. */
gboolean ioh_qemu_ram_pass (IohCursor *cursor, IohQemuStream *stream, gboolean placed);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBIOHELPER_ERROR_H
#define LIBIOHELPER_ERROR_H

#include <glib.h>

#include "libiohelper-types.h"

G_BEGIN_DECLS

/**
 * IOH_TRANSFER_ERROR:
 *
 * Error domain of everything that can go wrong with a transfer. The codes are #IohTransferError.
 *
 * Since: 0.1
 */
#define IOH_TRANSFER_ERROR (ioh_transfer_error_quark ())

/**
 * IohTransferError:
 * @IOH_TRANSFER_ERROR_INTERNAL: memory, descriptors, threads, or a fault of iohelper itself
 * @IOH_TRANSFER_ERROR_USAGE: what was asked makes no sense, or cannot be done with these ends;
 *   nothing was touched
 * @IOH_TRANSFER_ERROR_STREAM: the hypervisor's side failed: it could not be read or written, was
 *   empty, shorter or longer than expected, or its peer went away
 * @IOH_TRANSFER_ERROR_FILE: the file's side failed: it could not be opened, read or written
 * @IOH_TRANSFER_ERROR_NO_ROOM: the file system is full, a quota or the file size limit was reached,
 *   or the device is too small
 * @IOH_TRANSFER_ERROR_FLUSH: flushing, closing or publishing failed
 * @IOH_TRANSFER_ERROR_IMAGE: the image was refused: truncated, incomplete, or not an image
 * @IOH_TRANSFER_ERROR_CANCELLED: ioh_transfer_cancel() was called
 * @IOH_TRANSFER_ERROR_SPAWN: the helper could not be started
 * @IOH_TRANSFER_ERROR_DIED: the helper was killed or crashed
 * @IOH_TRANSFER_ERROR_PROTOCOL: what the helper said makes no sense: it is not iohelper, or broken
 *
 * Codes of %IOH_TRANSFER_ERROR. Those up to %IOH_TRANSFER_ERROR_IMAGE are the exit statuses of
 * iohelper(1).
 *
 * Since: 0.1
 */
typedef enum {
    IOH_TRANSFER_ERROR_INTERNAL = 1,
    IOH_TRANSFER_ERROR_USAGE = 2,
    IOH_TRANSFER_ERROR_STREAM = 3,
    IOH_TRANSFER_ERROR_FILE = 4,
    IOH_TRANSFER_ERROR_NO_ROOM = 5,
    IOH_TRANSFER_ERROR_FLUSH = 6,
    IOH_TRANSFER_ERROR_IMAGE = 7,
    IOH_TRANSFER_ERROR_CANCELLED = 32,
    IOH_TRANSFER_ERROR_SPAWN = 33,
    IOH_TRANSFER_ERROR_DIED = 34,
    IOH_TRANSFER_ERROR_PROTOCOL = 35,
} IohTransferError;

GQuark ioh_transfer_error_quark (void);

/**
 * ioh_transfer_error_get_side: (skip)
 * @error: an error
 *
 * Which end of the transfer failed. Language bindings find it in the #IohTransferResult.
 *
 * Returns: %IOH_SIDE_NONE when neither did, or @error is of another domain
 *
 * Since: 0.1
 */
IohSide ioh_transfer_error_get_side (const GError *error);

/**
 * ioh_transfer_error_get_stage: (skip)
 * @error: an error
 *
 * What was being done when it failed.
 *
 * Returns: %IOH_STAGE_NONE when that is not known, or @error is of another domain
 *
 * Since: 0.1
 */
IohStage ioh_transfer_error_get_stage (const GError *error);

/**
 * ioh_transfer_error_get_offset: (skip)
 * @error: an error
 *
 * Where it failed: bytes from the beginning of the stream or of the file, whichever side failed.
 *
 * Returns: -1 when no position is meant, or @error is of another domain
 *
 * Since: 0.1
 */
gint64 ioh_transfer_error_get_offset (const GError *error);

/**
 * ioh_transfer_error_get_errno: (skip)
 * @error: an error
 *
 * The kernel's reason, a value of errno(3).
 *
 * Returns: 0 when the kernel was not involved, or @error is of another domain
 *
 * Since: 0.1
 */
int ioh_transfer_error_get_errno (const GError *error);

G_END_DECLS

#endif

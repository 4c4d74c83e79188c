/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBIOHELPER_TYPES_H
#define LIBIOHELPER_TYPES_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * IohDirection:
 * @IOH_SAVE: stream to file
 * @IOH_RESTORE: file to stream
 *
 * Which way the bytes go.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_SAVE,
    IOH_RESTORE,
} IohDirection;

/**
 * IohSide:
 * @IOH_SIDE_NONE: neither
 * @IOH_SIDE_STREAM: the hypervisor's end
 * @IOH_SIDE_FILE: the storage end, also a block device
 *
 * Which end of a transfer.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_SIDE_NONE,
    IOH_SIDE_STREAM,
    IOH_SIDE_FILE,
} IohSide;

/**
 * IohStage:
 * @IOH_STAGE_NONE: nothing in particular
 * @IOH_STAGE_OPEN: opening or creating
 * @IOH_STAGE_LABEL: giving a new file or stream its SELinux context
 * @IOH_STAGE_CHECK: looking before the first byte: size, room, kind
 * @IOH_STAGE_READ: reading
 * @IOH_STAGE_WRITE: writing
 * @IOH_STAGE_TRUNCATE: cutting the file to its length
 * @IOH_STAGE_FLUSH: making it durable
 * @IOH_STAGE_CLOSE: closing, which is where some file systems tell of lost data
 * @IOH_STAGE_PUBLISH: giving the file its name
 *
 * What was being done when something failed.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_STAGE_NONE,
    IOH_STAGE_OPEN,
    IOH_STAGE_LABEL,
    IOH_STAGE_CHECK,
    IOH_STAGE_READ,
    IOH_STAGE_WRITE,
    IOH_STAGE_TRUNCATE,
    IOH_STAGE_FLUSH,
    IOH_STAGE_CLOSE,
    IOH_STAGE_PUBLISH,
} IohStage;

/**
 * IohCache:
 * @IOH_CACHE_AUTO: direct where it works, else drop
 * @IOH_CACHE_DIRECT: O_DIRECT, or an error
 * @IOH_CACHE_DROP: through the page cache, written and dropped behind the stream
 * @IOH_CACHE_KEEP: ordinary
 *
 * What happens to the page cache of the host on the file's side.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_CACHE_AUTO,
    IOH_CACHE_DIRECT,
    IOH_CACHE_DROP,
    IOH_CACHE_KEEP,
} IohCache;

/**
 * IohSync:
 * @IOH_SYNC_FULL: the file, its metadata and its directory entry
 * @IOH_SYNC_DATA: the file's data
 * @IOH_SYNC_NONE: nothing; the result says that it is not durable
 *
 * What must be on storage before a save is a success.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_SYNC_FULL,
    IOH_SYNC_DATA,
    IOH_SYNC_NONE,
} IohSync;

/**
 * IohExists:
 * @IOH_EXISTS_REPLACE: it stays until the new one is complete, then the new one takes its place
 * @IOH_EXISTS_REFUSE: it is an error
 * @IOH_EXISTS_OVERWRITE: it is written in place; a failure leaves it damaged
 *
 * What happens to a file that has the target's name already.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_EXISTS_REPLACE,
    IOH_EXISTS_REFUSE,
    IOH_EXISTS_OVERWRITE,
} IohExists;

/**
 * IohParentDeath:
 * @IOH_PARENT_DEATH_CANCEL: it is cancelled, nothing is published
 * @IOH_PARENT_DEATH_FINISH_SAVE: it goes on; the end of the stream counts as success
 *
 * What becomes of a transfer whose manager dies or drops it. A child that the manager has forked
 * holds a copy of the line to the helper until it executes another program or ends: as long as it
 * does, the death of the manager is not noticed.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_PARENT_DEATH_CANCEL,
    IOH_PARENT_DEATH_FINISH_SAVE,
} IohParentDeath;

/**
 * IohPhase:
 * @IOH_PHASE_OPENING: looking at the ends and opening them
 * @IOH_PHASE_MOVING: bytes cross, or one side is waited for
 * @IOH_PHASE_WAITING: all bytes have crossed; the manager has not said yet that all is well
 * @IOH_PHASE_FLUSHING: all bytes have crossed; what was saved is made durable and published
 *
 * What a transfer is doing.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_PHASE_OPENING,
    IOH_PHASE_MOVING,
    IOH_PHASE_WAITING,
    IOH_PHASE_FLUSHING,
} IohPhase;

/**
 * IohQueueKind:
 * @IOH_QUEUE_AUTO: io_uring where it works, else threads
 * @IOH_QUEUE_IO_URING: one ring, no threads
 * @IOH_QUEUE_THREADS: a few threads that read and write
 *
 * How requests of the direct engine reach the kernel.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_QUEUE_AUTO,
    IOH_QUEUE_IO_URING, /*< nick=io_uring >*/
    IOH_QUEUE_THREADS,
} IohQueueKind;

G_END_DECLS

#endif

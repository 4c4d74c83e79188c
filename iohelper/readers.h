/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_READERS_H
#define IOH_READERS_H

#include <glib.h>
#include <stdint.h>

#include "engine.h"

/* Threads that splice blocks of a file, each into a pipe of its own, ahead of whoever takes them in
 * order. From a file open with O_DIRECT the device fills pipe pages and nobody copies. The
 * descriptor is borrowed and must stay open until ioh_readers_free. */
typedef struct IohReaders IohReaders;

/* Starts COUNT threads on FD at OFFSET, which must be a multiple of ALIGN, or fewer where there are
 * not as many pipes to be had; the last block ends at END or at the end of the file. NULL with the
 * error set. */
IohReaders *ioh_readers_new (int fd, uint64_t offset, uint64_t end, size_t block_bytes,
                             size_t align, unsigned count, GError **error);

/* The next bytes in order: MOVED with the pipe to take *OUT_BYTES from, WAIT, or DONE at the end of
 * the file. FAILED with *OUT_RESULT, an -errno of reading at *OUT_OFFSET. */
IohStep ioh_readers_next (IohReaders *readers, int *out_pipe_fd, size_t *out_bytes,
                          uint64_t *out_offset, int *out_result, IohWait *out_wait);

/* Tells that BYTES were taken out of the pipe. */
void ioh_readers_taken (IohReaders *readers, size_t bytes);

/* Stops the threads; what they read ahead is forgotten. Accepts NULL. */
void ioh_readers_free (IohReaders *readers);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_SCRATCH_H
#define IOH_TEST_SCRATCH_H

#include <glib.h>
#include <stdint.h>

/* What a test borrows from the machine and gives back. */

/* A fresh directory below TMPDIR; scratch_remove takes it away with all that is in it. */
char *scratch_new (void);
void scratch_remove (char *directory);

/* The names in DIRECTORY, sorted, a blank between them. */
char *scratch_names (const char *directory);

/* Makes DIRECTORY/NAME of LENGTH bytes of VALUE; the caller frees its path. */
char *scratch_file (const char *directory, const char *name, size_t length, int value);

/* The content of PATH, without touching the page cache more than a plain read does. */
uint8_t *scratch_read (const char *path, size_t *out_length);

/* Whether LENGTH bytes all are VALUE. */
gboolean scratch_is_filled (const uint8_t *bytes, size_t length, int value);

/* How many descriptors this process has open. */
unsigned scratch_count_fds (void);

/* Says that the test cannot be done here: skipped, but failed when IOH_MUST_WORK=1. */
void scratch_lacks (const char *what);

/* A block device of BYTES in memory with sectors of SECTOR_BYTES, or NULL with the reason in
 * *OUT_WHY (static). It vanishes with the process, however that ends. */
typedef struct ScratchDevice ScratchDevice;
ScratchDevice *scratch_device_new (uint64_t bytes, unsigned sector_bytes, const char **out_why);
const char *scratch_device_path (const ScratchDevice *device);
void scratch_device_free (ScratchDevice *device);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_SCRATCH_H
#define IOH_TESTS_SCRATCH_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/* A new directory of our own, gone with everything in it when this process is, however it ends. */
typedef struct _IohScratch IohScratch;

/* Made inside parent; NULL is ioh_scratch_default_parent (). */
IohScratch *ioh_scratch_new (const char *parent, GError **error);

/* $TMPDIR or /var/tmp: on storage rather than in memory, where that is told apart. */
const char *ioh_scratch_default_parent (void);

const char *ioh_scratch_path (const IohScratch *self);

/* Names of the files in it, sorted and joined by spaces; "" when there are none. */
char *ioh_scratch_list (const IohScratch *self);

/* Removes the directory before it returns. */
void ioh_scratch_free (IohScratch *self);

/* Bytes that can be written below path; for a memory file system no more than the memory available.
 */
uint64_t ioh_scratch_room (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohScratch, ioh_scratch_free)

G_END_DECLS

#endif

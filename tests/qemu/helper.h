/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_HELPER_H
#define IOH_TESTS_HELPER_H

#include "child.h"
#include "vm.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* One run of the iohelper program between a virtual machine and a file. */
typedef struct {
    const char *program;
    const char *const *options; /* between the verb and the file, ends with NULL */
    const char *file;
    unsigned pipe_bytes; /* capacity the stream pipe is made with; 0: the kernel's default */
    const char *address; /* unix:PATH or tcp:HOST:PORT: no pipe, they meet there; or NULL */
} IohHelperJob;

typedef struct {
    double seconds;
    JsonObject *report;
} IohHelperResult;

/*
 * Boots a paused machine with that RAM and saves it to the file: QEMU and the helper have both said
 * that all went well. The time is that from the start of the helper to its end, so flushing is part
 * of it.
 */
gboolean ioh_helper_save (const IohHelperJob *job, const IohRam *ram, IohHelperResult *out_result,
                          GError **error);

/*
 * Restores the file into a new machine, compares its RAM with the one that was saved, byte by byte,
 * and only then lets the guest run and sees it do so. The time is that until QEMU has the whole
 * stream.
 */
gboolean ioh_helper_restore (const IohHelperJob *job, const IohRam *saved,
                             IohHelperResult *out_result, GError **error);

/* The length of the stream as reported. */
uint64_t ioh_helper_result_bytes (const IohHelperResult *self);

/* The reported choice: of "engine", "cache" and so on. */
const char *ioh_helper_result_used (const IohHelperResult *self, const char *what);

void ioh_helper_result_clear (IohHelperResult *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (IohHelperResult, ioh_helper_result_clear)

/* Only begins to save: QEMU writes, the helper reads, and nobody has waited for either. */
IohChild *ioh_helper_begin_save (const IohHelperJob *job, IohVm *vm, GError **error);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBIOHELPER_RESULT_H
#define LIBIOHELPER_RESULT_H

#include <glib-object.h>

#include "libiohelper-types.h"

G_BEGIN_DECLS

#define IOH_TYPE_TRANSFER_RESULT (ioh_transfer_result_get_type ())

/**
 * IohTransferResult:
 *
 * What a transfer came to: the helper's report, and what the library knows besides. It never
 * changes, and may be used from any thread.
 *
 * Since: 0.1
 */
typedef struct _IohTransferResult IohTransferResult;

GType ioh_transfer_result_get_type (void) G_GNUC_CONST;

/**
 * ioh_transfer_result_ref:
 * @result: a result
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @result
 *
 * Since: 0.1
 */
IohTransferResult *ioh_transfer_result_ref (IohTransferResult *result);

/**
 * ioh_transfer_result_unref:
 * @result: (transfer full): a result
 *
 * Drops a reference.
 *
 * Since: 0.1
 */
void ioh_transfer_result_unref (IohTransferResult *result);

/**
 * ioh_transfer_result_is_done:
 * @result: a result
 *
 * Whether the transfer succeeded; ioh_transfer_finish() returned the same.
 *
 * Returns: %TRUE when every byte has crossed and what was to be durable is
 *
 * Since: 0.1
 */
gboolean ioh_transfer_result_is_done (IohTransferResult *result);

/**
 * ioh_transfer_result_get_bytes:
 * @result: a result
 *
 * How much of the stream has been handed over.
 *
 * Returns: a number of bytes
 *
 * Since: 0.1
 */
guint64 ioh_transfer_result_get_bytes (IohTransferResult *result);

/**
 * ioh_transfer_result_is_durable:
 * @result: a result
 *
 * Whether what was saved is known to be on stable storage.
 *
 * Returns: %FALSE for failures, restores, and saves with #IohTransfer:sync %IOH_SYNC_NONE
 *
 * Since: 0.1
 */
gboolean ioh_transfer_result_is_durable (IohTransferResult *result);

/**
 * ioh_transfer_result_is_published:
 * @result: a result
 *
 * Whether a new file has got its name. It may have, and the transfer have failed all the same: when
 * the directory could not be flushed, the name may not survive a power cut.
 *
 * Returns: %FALSE also for what is written in place
 *
 * Since: 0.1
 */
gboolean ioh_transfer_result_is_published (IohTransferResult *result);

/**
 * ioh_transfer_result_get_length:
 * @result: a result
 *
 * How long the file is.
 *
 * Returns: a number of bytes, 0 when it has no length or that is not known
 *
 * Since: 0.1
 */
guint64 ioh_transfer_result_get_length (IohTransferResult *result);

/**
 * ioh_transfer_result_get_allocated:
 * @result: a result
 *
 * How much storage the file takes up.
 *
 * Returns: a number of bytes, 0 when that is not known
 *
 * Since: 0.1
 */
guint64 ioh_transfer_result_get_allocated (IohTransferResult *result);

/**
 * ioh_transfer_result_get_engine:
 * @result: a result
 *
 * The engine that moved the bytes.
 *
 * Returns: (nullable): its name, or %NULL when it did not come to that
 *
 * Since: 0.1
 */
const char *ioh_transfer_result_get_engine (IohTransferResult *result);

/**
 * ioh_transfer_result_get_cache:
 * @result: a result
 *
 * How the page cache was used.
 *
 * Returns: (nullable): the nick of an #IohCache, or %NULL when it did not come to that
 *
 * Since: 0.1
 */
const char *ioh_transfer_result_get_cache (IohTransferResult *result);

/**
 * ioh_transfer_result_get_notes:
 * @result: a result
 *
 * Remarks for people: what was done in another way than asked for.
 *
 * Returns: (array zero-terminated=1) (transfer none): the remarks, none being an empty array
 *
 * Since: 0.1
 */
const char *const *ioh_transfer_result_get_notes (IohTransferResult *result);

/**
 * ioh_transfer_result_get_total_seconds:
 * @result: a result
 *
 * How long the transfer took, flush and all.
 *
 * Returns: seconds
 *
 * Since: 0.1
 */
double ioh_transfer_result_get_total_seconds (IohTransferResult *result);

/**
 * ioh_transfer_result_get_stream_seconds:
 * @result: a result
 *
 * How long the hypervisor was waited for.
 *
 * Returns: seconds
 *
 * Since: 0.1
 */
double ioh_transfer_result_get_stream_seconds (IohTransferResult *result);

/**
 * ioh_transfer_result_get_file_seconds:
 * @result: a result
 *
 * How long the storage was waited for.
 *
 * Returns: seconds
 *
 * Since: 0.1
 */
double ioh_transfer_result_get_file_seconds (IohTransferResult *result);

/**
 * ioh_transfer_result_get_flush_seconds:
 * @result: a result
 *
 * How long the last flush took.
 *
 * Returns: seconds
 *
 * Since: 0.1
 */
double ioh_transfer_result_get_flush_seconds (IohTransferResult *result);

/**
 * ioh_transfer_result_get_exit_status:
 * @result: a result
 *
 * The helper's exit status, see iohelper(1).
 *
 * Returns: -1 when a signal ended it, or something else in this program has reaped it
 *
 * Since: 0.1
 */
int ioh_transfer_result_get_exit_status (IohTransferResult *result);

/**
 * ioh_transfer_result_get_signal:
 * @result: a result
 *
 * The signal that ended the helper.
 *
 * Returns: 0 when none did
 *
 * Since: 0.1
 */
int ioh_transfer_result_get_signal (IohTransferResult *result);

/**
 * ioh_transfer_result_get_message:
 * @result: a result
 *
 * What went wrong, in one line; the message of the error that ioh_transfer_finish() set.
 *
 * Returns: (nullable): %NULL when nothing did
 *
 * Since: 0.1
 */
const char *ioh_transfer_result_get_message (IohTransferResult *result);

/**
 * ioh_transfer_result_get_side:
 * @result: a result
 *
 * Which end failed.
 *
 * Returns: %IOH_SIDE_NONE when neither did
 *
 * Since: 0.1
 */
IohSide ioh_transfer_result_get_side (IohTransferResult *result);

/**
 * ioh_transfer_result_get_stage:
 * @result: a result
 *
 * What was being done when it failed.
 *
 * Returns: %IOH_STAGE_NONE when nothing failed, or that is not known
 *
 * Since: 0.1
 */
IohStage ioh_transfer_result_get_stage (IohTransferResult *result);

/**
 * ioh_transfer_result_get_offset:
 * @result: a result
 *
 * Where it failed: bytes from the beginning of the stream or of the file, whichever side failed.
 *
 * Returns: -1 when no position is meant
 *
 * Since: 0.1
 */
gint64 ioh_transfer_result_get_offset (IohTransferResult *result);

/**
 * ioh_transfer_result_get_errno:
 * @result: a result
 *
 * The kernel's reason for a failure, a value of errno(3).
 *
 * Returns: 0 when the kernel was not involved
 *
 * Since: 0.1
 */
int ioh_transfer_result_get_errno (IohTransferResult *result);

/**
 * ioh_transfer_result_get_report:
 * @result: a result
 *
 * The whole report as the helper wrote it, a JSON object; its members are in iohelper(1).
 *
 * Returns: (nullable): %NULL when there was none, or none that makes sense
 *
 * Since: 0.1
 */
const char *ioh_transfer_result_get_report (IohTransferResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohTransferResult, ioh_transfer_result_unref)

G_END_DECLS

#endif

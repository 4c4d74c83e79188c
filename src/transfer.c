/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transfer - one save or restore, as the object that a manager holds.
 *
 * Owns the state that its user sees, and who waits for it. The watch reports from its own thread;
 * here that becomes signals in the caller's main context and the completion of tasks. Nothing here
 * waits for the helper or for storage, except ioh_transfer_finish, which says so.
 */
#include "libiohelper-transfer.h"

#include "descriptor.h"
#include "error-private.h"
#include "launch.h"
#include "libiohelper-enums.h"
#include "message.h"
#include "notice.h"
#include "result-private.h"
#include "settings.h"
#include "waiters.h"
#include "watch.h"

/* The one property that is no setting. */
#define PROPERTY_STATE (IOH_SETTINGS_COUNT + 1)

struct _IohTransfer {
    GObject parent_instance;

    IohSettings settings; /* const once started */
    IohWaiters *waiters;

    GMutex lock; /* of all below */
    IohTransferState state;
    IohWatch *watch; /* from the start on */
    IohLaunched launched;
    IohTold told;
    gint64 begun_us;
    gint64 ended_us;
    gboolean progressed; /* since the last signal */
    gboolean changed;    /* the state has, since the last notification */
    IohNotice *notice;   /* that will tell of it; from the start on */
    IohTransferResult *result;
    GError *error;
};

G_DEFINE_FINAL_TYPE (IohTransfer, ioh_transfer, G_TYPE_OBJECT)

static guint transfer_progress_signal;

static gboolean
transfer_has_ended (const IohTransfer *transfer)
{
    return transfer->state >= IOH_TRANSFER_STATE_DONE;
}

static double
transfer_seconds (const IohTransfer *transfer)
{
    gint64 until_us = transfer_has_ended (transfer) ? transfer->ended_us : g_get_monotonic_time ();

    return transfer->begun_us != 0 ? (double) (until_us - transfer->begun_us) / G_USEC_PER_SEC : 0;
}

/* Tells what is new, in the caller's main context. */
static void
transfer_tell (gpointer object)
{
    IohTransfer *transfer = object;

    g_mutex_lock (&transfer->lock);
    gboolean progressed = transfer->progressed;
    gboolean changed = transfer->changed;
    transfer->progressed = transfer->changed = FALSE;
    IohTold told = transfer->told;
    double seconds = transfer_seconds (transfer);
    g_mutex_unlock (&transfer->lock);
    if (progressed)
        g_signal_emit (transfer, transfer_progress_signal, 0, told.phase, told.bytes, told.expected,
                       seconds);
    if (changed)
        g_object_notify (G_OBJECT (transfer), "state");
}

static void
transfer_free_weak (gpointer data)
{
    g_weak_ref_clear (data);
    g_free (data);
}

static GWeakRef *
transfer_new_weak (IohTransfer *transfer)
{
    GWeakRef *weak = g_new0 (GWeakRef, 1);

    g_weak_ref_init (weak, transfer);
    return weak;
}

/* With the lock. */
static void
transfer_set_state (IohTransfer *transfer, IohTransferState state)
{
    transfer->state = state;
    transfer->changed = TRUE;
    ioh_notice_post (transfer->notice);
}

/* What the watch calls, in its thread. The transfer may be gone by then. */

static void
transfer_on_told (gpointer data, const IohTold *told)
{
    g_autoptr (IohTransfer) transfer = g_weak_ref_get (data);

    if (transfer == NULL)
        return;
    g_mutex_lock (&transfer->lock);
    transfer->told = *told;
    transfer->progressed = TRUE;
    ioh_notice_post (transfer->notice);
    g_mutex_unlock (&transfer->lock);
}

/* Completes who waits for it, and gives up TRANSFER before: when they hear of it, nothing of it is
 * held by the watch's thread any more. */
static void
transfer_complete (IohTransfer *transfer, const GError *error)
{
    IohWaiters *waiters = ioh_waiters_ref (transfer->waiters);

    g_object_unref (transfer);
    ioh_waiters_complete (waiters, error);
    ioh_waiters_unref (waiters);
}

static void
transfer_on_stuck (gpointer data)
{
    g_autoptr (IohTransfer) transfer = g_weak_ref_get (data);

    if (transfer == NULL)
        return;
    g_mutex_lock (&transfer->lock);
    g_clear_error (&transfer->error);
    ioh_transfer_error_set (&transfer->error, IOH_TRANSFER_ERROR_CANCELLED, NULL,
                            _ ("cancelled, but the helper (process %d) hangs in the kernel until "
                               "the storage answers"),
                            transfer->launched.pid);
    transfer_set_state (transfer, IOH_TRANSFER_STATE_STUCK);
    g_autoptr (GError) error = g_error_copy (transfer->error);
    g_mutex_unlock (&transfer->lock);
    transfer_complete (g_steal_pointer (&transfer), error);
}

static IohTransferState
transfer_final_state (const IohTransferResult *result, const GError *error)
{
    if (result->done)
        return IOH_TRANSFER_STATE_DONE;
    return g_error_matches (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED)
               ? IOH_TRANSFER_STATE_CANCELLED
               : IOH_TRANSFER_STATE_FAILED;
}

static void
transfer_on_ended (gpointer data, const IohEnding *ending)
{
    g_autoptr (IohTransfer) transfer = g_weak_ref_get (data);
    g_autoptr (GError) error = NULL;

    if (transfer == NULL)
        return;
    IohTransferResult *result = ioh_verdict (ending, &error);
    g_mutex_lock (&transfer->lock);
    ioh_transfer_result_add_notes (result, transfer->launched.notes);
    transfer->told.bytes = MAX (transfer->told.bytes, ioh_transfer_result_get_bytes (result));
    transfer->ended_us = g_get_monotonic_time ();
    transfer->progressed = TRUE;
    transfer->result = result;
    g_clear_error (&transfer->error);
    transfer->error = error != NULL ? g_error_copy (error) : NULL;
    transfer_set_state (transfer, transfer_final_state (result, error));
    g_mutex_unlock (&transfer->lock);
    transfer_complete (g_steal_pointer (&transfer), error);
}

static const IohWatchCalls transfer_calls = {
    .told = transfer_on_told,
    .stuck = transfer_on_stuck,
    .ended = transfer_on_ended,
};

/* The object */

static void
ioh_transfer_init (IohTransfer *transfer)
{
    ioh_settings_init (&transfer->settings);
    g_mutex_init (&transfer->lock);
    transfer->waiters = ioh_waiters_new ();
    transfer->told.expected = -1;
}

/* A helper that nobody asks about any more learns of it by the hang-up. */
static void
ioh_transfer_finalize (GObject *object)
{
    IohTransfer *transfer = IOH_TRANSFER (object);

    if (transfer->watch != NULL) {
        ioh_watch_hang_up (transfer->watch);
        ioh_watch_unref (transfer->watch);
    }
    g_clear_pointer (&transfer->notice, ioh_notice_free);
    ioh_waiters_unref (transfer->waiters);
    g_clear_pointer (&transfer->result, ioh_transfer_result_unref);
    g_clear_error (&transfer->error);
    g_clear_pointer (&transfer->launched.notes, g_ptr_array_unref);
    ioh_settings_clear (&transfer->settings);
    g_mutex_clear (&transfer->lock);
    G_OBJECT_CLASS (ioh_transfer_parent_class)->finalize (object);
}

static void
ioh_transfer_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    IohTransfer *transfer = IOH_TRANSFER (object);

    if (ioh_transfer_get_state (transfer) != IOH_TRANSFER_STATE_NEW) {
        g_critical ("%s of a transfer cannot be changed once it has started", spec->name);
        return;
    }
    ioh_settings_set (&transfer->settings, id, value);
    g_object_notify_by_pspec (object, spec);
}

static void
ioh_transfer_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    IohTransfer *transfer = IOH_TRANSFER (object);

    if (id == PROPERTY_STATE)
        g_value_set_enum (value, (int) ioh_transfer_get_state (transfer));
    else
        ioh_settings_get (&transfer->settings, id, value);
}

static void
ioh_transfer_class_init (IohTransferClass *klass)
{
    GObjectClass *object_class = G_OBJECT_CLASS (klass);

    object_class->finalize = ioh_transfer_finalize;
    object_class->set_property = ioh_transfer_set_property;
    object_class->get_property = ioh_transfer_get_property;
    ioh_settings_install (object_class);
    g_object_class_install_property (
        object_class, PROPERTY_STATE,
        g_param_spec_enum ("state", NULL, NULL, IOH_TYPE_TRANSFER_STATE, IOH_TRANSFER_STATE_NEW,
                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY));
    transfer_progress_signal =
        g_signal_new ("progress", IOH_TYPE_TRANSFER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 4, IOH_TYPE_PHASE, G_TYPE_UINT64, G_TYPE_INT64, G_TYPE_DOUBLE);
}

IohTransfer *
ioh_transfer_new_save (const char *path)
{
    g_return_val_if_fail (path != NULL, NULL);
    return g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_SAVE, "path", path, NULL);
}

IohTransfer *
ioh_transfer_new_save_to_fd (int fd)
{
    g_return_val_if_fail (fd >= 0, NULL);
    return g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_SAVE, "file-fd", fd, NULL);
}

IohTransfer *
ioh_transfer_new_restore (const char *path)
{
    g_return_val_if_fail (path != NULL, NULL);
    return g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_RESTORE, "path", path, NULL);
}

IohTransfer *
ioh_transfer_new_restore_from_fd (int fd)
{
    g_return_val_if_fail (fd >= 0, NULL);
    return g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_RESTORE, "file-fd", fd, NULL);
}

/* Makes the helper known and begins to listen to it. */
static gboolean
transfer_begin (IohTransfer *transfer, const IohWatchLines *lines, GError **error)
{
    g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();

    g_mutex_lock (&transfer->lock);
    transfer->watch =
        ioh_watch_new (lines, &transfer_calls, transfer_new_weak (transfer), transfer_free_weak);
    transfer->notice = ioh_notice_new (context, G_OBJECT (transfer), transfer_tell);
    transfer->begun_us = transfer->told.heard_us = g_get_monotonic_time ();
    gboolean begun = ioh_watch_start (transfer->watch, error);
    if (begun) {
        transfer_set_state (transfer, IOH_TRANSFER_STATE_RUNNING);
    } else {
        g_clear_pointer (&transfer->watch, ioh_watch_unref);
        g_clear_pointer (&transfer->notice, ioh_notice_free);
        g_clear_pointer (&transfer->launched.notes, g_ptr_array_unref);
    }
    g_mutex_unlock (&transfer->lock);
    return begun;
}

int
ioh_transfer_start (IohTransfer *transfer, GError **error)
{
    ioh_auto_descriptor stream_fd = -1;
    IohWatchLines lines;

    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), -1);
    g_return_val_if_fail (error == NULL || *error == NULL, -1);
    if (ioh_transfer_get_state (transfer) != IOH_TRANSFER_STATE_NEW) {
        ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_USAGE, NULL, "%s",
                                _ ("the transfer has been started already"));
        return -1;
    }
    if (!ioh_launch (&transfer->settings, &lines, &transfer->launched, &stream_fd, error) ||
        !transfer_begin (transfer, &lines, error))
        return -1;
    /* the helper has it now */
    ioh_descriptor_clear (&transfer->settings.file_fd);
    return ioh_descriptor_steal (&stream_fd);
}

/* What completes a finish at once, if anything does: TRUE with *OUT_ERROR, which is NULL when the
 * transfer has ended well. With the lock. */
static gboolean
transfer_is_settled (const IohTransfer *transfer, GError **out_error)
{
    if (transfer->state == IOH_TRANSFER_STATE_NEW)
        return !ioh_transfer_error_set (out_error, IOH_TRANSFER_ERROR_USAGE, NULL, "%s",
                                        _ ("the transfer has not been started"));
    if (transfer->state < IOH_TRANSFER_STATE_STUCK)
        return FALSE;
    if (transfer->error != NULL)
        *out_error = g_error_copy (transfer->error);
    return TRUE;
}

void
ioh_transfer_finish_async (IohTransfer *transfer, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
    g_autoptr (GError) error = NULL;

    g_return_if_fail (IOH_IS_TRANSFER (transfer));
    GTask *task = g_task_new (transfer, cancellable, callback, user_data);
    g_task_set_source_tag (task, ioh_transfer_finish_async);
    g_task_set_check_cancellable (task, FALSE);
    g_mutex_lock (&transfer->lock);
    gboolean settled = transfer_is_settled (transfer, &error);
    if (!settled) {
        if (transfer->settings.direction == IOH_SAVE)
            ioh_watch_commit (transfer->watch);
        ioh_waiters_add (transfer->waiters, task);
    }
    g_mutex_unlock (&transfer->lock);
    if (!settled)
        return;
    if (error != NULL)
        g_task_return_error (task, g_steal_pointer (&error));
    else
        g_task_return_boolean (task, TRUE);
    g_object_unref (task);
}

gboolean
ioh_transfer_finish_finish (IohTransfer *transfer, GAsyncResult *async_result, GError **error)
{
    g_return_val_if_fail (g_task_is_valid (async_result, transfer), FALSE);
    return g_task_propagate_boolean (G_TASK (async_result), error);
}

static void
transfer_finished (GObject *object, GAsyncResult *async_result, gpointer data)
{
    GAsyncResult **out_result = data;

    *out_result = g_object_ref (async_result);
}

gboolean
ioh_transfer_finish (IohTransfer *transfer, GCancellable *cancellable, GError **error)
{
    g_autoptr (GMainContext) context = g_main_context_new ();
    g_autoptr (GAsyncResult) async_result = NULL;

    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), FALSE);
    g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
    g_main_context_push_thread_default (context);
    ioh_transfer_finish_async (transfer, cancellable, transfer_finished, &async_result);
    while (async_result == NULL)
        g_main_context_iteration (context, TRUE);
    g_main_context_pop_thread_default (context);
    return ioh_transfer_finish_finish (transfer, async_result, error);
}

void
ioh_transfer_cancel (IohTransfer *transfer)
{
    g_return_if_fail (IOH_IS_TRANSFER (transfer));
    g_mutex_lock (&transfer->lock);
    if (transfer->state == IOH_TRANSFER_STATE_RUNNING) {
        ioh_watch_cancel (transfer->watch);
        transfer_set_state (transfer, IOH_TRANSFER_STATE_CANCELLING);
    }
    g_mutex_unlock (&transfer->lock);
}

IohTransferState
ioh_transfer_get_state (IohTransfer *transfer)
{
    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), IOH_TRANSFER_STATE_NEW);
    g_mutex_lock (&transfer->lock);
    IohTransferState state = transfer->state;
    g_mutex_unlock (&transfer->lock);
    return state;
}

/* The names of these outputs are what bindings call them. */
void
ioh_transfer_get_progress (IohTransfer *transfer, IohPhase *phase, guint64 *bytes, gint64 *expected,
                           double *seconds)
{
    g_return_if_fail (IOH_IS_TRANSFER (transfer));
    g_mutex_lock (&transfer->lock);
    if (phase != NULL)
        *phase = transfer->told.phase;
    if (bytes != NULL)
        *bytes = transfer->told.bytes;
    if (expected != NULL)
        *expected = transfer->told.expected;
    if (seconds != NULL)
        *seconds = transfer_seconds (transfer);
    g_mutex_unlock (&transfer->lock);
}

double
ioh_transfer_get_silence (IohTransfer *transfer)
{
    double seconds = 0;

    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), 0);
    g_mutex_lock (&transfer->lock);
    if (transfer->state > IOH_TRANSFER_STATE_NEW && !transfer_has_ended (transfer))
        seconds = (double) (g_get_monotonic_time () - transfer->told.heard_us) / G_USEC_PER_SEC;
    g_mutex_unlock (&transfer->lock);
    return seconds;
}

IohTransferResult *
ioh_transfer_get_result (IohTransfer *transfer)
{
    IohTransferResult *result = NULL;

    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), NULL);
    g_mutex_lock (&transfer->lock);
    if (transfer->result != NULL)
        result = ioh_transfer_result_ref (transfer->result);
    g_mutex_unlock (&transfer->lock);
    return result;
}

guint64
ioh_transfer_get_stream_size (IohTransfer *transfer)
{
    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), 0);
    g_mutex_lock (&transfer->lock);
    guint64 bytes = transfer->launched.stream_bytes;
    g_mutex_unlock (&transfer->lock);
    return bytes;
}

int
ioh_transfer_get_pid (IohTransfer *transfer)
{
    g_return_val_if_fail (IOH_IS_TRANSFER (transfer), -1);
    g_mutex_lock (&transfer->lock);
    gboolean runs = transfer->state > IOH_TRANSFER_STATE_NEW && !transfer_has_ended (transfer);
    int pid = runs ? transfer->launched.pid : -1;
    g_mutex_unlock (&transfer->lock);
    return pid;
}

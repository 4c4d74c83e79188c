/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * waiters - tasks that wait for the end of a transfer, or for their cancellation.
 *
 * Owns the tasks and decides races: whoever takes a task out of the list completes it. A task is
 * completed and released in its own main context: when its callback runs, no other thread still
 * holds on to anything of it.
 */
#include "waiters.h"

struct IohWaiters {
    gatomicrefcount references; /* the owner and each watched cancellable */
    GMutex lock;
    GPtrArray *tasks;
};

/* What the source of a cancellable knows. */
typedef struct {
    IohWaiters *waiters;
    GTask *task;
} Waiter;

IohWaiters *
ioh_waiters_new (void)
{
    IohWaiters *waiters = g_new0 (IohWaiters, 1);

    g_atomic_ref_count_init (&waiters->references);
    g_mutex_init (&waiters->lock);
    waiters->tasks = g_ptr_array_new_with_free_func (g_object_unref);
    return waiters;
}

IohWaiters *
ioh_waiters_ref (IohWaiters *waiters)
{
    g_atomic_ref_count_inc (&waiters->references);
    return waiters;
}

void
ioh_waiters_unref (IohWaiters *waiters)
{
    if (!g_atomic_ref_count_dec (&waiters->references))
        return;
    g_ptr_array_unref (waiters->tasks);
    g_mutex_clear (&waiters->lock);
    g_free (waiters);
}

static void
waiter_free (gpointer data)
{
    Waiter *waiter = data;

    ioh_waiters_unref (waiter->waiters);
    g_object_unref (waiter->task);
    g_free (waiter);
}

static gboolean
waiter_cancelled (GCancellable *cancellable, gpointer data)
{
    const Waiter *waiter = data;
    IohWaiters *waiters = waiter->waiters;

    g_mutex_lock (&waiters->lock);
    gboolean waits = g_ptr_array_remove_fast (waiters->tasks, waiter->task);
    g_mutex_unlock (&waiters->lock);
    if (waits)
        g_task_return_error_if_cancelled (waiter->task);
    return G_SOURCE_REMOVE;
}

/* Watches the cancellable in the task's context. The source is kept by the task, and is destroyed
 * when that is completed. */
static void
waiters_watch (IohWaiters *waiters, GTask *task)
{
    GSource *source = g_cancellable_source_new (g_task_get_cancellable (task));
    Waiter *waiter = g_new0 (Waiter, 1);

    waiter->waiters = ioh_waiters_ref (waiters);
    waiter->task = g_object_ref (task);
    g_source_set_callback (source, G_SOURCE_FUNC (waiter_cancelled), waiter, waiter_free);
    g_task_set_task_data (task, source, (GDestroyNotify) g_source_unref);
    g_source_attach (source, g_task_get_context (task));
}

void
ioh_waiters_add (IohWaiters *waiters, GTask *task)
{
    /* it is in the list before its cancellation can look for it there */
    g_mutex_lock (&waiters->lock);
    g_ptr_array_add (waiters->tasks, task);
    g_mutex_unlock (&waiters->lock);
    if (g_task_get_cancellable (task) != NULL)
        waiters_watch (waiters, task);
}

/* What completes a task in its own context. */
typedef struct {
    IohWaiters *waiters;
    GTask *task;
    GError *error; /* NULL: all went well */
} Completion;

static void
completion_free (gpointer data)
{
    Completion *completion = data;

    ioh_waiters_unref (completion->waiters);
    g_object_unref (completion->task);
    g_clear_error (&completion->error);
    g_free (completion);
}

static gboolean
completion_run (gpointer data)
{
    Completion *completion = data;
    GSource *cancelled = g_task_get_task_data (completion->task);

    /* until the other thread has let go of the source and of this context, which may not outlive
     * the callback */
    g_mutex_lock (&completion->waiters->lock);
    g_mutex_unlock (&completion->waiters->lock);
    if (cancelled != NULL)
        g_source_destroy (cancelled);
    if (completion->error != NULL)
        g_task_return_error (completion->task, g_steal_pointer (&completion->error));
    else
        g_task_return_boolean (completion->task, TRUE);
    return G_SOURCE_REMOVE;
}

/* Takes over TASK. With the lock. */
static void
waiters_post (IohWaiters *waiters, GTask *task, const GError *error)
{
    GSource *source = g_idle_source_new ();
    Completion *completion = g_new0 (Completion, 1);

    completion->waiters = ioh_waiters_ref (waiters);
    completion->task = task;
    completion->error = error != NULL ? g_error_copy (error) : NULL;
    g_source_set_priority (source, g_task_get_priority (task));
    g_source_set_callback (source, completion_run, completion, completion_free);
    g_source_attach (source, g_task_get_context (task));
    g_source_unref (source);
}

void
ioh_waiters_complete (IohWaiters *waiters, const GError *error)
{
    GPtrArray *tasks = waiters->tasks;

    g_mutex_lock (&waiters->lock);
    while (tasks->len > 0)
        waiters_post (waiters, g_ptr_array_steal_index_fast (tasks, tasks->len - 1), error);
    g_mutex_unlock (&waiters->lock);
}

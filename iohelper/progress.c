/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress - tells how far a transfer is, from threads of their own.
 *
 * Owns the numbers and one thread for each listener: the transfer itself only stores numbers and
 * can neither be held up by a listener nor hold up the next moment, and no listener holds up
 * another.
 */
#include "progress.h"

#include "cancel.h"
#include "error.h"

/* Half of what is promised, so that a busy machine still keeps the promise. */
#define PROGRESS_INTERVAL_US (G_USEC_PER_SEC / 2)

/* How long the end of a transfer waits for the last moment to be told. */
#define PROGRESS_PATIENCE_US G_USEC_PER_SEC

struct IohProgress {
    gatomicrefcount references; /* the transfer and the threads */
    gint64 begun_us;

    /* stored by the transfer, read by the threads */
    uint64_t bytes;
    uint64_t expect_bytes;
    IohPhase phase;

    GMutex lock; /* of the three below */
    GCond changed;
    unsigned news;      /* how often something was due before its time */
    gboolean ended;     /* the transfer is over */
    unsigned listening; /* threads that have not told the last moment */
};

typedef struct {
    IohProgress *progress;
    IohProgressTell *tell;
    gpointer listener;
    GDestroyNotify free_listener;
    unsigned news; /* that are known to this thread */
} ProgressThread;

static void
progress_unref (IohProgress *progress)
{
    if (!g_atomic_ref_count_dec (&progress->references))
        return;
    g_mutex_clear (&progress->lock);
    g_cond_clear (&progress->changed);
    g_free (progress);
}

static IohMoment
progress_look (const IohProgress *progress)
{
    return (IohMoment){
        .phase = __atomic_load_n (&progress->phase, __ATOMIC_RELAXED),
        .bytes = __atomic_load_n (&progress->bytes, __ATOMIC_RELAXED),
        .expect_bytes = __atomic_load_n (&progress->expect_bytes, __ATOMIC_RELAXED),
        .passed_us = g_get_monotonic_time () - progress->begun_us,
    };
}

/* Waits for the time or the need of the next moment. FALSE when the transfer is over. */
static gboolean
progress_wait (ProgressThread *thread, gint64 until_us)
{
    IohProgress *progress = thread->progress;

    g_mutex_lock (&progress->lock);
    while (thread->news == progress->news && !progress->ended &&
           g_cond_wait_until (&progress->changed, &progress->lock, until_us))
        continue;
    thread->news = progress->news;
    gboolean ended = progress->ended;
    g_mutex_unlock (&progress->lock);
    return !ended;
}

static void
progress_thread_leave (ProgressThread *thread)
{
    IohProgress *progress = thread->progress;

    g_mutex_lock (&progress->lock);
    progress->listening--;
    g_cond_broadcast (&progress->changed);
    g_mutex_unlock (&progress->lock);
    thread->free_listener (thread->listener);
    progress_unref (progress);
    g_free (thread);
}

static gpointer
progress_run (gpointer data)
{
    ProgressThread *thread = data;
    IohProgress *progress = thread->progress;
    gboolean listens = TRUE;
    gboolean running = TRUE;

    while (listens && running) {
        IohMoment moment = progress_look (progress);
        listens = thread->tell (thread->listener, &moment, FALSE);
        running = progress_wait (thread, g_get_monotonic_time () + PROGRESS_INTERVAL_US);
    }
    if (listens) {
        IohMoment moment = progress_look (progress);
        thread->tell (thread->listener, &moment, TRUE);
    }
    progress_thread_leave (thread);
    return NULL;
}

IohProgress *
ioh_progress_new (uint64_t expect_bytes)
{
    IohProgress *progress = g_new0 (IohProgress, 1);

    g_atomic_ref_count_init (&progress->references);
    g_mutex_init (&progress->lock);
    g_cond_init (&progress->changed);
    progress->begun_us = g_get_monotonic_time ();
    progress->expect_bytes = expect_bytes;
    return progress;
}

gboolean
ioh_progress_add (IohProgress *progress, IohProgressTell *tell, gpointer listener,
                  GDestroyNotify free_listener, GError **error)
{
    ProgressThread *thread = g_new0 (ProgressThread, 1);
    g_autoptr (GError) failure = NULL;

    *thread = (ProgressThread){progress, tell, listener, free_listener, 0};
    g_atomic_ref_count_inc (&progress->references);
    g_mutex_lock (&progress->lock);
    progress->listening++;
    g_mutex_unlock (&progress->lock);
    if (ioh_cancel_thread ("progress", progress_run, thread, &failure))
        return TRUE;
    progress_thread_leave (thread);
    return ioh_error_internal (error, failure->message, 0);
}

void
ioh_progress_phase (IohProgress *progress, IohPhase phase)
{
    if (progress == NULL)
        return;
    __atomic_store_n (&progress->phase, phase, __ATOMIC_RELAXED);
    g_mutex_lock (&progress->lock);
    progress->news++;
    g_cond_broadcast (&progress->changed);
    g_mutex_unlock (&progress->lock);
}

void
ioh_progress_bytes (IohProgress *progress, uint64_t bytes)
{
    if (progress != NULL)
        __atomic_store_n (&progress->bytes, bytes, __ATOMIC_RELAXED);
}

void
ioh_progress_expect (IohProgress *progress, uint64_t expect_bytes)
{
    if (progress != NULL)
        __atomic_store_n (&progress->expect_bytes, expect_bytes, __ATOMIC_RELAXED);
}

/* A thread may hang in a write to a file that never answers: the process can end without it. */
void
ioh_progress_free (IohProgress *progress)
{
    if (progress == NULL)
        return;
    gint64 until_us = g_get_monotonic_time () + PROGRESS_PATIENCE_US;
    g_mutex_lock (&progress->lock);
    progress->ended = TRUE;
    g_cond_broadcast (&progress->changed);
    while (progress->listening > 0 &&
           g_cond_wait_until (&progress->changed, &progress->lock, until_us))
        continue;
    g_mutex_unlock (&progress->lock);
    progress_unref (progress);
}

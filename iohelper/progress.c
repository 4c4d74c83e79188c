/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress - tells how far a transfer is, from a thread of its own.
 *
 * Owns that thread, which is the only one to write to the descriptor: the transfer itself only
 * stores numbers and can neither be held up by a reader nor hold up the next line. Must never touch
 * the descriptor's flags, which it shares with other processes.
 */
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cancel.h"
#include "channel.h"
#include "error.h"
#include "i18n.h"
#include "probe.h"
#include "sys.h"

/* Half of what is promised, so that a busy machine still keeps the promise. */
#define PROGRESS_INTERVAL_US (G_USEC_PER_SEC / 2)

/* How long the end of a transfer waits for its last line. */
#define PROGRESS_PATIENCE_US G_USEC_PER_SEC

struct IohProgress {
    gatomicrefcount references; /* the transfer and the thread */
    gint64 begun_us;

    /* stored by the transfer, read by the thread */
    uint64_t bytes;
    uint64_t expect_bytes;
    IohPhase phase;

    GMutex lock; /* of the three below */
    GCond changed;
    gboolean news;  /* a line is due before its time */
    gboolean ended; /* the transfer is over */
    gboolean told;  /* the thread has written its last line */

    /* the thread's own */
    IohChannel channel;
    char line[192];
    int line_length;
    int line_sent; /* what a socket took of it */
};

static void
progress_unref (IohProgress *progress)
{
    if (!g_atomic_ref_count_dec (&progress->references))
        return;
    g_mutex_clear (&progress->lock);
    g_cond_clear (&progress->changed);
    g_free (progress);
}

static void
progress_compose (IohProgress *progress)
{
    gint64 passed_ms = (g_get_monotonic_time () - progress->begun_us) / 1000;
    uint64_t expect_bytes = __atomic_load_n (&progress->expect_bytes, __ATOMIC_RELAXED);
    IohPhase phase = __atomic_load_n (&progress->phase, __ATOMIC_RELAXED);
    char expected[48] = "";

    if (expect_bytes != IOH_UNSET)
        g_snprintf (expected, sizeof expected, ",\"" IOH_PROGRESS_EXPECTED "\":%" PRIu64,
                    expect_bytes);
    progress->line_sent = 0;
    progress->line_length = g_snprintf (
        progress->line, sizeof progress->line,
        "{\"" IOH_PROGRESS_PHASE "\":\"%s\",\"" IOH_PROGRESS_BYTES "\":%" PRIu64
        "%s,\"" IOH_PROGRESS_SECONDS "\":%" PRId64 ".%03d}\n",
        ioh_wire_phase_name (phase), __atomic_load_n (&progress->bytes, __ATOMIC_RELAXED), expected,
        passed_ms / 1000, (int) (passed_ms % 1000));
}

/* Writes what is left of the line, as far as that goes without waiting. FALSE when nobody will ever
 * read it. */
static gboolean
progress_push (IohProgress *progress)
{
    ssize_t written = 0;

    while (written >= 0 && progress->line_sent < progress->line_length) {
        written = ioh_channel_write (&progress->channel, progress->line + progress->line_sent,
                                     (size_t) (progress->line_length - progress->line_sent));
        if (written > 0)
            progress->line_sent += (int) written;
    }
    return written >= 0 || written == -EAGAIN;
}

/* Half a line is never followed by another; a line of which nothing went is not worth keeping. */
static gboolean
progress_tell (IohProgress *progress)
{
    if (!progress_push (progress))
        return FALSE;
    if (progress->line_sent < progress->line_length)
        return TRUE;
    progress_compose (progress);
    gboolean read = progress_push (progress);
    if (progress->line_sent == 0)
        progress->line_sent = progress->line_length;
    return read;
}

/* Waits for the time or the need of the next line. FALSE when the transfer is over. */
static gboolean
progress_wait (IohProgress *progress, gint64 until_us)
{
    g_mutex_lock (&progress->lock);
    while (!progress->news && !progress->ended &&
           g_cond_wait_until (&progress->changed, &progress->lock, until_us))
        continue;
    progress->news = FALSE;
    gboolean ended = progress->ended;
    g_mutex_unlock (&progress->lock);
    return !ended;
}

static gpointer
progress_run (gpointer data)
{
    IohProgress *progress = data;
    gboolean read = TRUE;
    gboolean running = TRUE;

    while (read && running) {
        read = progress_tell (progress);
        running = progress_wait (progress, g_get_monotonic_time () + PROGRESS_INTERVAL_US);
    }
    if (read)
        progress_tell (progress);
    g_mutex_lock (&progress->lock);
    progress->told = TRUE;
    g_cond_broadcast (&progress->changed);
    g_mutex_unlock (&progress->lock);
    progress_unref (progress);
    return NULL;
}

IohProgress *
ioh_progress_new (int fd, uint64_t expect_bytes, GError **error)
{
    IohEndKind kind = ioh_end_kind_of (fd);
    g_autoptr (GError) failure = NULL;

    if (kind == IOH_END_UNKNOWN) {
        ioh_error_usage (error, _ ("--%s: fd %d: %s"), IOH_OPTION_PROGRESS_FD, fd,
                         g_strerror (EBADF));
        return NULL;
    }
    IohProgress *progress = g_new0 (IohProgress, 1);
    g_atomic_ref_count_init (&progress->references);
    g_mutex_init (&progress->lock);
    g_cond_init (&progress->changed);
    progress->begun_us = g_get_monotonic_time ();
    progress->expect_bytes = expect_bytes;
    ioh_channel_init (&progress->channel, fd, kind);
    g_atomic_ref_count_inc (&progress->references);
    if (!ioh_cancel_thread ("progress", progress_run, progress, &failure)) {
        ioh_error_internal (error, failure->message, 0);
        progress_unref (progress);
        g_clear_pointer (&progress, progress_unref);
    }
    return progress;
}

void
ioh_progress_phase (IohProgress *progress, IohPhase phase)
{
    if (progress == NULL)
        return;
    __atomic_store_n (&progress->phase, phase, __ATOMIC_RELAXED);
    g_mutex_lock (&progress->lock);
    progress->news = TRUE;
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

/* The thread may hang in a write to a file that never answers: the process can end without it. */
void
ioh_progress_free (IohProgress *progress)
{
    if (progress == NULL)
        return;
    gint64 until_us = g_get_monotonic_time () + PROGRESS_PATIENCE_US;
    g_mutex_lock (&progress->lock);
    progress->ended = TRUE;
    g_cond_broadcast (&progress->changed);
    while (!progress->told && g_cond_wait_until (&progress->changed, &progress->lock, until_us))
        continue;
    g_mutex_unlock (&progress->lock);
    progress_unref (progress);
}

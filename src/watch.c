/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watch - listens to one helper from a thread of its own, until it has ended.
 *
 * Owns the process and the lines to it. It trusts the helper with nothing: how much it may say is
 * limited, what it says is parsed as coming from anybody, and that it has ended is taken from the
 * kernel alone. No call here waits for the helper, except the thread, which has nothing else to do.
 */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "descriptor.h"
#include "parse.h"
#include "wire.h"

/* A cancelled helper has this long to clean up; then it is killed; then it is called stuck. */
#define WATCH_GRACE_US (5 * G_USEC_PER_SEC)
#define WATCH_STUCK_US (7 * G_USEC_PER_SEC)

/* The longest silence between two calls of told; the helper itself speaks twice as often. */
#define WATCH_INTERVAL_US G_USEC_PER_SEC

/* How often a process is looked at where no descriptor tells of its end (before Linux 5.3, or under
 * a monitor that knows no such descriptors). */
#define WATCH_LOOK_MS 20

/* A report has a few KiB. A line of progress has less than 200 bytes, and there are a few of them a
 * second. Whoever says more is not the helper. */
#define WATCH_MOST_REPORT (1024 * 1024)
#define WATCH_MOST_LINE 1024
#define WATCH_MOST_WORDS 4096
#define WATCH_MOST_AT_ONCE (256 * 1024)
#define WATCH_MOST_A_SECOND (64 * 1024)

struct IohWatch {
    gatomicrefcount references; /* the transfer and the thread */
    IohWatchLines lines;
    const IohWatchCalls *calls;
    gpointer data;
    GDestroyNotify free_data;

    GMutex lock;         /* of the three below, and of the lines but for reading from them */
    gint64 cancelled_us; /* when it was asked to give up, 0: not yet */
    gboolean committed;  /* it was told to complete what it saves */
    gboolean ended;      /* and its lines are closed */

    /* the thread's own */
    gint64 begun_us;
    gint64 told_us;
    guint64 chatter; /* bytes of progress and of standard error */
    gboolean flooded;
    gboolean killed;
    gboolean stuck;
    GString *report;
    GString *line;  /* of progress, unfinished */
    GString *words; /* the end of what it said on standard error */
    IohTold told;
};

IohWatch *
ioh_watch_new (const IohWatchLines *lines, const IohWatchCalls *calls, gpointer data,
               GDestroyNotify free_data)
{
    IohWatch *watch = g_new0 (IohWatch, 1);

    g_atomic_ref_count_init (&watch->references);
    g_mutex_init (&watch->lock);
    watch->lines = *lines;
    watch->calls = calls;
    watch->data = data;
    watch->free_data = free_data;
    watch->report = g_string_new (NULL);
    watch->line = g_string_new (NULL);
    watch->words = g_string_new (NULL);
    watch->told.expected = -1;
    return watch;
}

static void
watch_close (IohWatch *watch)
{
    ioh_descriptor_clear (&watch->lines.process.pid_fd);
    ioh_descriptor_clear (&watch->lines.control_fd);
    ioh_descriptor_clear (&watch->lines.report_fd);
    ioh_descriptor_clear (&watch->lines.words_fd);
}

void
ioh_watch_unref (IohWatch *watch)
{
    if (!g_atomic_ref_count_dec (&watch->references))
        return;
    watch_close (watch);
    g_mutex_clear (&watch->lock);
    g_string_free (watch->report, TRUE);
    g_string_free (watch->line, TRUE);
    g_string_free (watch->words, TRUE);
    watch->free_data (watch->data);
    g_free (watch);
}

/* Takes one line of progress, if that is what it is. */
static void
watch_take_line (IohWatch *watch)
{
    g_autoptr (JsonNode) node = ioh_parse_object (watch->line->str, watch->line->len, NULL);
    JsonObject *object = node != NULL ? json_node_get_object (node) : NULL;
    const char *phase = ioh_parse_string (object, IOH_PROGRESS_PHASE);
    IohTold *told = &watch->told;

    if (phase == NULL || !ioh_wire_phase_parse (phase, &told->phase))
        return;
    told->bytes = MAX (told->bytes, (guint64) ioh_parse_integer (object, IOH_PROGRESS_BYTES, 0, 0));
    told->expected = ioh_parse_integer (object, IOH_PROGRESS_EXPECTED, 0, -1);
    told->heard_us = g_get_monotonic_time ();
}

static void
watch_take_progress (IohWatch *watch, const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++) {
        if (text[i] == '\n') {
            watch_take_line (watch);
            g_string_truncate (watch->line, 0);
        } else if (watch->line->len < WATCH_MOST_LINE) {
            g_string_append_c (watch->line, text[i]);
        }
    }
    watch->chatter += length;
}

static void
watch_take_words (IohWatch *watch, const char *text, gsize length)
{
    g_string_append_len (watch->words, text, (gssize) length);
    if (watch->words->len > WATCH_MOST_WORDS)
        g_string_erase (watch->words, 0, (gssize) (watch->words->len - WATCH_MOST_WORDS));
    watch->chatter += length;
}

static void
watch_take_report (IohWatch *watch, const char *text, gsize length)
{
    gsize room = WATCH_MOST_REPORT - watch->report->len;

    g_string_append_len (watch->report, text, (gssize) MIN (room, length));
    watch->flooded = watch->flooded || length > room;
}

/* Reads what is there on one line, once. FALSE when there is nothing, now or ever again; the line
 * is no longer asked then if it has ended. */
static gboolean
watch_read (IohWatch *watch, struct pollfd *line,
            void (*take) (IohWatch *watch, const char *text, gsize length))
{
    char text[16384];
    ssize_t got;

    if (line->fd < 0)
        return FALSE;
    do
        got = line->fd == watch->lines.control_fd ? recv (line->fd, text, sizeof text, MSG_DONTWAIT)
                                                  : read (line->fd, text, sizeof text);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        take (watch, text, (gsize) got);
    else if (got == 0 || errno != EAGAIN)
        line->fd = -1;
    return got > 0;
}

static void
watch_check_flood (IohWatch *watch)
{
    guint64 seconds = (guint64) (g_get_monotonic_time () - watch->begun_us) / G_USEC_PER_SEC;

    if (watch->chatter > WATCH_MOST_AT_ONCE + WATCH_MOST_A_SECOND * seconds)
        watch->flooded = TRUE;
    if (watch->flooded && !watch->killed) {
        watch->killed = TRUE;
        ioh_process_signal (&watch->lines.process, SIGKILL);
    }
}

/* What follows when the helper does not give up. */
static void
watch_check_cancelled (IohWatch *watch)
{
    g_mutex_lock (&watch->lock);
    gint64 cancelled_us = watch->cancelled_us;
    g_mutex_unlock (&watch->lock);
    gint64 passed_us = g_get_monotonic_time () - cancelled_us;

    if (cancelled_us == 0)
        return;
    if (passed_us > WATCH_GRACE_US && !watch->killed) {
        watch->killed = TRUE;
        ioh_process_signal (&watch->lines.process, SIGKILL);
    }
    if (passed_us > WATCH_STUCK_US && !watch->stuck) {
        watch->stuck = TRUE;
        watch->calls->stuck (watch->data);
    }
}

static void
watch_tell (IohWatch *watch)
{
    watch->told_us = g_get_monotonic_time ();
    watch->calls->told (watch->data, &watch->told);
}

/* Listens until the process has ended, then takes what is still on its lines. */
static void
watch_listen (IohWatch *watch)
{
    const IohWatchLines *lines = &watch->lines;
    struct pollfd fds[] = {
        {.fd = lines->process.pid_fd, .events = POLLIN},
        {.fd = lines->control_fd, .events = POLLIN},
        {.fd = lines->report_fd, .events = POLLIN},
        {.fd = lines->words_fd, .events = POLLIN},
    };
    gboolean ended = FALSE;

    while (!ended) {
        gint64 left_us = watch->told_us + WATCH_INTERVAL_US - g_get_monotonic_time ();
        int left_ms = (int) (CLAMP (left_us, 0, WATCH_INTERVAL_US) / 1000);
        if (fds[0].fd < 0)
            left_ms = MIN (left_ms, WATCH_LOOK_MS);
        if (poll (fds, G_N_ELEMENTS (fds), left_ms) < 0)
            continue;
        ended = fds[0].fd >= 0 ? fds[0].revents != 0 : ioh_process_has_ended (&lines->process);
        /* a line whose other end is held by a third process need not end: it is read once more */
        gboolean progress = watch_read (watch, &fds[1], watch_take_progress);
        watch_read (watch, &fds[2], watch_take_report);
        watch_read (watch, &fds[3], watch_take_words);
        watch_check_flood (watch);
        watch_check_cancelled (watch);
        if (progress || g_get_monotonic_time () - watch->told_us >= WATCH_INTERVAL_US)
            watch_tell (watch);
    }
    while (!watch->flooded && watch_read (watch, &fds[2], watch_take_report))
        continue;
    while (!watch->flooded && watch_read (watch, &fds[3], watch_take_words))
        watch_check_flood (watch);
}

/* Reaps the process and closes the lines to it: who hears of the end finds nothing left of it. */
static void
watch_end (IohWatch *watch, IohEnding *out_ending)
{
    g_mutex_lock (&watch->lock);
    out_ending->how = ioh_process_reap (&watch->lines.process, &out_ending->number);
    out_ending->cancelled = watch->cancelled_us != 0;
    out_ending->committed = watch->committed;
    watch_close (watch);
    watch->ended = TRUE;
    g_mutex_unlock (&watch->lock);
}

static gpointer
watch_run (gpointer data)
{
    IohWatch *watch = data;
    IohEnding ending = {0};

    watch_listen (watch);
    watch_end (watch, &ending);
    ending.flooded = watch->flooded;
    ending.report = watch->report->str;
    ending.report_length = watch->report->len;
    ending.words = watch->words->str;
    watch->calls->ended (watch->data, &ending);
    ioh_watch_unref (watch);
    return NULL;
}

/* The host program's signals are for its own threads. */
gboolean
ioh_watch_start (IohWatch *watch, GError **error)
{
    sigset_t all;
    sigset_t before;

    watch->begun_us = watch->told_us = watch->told.heard_us = g_get_monotonic_time ();
    g_atomic_ref_count_inc (&watch->references);
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    GThread *thread = g_thread_try_new ("iohelper", watch_run, watch, error);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    if (thread != NULL) {
        g_thread_unref (thread);
        return TRUE;
    }
    int number;
    ioh_process_signal (&watch->lines.process, SIGKILL);
    ioh_process_reap (&watch->lines.process, &number);
    ioh_watch_unref (watch);
    return FALSE;
}

void
ioh_watch_commit (IohWatch *watch)
{
    static const char text[] = IOH_CONTROL_COMMIT "\n";

    /* a few bytes always fit; a helper that no longer listens ends, and that is told otherwise */
    g_mutex_lock (&watch->lock);
    watch->committed = TRUE;
    if (!watch->ended &&
        send (watch->lines.control_fd, text, strlen (text), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        g_debug ("the helper does not listen: %s", g_strerror (errno));
    g_mutex_unlock (&watch->lock);
}

void
ioh_watch_cancel (IohWatch *watch)
{
    g_mutex_lock (&watch->lock);
    if (!watch->ended) {
        watch->cancelled_us = g_get_monotonic_time ();
        ioh_process_signal (&watch->lines.process, SIGTERM);
        /* one that was stopped is to see it too */
        ioh_process_signal (&watch->lines.process, SIGCONT);
    }
    g_mutex_unlock (&watch->lock);
}

void
ioh_watch_hang_up (IohWatch *watch)
{
    g_mutex_lock (&watch->lock);
    if (!watch->ended)
        shutdown (watch->lines.control_fd, SHUT_WR);
    g_mutex_unlock (&watch->lock);
}

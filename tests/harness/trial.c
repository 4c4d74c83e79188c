/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trial - makes the ends of a transfer and runs it.
 *
 * Owns the ends, the peers and whatever the helper's code did not close: it is told from a number
 * that has been given to somebody else by the file behind it.
 */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fault.h"
#include "pattern.h"
#include "scratch.h"

#define TRIAL_SECONDS 60
#define TRIAL_OPENING_US (5 * G_USEC_PER_SEC)

static const char *trial_device_path;
static const char *trial_what;

void
trial_use_device (const char *path)
{
    trial_device_path = path;
}

static void
trial_clear_fd (int *fd)
{
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
}

/* Takes over FD, the peer's end. */
static void
trial_make_peer (Trial *trial, int fd)
{
    trial->stream_peer = trial->ends.direction == IOH_SAVE
                             ? peer_new_writer (fd, trial->data, trial->length)
                             : peer_new_reader (fd, trial->length);
}

static void
trial_make_stream (Trial *trial)
{
    gboolean save = trial->ends.direction == IOH_SAVE;
    int fds[2];
    int result = trial->ends.stream == TRIAL_PIPE
                     ? pipe2 (fds, O_CLOEXEC)
                     : socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);

    g_assert_cmpint (result, ==, 0);
    trial->stream_fd = save ? fds[0] : fds[1];
    trial->stream_flags = fcntl (trial->stream_fd, F_GETFL);
    g_assert_cmpint (fstat (trial->stream_fd, &trial->stream_stat), ==, 0);
    trial_make_peer (trial, save ? fds[1] : fds[0]);
    ioh_options_set_stream (trial->options, trial->stream_fd);
}

/* The helper will listen: the peer has a socket that is not connected yet. */
static void
trial_make_caller (Trial *trial)
{
    g_autofree char *text = g_strdup_printf ("unix:%s/socket", trial->directory);

    trial_make_peer (trial, socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    trial->meeting_fd = fcntl (peer_fd (trial->stream_peer), F_DUPFD_CLOEXEC, 3);
    ioh_options_set_address (trial->options, ioh_address_parse ("listen", text, NULL), TRUE);
}

/* The helper will connect: the peer has a place for the socket that will be accepted. */
static void
trial_make_called (Trial *trial)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
    socklen_t length = sizeof name;

    trial->meeting_fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint (bind (trial->meeting_fd, (struct sockaddr *) &name, length), ==, 0);
    g_assert_cmpint (listen (trial->meeting_fd, 1), ==, 0);
    g_assert_cmpint (getsockname (trial->meeting_fd, (struct sockaddr *) &name, &length), ==, 0);
    g_autofree char *text = g_strdup_printf ("tcp:127.0.0.1:%u", ntohs (name.sin_port));
    trial_make_peer (trial, socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ioh_options_set_address (trial->options, ioh_address_parse ("connect", text, NULL), FALSE);
}

/* Brings the peer and the helper together if it is time for that. FALSE when it is not. */
static gboolean
trial_meet (Trial *trial)
{
    if (trial->meeting_fd < 0)
        return TRUE;
    if (trial->ends.stream == TRIAL_LISTEN) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        g_snprintf (name.sun_path, sizeof name.sun_path, "%s/socket", trial->directory);
        if (connect (trial->meeting_fd, (struct sockaddr *) &name, sizeof name) < 0)
            return FALSE;
    } else {
        struct pollfd pollfd = {.fd = trial->meeting_fd, .events = POLLIN};
        int fd = poll (&pollfd, 1, 0) > 0 ? accept (trial->meeting_fd, NULL, NULL) : -1;
        if (fd < 0)
            return FALSE;
        dup3 (fd, peer_fd (trial->stream_peer), O_CLOEXEC);
        close (fd);
    }
    trial_clear_fd (&trial->meeting_fd);
    return TRUE;
}

Trial *
trial_new (const TrialEnds *ends, size_t length)
{
    Trial *trial = g_new0 (Trial, 1);
    gboolean save = ends->direction == IOH_SAVE;

    trial->fds = scratch_count_fds ();
    trial->ends = *ends;
    trial->length = length;
    trial->data = g_malloc (length + 1);
    pattern_fill (trial->data, length, 0);
    trial->file_fd = trial->witness_fd = trial->fifo_fd = trial->fifo_writer_fd = -1;
    trial->directory = scratch_new ();
    trial->options = ioh_options_new (save ? IOH_COMMAND_SAVE : IOH_COMMAND_RESTORE);
    trial->options->cache = ends->file->cache;
    trial->options->queue = ends->queue;
    trial->options->sync = IOH_SYNC_NONE;
    if (ends->engine != NULL) {
        g_free (trial->options->engine);
        trial->options->engine = g_strdup (ends->engine->name);
    }
    trial->report = ioh_report_new ();
    trial->outcome = IOH_OUTCOME_FAILED;
    trial->stream_fd = trial->meeting_fd = -1;
    if (ends->stream == TRIAL_LISTEN)
        trial_make_caller (trial);
    else if (ends->stream == TRIAL_CONNECT)
        trial_make_called (trial);
    else
        trial_make_stream (trial);
    return trial;
}

static void
trial_pwrite (int fd, const void *buffer, size_t length, uint64_t offset)
{
    const char *data = buffer;

    while (length > 0) {
        ssize_t written = pwrite (fd, data, length, (off_t) offset);
        g_assert_cmpint (written, >, 0);
        data += written;
        length -= (size_t) written;
        offset += (uint64_t) written;
    }
}

/* An image: what is before the stream, and the stream. */
static void
trial_make_image (Trial *trial)
{
    int fd = open (trial->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    g_assert_cmpint (fd, >=, 0);
    trial_pwrite (fd, trial->data, trial->length, trial->offset);
    if (trial->ends.file->kind == TRIAL_BLOCK)
        trial->options->expect_bytes = trial->length;
    close (fd);
}

static void
trial_make_device_background (Trial *trial)
{
    char background[65536];
    int fd = open (trial->path, O_RDWR | O_CLOEXEC);

    g_assert_cmpint (fd, >=, 0);
    memset (background, 'o', sizeof background);
    for (uint64_t at = 0; at < TRIAL_DEVICE_BYTES; at += sizeof background)
        trial_pwrite (fd, background, sizeof background, at);
    close (fd);
}

/* The two ends of a FIFO are opened here in the one order that needs no second thread. A writer may
 * be done before the helper opens it: another one stays until then. */
static void
trial_make_fifo (Trial *trial)
{
    g_assert_cmpint (mkfifo (trial->path, 0600), ==, 0);
    int read_fd = open (trial->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int write_fd = open (trial->path, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint (read_fd, >=, 0);
    g_assert_cmpint (write_fd, >=, 0);
    if (trial->ends.direction == IOH_SAVE) {
        fcntl (read_fd, F_SETFL, 0);
        trial->file_peer = peer_new_reader (read_fd, trial->length);
        trial->fifo_fd = write_fd;
    } else {
        trial->file_peer = peer_new_writer (write_fd, trial->data, trial->length);
        trial->fifo_fd = read_fd;
        trial->fifo_writer_fd = fcntl (write_fd, F_DUPFD_CLOEXEC, 3);
    }
}

static void
trial_open_inherited (Trial *trial)
{
    int access = trial->ends.direction == IOH_SAVE ? O_WRONLY : O_RDONLY;
    int direct = trial->ends.file->direct ? O_DIRECT : 0;

    trial->file_fd = open (trial->path, access | direct | O_CLOEXEC);
    g_assert_cmpint (trial->file_fd, >=, 0);
    lseek (trial->file_fd, (off_t) trial->offset, SEEK_SET);
    g_assert_cmpint (fstat (trial->file_fd, &trial->file_stat), ==, 0);
    trial->witness_fd = fcntl (trial->file_fd, F_DUPFD_CLOEXEC, 3);
}

void
trial_make (Trial *trial)
{
    TrialKind kind = trial->ends.file->kind;
    gboolean save = trial->ends.direction == IOH_SAVE;

    if (kind == TRIAL_BLOCK)
        trial->path = g_strdup (trial_device_path);
    else if (kind == TRIAL_NULL)
        trial->path = g_strdup ("/dev/null");
    else
        trial->path = g_build_filename (trial->directory, "target", NULL);
    if (kind == TRIAL_FIFO)
        trial_make_fifo (trial);
    else if (kind == TRIAL_BLOCK && save)
        trial_make_device_background (trial);
    else if (kind != TRIAL_NULL && !save)
        trial_make_image (trial);
    else if ((trial->has_old && kind == TRIAL_REGULAR) || kind == TRIAL_INHERITED)
        g_free (scratch_file (trial->directory, "target", trial->offset + trial->length + 70, 'o'));
    if (kind == TRIAL_INHERITED)
        trial_open_inherited (trial);
    else if (trial->offset > 0)
        trial->options->offset = trial->offset;
    ioh_options_set_file (trial->options, trial->path, trial->file_fd);
}

void
trial_probe (Trial *trial)
{
    if (trial->path == NULL)
        trial_make (trial);
    trial->facts = ioh_probe (trial->options, &trial->error);
}

gboolean
trial_engine_fits (const Trial *trial)
{
    const IohEngine *engine = trial->ends.engine;
    const char *why = NULL;

    if (engine == NULL)
        return TRUE;
    gboolean direct =
        trial->ends.direction == IOH_SAVE ? engine->saves_direct : engine->restores_direct;
    if (trial->ends.file->cache == IOH_CACHE_DIRECT && !direct)
        return FALSE;
    return engine->usable (trial->facts, trial->ends.direction, &why);
}

static gboolean
trial_step_peers (Trial *trial)
{
    gboolean stream = peer_step (trial->stream_peer);
    gboolean file = trial->file_peer != NULL && peer_step (trial->file_peer);

    return stream || file;
}

static void
trial_tell_peers (Trial *trial, gboolean waits)
{
    peer_helper_waits (trial->stream_peer, waits);
    if (trial->file_peer != NULL)
        peer_helper_waits (trial->file_peer, waits);
}

/* Whether the helper has opened the FIFO that it reads, and not only begun to. */
static gboolean
trial_fifo_is_open (const Trial *trial)
{
    struct stat fifo;
    struct stat st;

    if (stat (trial->path, &fifo) < 0)
        return FALSE;
    for (int fd = 0; fd < FD_SETSIZE; fd++)
        if (fd != trial->fifo_fd && fstat (fd, &st) == 0 && st.st_ino == fifo.st_ino &&
            st.st_dev == fifo.st_dev && (fcntl (fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
            return TRUE;
    return FALSE;
}

/* Stands in for poll while the helper runs. Its flags are everybody's: they must never change. */
static int
trial_wait (struct pollfd *fds, unsigned count, gint64 timeout_us, gpointer data)
{
    Trial *trial = data;
    int ready = 0;

    if (trial->stream_fd >= 0 && fcntl (trial->stream_fd, F_GETFL) != trial->stream_flags)
        trial_fail ("the flags of the stream's descriptor were changed");
    if (trial->fifo_writer_fd >= 0 && trial_fifo_is_open (trial))
        trial_clear_fd (&trial->fifo_writer_fd);
    if (trial->stepped) {
        gboolean moved = trial_meet (trial);
        for (; ready == 0 && moved; ready = fault_real_poll (fds, count, 0))
            moved = trial_step_peers (trial);
        return ready != 0 ? ready : fault_real_poll (fds, count, timeout_us);
    }
    trial_tell_peers (trial, TRUE);
    ready = fault_real_poll (fds, count, timeout_us);
    trial_tell_peers (trial, FALSE);
    return ready;
}

/* Closes FD if it still is what it was. */
static void
trial_close (int fd, const struct stat *was)
{
    struct stat is;

    if (fd >= 0 && fstat (fd, &is) == 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino)
        close (fd);
}

void
trial_says (const char *what)
{
    trial_what = what;
}

void
trial_fail (const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_autofree char *why = g_strdup_vprintf (format, args);
    va_end (args);
    if (trial_what != NULL)
        g_test_message ("%s: %s", trial_what, why);
    g_test_fail_printf ("%s", why);
}

/* Everything else is lost by now: writing from a signal handler is the least. */
static void
trial_watchdog_bites (int signal_number)
{
    dprintf (STDOUT_FILENO, "Bail out! %s hangs: %s\n", g_test_get_path (),
             trial_what != NULL ? trial_what : "a transfer");
    abort ();
}

void
trial_watchdog (gboolean on)
{
    signal (SIGALRM, trial_watchdog_bites);
    alarm (on ? TRIAL_SECONDS : 0);
}

static void
trial_start_peers (Trial *trial)
{
    if (trial->stepped)
        return;
    peer_start (trial->stream_peer);
    if (trial->file_peer != NULL)
        peer_start (trial->file_peer);
}

static void
trial_finish_peers (Trial *trial)
{
    trial_close (trial->stream_fd, &trial->stream_stat);
    trial_close (trial->file_fd, &trial->file_stat);
    trial->stream_fd = trial->file_fd = -1;
    trial_clear_fd (&trial->fifo_fd);
    trial_clear_fd (&trial->fifo_writer_fd);
    trial_meet (trial);
    trial_clear_fd (&trial->meeting_fd);
    peer_finish (trial->stream_peer);
    if (trial->file_peer != NULL)
        peer_finish (trial->file_peer);
}

void
trial_run (Trial *trial)
{
    trial_watchdog (TRUE);
    if (trial->facts == NULL && trial->error == NULL)
        trial_probe (trial);
    if (trial->facts != NULL)
        trial->plan = ioh_plan_new (trial->options, trial->facts, &trial->error);
    if (trial->plan != NULL) {
        trial->cancel = ioh_cancel_new (NULL);
        fault_watch_waits (trial_wait, trial);
        trial_start_peers (trial);
        const IohLinks links = {.cancel = trial->cancel, .report = trial->report};
        trial->outcome = ioh_run (trial->options, trial->facts, trial->plan, &links, &trial->error);
        fault_watch_waits (NULL, NULL);
    }
    trial_finish_peers (trial);
    trial_watchdog (FALSE);
}

/* An opening of the FIFO that was given up ends by itself, once both ends are there. */
static void
trial_await_opening (const Trial *trial, unsigned fds)
{
    gint64 until_us = g_get_monotonic_time () + TRIAL_OPENING_US;

    if (trial->ends.file->kind != TRIAL_FIFO)
        return;
    int fifo_fd = open (trial->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    while (scratch_count_fds () > fds + 1 && g_get_monotonic_time () < until_us)
        g_thread_yield ();
    close (fifo_fd);
}

void
trial_free (Trial *trial)
{
    unsigned fds = trial->fds;

    if (trial->stream_fd >= 0 || trial->meeting_fd >= 0)
        trial_finish_peers (trial);
    peer_free (trial->stream_peer);
    peer_free (trial->file_peer);
    trial_clear_fd (&trial->witness_fd);
    ioh_cancel_free (trial->cancel);
    ioh_report_free (trial->report);
    ioh_plan_free (trial->plan);
    ioh_facts_free (trial->facts);
    ioh_options_free (trial->options);
    g_clear_error (&trial->error);
    g_clear_object (&trial->said);
    trial_await_opening (trial, fds);
    scratch_remove (trial->directory);
    g_free (trial->path);
    g_free (trial->data);
    g_free (trial);
    if (scratch_count_fds () != fds)
        trial_fail ("%u descriptors were open, now it is %u", fds, scratch_count_fds ());
}

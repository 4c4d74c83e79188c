/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-run - one stream through one cell.
 *
 * Owns the processes of that stream: this very program as anybody would start it, and the generator
 * at the other end. What it did is read from its report. None of them is left when a run is over.
 */
#include "bench-run.h"

#include <errno.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench-child.h"
#include "error.h"
#include "i18n.h"
#include "sys.h"

#define RUN_PROGRAM "/proc/self/exe"

/* The descriptors of iohelper beyond the standard ones. */
#define RUN_REPORT "fd:3"
#define RUN_IMAGE "fd:4"

/* What a plain reader reads at once. */
#define RUN_PLAIN_BYTES (64u * 1024)

typedef struct {
    IohBenchRig *rig;
    IohBenchCell *cell;
    uint64_t bytes;
    IohBenchLinkWish wish;
    IohBenchLink link;
    IohBenchChild measured;
    IohBenchChild peer;
} Run;

/* The processes that are copies of this one */

/* Every page is mapped before the clock runs: a guest's memory is. */
static void
peer_map_memory (const IohBenchGenerator *generator)
{
    madvise (generator->memory, generator->memory_bytes, MADV_POPULATE_WRITE);
}

static void
peer_send (gpointer data)
{
    const Run *run = data;
    IohBenchTally *tally = run->rig->tally;

    peer_map_memory (&run->rig->generator);
    tally->start_us = g_get_monotonic_time ();
    tally->error_number = -ioh_bench_generator_send (&run->rig->generator, run->link.peer_fd,
                                                     run->bytes, &tally->bytes);
    ioh_sys_close (run->link.peer_fd);
    tally->end_us = g_get_monotonic_time ();
}

static void
peer_receive (gpointer data)
{
    const Run *run = data;
    IohBenchTally *tally = run->rig->tally;

    peer_map_memory (&run->rig->generator);
    tally->error_number = -ioh_bench_generator_receive (&run->rig->generator, run->link.peer_fd,
                                                        &tally->bytes, &tally->start_us);
    tally->end_us = g_get_monotonic_time ();
}

static void
measured_read (gpointer data)
{
    const Run *run = data;
    uint8_t buffer[RUN_PLAIN_BYTES];

    /* the end comes when nobody else holds the other end */
    ioh_sys_close (run->link.peer_fd);
    while (ioh_sys_read (run->link.helper_fd, buffer, sizeof buffer) > 0)
        ;
}

/* The command line of iohelper */

static void words_add (GPtrArray *words, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
words_add (GPtrArray *words, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_ptr_array_add (words, g_strdup_vprintf (format, args));
    va_end (args);
}

static void
words_add_save (GPtrArray *words, const IohBenchTarget *target)
{
    if (target->kind != IOH_END_NULL)
        words_add (
            words, "--%s=%s", IOH_OPTION_EXISTS,
            ioh_wire_exists_name (target->in_place ? IOH_EXISTS_OVERWRITE : IOH_EXISTS_REFUSE));
    words_add (words, "%s", target->path);
}

static void
words_add_restore (GPtrArray *words, const Run *run)
{
    const IohBenchTarget *target = &run->rig->target;

    words_add (words, "--%s=%" PRIu64, IOH_OPTION_OFFSET, run->rig->image_bytes - run->bytes);
    /* memory has no page cache to bypass or to leave clean */
    if (target->memory_fd >= 0)
        words_add (words, "--%s=%s", IOH_OPTION_CACHE, ioh_wire_cache_name (IOH_CACHE_KEEP));
    words_add (words, "%s", target->memory_fd >= 0 ? RUN_IMAGE : target->path);
}

static GPtrArray *
run_words (const Run *run)
{
    const IohBenchCell *cell = run->cell;
    GPtrArray *words = g_ptr_array_new_with_free_func (g_free);

    words_add (words, "%s", IOH_PACKAGE);
    words_add (words, "%s", ioh_wire_direction_name (cell->direction));
    words_add (words, "--%s", IOH_OPTION_QUIET);
    words_add (words, "--%s=%s", IOH_OPTION_REPORT, RUN_REPORT);
    words_add (words, "--%s=%" PRIu64, IOH_OPTION_EXPECT_SIZE, run->bytes);
    if (run->link.address != NULL)
        words_add (words, "--%s=%s", IOH_OPTION_CONNECT, run->link.address);
    for (unsigned i = 0; cell->arguments != NULL && cell->arguments[i] != NULL; i++)
        words_add (words, "%s", cell->arguments[i]);
    if (cell->direction == IOH_SAVE)
        words_add_save (words, &run->rig->target);
    else
        words_add_restore (words, run);
    g_ptr_array_add (words, NULL);
    return words;
}

/* The processes */

static gboolean
run_start_measured (Run *run, GError **error)
{
    const IohBenchRig *rig = run->rig;
    gboolean saves = run->cell->direction == IOH_SAVE;

    if (run->cell->plain_reader)
        return ioh_bench_child_fork (&run->measured, measured_read, run, error);
    g_autoptr (GPtrArray) words = run_words (run);
    const int fds[IOH_BENCH_CHILD_FDS] = {
        saves ? run->link.helper_fd : -1,
        saves ? -1 : run->link.helper_fd,
        rig->messages_fd,
        rig->report_fd,
        rig->target.memory_fd,
    };
    return ioh_bench_child_execute (&run->measured, RUN_PROGRAM, (char *const *) words->pdata, fds,
                                    error);
}

/* FALSE when nothing comes of it: it was refused or failed, a signal came, or the error is set. */
static gboolean
run_meet (Run *run, GError **error)
{
    IohBenchChild *const children[] = {&run->measured};

    if (run->link.listen_fd < 0)
        return TRUE;
    return ioh_bench_child_wait (children, 1, run->link.listen_fd, run->rig->cancel) &&
           !run->measured.ended && ioh_bench_link_accept (&run->link, &run->wish, error);
}

static gboolean
run_start_peer (Run *run, GError **error)
{
    gboolean saves = run->cell->direction == IOH_SAVE;

    return ioh_bench_child_fork (&run->peer, saves ? peer_send : peer_receive, run, error);
}

/* FALSE when a signal came, or with the error set. */
static gboolean
run_processes (Run *run, GError **error)
{
    IohBenchChild *const children[] = {&run->measured, &run->peer};
    g_autoptr (GError) failure = NULL;

    if (!run_start_measured (run, error))
        return FALSE;
    /* the ends of others are not ours: who waits for a stream's end waits for all who hold it */
    ioh_sys_clear_fd (&run->link.helper_fd);
    if (!run_meet (run, &failure)) {
        if (failure != NULL)
            g_propagate_error (error, g_steal_pointer (&failure));
        return run->measured.ended;
    }
    if (!run_start_peer (run, error))
        return FALSE;
    ioh_sys_clear_fd (&run->link.peer_fd);
    return ioh_bench_child_wait (children, G_N_ELEMENTS (children), -1, run->rig->cancel);
}

/* What came of it */

/* The one line iohelper has printed, without its name. The caller frees it. */
static char *
run_message (const Run *run)
{
    g_autofree char *text = ioh_bench_rig_text (run->rig->messages_fd);
    const char *prefix = IOH_PACKAGE ": ";

    g_strchomp (text);
    return g_strdup (g_str_has_prefix (text, prefix) ? text + strlen (prefix) : text);
}

static gboolean
run_fail (const Run *run, IohExit status, const char *why, GError **error)
{
    const IohBenchCell *cell = run->cell;
    g_autofree char *words =
        cell->arguments != NULL ? g_strjoinv (" ", cell->arguments) : g_strdup ("");

    g_set_error (error, IOH_ERROR, (int) status, "%s %s %s: %s", ioh_bench_link_name (cell->link),
                 ioh_wire_direction_name (cell->direction), words, why);
    return FALSE;
}

/* The string at PATH of the report, or NULL. Borrowed. */
static const char *
report_string (JsonObject *object, const char *member, const char *of_it)
{
    if (!json_object_has_member (object, member))
        return NULL;
    return json_object_get_string_member (json_object_get_object_member (object, member), of_it);
}

static void
report_take_buffer (IohBenchCell *cell, JsonObject *report)
{
    JsonObject *stream = json_object_get_object_member (report, IOH_REPORT_STREAM);
    const char *member =
        cell->link == IOH_BENCH_PIPE ? IOH_REPORT_PIPE_SIZE : IOH_REPORT_SOCKET_BUFFER;

    if (stream == NULL || !json_object_has_member (stream, member))
        return;
    JsonObject *choice = json_object_get_object_member (stream, member);
    cell->buffer_used = (uint64_t) json_object_get_int_member (choice, IOH_REPORT_USED);
}

/* FALSE when the report does not tell of this stream. */
static gboolean
run_take_report (const Run *run)
{
    g_autofree char *text = ioh_bench_rig_text (run->rig->report_fd);
    g_autoptr (JsonParser) parser = json_parser_new ();
    IohBenchCell *cell = run->cell;

    if (!json_parser_load_from_data (parser, text, -1, NULL))
        return FALSE;
    JsonObject *report = json_node_get_object (json_parser_get_root (parser));
    const char *engine = report_string (report, IOH_REPORT_ENGINE, IOH_REPORT_USED);
    const char *queue = report_string (report, IOH_REPORT_QUEUE, IOH_REPORT_USED);
    const char *cache = report_string (report, IOH_REPORT_CACHE, IOH_REPORT_USED);
    g_free (cell->used);
    cell->used = g_strconcat (engine, ", ", cache, queue != NULL ? ", " : NULL, queue, NULL);
    report_take_buffer (cell, report);
    return (uint64_t) json_object_get_int_member (report, IOH_REPORT_BYTES) == run->bytes;
}

static IohBenchEnd
run_refuse (const Run *run)
{
    IohBenchCell *cell = run->cell;

    g_free (cell->refused);
    cell->refused = run_message (run);
    return IOH_BENCH_REFUSED;
}

/* What both processes say of the stream. */
static IohBenchEnd
run_judge (const Run *run, GError **error)
{
    const IohBenchTally *tally = run->rig->tally;
    int status = run->measured.status;
    g_autofree char *message = run_message (run);

    if (WIFSIGNALED (status)) {
        run_fail (run, IOH_EXIT_INTERNAL, strsignal (WTERMSIG (status)), error);
        return IOH_BENCH_FAILED;
    }
    if (WEXITSTATUS (status) == IOH_EXIT_USAGE)
        return run_refuse (run);
    if (WEXITSTATUS (status) != IOH_EXIT_DONE) {
        run_fail (run, (IohExit) WEXITSTATUS (status), message, error);
        return IOH_BENCH_FAILED;
    }
    if (tally->error_number != 0 || run->peer.status != 0 || tally->bytes != run->bytes ||
        (!run->cell->plain_reader && !run_take_report (run))) {
        run_fail (run, IOH_EXIT_STREAM,
                  tally->error_number != 0 ? g_strerror (tally->error_number)
                                           : _ ("not the stream that was sent"),
                  error);
        return IOH_BENCH_FAILED;
    }
    return IOH_BENCH_RAN;
}

/* The clock is the hypervisor's, as QEMU reports its own: of a stream that is sent from the first
 * write until it is closed, of one that is received from its first bytes to its end. A file also
 * has to be flushed: until iohelper has ended. */
static IohBenchRun
run_measure (const Run *run)
{
    const IohBenchTally *tally = run->rig->tally;
    gboolean flushes = run->cell->direction == IOH_SAVE && !run->cell->plain_reader &&
                       ioh_bench_target_is_storage (&run->rig->target);

    return (IohBenchRun){
        .bytes = run->bytes,
        .us = (flushes ? run->measured.end_us : tally->end_us) - tally->start_us,
        .cpu_us = run->measured.cpu_us,
        .peer_cpu_us = run->peer.cpu_us,
    };
}

/* A file that was published is there, also when a signal came at the last moment. */
static void
run_own_file (const Run *run)
{
    IohBenchTarget *target = &run->rig->target;

    if (run->cell->direction == IOH_SAVE && !run->cell->plain_reader && !target->in_place &&
        run->measured.ended && run->measured.status == 0)
        target->ours = TRUE;
}

IohBenchEnd
ioh_bench_run (IohBenchRig *rig, IohBenchCell *cell, uint64_t bytes, IohBenchRun *out_run,
               GError **error)
{
    Run run = {
        .rig = rig,
        .cell = cell,
        .bytes = bytes,
        .wish = {.kind = cell->link,
                 .handed = cell->handed,
                 .helper_sends = cell->direction == IOH_RESTORE,
                 .buffer_bytes = cell->link != IOH_BENCH_PIPE ? cell->buffer_asked : 0},
        .measured = IOH_BENCH_CHILD_NONE,
        .peer = IOH_BENCH_CHILD_NONE,
    };
    IohBenchEnd end = IOH_BENCH_FAILED;
    g_autoptr (GError) failure = NULL;

    ioh_bench_rig_clear (rig);
    rig->generator.burst_bytes = cell->burst_bytes;
    if (!ioh_bench_link_open (&run.link, &run.wish, error))
        return end;
    if (run.link.buffer_bytes > 0)
        cell->buffer_used = run.link.buffer_bytes;
    gboolean complete = run_processes (&run, &failure);
    ioh_bench_child_end (&run.peer, complete ? 0 : SIGKILL);
    ioh_bench_child_end (&run.measured, complete ? 0 : SIGTERM);
    run_own_file (&run);
    ioh_bench_link_close (&run.link);
    if (complete)
        end = run_judge (&run, error);
    else if (failure == NULL)
        end = IOH_BENCH_CANCELLED;
    else
        g_propagate_error (error, g_steal_pointer (&failure));
    if (end == IOH_BENCH_RAN)
        *out_run = run_measure (&run);
    return end;
}

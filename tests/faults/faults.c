/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * faults - every function of sys.h going wrong, the first call, the second, ... until a transfer
 * completes untouched; in every scene, for every engine and queue.
 *
 * Owns the judgement: a transfer that met a fault either ended well with every byte in place, or
 * failed at a stage where that fault can be met, on the right side, with the right exit status, and
 * left nothing behind.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "error.h"
#include "queue.h"
#include "rows.h"
#include "scenes.h"
#include "scratch.h"

typedef struct {
    const FaultScene *scene;
    const IohEngine *engine; /* NULL: auto */
    IohQueueKind queue;
} FaultTest;

/* Which functions were called, and which rows have struck, in all tests together. */
static unsigned faults_called[SYS_CALLS];
static gboolean *faults_struck;
static unsigned faults_tests;
static unsigned faults_tests_run;

/* Flushing for real adds nothing here but time. */
static void
faults_arm_stubs (void)
{
    static const SysCall stubs[] = {SYS_SYNC, SYS_SYNC_DATA, SYS_SYNC_RANGE};

    for (unsigned i = 0; i < G_N_ELEMENTS (stubs); i++) {
        const Fault stub = {stubs[i], 1, FAULT_FOR_EVER, FAULT_INSTEAD, 0, 0};
        fault_arm (&stub);
    }
}

/* Runs the scene, with call NTH of ROW going wrong when there is a row. TRUE when it struck. */
static gboolean
faults_run (const FaultTest *test, const FaultRow *row, unsigned nth, Trial **out_trial)
{
    Trial *trial = fault_scene_trial (test->scene, test->engine, test->queue);

    faults_arm_stubs ();
    if (test->scene->standing != NULL)
        fault_arm (test->scene->standing);
    if (row != NULL) {
        const Fault fault = {row->call,
                             nth,
                             row->lasts ? FAULT_FOR_EVER : nth,
                             row->manner,
                             -(gint64) row->error_number,
                             row->short_to};
        fault_arm (&fault);
        trial->disturbed = row->call == SYS_SEEK || row->call == SYS_SET_FLAGS;
        trial->littered = row->call == SYS_UNLINK;
    }
    fault_count_anew ();
    trial_probe (trial);
    if (trial->facts != NULL && test->scene->mislead != NULL)
        test->scene->mislead (trial);
    trial_run (trial);
    *out_trial = trial;
    return fault_disarm ();
}

/* The side a failure at STAGE is on. */
static gboolean
faults_side_fits (const Trial *trial, const IohErrorPrivate *details)
{
    gboolean save = trial->ends.direction == IOH_SAVE;

    switch (details->stage) {
    case IOH_STAGE_OPEN:
        return details->side != IOH_SIDE_NONE;
    case IOH_STAGE_READ:
        return details->side == (save ? IOH_SIDE_STREAM : IOH_SIDE_FILE);
    case IOH_STAGE_WRITE:
    case IOH_STAGE_CLOSE:
        return details->side == (save ? IOH_SIDE_FILE : IOH_SIDE_STREAM);
    default:
        return details->side == IOH_SIDE_FILE;
    }
}

/* The exit status that side, stage and errno ask for. */
static IohExit
faults_exit_for (const IohErrorPrivate *details)
{
    if (details->side == IOH_SIDE_STREAM)
        return IOH_EXIT_STREAM;
    if (ioh_error_is_no_room (details->error_number))
        return IOH_EXIT_NO_ROOM;
    return details->stage >= IOH_STAGE_TRUNCATE ? IOH_EXIT_FLUSH : IOH_EXIT_FILE;
}

static void
faults_judge_internal (const Trial *trial, const FaultRow *row, IohExit status)
{
    unsigned allowed = FATE_INTERNAL | (trial->ends.engine != NULL ? FATE_NAMED : 0);

    if (status != IOH_EXIT_INTERNAL || (row->how & allowed) == 0)
        trial_fail ("the failure has no side: %s", trial->error->message);
}

static void
faults_judge_error (const Trial *trial, const FaultRow *row)
{
    const IohErrorPrivate *details = ioh_error_details (trial->error);
    const char *said = trial->error->message;
    IohExit status = ioh_error_exit (trial->error);

    if (details == NULL)
        trial_fail ("a foreign error: %s", said);
    else if (status == IOH_EXIT_USAGE && (row->how & FATE_USAGE) != 0)
        return;
    else if (details->side == IOH_SIDE_NONE)
        faults_judge_internal (trial, row, status);
    else if ((row->how & FATE_AT (details->stage)) == 0)
        trial_fail ("the stage is %s: %s", ioh_wire_stage_name (details->stage), said);
    else if (!faults_side_fits (trial, details))
        trial_fail ("the side is %s: %s", ioh_wire_side_name (details->side), said);
    else if (status != faults_exit_for (details))
        trial_fail ("the exit status is %d: %s", (int) status, said);
    else if (row->fate == FATE_FAILS && details->error_number != row->error_number)
        trial_fail ("the errno is %d: %s", details->error_number, said);
}

/* After a failure the target is the old file or none; once published it is all of the new one. */
static void
faults_judge_target (Trial *trial, const FaultRow *row)
{
    if (trial_is_published (trial) && !trial_is_complete (trial))
        trial_fail ("what was published is not complete");
    else if (!trial_is_published (trial) && trial->options->exists != IOH_EXISTS_OVERWRITE)
        trial_expect_untouched (trial);
    if ((trial->ends.direction == IOH_RESTORE || trial->ends.file->kind == TRIAL_FIFO) &&
        !trial_is_prefix (trial))
        trial_fail ("what was delivered is not the beginning of the stream");
}

/* What is read ahead of need may fail beyond the end of the image, where nobody needs it. */
static gboolean
faults_was_read_ahead (const Trial *trial, const FaultRow *row)
{
    return trial->ends.direction == IOH_RESTORE && row->call == SYS_SPLICE;
}

static void
faults_judge (Trial *trial, const FaultRow *row)
{
    if (trial->outcome == IOH_OUTCOME_DONE) {
        if (row->fate == FATE_FAILS && !faults_was_read_ahead (trial, row))
            trial_fail ("it ended well in spite of that");
        trial_expect_done (trial);
    } else if (row->fate == FATE_SURVIVES) {
        trial_fail ("it did not survive: %s",
                    trial->error != NULL ? trial->error->message : "cancelled");
    } else if (trial->error == NULL) {
        trial_fail ("it failed without an error");
    } else {
        faults_judge_error (trial, row);
        faults_judge_target (trial, row);
    }
    if (waitpid (-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        trial_fail ("a child is left");
}

/* One fault; FALSE when it was not met. */
static gboolean
faults_strike (const FaultTest *test, const FaultRow *row, unsigned nth)
{
    g_autofree char *name = fault_row_name (row);
    g_autofree char *what = g_strdup_printf ("%s, call %u", name, nth);
    Trial *trial = NULL;

    trial_says (what);
    gboolean struck = faults_run (test, row, nth, &trial);
    if (struck)
        faults_judge (trial, row);
    else
        trial_expect_done (trial);
    trial_free (trial);
    trial_says (NULL);
    return struck;
}

static gboolean
faults_matters (const FaultScene *scene, SysCall call)
{
    if (scene->only == NULL)
        return TRUE;
    for (const SysCall *only = scene->only; *only != SYS_CALLS; only++)
        if (*only == call)
            return TRUE;
    return FALSE;
}

/* Whether standing faults or stubs have taken the place of the call. */
static gboolean
faults_stands (const FaultScene *scene, SysCall call)
{
    return scene->standing != NULL && scene->standing->call == call;
}

static void
faults_run_scene (gconstpointer data)
{
    const FaultTest *test = data;
    unsigned calls[SYS_CALLS];
    Trial *trial = NULL;

    faults_tests_run++;
    faults_run (test, NULL, 0, &trial);
    for (unsigned i = 0; i < SYS_CALLS; i++) {
        calls[i] = fault_calls (i);
        faults_called[i] += calls[i];
    }
    trial_expect_done (trial);
    trial_free (trial);
    for (unsigned i = 0; i < fault_row_count; i++) {
        const FaultRow *row = &fault_rows[i];
        if (calls[row->call] == 0 || !faults_matters (test->scene, row->call) ||
            faults_stands (test->scene, row->call))
            continue;
        for (unsigned nth = 1; faults_strike (test, row, nth); nth++)
            faults_struck[i] = TRUE;
    }
}

/* Every function that sys.h declares has its row: one that was added is not forgotten here. */
static void
faults_run_complete (void)
{
    gboolean known[SYS_CALLS] = {FALSE};

    for (unsigned i = 0; i < fault_row_count; i++)
        known[fault_rows[i].call] = TRUE;
    for (unsigned i = 0; i < SYS_CALLS; i++)
        if (!known[i])
            trial_fail ("rows.c says nothing about ioh_sys_%s", sys_call_names[i]);
}

/* Only block devices are asked for these. */
static gboolean
faults_needs_device (SysCall call)
{
    return call == SYS_DEVICE_SIZE || call == SYS_SECTOR_SIZE;
}

/* Every row has struck somewhere: none is there for show. */
static void
faults_run_reached (void)
{
    if (faults_tests_run < faults_tests) {
        g_test_skip ("only some of the scenes were run");
        return;
    }
    for (unsigned i = 0; i < fault_row_count; i++) {
        g_autofree char *name = fault_row_name (&fault_rows[i]);
        if (!faults_struck[i] && !faults_needs_device (fault_rows[i].call))
            trial_fail ("no scene met this: %s", name);
    }
}

static void
faults_add (const FaultScene *scene, const IohEngine *engine, IohQueueKind queue)
{
    Trial *trial = fault_scene_trial (scene, engine, queue);

    trial_probe (trial);
    /* a file that cannot be had twice is for engines that take it as it is */
    if (trial_engine_fits (trial) &&
        (scene->standing == NULL || engine == NULL || engine->saves_direct)) {
        FaultTest *test = g_new0 (FaultTest, 1);
        *test = (FaultTest){scene, engine, queue};
        g_autofree char *path = g_strdup_printf (
            "/faults/%s%s%s/%s", engine != NULL ? engine->name : "auto",
            queue != IOH_QUEUE_AUTO ? "-" : "",
            queue != IOH_QUEUE_AUTO ? ioh_wire_queue_name (queue) : "", scene->name);
        g_test_add_data_func_full (path, test, faults_run_scene, g_free);
        faults_tests++;
    }
    trial_free (trial);
}

static void
faults_add_engines (const FaultScene *scene)
{
    const IohEngine *engine;

    faults_add (scene, NULL, IOH_QUEUE_AUTO);
    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        if (!engine->queues) {
            faults_add (scene, engine, IOH_QUEUE_AUTO);
            continue;
        }
        faults_add (scene, engine, IOH_QUEUE_THREADS);
        if (ioh_queue_probe_io_uring () == 0)
            faults_add (scene, engine, IOH_QUEUE_IO_URING);
    }
}

int
main (int argc, char **argv)
{
    signal (SIGPIPE, SIG_IGN);
    g_test_init (&argc, &argv, NULL);
    g_test_set_nonfatal_assertions ();
    faults_struck = g_new0 (gboolean, fault_row_count);
    g_test_add_func ("/faults/complete", faults_run_complete);
    for (unsigned i = 0; i < fault_scene_count; i++)
        faults_add_engines (&fault_scenes[i]);
    g_test_add_func ("/faults/reached/all", faults_run_reached);
    int result = g_test_run ();
    g_free (faults_struck);
    return result;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * strike - runs a transfer with faults in it and judges what it came to.
 *
 * Owns the judgement: it either ended well with every byte in place, or failed at a stage where
 * that fault can be met, on the right side, with the right exit status, and left nothing behind.
 */
#include "strike.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "error.h"

/* Flushing for real adds nothing here but time. */
static void
strike_arm_stubs (void)
{
    static const SysCall stubs[] = {SYS_SYNC, SYS_SYNC_DATA, SYS_SYNC_RANGE};

    for (unsigned i = 0; i < G_N_ELEMENTS (stubs); i++) {
        const Fault stub = {stubs[i], 1, FAULT_FOR_EVER, FAULT_INSTEAD, 0, 0};
        fault_arm (&stub);
    }
}

static void
strike_arm (Trial *trial, const FaultRow *row, unsigned nth)
{
    const Fault fault = {row->call,
                         nth,
                         row->lasts ? FAULT_FOR_EVER : nth,
                         row->manner,
                         -(gint64) row->error_number,
                         row->short_to};

    fault_arm (&fault);
    trial->disturbed = trial->disturbed || row->call == SYS_SEEK || row->call == SYS_SET_FLAGS;
    trial->littered = trial->littered || row->call == SYS_UNLINK;
}

gboolean
strike_run (const FaultTest *test, const Strike *strikes, unsigned count, Trial **out_trial)
{
    Trial *trial = fault_scene_trial (test->scene, test->engine, test->queue);

    strike_arm_stubs ();
    if (test->scene->standing != NULL)
        fault_arm (test->scene->standing);
    for (unsigned i = 0; i < count; i++)
        strike_arm (trial, strikes[i].row, strikes[i].nth);
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
strike_side_fits (const Trial *trial, const IohErrorPrivate *details)
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
strike_exit_for (const IohErrorPrivate *details)
{
    int number = details->error_number;

    if (number == EMFILE || number == ENFILE || number == ENOMEM)
        return IOH_EXIT_INTERNAL;
    if (details->side == IOH_SIDE_STREAM)
        return IOH_EXIT_STREAM;
    if (ioh_error_is_no_room (details->error_number))
        return IOH_EXIT_NO_ROOM;
    return details->stage >= IOH_STAGE_TRUNCATE ? IOH_EXIT_FLUSH : IOH_EXIT_FILE;
}

static void
strike_judge_internal (const Trial *trial, const FaultRow *row, IohExit status)
{
    unsigned allowed = FATE_INTERNAL | (trial->ends.engine != NULL ? FATE_NAMED : 0);

    if (status != IOH_EXIT_INTERNAL || (row->how & allowed) == 0)
        trial_fail ("the failure has no side: %s", trial->error->message);
}

/* An engine that was named and cannot go on says so, on the stream's side. */
static gboolean
strike_gave_up (const Trial *trial, const FaultRow *row, IohExit status)
{
    return (row->how & FATE_NAMED) != 0 && trial->ends.engine != NULL &&
           status == IOH_EXIT_STREAM && strstr (trial->error->message, "--engine=auto") != NULL;
}

static void
strike_judge_error (const Trial *trial, const FaultRow *row)
{
    const IohErrorPrivate *details = ioh_error_details (trial->error);
    const char *said = trial->error->message;
    IohExit status = ioh_error_exit (trial->error);

    if (details == NULL)
        trial_fail ("a foreign error: %s", said);
    else if ((status == IOH_EXIT_USAGE && (row->how & FATE_USAGE) != 0) ||
             strike_gave_up (trial, row, status))
        return;
    else if (details->side == IOH_SIDE_NONE)
        strike_judge_internal (trial, row, status);
    else if ((row->how & FATE_AT (details->stage)) == 0)
        trial_fail ("the stage is %s: %s", ioh_wire_stage_name (details->stage), said);
    else if (!strike_side_fits (trial, details))
        trial_fail ("the side is %s: %s", ioh_wire_side_name (details->side), said);
    else if (status != strike_exit_for (details))
        trial_fail ("the exit status is %d: %s", (int) status, said);
    else if (row->fate == FATE_FAILS && details->error_number != row->error_number)
        trial_fail ("the errno is %d: %s", details->error_number, said);
}

/* After a failure the target is the old file or none; once published it is all of the new one. */
static void
strike_judge_target (Trial *trial)
{
    if (trial_is_published (trial) && !trial_is_complete (trial))
        trial_fail ("what was published is not complete");
    else if (!trial_is_published (trial) && trial->options->exists != IOH_EXISTS_OVERWRITE)
        trial_expect_untouched (trial);
    if ((trial->ends.direction == IOH_RESTORE || trial->ends.file->kind == TRIAL_FIFO) &&
        !trial_is_prefix (trial))
        trial_fail ("what was delivered is not the beginning of the stream");
}

static void
strike_judge_children (void)
{
    if (waitpid (-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        trial_fail ("a child is left");
}

/* What is read ahead of need may fail beyond the end of the image, where nobody needs it. */
static gboolean
strike_was_read_ahead (const Trial *trial, const FaultRow *row)
{
    return trial->ends.direction == IOH_RESTORE && row->call == SYS_SPLICE;
}

void
strike_judge (Trial *trial, const FaultRow *row)
{
    if (trial->outcome == IOH_OUTCOME_DONE) {
        if (row->fate == FATE_FAILS && !strike_was_read_ahead (trial, row))
            trial_fail ("it ended well in spite of that");
        trial_expect_done (trial);
    } else if (row->fate == FATE_SURVIVES) {
        trial_fail ("it did not survive: %s",
                    trial->error != NULL ? trial->error->message : "cancelled");
    } else if (trial->error == NULL) {
        trial_fail ("it failed without an error");
    } else {
        strike_judge_error (trial, row);
        strike_judge_target (trial);
    }
    strike_judge_children ();
}

void
strike_judge_loosely (Trial *trial)
{
    if (trial->outcome == IOH_OUTCOME_DONE)
        trial_expect_done (trial);
    else if (trial->error == NULL)
        trial_fail ("it failed without an error");
    else
        strike_judge_target (trial);
    strike_judge_children ();
}

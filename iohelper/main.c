/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main - the process: options -> probe -> plan -> run -> report, and the exit status.
 *
 * Owns what the process says: the one line of an error, the report, the status. Nothing below it
 * prints.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "cancel.h"
#include "confine.h"
#include "dropin.h"
#include "error.h"
#include "i18n.h"
#include "info.h"
#include "listing.h"
#include "options.h"
#include "plan.h"
#include "printable.h"
#include "probe.h"
#include "progress-json.h"
#include "progress-terminal.h"
#include "report.h"
#include "run.h"
#include "standard.h"
#include "sys.h"
#include "text.h"
#include "wrap.h"

static void
main_set_up (void)
{
    ioh_standard_guard ();
    g_set_prgname (IOH_PACKAGE);
    setlocale (LC_ALL, "");
#if IOH_HAVE_NLS
    bindtextdomain (IOH_PACKAGE, IOH_LOCALEDIR);
    bind_textdomain_codeset (IOH_PACKAGE, "UTF-8");
    textdomain (IOH_PACKAGE);
#endif
    /* a reader that left and a file that may grow no more are errors to be told, not deaths */
    signal (SIGPIPE, SIG_IGN);
    signal (SIGXFSZ, SIG_IGN);
}

/* One line, whatever TEXT holds: names may have line breaks and other control characters. */
static void
main_say (const char *program, const char *text)
{
    g_autofree char *line = ioh_printable (text);

    fprintf (stderr, "%s: %s\n", program, line);
}

static gboolean
main_same_file (const struct stat *a, const struct stat *b)
{
    return S_ISREG (a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* TRUE when FD is the file or the stream of the transfer under any name. */
static gboolean
main_carries_data (int fd, const IohOptions *options)
{
    struct stat report, file, stream;

    if (ioh_sys_fstat (fd, &report) < 0)
        return FALSE;
    int result = options->file_path != NULL ? ioh_sys_stat (options->file_path, &file)
                                            : ioh_sys_fstat (options->file_fd, &file);
    if (result >= 0 && main_same_file (&report, &file))
        return TRUE;
    return ioh_sys_fstat (options->stream_fd, &stream) >= 0 && main_same_file (&report, &stream);
}

/* Opens where the report goes before anything else happens, so that a wrong name is known early.
 * The descriptor, or -1 with the error set. */
static int
main_open_report (const IohOptions *options, GError **error)
{
    const char *report = options->report;
    gboolean inherited = options->report_fd >= 0;

    if (!ioh_standard_check (options->report_fd, NULL, error))
        return -1;
    int fd = inherited ? ioh_sys_dup (options->report_fd)
                       : ioh_sys_open (AT_FDCWD, report, O_WRONLY | O_CREAT | O_NOCTTY, 0666);
    if (fd < 0) {
        ioh_error_usage (error, _ ("--report: cannot write to %s: %s"), report, g_strerror (-fd));
        return -1;
    }
    if (main_carries_data (fd, options)) {
        ioh_error_usage (error, _ ("--report: %s already carries the data"), report);
        ioh_sys_close (fd);
        return -1;
    }
    /* whatever cannot be cut, a pipe or a device, has nothing old to be rid of */
    if (!inherited)
        ioh_sys_truncate (fd, 0);
    return fd;
}

/* One transfer, from what was asked to what is said about it. */
typedef struct {
    const char *program;
    IohOptions *options;
    IohFacts *facts;
    IohPlan *plan;
    IohLinks links;
    int report_fd;
    gboolean watched; /* by a person, who is told of the progress */
    IohOutcome outcome;
    GError *error;
} Transfer;

/* Tells whoever wants to know how far it is. */
static gboolean
transfer_open_progress (Transfer *transfer)
{
    const IohOptions *options = transfer->options;
    gboolean watched = ioh_progress_terminal_wanted (STDERR_FILENO, options);

    transfer->watched = watched;
    if (options->progress_fd < 0 && !watched)
        return TRUE;
    IohProgress *progress = ioh_progress_new (options->expect_bytes);
    transfer->links.progress = progress;
    if (options->progress_fd >= 0 &&
        !ioh_progress_json_add (progress, options->progress_fd, &transfer->error))
        return FALSE;
    return !watched ||
           ioh_progress_terminal_add (progress, STDERR_FILENO, options, &transfer->error);
}

/* The lines to whoever started us, before anything that may take long. */
static gboolean
transfer_open_links (Transfer *transfer)
{
    const IohOptions *options = transfer->options;
    IohLinks *links = &transfer->links;

    if (transfer_open_progress (transfer) && options->control_fd >= 0)
        links->control =
            ioh_control_new (options->control_fd, options->parent_death, &transfer->error);
    return transfer->error == NULL;
}

static void
transfer_run (Transfer *transfer)
{
    const IohOptions *options = transfer->options;

    transfer->outcome = IOH_OUTCOME_FAILED;
    if (options->explain && !ioh_standard_check (STDOUT_FILENO, NULL, &transfer->error))
        return;
    if (options->report != NULL && !options->explain) {
        transfer->report_fd = main_open_report (options, &transfer->error);
        if (transfer->report_fd < 0)
            return;
    }
    if (!options->no_sandbox)
        ioh_confine_privileges ();
    if (!options->explain && !transfer_open_links (transfer))
        return;
    transfer->facts = ioh_probe (options, &transfer->error);
    if (transfer->facts == NULL)
        return;
    transfer->plan = ioh_plan_new (options, transfer->facts, &transfer->error);
    if (transfer->plan == NULL)
        return;
    if (options->explain) {
        g_autofree char *text = ioh_plan_explain (transfer->plan, options, transfer->facts,
                                                  ioh_wrap_columns (STDOUT_FILENO));
        if (ioh_standard_print (text, &transfer->error))
            transfer->outcome = IOH_OUTCOME_DONE;
        return;
    }
    transfer->links.cancel = ioh_cancel_new (&transfer->error);
    if (transfer->links.cancel == NULL)
        return;
    ioh_control_watched (transfer->links.control);
    transfer->outcome =
        ioh_run (options, transfer->facts, transfer->plan, &transfer->links, &transfer->error);
}

/* TRUE when a success is told in numbers: to who asked for it or has watched the progress. */
static gboolean
transfer_is_summed_up (const Transfer *transfer)
{
    const IohOptions *options = transfer->options;

    if (transfer->outcome != IOH_OUTCOME_DONE || options->explain)
        return FALSE;
    return options->verbosity > 0 || (options->verbosity == 0 && transfer->watched &&
                                      ioh_progress_terminal_free_to_use (STDERR_FILENO));
}

/* Notes before the verdict: after an error nothing else may be said. */
static void
transfer_print (const Transfer *transfer)
{
    const IohOptions *options = transfer->options;
    g_auto (GStrv) lines = ioh_report_lines (transfer->links.report);

    for (unsigned i = 0; lines[i] != NULL && options->verbosity >= 0; i++)
        main_say (transfer->program, lines[i]);
    if (options->verbosity > 0 && transfer->plan != NULL && !options->explain) {
        g_autofree char *plan = ioh_plan_explain (transfer->plan, options, transfer->facts,
                                                  ioh_wrap_columns (STDERR_FILENO));
        fputs (plan, stderr);
    }
    if (transfer_is_summed_up (transfer)) {
        g_autofree char *head = g_strconcat (transfer->program, ": ", NULL);
        g_auto (GStrv) parts = ioh_report_summary (transfer->links.report, transfer->plan);
        g_autofree char *summary = ioh_wrap_join (head, parts, ioh_wrap_columns (STDERR_FILENO));
        fputs (summary, stderr);
    }
    /* whoever sent a signal knows why; that it was us who did is to be told */
    if (transfer->outcome == IOH_OUTCOME_CANCELLED && ioh_control_is_gone (transfer->links.control))
        main_say (transfer->program, _ ("cancelled: the manager of the transfer has gone"));
    if (transfer->outcome != IOH_OUTCOME_FAILED)
        return;
    if (options->command == IOH_COMMAND_DROPIN) {
        g_autofree char *message =
            ioh_dropin_message (transfer->program, options->file_name, transfer->error);
        fputs (message, stderr);
    } else {
        main_say (transfer->program, transfer->error->message);
    }
}

/* The signal a cancelled transfer dies of, else 0. */
static int
transfer_signal (const Transfer *transfer)
{
    return transfer->outcome == IOH_OUTCOME_CANCELLED ? ioh_cancel_signal (transfer->links.cancel)
                                                      : 0;
}

/* FALSE when the report was asked for and could not be written. */
static gboolean
transfer_write_report (Transfer *transfer)
{
    if (transfer->report_fd < 0)
        return TRUE;
    g_autofree char *text =
        ioh_report_to_json (transfer->links.report, transfer->options, transfer->facts,
                            transfer->plan, transfer->error, transfer_signal (transfer));
    int written = ioh_text_write (transfer->report_fd, text);
    int closed = ioh_sys_close (transfer->report_fd);
    if (written >= 0 && closed >= 0)
        return TRUE;
    g_autofree char *message =
        g_strdup_printf (_ ("--report: cannot write to %s: %s"), transfer->options->report,
                         g_strerror (written < 0 ? -written : -closed));
    main_say (transfer->program, message);
    return FALSE;
}

static int
transfer_exit_status (const Transfer *transfer, gboolean reported)
{
    if (transfer->outcome == IOH_OUTCOME_FAILED) {
        if (transfer->options->command == IOH_COMMAND_DROPIN)
            return EXIT_FAILURE;
        return (int) ioh_error_exit (transfer->error);
    }
    return reported ? IOH_EXIT_DONE : IOH_EXIT_INTERNAL;
}

static void
transfer_clear (Transfer *transfer)
{
    ioh_control_free (transfer->links.control);
    ioh_cancel_free (transfer->links.cancel);
    ioh_report_free (transfer->links.report);
    ioh_plan_free (transfer->plan);
    ioh_facts_free (transfer->facts);
    ioh_options_free (transfer->options);
    g_clear_error (&transfer->error);
}

/* Takes over OPTIONS. The exit status; does not return when a signal ended the transfer. */
static int
main_transfer (const char *program, IohOptions *options)
{
    Transfer transfer = {
        .program = program,
        .options = options,
        .links = {.report = ioh_report_new (), .own_process = TRUE},
        .report_fd = -1,
    };

    transfer_run (&transfer);
    /* before anything is said: the cursor may be in the middle of its line */
    g_clear_pointer (&transfer.links.progress, ioh_progress_free);
    if (transfer.outcome == IOH_OUTCOME_FAILED && options->command == IOH_COMMAND_DROPIN &&
        ioh_dropin_forgives (options, transfer.error))
        transfer.outcome = IOH_OUTCOME_DONE;
    transfer_print (&transfer);
    gboolean reported = transfer_write_report (&transfer);
    int status = transfer_exit_status (&transfer, reported);
    int signal_number = transfer_signal (&transfer);
    transfer_clear (&transfer);
    if (signal_number != 0)
        ioh_cancel_die (signal_number);
    return status;
}

static gboolean
main_engines (const IohOptions *options, GError **error)
{
    g_autoptr (IohFacts) facts = ioh_probe_host ();
    g_autofree char *text =
        ioh_listing_new (facts, options->json, ioh_wrap_columns (STDOUT_FILENO));

    return ioh_standard_print (text, error);
}

static gboolean
main_info (const IohOptions *options, GError **error)
{
    g_autoptr (IohImage) image = ioh_info_look (options, error);

    if (image == NULL)
        return FALSE;
    g_autofree char *text = options->json ? ioh_info_json (image, options->file_name)
                                          : ioh_info_table (image, options->file_name,
                                                            ioh_wrap_columns (STDOUT_FILENO));
    return ioh_standard_print (text, error) && ioh_info_check (image, options->file_name, error);
}

/* A command that moves nothing. Takes over OPTIONS. The exit status; does not return when a signal
 * ended it. */
static int
main_look (IohOptions *options)
{
    g_autoptr (GError) error = NULL;
    int signal_number = 0;
    gboolean done;

    if (!ioh_standard_check (STDOUT_FILENO, NULL, &error))
        done = FALSE;
    else if (options->command == IOH_COMMAND_BENCH)
        done = ioh_bench (options, &signal_number, &error);
    else if (options->command == IOH_COMMAND_INFO)
        done = main_info (options, &error);
    else
        done = main_engines (options, &error);
    ioh_options_free (options);
    if (signal_number != 0)
        ioh_cancel_die (signal_number);
    if (done)
        return IOH_EXIT_DONE;
    main_say (IOH_PACKAGE, error->message);
    return (int) ioh_error_exit (error);
}

static int
main_dropin (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;
    IohOptions *options = ioh_dropin_parse (argc, argv, &error);

    if (options != NULL)
        return main_transfer (argv[0], options);
    g_autofree char *message = ioh_dropin_message (argv[0], argc == 3 ? argv[1] : NULL, error);
    fputs (message, stderr);
    return EXIT_FAILURE;
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;

    main_set_up ();
    if (ioh_dropin_wanted (argc, argv))
        return main_dropin (argc, argv);
    IohOptions *options = ioh_options_parse (argv, &error);
    if (options == NULL) {
        main_say (IOH_PACKAGE, error->message);
        return (int) ioh_error_exit (error);
    }
    if (options->command == IOH_COMMAND_SAVE || options->command == IOH_COMMAND_RESTORE)
        return main_transfer (IOH_PACKAGE, options);
    return main_look (options);
}

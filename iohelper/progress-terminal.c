/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress-terminal - the progress for a person who watches.
 *
 * Owns the line the cursor is in, while it is drawn. Uses no control character but the return to
 * the beginning of the line, which every terminal knows, and none at all elsewhere. A terminal may
 * be stopped: until the end only that is written which goes without waiting.
 */
#include "progress-terminal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"
#include "printable.h"
#include "probe.h"
#include "progress-line.h"
#include "sys.h"
#include "wrap.h"

/* A transfer that is over so soon needs no progress. */
#define TERMINAL_DELAY_US (G_USEC_PER_SEC / 2)

/* Between two lines where they stay. */
#define TERMINAL_LINE_US G_USEC_PER_SEC

typedef struct {
    IohChannel channel;
    gboolean terminal; /* and not a file or a pipe */
    gboolean asked_for;
    IohProgressRate rate;
    int drawn;          /* columns of the line that are not blank */
    IohPhase phase;     /* of the last line that stays */
    gint64 line_due_us; /* when the next one is due */
} ProgressTerminal;

gboolean
ioh_progress_terminal_wanted (int fd, const IohOptions *options)
{
    if (options->progress != IOH_PROGRESS_AUTO)
        return options->progress == IOH_PROGRESS_ALWAYS;
    return options->verbosity >= 0 && isatty (fd);
}

gboolean
ioh_progress_terminal_free_to_use (int fd)
{
    pid_t group = tcgetpgrp (fd);

    /* on a terminal that is not our session's no job of ours can be in front */
    return group < 0 || group == getpgrp ();
}

/* Puts LINE where the last one was, in blanks as far as it was longer. FALSE when nobody will ever
 * see it. What does not go now is old when it would. */
static gboolean
terminal_draw (ProgressTerminal *terminal, const char *line)
{
    int width = ioh_printable_width (line);
    g_autofree char *text = g_strdup_printf ("\r%s%*s", line, MAX (terminal->drawn - width, 0), "");
    ssize_t written = ioh_channel_write (&terminal->channel, text, strlen (text));

    if (written > 0)
        terminal->drawn = width;
    return written >= 0 || written == -EAGAIN;
}

/* Leaves an empty line with the cursor at its beginning. This waits for a terminal that is stopped,
 * as will what is said next. */
static void
terminal_erase (const ProgressTerminal *terminal)
{
    g_autofree char *text = g_strdup_printf ("\r%*s\r", terminal->drawn, "");

    ioh_sys_write (terminal->channel.fd, text, strlen (text));
}

static gboolean
terminal_tell (gpointer listener, const IohMoment *moment, gboolean last)
{
    ProgressTerminal *terminal = listener;
    double rate = ioh_progress_rate (&terminal->rate, moment);

    /* what was drawn before somebody else took the terminal is theirs now */
    if (!ioh_progress_terminal_free_to_use (terminal->channel.fd)) {
        terminal->drawn = 0;
        return TRUE;
    }
    if (last && terminal->drawn > 0)
        terminal_erase (terminal);
    if (last || (moment->passed_us < TERMINAL_DELAY_US && !terminal->asked_for))
        return TRUE;
    g_autofree char *line =
        ioh_progress_line (moment, rate, ioh_wrap_columns (terminal->channel.fd));
    return terminal_draw (terminal, line);
}

static gboolean
terminal_tell_lines (gpointer listener, const IohMoment *moment, gboolean last)
{
    ProgressTerminal *terminal = listener;
    double rate = ioh_progress_rate (&terminal->rate, moment);

    if (last || (moment->phase == terminal->phase && moment->passed_us < terminal->line_due_us))
        return TRUE;
    terminal->phase = moment->phase;
    terminal->line_due_us = moment->passed_us + TERMINAL_LINE_US;
    g_autofree char *line = ioh_progress_line (moment, rate, G_MAXINT);
    g_autofree char *text = g_strconcat (line, "\n", NULL);
    ssize_t written = ioh_channel_write (&terminal->channel, text, strlen (text));
    return written >= 0 || written == -EAGAIN;
}

gboolean
ioh_progress_terminal_add (IohProgress *progress, int fd, const IohOptions *options, GError **error)
{
    ProgressTerminal *terminal = g_new0 (ProgressTerminal, 1);

    ioh_channel_init (&terminal->channel, fd, ioh_end_kind_of (fd));
    terminal->asked_for = options->progress == IOH_PROGRESS_ALWAYS;
    return ioh_progress_add (progress, isatty (fd) ? terminal_tell : terminal_tell_lines, terminal,
                             g_free, error);
}

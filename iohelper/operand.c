/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * operand - TARGET or IMAGE, and what else the command line says about descriptors.
 *
 * Owns the spellings of a descriptor and the refusal of one that is meant to be two things. Looks
 * at nothing but the text: whether a descriptor is open is for probe to find out.
 */
#include "operand.h"

#include <string.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"

/* The descriptor that PATH stands for: fd:N, -, /dev/stdin, /dev/fd/N ...; -1 when it is a path.
 * Opening /dev/fd/N would make a second description, with a position of its own. */
static gboolean
operand_to_fd (const char *path, int standard_fd, int *out_fd, GError **error)
{
    static const char *const prefixes[] = {"fd:", "/dev/fd/", "/proc/self/fd/"};

    *out_fd = -1;
    if (g_str_equal (path, "-"))
        *out_fd = standard_fd;
    else if (g_str_equal (path, "/dev/stdin"))
        *out_fd = STDIN_FILENO;
    else if (g_str_equal (path, "/dev/stdout"))
        *out_fd = STDOUT_FILENO;
    else if (g_str_equal (path, "/dev/stderr"))
        *out_fd = STDERR_FILENO;
    for (unsigned i = 0; i < G_N_ELEMENTS (prefixes); i++)
        if (g_str_has_prefix (path, prefixes[i]))
            return ioh_options_parse_fd (path, path + strlen (prefixes[i]), out_fd, error);
    return TRUE;
}

/* What goes to and comes from the manager must not be mixed up with the data. */
static gboolean
operand_check_not_data (const IohOptions *options, const char *name, int fd, GError **error)
{
    if (fd < 0 || (fd != options->stream_fd && fd != options->file_fd))
        return TRUE;
    return ioh_error_usage (error, _ ("--%s: fd %d already carries the data"), name, fd);
}

static gboolean
operand_take_report (IohOptions *options, GError **error)
{
    if (options->report == NULL)
        return TRUE;
    if (options->report[0] == '\0')
        return ioh_error_usage (error, _ ("--report: the file name is empty"));
    if (g_strcmp0 (options->report, options->file_path) == 0)
        return ioh_error_usage (error, _ ("--report: %s already carries the data"),
                                options->report);
    return operand_to_fd (options->report, STDOUT_FILENO, &options->report_fd, error) &&
           operand_check_not_data (options, IOH_OPTION_REPORT, options->report_fd, error);
}

/* The stream has one end. */
static gboolean
operand_check_stream (const IohOptions *options, GError **error)
{
    if (options->listen != NULL && options->connect != NULL)
        return ioh_error_usage (error, _ ("--%s and --%s exclude each other"), IOH_OPTION_LISTEN,
                                IOH_OPTION_CONNECT);
    if (options->stream_fd >= 0 && (options->listen != NULL || options->connect != NULL))
        return ioh_error_usage (error, _ ("--%s and --%s exclude each other"), IOH_OPTION_FD,
                                options->listen != NULL ? IOH_OPTION_LISTEN : IOH_OPTION_CONNECT);
    return TRUE;
}

/* It begins in one place. */
static gboolean
operand_check_offset (const IohOptions *options, GError **error)
{
    if (options->skip_header && options->offset != IOH_UNSET)
        return ioh_error_usage (error, _ ("--%s and --%s exclude each other"),
                                IOH_OPTION_SKIP_HEADER, IOH_OPTION_OFFSET);
    return TRUE;
}

static gboolean
operand_check_manager (const IohOptions *options, GError **error)
{
    if (options->parent_death_given && options->control_fd < 0)
        return ioh_error_usage (error, _ ("--%s needs --%s"), IOH_OPTION_PARENT_DEATH,
                                IOH_OPTION_CONTROL_FD);
    return operand_check_not_data (options, IOH_OPTION_PROGRESS_FD, options->progress_fd, error) &&
           operand_check_not_data (options, IOH_OPTION_CONTROL_FD, options->control_fd, error);
}

gboolean
ioh_operand_take (IohOptions *options, const char *what, const char *operand, GError **error)
{
    gboolean save = options->command == IOH_COMMAND_SAVE;
    int fd = -1;

    if (operand[0] == '\0')
        return ioh_error_usage (error, _ ("%s is empty"), what);
    if (!operand_to_fd (operand, save ? STDOUT_FILENO : STDIN_FILENO, &fd, error))
        return FALSE;
    ioh_options_set_file (options, fd < 0 ? operand : NULL, fd);
    /* who only looks at the file has no stream */
    if (options->command == IOH_COMMAND_INFO)
        return TRUE;
    gboolean meets = options->listen != NULL || options->connect != NULL;
    if (options->stream_fd < 0 && !meets)
        ioh_options_set_stream (options, save ? STDIN_FILENO : STDOUT_FILENO);
    if (fd >= 0 && fd == options->stream_fd)
        return ioh_error_usage (error, _ ("%s is both the stream and the file"),
                                options->file_name);
    return operand_check_stream (options, error) && operand_check_offset (options, error) &&
           operand_take_report (options, error) && operand_check_manager (options, error);
}

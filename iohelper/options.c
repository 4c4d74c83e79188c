/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options - reads the command line.
 *
 * Owns the defaults and what an option is remembered as. Looks at nothing but the text it is given:
 * whether a path exists or a descriptor is open is for probe to find out.
 */
#include "options.h"

#include <unistd.h>

#include "arguments.h"
#include "bench-generator.h"
#include "bench-values.h"
#include "commands.h"
#include "error.h"
#include "help.h"
#include "i18n.h"
#include "operand.h"
#include "spelling.h"

IohOptions *
ioh_options_new (IohCommand command)
{
    IohOptions *options = g_new0 (IohOptions, 1);

    options->command = command;
    options->direction = command == IOH_COMMAND_RESTORE ? IOH_RESTORE : IOH_SAVE;
    options->file_fd = -1;
    options->stream_fd = -1;
    options->report_fd = -1;
    options->progress_fd = -1;
    options->control_fd = -1;
    options->engine = g_strdup (IOH_ENGINE_AUTO);
    options->socket_bytes = ioh_wire_range (IOH_OPTION_SOCKET_BUFFER)->standard;
    options->pipe_bytes = ioh_wire_range (IOH_OPTION_PIPE_SIZE)->standard;
    options->block_bytes = ioh_wire_range (IOH_OPTION_BLOCK_SIZE)->standard;
    options->queue_depth = IOH_QUEUE_DEPTH_STANDARD;
    options->offset = ioh_wire_range (IOH_OPTION_OFFSET)->standard;
    options->expect_bytes = ioh_wire_range (IOH_OPTION_EXPECT_SIZE)->standard;
    options->mode = IOH_MODE_STANDARD;
    if (command == IOH_COMMAND_BENCH)
        options->exists = IOH_EXISTS_REFUSE;
    options->bench.size_bytes = IOH_UNSET;
    options->bench.runs = IOH_BENCH_RUNS_STANDARD;
    options->bench.burst_bytes = IOH_BENCH_BURST_BYTES;
    return options;
}

void
ioh_options_free (IohOptions *options)
{
    if (options == NULL)
        return;
    g_free (options->file_path);
    g_free (options->file_name);
    g_free (options->stream_name);
    ioh_address_free (options->listen);
    ioh_address_free (options->connect);
    g_free (options->engine);
    g_free (options->report);
    g_free (options->label);
    g_free (options->bench.plot);
    g_free (options);
}

/* A number means little to who reads a message; where it leads is found by its name, if it has one.
 * That is all it is looked at for. */
static char *
options_name_fd (int fd)
{
    g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
    g_autofree char *path = NULL;

    if (fd == STDIN_FILENO)
        return g_strdup (_ ("standard input"));
    if (fd == STDOUT_FILENO)
        return g_strdup (_ ("standard output"));
    path = g_file_read_link (link, NULL);
    if (path != NULL && path[0] == '/')
        return g_strdup_printf ("fd %d (%s)", fd, path);
    return g_strdup_printf ("fd %d", fd);
}

void
ioh_options_set_stream (IohOptions *options, int fd)
{
    options->stream_fd = fd;
    g_free (options->stream_name);
    options->stream_name = options_name_fd (fd);
}

void
ioh_options_set_address (IohOptions *options, IohAddress *address, gboolean listens)
{
    IohAddress **member = listens ? &options->listen : &options->connect;

    ioh_address_free (*member);
    *member = address;
    g_free (options->stream_name);
    options->stream_name = g_strdup (address->text);
}

void
ioh_options_set_file (IohOptions *options, const char *path, int fd)
{
    options->file_fd = fd;
    g_free (options->file_path);
    options->file_path = fd < 0 ? g_strdup (path) : NULL;
    g_free (options->file_name);
    options->file_name = path != NULL ? g_strdup (path) : options_name_fd (fd);
}

gboolean
ioh_options_parse_fd (const char *what, const char *text, int *out_fd, GError **error)
{
    guint64 number = 0;

    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL))
        return ioh_error_usage (error, _ ("%s: '%s' is not a descriptor number"), what, text);
    *out_fd = (int) number;
    return TRUE;
}

static gboolean
options_refuse_command (const char *word, GError **error)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    const IohCommandInfo *info;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++)
        g_ptr_array_add (names, (gpointer) info->name);
    g_ptr_array_add (names, (gpointer) "--" IOH_OPTION_HELP);
    g_ptr_array_add (names, (gpointer) "--" IOH_OPTION_VERSION);
    g_ptr_array_add (names, NULL);
    const char *nearest = ioh_spelling_nearest (word, (const char *const *) names->pdata);
    if (nearest != NULL)
        return ioh_error_usage (error, _ ("'%s' is not a command; did you mean '%s'?"), word,
                                nearest);
    if (word[0] == '-')
        return ioh_error_usage (
            error, _ ("'%s' is not a command; options come behind one, see 'iohelper --help'"),
            word);
    return ioh_error_usage (error, _ ("'%s' is not a command; see 'iohelper --help'"), word);
}

/* As --help does: returns only when there is no such command, or no printing. */
static gboolean
options_help (const char *word, GError **error)
{
    if (word == NULL)
        return ioh_help_print (ioh_help_overview (), error);
    const IohCommandInfo *info = ioh_command_find (word);
    if (info == NULL)
        return options_refuse_command (word, error);
    return ioh_help_print (ioh_help_command (info, FALSE), error);
}

/* WORD is the first argument, NULL when there is none. */
static const IohCommandInfo *
options_take_command (const char *word, GError **error)
{
    if (word == NULL) {
        ioh_error_usage (error, _ ("a command is missing; see 'iohelper --help'"));
        return NULL;
    }
    if (g_str_equal (word, "--" IOH_OPTION_HELP) || g_str_equal (word, "-h")) {
        options_help (NULL, error);
        return NULL;
    }
    if (g_str_equal (word, "--" IOH_OPTION_VERSION)) {
        ioh_help_take_version (IOH_OPTION_VERSION, NULL, NULL, error);
        return NULL;
    }
    const IohCommandInfo *info = ioh_command_find (word);
    if (info == NULL)
        options_refuse_command (word, error);
    return info;
}

/* OPERANDS end with NULL. */
static gboolean
options_take_operands (const IohCommandInfo *info, const char **operands, IohOptions *options,
                       GError **error)
{
    if (info->command == IOH_COMMAND_BENCH)
        return ioh_bench_take_operands (options, operands[0],
                                        operands[0] != NULL ? operands[1] : NULL, error);
    if (info->command == IOH_COMMAND_HELP)
        return options_help (operands[0], error);
    return info->most == 0 || ioh_operand_take (options, info->operands, operands[0], error);
}

IohOptions *
ioh_options_parse (char **argv, GError **error)
{
    const IohCommandInfo *info = options_take_command (argv[1], error);

    if (info == NULL)
        return NULL;
    g_autoptr (IohOptions) options = ioh_options_new (info->command);
    g_autofree const char **operands = ioh_arguments_read (info, argv + 2, options, error);
    if (operands == NULL)
        return NULL;
    if (!options_take_operands (info, operands, options, error))
        return NULL;
    options->accept_empty = options->expect_bytes == 0;
    return g_steal_pointer (&options);
}

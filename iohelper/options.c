/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options - reads the command line.
 *
 * Owns the commands, the defaults and what an option is remembered as. Looks at nothing but the
 * text it is given: whether a path exists or a descriptor is open is for probe to find out.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entries.h"
#include "error.h"
#include "i18n.h"
#include "operand.h"

IohOptions *
ioh_options_new (IohCommand command)
{
    IohOptions *options = g_new0 (IohOptions, 1);

    options->command = command;
    options->direction = command == IOH_COMMAND_RESTORE ? IOH_RESTORE : IOH_SAVE;
    options->file_fd = -1;
    options->stream_fd = -1;
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
    g_free (options);
}

static char *
options_name_fd (int fd)
{
    if (fd == STDIN_FILENO)
        return g_strdup (_ ("standard input"));
    if (fd == STDOUT_FILENO)
        return g_strdup (_ ("standard output"));
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

typedef struct {
    const char *name;
    IohCommand command;
    const char *operand; /* NULL: takes none */
    const char *summary;
} OptionsCommand;

static const OptionsCommand options_commands[] = {
    {"save", IOH_COMMAND_SAVE, "TARGET", N_ ("Save a migration stream to TARGET")},
    {"restore", IOH_COMMAND_RESTORE, "IMAGE", N_ ("Restore a migration stream from IMAGE")},
    {"engines", IOH_COMMAND_ENGINES, NULL, N_ ("List the engines, usable or not here, and why")},
};

static const OptionsCommand *
options_find_command (const char *word)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (options_commands); i++)
        if (g_str_equal (options_commands[i].name, word))
            return &options_commands[i];
    return NULL;
}

static GOptionContext *
options_context_new (const OptionsCommand *command, IohOptions *options)
{
    /* GOption's usage line is the program's name, its own word for options, then the operand */
    g_autofree char *usage = g_strconcat (IOH_PACKAGE, " ", command->name, NULL);
    g_set_prgname (usage);
    GOptionContext *context = g_option_context_new (command->operand);
    GOptionGroup *group = ioh_entries_new (command->command, options);

#if IOH_HAVE_NLS
    g_option_group_set_translation_domain (group, IOH_PACKAGE);
#endif
    g_option_context_set_main_group (context, group);
    g_option_context_set_summary (context, _ (command->summary));
    g_option_context_set_help_enabled (context, TRUE);
    return context;
}

/* GLib leaves a "--" in its place when what follows looks like an option. */
static void
options_drop_separator (int *argc, char **argv)
{
    if (*argc < 2 || !g_str_equal (argv[1], "--"))
        return;
    memmove (argv + 1, argv + 2, (size_t) (*argc - 1) * sizeof *argv);
    (*argc)--;
}

static gboolean
options_check_operands (const OptionsCommand *command, int argc, char **argv, GError **error)
{
    int wanted = command->operand != NULL ? 1 : 0;

    if (argc - 1 < wanted)
        return ioh_error_usage (error, _ ("%s: %s is missing; see 'iohelper %s --help'"),
                                command->name, command->operand, command->name);
    if (argc - 1 > wanted)
        return ioh_error_usage (error, _ ("%s: '%s' is one argument too many"), command->name,
                                argv[wanted + 1]);
    return TRUE;
}

static void
options_print_help (void)
{
    printf (_ ("Usage: iohelper COMMAND [OPTION...]\n\n"
               "Moves a hypervisor's migration stream to a file and back.\n\nCommands:\n"));
    for (unsigned i = 0; i < G_N_ELEMENTS (options_commands); i++)
        printf ("  %-8s %-7s %s\n", options_commands[i].name,
                options_commands[i].operand != NULL ? options_commands[i].operand : "",
                _ (options_commands[i].summary));
    printf (_ ("\n'iohelper COMMAND --help' lists the options of a command.\n"
               "'iohelper PATH FD' behaves as libvirt_iohelper(8).\n"));
    exit (fflush (stdout) == 0 ? IOH_EXIT_DONE : IOH_EXIT_INTERNAL);
}

static const OptionsCommand *
options_take_command (int argc, char **argv, GError **error)
{
    if (argc < 2) {
        ioh_error_usage (error, _ ("a command is missing; see 'iohelper --help'"));
        return NULL;
    }
    if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h"))
        options_print_help ();
    if (g_str_equal (argv[1], "--version"))
        ioh_entries_print_version (NULL, NULL, NULL, NULL);
    const OptionsCommand *command = options_find_command (argv[1]);
    if (command == NULL)
        ioh_error_usage (error, _ ("'%s' is not a command; see 'iohelper --help'"), argv[1]);
    return command;
}

IohOptions *
ioh_options_parse (int argc, char **argv, GError **error)
{
    const OptionsCommand *command = options_take_command (argc, argv, error);

    if (command == NULL)
        return NULL;
    g_autoptr (IohOptions) options = ioh_options_new (command->command);
    g_autoptr (GOptionContext) context = options_context_new (command, options);
    g_autoptr (GError) failure = NULL;
    /* the command takes the place of the program's name */
    argc--;
    argv++;
    if (!g_option_context_parse (context, &argc, &argv, &failure)) {
        ioh_error_usage (error, "%s", failure->message);
        return NULL;
    }
    options_drop_separator (&argc, argv);
    if (!options_check_operands (command, argc, argv, error))
        return NULL;
    if (command->operand != NULL && !ioh_operand_take (options, command->operand, argv[1], error))
        return NULL;
    options->accept_empty = options->expect_bytes == 0;
    return g_steal_pointer (&options);
}

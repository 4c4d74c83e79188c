/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options - reads the command line.
 *
 * Owns option names, defaults and the refusal of nonsense. Looks at nothing but the text it is
 * given: whether a path exists or a descriptor is open is for probe to find out.
 */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "error.h"
#include "i18n.h"
#include "label.h"
#include "operand.h"
#include "size.h"

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

/* The callbacks of GOption: the option's name comes with its dashes. */

static gboolean
options_take_size (const char *name, const char *value, gpointer data, GError **error)
{
    static const struct {
        const char *name;
        size_t member;
    } sizes[] = {
        {IOH_OPTION_PIPE_SIZE, G_STRUCT_OFFSET (IohOptions, pipe_bytes)},
        {IOH_OPTION_BLOCK_SIZE, G_STRUCT_OFFSET (IohOptions, block_bytes)},
        {IOH_OPTION_OFFSET, G_STRUCT_OFFSET (IohOptions, offset)},
        {IOH_OPTION_EXPECT_SIZE, G_STRUCT_OFFSET (IohOptions, expect_bytes)},
    };
    const char *option = name + strlen ("--");
    const IohWireRange *range = ioh_wire_range (option);
    uint64_t bytes = 0;
    unsigned i = 0;

    while (!g_str_equal (sizes[i].name, option))
        i++;
    if (!ioh_size_parse (option, value, &bytes, error))
        return FALSE;
    if (bytes < range->least || bytes > range->most)
        return ioh_error_usage (error, _ ("%s: '%s' is not between %" PRIu64 " and %" PRIu64), name,
                                value, range->least, range->most);
    G_STRUCT_MEMBER (uint64_t, data, sizes[i].member) = bytes;
    return TRUE;
}

static gboolean
options_refuse_word (const char *name, const char *value, const char *words, GError **error)
{
    return ioh_error_usage (error, _ ("%s: '%s' is not one of %s"), name, value, words);
}

static gboolean
options_take_word (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (g_str_equal (name, "--" IOH_OPTION_CACHE))
        return ioh_wire_cache_parse (value, &options->cache) ||
               options_refuse_word (name, value, "auto, direct, drop, keep", error);
    if (g_str_equal (name, "--" IOH_OPTION_SYNC))
        return ioh_wire_sync_parse (value, &options->sync) ||
               options_refuse_word (name, value, "full, data, none", error);
    if (g_str_equal (name, "--" IOH_OPTION_QUEUE))
        return ioh_wire_queue_parse (value, &options->queue) ||
               options_refuse_word (name, value, "auto, io_uring, threads", error);
    if (g_str_equal (name, "--" IOH_OPTION_PARENT_DEATH)) {
        options->parent_death_given = TRUE;
        return ioh_wire_parent_death_parse (value, &options->parent_death) ||
               options_refuse_word (name, value, "cancel, finish-save", error);
    }
    return ioh_wire_exists_parse (value, &options->exists) ||
           options_refuse_word (name, value, "replace, refuse, overwrite", error);
}

static gboolean
options_take_queue_depth (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    guint64 depth = 0;

    if (!g_ascii_string_to_unsigned (value, 10, 1, IOH_QUEUE_DEPTH_MOST, &depth, NULL))
        return ioh_error_usage (error, _ ("%s: '%s' is not a number from 1 to %d"), name, value,
                                IOH_QUEUE_DEPTH_MOST);
    options->queue_depth = (unsigned) depth;
    return TRUE;
}

static gboolean
options_take_engine (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (!g_str_equal (value, IOH_ENGINE_AUTO) && ioh_engine_find (value) == NULL) {
        g_autofree char *names = ioh_engine_names ();
        g_autofree char *words = g_strconcat ("auto, ", names, NULL);
        return options_refuse_word (name, value, words, error);
    }
    g_free (options->engine);
    options->engine = g_strdup (value);
    return TRUE;
}

static gboolean
options_take_mode (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    guint64 mode = 0;

    if (!g_ascii_string_to_unsigned (value, 8, 0, IOH_MODE_MOST, &mode, NULL))
        return ioh_error_usage (error, _ ("%s: '%s' is not an octal mode such as 0600"), name,
                                value);
    options->mode = (mode_t) mode;
    return TRUE;
}

static gboolean
options_take_label (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (ioh_labels () == IOH_LABELS_NOT_BUILT)
        return ioh_error_usage (error, _ ("%s: this iohelper was built without SELinux support"),
                                name);
    g_free (options->label);
    options->label = g_strdup (value);
    return TRUE;
}

static gboolean
options_take_fd (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    int fd = -1;

    if (!ioh_options_parse_fd (name, value, &fd, error))
        return FALSE;
    if (g_str_equal (name, "--" IOH_OPTION_PROGRESS_FD))
        options->progress_fd = fd;
    else if (g_str_equal (name, "--" IOH_OPTION_CONTROL_FD))
        options->control_fd = fd;
    else
        ioh_options_set_stream (options, fd);
    return TRUE;
}

static gboolean
options_take_verbosity (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (g_str_equal (name, "-q") || g_str_equal (name, "--" IOH_OPTION_QUIET))
        options->verbosity = -1;
    else
        options->verbosity = MAX (options->verbosity, 0) + 1;
    return TRUE;
}

static gboolean
options_print_version (const char *name, const char *value, gpointer data, GError **error)
{
    printf ("%s %s\n", IOH_PACKAGE, IOH_VERSION);
    exit (fflush (stdout) == 0 ? IOH_EXIT_DONE : IOH_EXIT_INTERNAL);
}

#define OPTIONS_CALLBACK(function) ((gpointer) (GOptionArgFunc) (function))

static void
options_add_transfer (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_FD, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_fd),
         N_ ("Stream descriptor instead of standard input or output"), "N"},
        {IOH_OPTION_PIPE_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_size),
         N_ ("Size wanted for the stream's pipe (default 1M)"), "SIZE"},
        {IOH_OPTION_ENGINE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_engine),
         N_ ("How bytes cross: auto or a name that 'iohelper engines' lists"), "NAME"},
        {IOH_OPTION_CACHE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_word),
         N_ ("Page cache: auto, direct, drop or keep (default auto)"), "MODE"},
        {IOH_OPTION_BLOCK_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_size),
         N_ ("Size of one request to the file (default 1M)"), "SIZE"},
        {IOH_OPTION_QUEUE_DEPTH, 0, 0, G_OPTION_ARG_CALLBACK,
         OPTIONS_CALLBACK (options_take_queue_depth),
         N_ ("Requests to the file under way at a time (default 4)"), "N"},
        {IOH_OPTION_QUEUE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_word),
         N_ ("How they reach the kernel: auto, io_uring or threads (default auto)"), "NAME"},
        {IOH_OPTION_OFFSET, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_size),
         N_ ("Where in the file the stream begins"), "BYTES"},
        {IOH_OPTION_EXPECT_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_size),
         N_ ("Exact length of the stream; anything else is a failure"), "BYTES"},
        {IOH_OPTION_REPORT, 0, 0, G_OPTION_ARG_STRING, &options->report,
         N_ ("Write the final report as JSON to FILE, fd:N or -"), "FILE"},
        {IOH_OPTION_PROGRESS_FD, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_fd),
         N_ ("Tell the progress as lines of JSON to descriptor N"), "N"},
        {IOH_OPTION_CONTROL_FD, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_fd),
         N_ ("Complete the transfer when the manager says so on descriptor N"), "N"},
        {IOH_OPTION_PARENT_DEATH, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_word),
         N_ ("When the manager goes away: cancel or finish-save (default cancel)"), "WHAT"},
        {IOH_OPTION_EXPLAIN, 0, 0, G_OPTION_ARG_NONE, &options->explain,
         N_ ("Print the plan and its reasons, touch nothing"), NULL},
        {IOH_OPTION_QUIET, 'q', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         OPTIONS_CALLBACK (options_take_verbosity), N_ ("Print errors only"), NULL},
        {IOH_OPTION_VERBOSE, 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         OPTIONS_CALLBACK (options_take_verbosity), N_ ("Tell what was done and why"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
options_add_save (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_SYNC, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_word),
         N_ ("What is on storage before success: full, data or none (default full)"), "WHAT"},
        {IOH_OPTION_EXISTS, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_word),
         N_ ("A file that is there: replace, refuse or overwrite (default replace)"), "WHAT"},
        {IOH_OPTION_MODE, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_mode),
         N_ ("Permissions of a new file (default 0600)"), "OCTAL"},
        {IOH_OPTION_LABEL, 0, 0, G_OPTION_ARG_CALLBACK, OPTIONS_CALLBACK (options_take_label),
         N_ ("SELinux context of a created file"), "CONTEXT"},
        {IOH_OPTION_KEEP_PARTIAL, 0, 0, G_OPTION_ARG_NONE, &options->keep_partial,
         N_ ("After a failure leave what was written as TARGET.part"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
options_add_common (GOptionGroup *group)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_VERSION, 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         OPTIONS_CALLBACK (options_print_version), N_ ("Print the version"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
options_add_engines (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_JSON, 0, 0, G_OPTION_ARG_NONE, &options->json, N_ ("Print JSON"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
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
    GOptionGroup *group = g_option_group_new ("", "", "", options, NULL);

    if (command->command != IOH_COMMAND_ENGINES)
        options_add_transfer (group, options);
    if (command->command == IOH_COMMAND_SAVE)
        options_add_save (group, options);
    if (command->command == IOH_COMMAND_ENGINES)
        options_add_engines (group, options);
    options_add_common (group);
#if IOH_HAVE_NLS
    g_option_group_set_translation_domain (group, IOH_PACKAGE);
#endif
    g_option_context_set_main_group (context, group);
    g_option_context_set_summary (context, _ (command->summary));
    g_option_context_set_help_enabled (context, TRUE);
    return context;
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
        options_print_version (NULL, NULL, NULL, NULL);
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
    if (!options_check_operands (command, argc, argv, error))
        return NULL;
    if (command->operand != NULL && !ioh_operand_take (options, command->operand, argv[1], error))
        return NULL;
    options->accept_empty = options->expect_bytes == 0;
    return g_steal_pointer (&options);
}

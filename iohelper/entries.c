/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * entries - the options of each command: their names, their help, and how a value is read.
 *
 * Owns the refusal of values that make no sense by themselves. What does not go together is found
 * by operand, what is not so by probe.
 */
#include "entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "error.h"
#include "i18n.h"
#include "label.h"
#include "size.h"

/* The callbacks of GOption: the option's name comes with its dashes. */

static gboolean
entries_take_size (const char *name, const char *value, gpointer data, GError **error)
{
    static const struct {
        const char *name;
        size_t member;
    } sizes[] = {
        {IOH_OPTION_SOCKET_BUFFER, G_STRUCT_OFFSET (IohOptions, socket_bytes)},
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
entries_refuse_word (const char *name, const char *value, const char *words, GError **error)
{
    return ioh_error_usage (error, _ ("%s: '%s' is not one of %s"), name, value, words);
}

static gboolean
entries_take_word (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (g_str_equal (name, "--" IOH_OPTION_CACHE))
        return ioh_wire_cache_parse (value, &options->cache) ||
               entries_refuse_word (name, value, "auto, direct, drop, keep", error);
    if (g_str_equal (name, "--" IOH_OPTION_SYNC))
        return ioh_wire_sync_parse (value, &options->sync) ||
               entries_refuse_word (name, value, "full, data, none", error);
    if (g_str_equal (name, "--" IOH_OPTION_QUEUE))
        return ioh_wire_queue_parse (value, &options->queue) ||
               entries_refuse_word (name, value, "auto, io_uring, threads", error);
    if (g_str_equal (name, "--" IOH_OPTION_PARENT_DEATH)) {
        options->parent_death_given = TRUE;
        return ioh_wire_parent_death_parse (value, &options->parent_death) ||
               entries_refuse_word (name, value, "cancel, finish-save", error);
    }
    return ioh_wire_exists_parse (value, &options->exists) ||
           entries_refuse_word (name, value, "replace, refuse, overwrite", error);
}

static gboolean
entries_take_queue_depth (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    guint64 depth = 0;

    if (!g_ascii_string_to_unsigned (value, 10, 1, IOH_QUEUE_DEPTH_MOST, &depth, NULL))
        return ioh_error_usage (error, _ ("%s: '%s' is not a number from 1 to %d"), name, value,
                                IOH_QUEUE_DEPTH_MOST);
    options->queue_depth = (unsigned) depth;
    return TRUE;
}

/* A size, and "/s" behind it if one likes. */
static gboolean
entries_take_rate (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    gboolean per_second = g_str_has_suffix (value, "/s");
    g_autofree char *size = g_strndup (value, strlen (value) - (per_second ? strlen ("/s") : 0));
    uint64_t bytes = 0;

    if (!ioh_size_parse (name + strlen ("--"), size, &bytes, error))
        return FALSE;
    if (bytes == 0)
        return ioh_error_usage (error, _ ("%s: at a rate of 0 nothing would ever move"), name);
    options->rate_bytes = bytes;
    return TRUE;
}

static gboolean
entries_take_stall_timeout (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;
    guint64 seconds = 0;

    if (!g_ascii_string_to_unsigned (value, 10, 1, IOH_STALL_TIMEOUT_MOST, &seconds, NULL))
        return ioh_error_usage (error, _ ("%s: '%s' is not a number of seconds from 1 to %d"), name,
                                value, IOH_STALL_TIMEOUT_MOST);
    options->stall_us = (gint64) seconds * G_USEC_PER_SEC;
    return TRUE;
}

static gboolean
entries_take_engine (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (!g_str_equal (value, IOH_ENGINE_AUTO) && ioh_engine_find (value) == NULL) {
        g_autofree char *names = ioh_engine_names ();
        g_autofree char *words = g_strconcat ("auto, ", names, NULL);
        return entries_refuse_word (name, value, words, error);
    }
    g_free (options->engine);
    options->engine = g_strdup (value);
    return TRUE;
}

static gboolean
entries_take_mode (const char *name, const char *value, gpointer data, GError **error)
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
entries_take_label (const char *name, const char *value, gpointer data, GError **error)
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
entries_take_fd (const char *name, const char *value, gpointer data, GError **error)
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
entries_take_address (const char *name, const char *value, gpointer data, GError **error)
{
    gboolean listens = g_str_equal (name, "--" IOH_OPTION_LISTEN);
    IohAddress *address = ioh_address_parse (name + strlen ("--"), value, error);

    if (address == NULL)
        return FALSE;
    ioh_options_set_address (data, address, listens);
    return TRUE;
}

static gboolean
entries_take_verbosity (const char *name, const char *value, gpointer data, GError **error)
{
    IohOptions *options = data;

    if (g_str_equal (name, "-q") || g_str_equal (name, "--" IOH_OPTION_QUIET))
        options->verbosity = -1;
    else
        options->verbosity = MAX (options->verbosity, 0) + 1;
    return TRUE;
}

gboolean
ioh_entries_print_version (const char *name, const char *value, gpointer data, GError **error)
{
    printf ("%s %s\n", IOH_PACKAGE, IOH_VERSION);
    exit (fflush (stdout) == 0 ? IOH_EXIT_DONE : IOH_EXIT_INTERNAL);
}

#define ENTRIES_CALLBACK(function) ((gpointer) (GOptionArgFunc) (function))

static void
entries_add_stream (GOptionGroup *group)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_FD, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_fd),
         N_ ("Stream on descriptor N, not standard in/out"), "N"},
        {IOH_OPTION_LISTEN, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_address),
         N_ ("Wait for the peer at unix:PATH, tcp:HOST:PORT"), "ADDR"},
        {IOH_OPTION_CONNECT, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_address),
         N_ ("Go to the stream's peer at ADDR"), "ADDR"},
        {IOH_OPTION_SOCKET_BUFFER, 0, 0, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (entries_take_size), N_ ("Buffer wanted for such a socket (default 1M)"),
         "SIZE"},
        {IOH_OPTION_PIPE_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_size),
         N_ ("Size wanted for the stream's pipe (default 1M)"), "SIZE"},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
entries_add_file (GOptionGroup *group)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_CACHE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_word),
         N_ ("Page cache: auto, direct, drop, keep (auto)"), "MODE"},
        {IOH_OPTION_BLOCK_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_size),
         N_ ("Size of one request to the file (default 1M)"), "SIZE"},
        {IOH_OPTION_OFFSET, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_size),
         N_ ("Where in the file the stream begins"), "BYTES"},
        {IOH_OPTION_EXPECT_SIZE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_size),
         N_ ("Exact length of the stream, or a failure"), "BYTES"},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
entries_add_manner (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_ENGINE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_engine),
         N_ ("How bytes cross: auto, or see 'engines'"), "NAME"},
        {IOH_OPTION_QUEUE_DEPTH, 0, 0, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (entries_take_queue_depth),
         N_ ("Requests to the file under way (default 4)"), "N"},
        {IOH_OPTION_QUEUE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_word),
         N_ ("Their queue: auto, io_uring, threads (auto)"), "NAME"},
        {IOH_OPTION_RATE_LIMIT, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_rate),
         N_ ("Move no more than SIZE a second"), "SIZE[/s]"},
        {IOH_OPTION_STALL_TIMEOUT, 0, 0, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (entries_take_stall_timeout),
         N_ ("Fail when nothing has moved for so long"), "SECONDS"},
        {IOH_OPTION_REPORT, 0, 0, G_OPTION_ARG_FILENAME, &options->report,
         N_ ("Write the final report as JSON to FILE, fd:N or -"), "FILE"},
        {IOH_OPTION_PROGRESS_FD, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_fd),
         N_ ("Tell the progress as lines of JSON to descriptor N"), "N"},
        {IOH_OPTION_CONTROL_FD, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_fd),
         N_ ("Complete when the manager says so on N"), "N"},
        {IOH_OPTION_PARENT_DEATH, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_word),
         N_ ("Manager gone: cancel, finish-save (cancel)"), "WHAT"},
        {IOH_OPTION_EXPLAIN, 0, 0, G_OPTION_ARG_NONE, &options->explain,
         N_ ("Print the plan and its reasons, touch nothing"), NULL},
        {IOH_OPTION_QUIET, 'q', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (entries_take_verbosity), N_ ("Print errors only"), NULL},
        {IOH_OPTION_VERBOSE, 'v', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (entries_take_verbosity), N_ ("Tell what was done and why"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
entries_add_save (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_SYNC, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_word),
         N_ ("Durable at the end: full, data, none (full)"), "WHAT"},
        {IOH_OPTION_EXISTS, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_word),
         N_ ("Old file: replace, refuse, overwrite (replace)"), "WHAT"},
        {IOH_OPTION_MODE, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_mode),
         N_ ("Permissions of a new file (default 0600)"), "OCTAL"},
        {IOH_OPTION_LABEL, 0, 0, G_OPTION_ARG_CALLBACK, ENTRIES_CALLBACK (entries_take_label),
         N_ ("SELinux context of a created file"), "CONTEXT"},
        {IOH_OPTION_KEEP_PARTIAL, 0, 0, G_OPTION_ARG_NONE, &options->keep_partial,
         N_ ("After a failure leave TARGET.part"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
entries_add_common (GOptionGroup *group)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_VERSION, 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
         ENTRIES_CALLBACK (ioh_entries_print_version), N_ ("Print the version"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

static void
entries_add_engines (GOptionGroup *group, IohOptions *options)
{
    const GOptionEntry entries[] = {
        {IOH_OPTION_JSON, 0, 0, G_OPTION_ARG_NONE, &options->json, N_ ("Print JSON"), NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_option_group_add_entries (group, entries);
}

GOptionGroup *
ioh_entries_new (IohCommand command, IohOptions *options)
{
    GOptionGroup *group = g_option_group_new ("", "", "", options, NULL);

    if (command != IOH_COMMAND_ENGINES) {
        entries_add_stream (group);
        entries_add_file (group);
        entries_add_manner (group, options);
    }
    if (command == IOH_COMMAND_SAVE)
        entries_add_save (group, options);
    if (command == IOH_COMMAND_ENGINES)
        entries_add_engines (group, options);
    entries_add_common (group);
    return group;
}

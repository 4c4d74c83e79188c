/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * values - how the value of an option is read.
 *
 * Owns the refusal of values that make no sense by themselves. What does not go together is found
 * by operand, what is not so by probe.
 */
#include "values.h"

#include <inttypes.h>
#include <string.h>

#include "engine.h"
#include "error.h"
#include "i18n.h"
#include "label.h"
#include "size.h"
#include "spelling.h"

/* What other programs know as a mode. */
#define VALUES_ANY_MODE 07777

gboolean
ioh_value_parse_size (const char *option, const char *value, uint64_t least, uint64_t most,
                      uint64_t *out_bytes, GError **error)
{
    uint64_t bytes = 0;

    if (!ioh_size_parse (option, value, &bytes, error))
        return FALSE;
    if (bytes < least || bytes > most)
        return ioh_error_usage (error, _ ("--%s: '%s' is not between %" PRIu64 " and %" PRIu64),
                                option, value, least, most);
    *out_bytes = bytes;
    return TRUE;
}

gboolean
ioh_value_parse_count (const char *option, const char *value, int most, unsigned *out_count,
                       GError **error)
{
    guint64 count = 0;

    if (!g_ascii_string_to_unsigned (value, 10, 1, (guint64) most, &count, NULL))
        return ioh_error_usage (error, _ ("--%s: '%s' is not a number from 1 to %d"), option, value,
                                most);
    *out_count = (unsigned) count;
    return TRUE;
}

gboolean
ioh_value_refuse_word (const char *option, const char *value, const char *const *words,
                       GError **error)
{
    g_autofree char *list = g_strjoinv (", ", (char **) words);
    const char *nearest = ioh_spelling_nearest (value, words);

    if (nearest != NULL)
        return ioh_error_usage (error, _ ("--%s: '%s' is not one of %s; did you mean '%s'?"),
                                option, value, list, nearest);
    return ioh_error_usage (error, _ ("--%s: '%s' is not one of %s"), option, value, list);
}

gboolean
ioh_value_take_size (const char *option, const char *value, IohOptions *options, GError **error)
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
    const IohWireRange *range = ioh_wire_range (option);
    unsigned i = 0;

    while (!g_str_equal (sizes[i].name, option))
        i++;
    return ioh_value_parse_size (option, value, range->least, range->most,
                                 &G_STRUCT_MEMBER (uint64_t, options, sizes[i].member), error);
}

static gboolean
values_parse_word (const char *option, const char *value, IohOptions *options)
{
    if (g_str_equal (option, IOH_OPTION_CACHE))
        return ioh_wire_cache_parse (value, &options->cache);
    if (g_str_equal (option, IOH_OPTION_SYNC))
        return ioh_wire_sync_parse (value, &options->sync);
    if (g_str_equal (option, IOH_OPTION_QUEUE))
        return ioh_wire_queue_parse (value, &options->queue);
    if (g_str_equal (option, IOH_OPTION_EXISTS))
        return ioh_wire_exists_parse (value, &options->exists);
    if (g_str_equal (option, IOH_OPTION_PROGRESS))
        return ioh_wire_progress_parse (value, &options->progress);
    options->parent_death_given = TRUE;
    return ioh_wire_parent_death_parse (value, &options->parent_death);
}

gboolean
ioh_value_take_word (const char *option, const char *value, IohOptions *options, GError **error)
{
    return values_parse_word (option, value, options) ||
           ioh_value_refuse_word (option, value, ioh_wire_words (option), error);
}

gboolean
ioh_value_take_queue_depth (const char *option, const char *value, IohOptions *options,
                            GError **error)
{
    return ioh_value_parse_count (option, value, IOH_QUEUE_DEPTH_MOST, &options->queue_depth,
                                  error);
}

/* A size, and "/s" behind it if one likes. */
gboolean
ioh_value_take_rate (const char *option, const char *value, IohOptions *options, GError **error)
{
    gboolean per_second = g_str_has_suffix (value, "/s");
    g_autofree char *size = g_strndup (value, strlen (value) - (per_second ? strlen ("/s") : 0));
    uint64_t bytes = 0;

    if (!ioh_size_parse (option, size, &bytes, error))
        return FALSE;
    if (bytes == 0)
        return ioh_error_usage (error, _ ("--%s: at a rate of 0 nothing would ever move"), option);
    options->rate_bytes = bytes;
    return TRUE;
}

gboolean
ioh_value_take_stall_timeout (const char *option, const char *value, IohOptions *options,
                              GError **error)
{
    guint64 seconds = 0;

    if (!g_ascii_string_to_unsigned (value, 10, 1, IOH_STALL_TIMEOUT_MOST, &seconds, NULL))
        return ioh_error_usage (error, _ ("--%s: '%s' is not a number of seconds from 1 to %d"),
                                option, value, IOH_STALL_TIMEOUT_MOST);
    options->stall_us = (gint64) seconds * G_USEC_PER_SEC;
    return TRUE;
}

gboolean
ioh_value_take_engine (const char *option, const char *value, IohOptions *options, GError **error)
{
    g_autofree const char **words = ioh_engine_words ();

    if (!g_strv_contains (words, value))
        return ioh_value_refuse_word (option, value, words, error);
    g_free (options->engine);
    options->engine = g_strdup (value);
    return TRUE;
}

gboolean
ioh_value_take_mode (const char *option, const char *value, IohOptions *options, GError **error)
{
    guint64 mode = 0;

    if (!g_ascii_string_to_unsigned (value, 8, 0, VALUES_ANY_MODE, &mode, NULL))
        return ioh_error_usage (error, _ ("--%s: '%s' is not an octal mode such as 0600"), option,
                                value);
    if (mode > IOH_MODE_MOST)
        return ioh_error_usage (error,
                                _ ("--%s: '%s' is more than 0777: an image is never setuid, setgid "
                                   "or sticky"),
                                option, value);
    options->mode = (mode_t) mode;
    return TRUE;
}

gboolean
ioh_value_take_label (const char *option, const char *value, IohOptions *options, GError **error)
{
    if (ioh_labels () == IOH_LABELS_NOT_BUILT)
        return ioh_error_usage (error, _ ("--%s: this iohelper was built without SELinux support"),
                                option);
    g_free (options->label);
    options->label = g_strdup (value);
    return TRUE;
}

gboolean
ioh_value_take_report (const char *option, const char *value, IohOptions *options, GError **error)
{
    g_free (options->report);
    options->report = g_strdup (value);
    return TRUE;
}

gboolean
ioh_value_take_fd (const char *option, const char *value, IohOptions *options, GError **error)
{
    g_autofree char *dashed = g_strconcat ("--", option, NULL);
    int fd = -1;

    if (!ioh_options_parse_fd (dashed, value, &fd, error))
        return FALSE;
    if (g_str_equal (option, IOH_OPTION_PROGRESS_FD))
        options->progress_fd = fd;
    else if (g_str_equal (option, IOH_OPTION_CONTROL_FD))
        options->control_fd = fd;
    else
        ioh_options_set_stream (options, fd);
    return TRUE;
}

gboolean
ioh_value_take_address (const char *option, const char *value, IohOptions *options, GError **error)
{
    gboolean listens = g_str_equal (option, IOH_OPTION_LISTEN);
    IohAddress *address = ioh_address_parse (option, value, error);

    if (address == NULL)
        return FALSE;
    ioh_options_set_address (options, address, listens);
    return TRUE;
}

gboolean
ioh_value_take_flag (const char *option, const char *value, IohOptions *options, GError **error)
{
    if (g_str_equal (option, IOH_OPTION_KEEP_PARTIAL))
        options->keep_partial = TRUE;
    else if (g_str_equal (option, IOH_OPTION_SKIP_HEADER))
        options->skip_header = TRUE;
    else if (g_str_equal (option, IOH_OPTION_EXPLAIN))
        options->explain = TRUE;
    else if (g_str_equal (option, IOH_OPTION_NO_SANDBOX))
        options->no_sandbox = TRUE;
    else
        options->json = TRUE;
    return TRUE;
}

gboolean
ioh_value_take_verbosity (const char *option, const char *value, IohOptions *options,
                          GError **error)
{
    if (g_str_equal (option, IOH_OPTION_QUIET))
        options->verbosity = -1;
    else
        options->verbosity = MAX (options->verbosity, 0) + 1;
    return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-values - reads what bench's own options and operands say.
 *
 * Owns the refusal of values that make no sense by themselves.
 */
#include "bench-values.h"

#include <string.h>

#include "bench-generator.h"
#include "bench-suites.h"
#include "error.h"
#include "i18n.h"
#include "spelling.h"

#define BENCH_NULL_DEVICE "/dev/null"

gboolean
ioh_bench_value_take_size (const char *option, const char *value, IohOptions *options,
                           GError **error)
{
    gboolean burst = g_str_equal (option, IOH_OPTION_BURST);
    uint64_t *member = burst ? &options->bench.burst_bytes : &options->bench.size_bytes;
    uint64_t most = burst ? IOH_BENCH_BURST_MOST : INT64_MAX / 2;

    return ioh_value_parse_size (option, value, 1, most, member, error);
}

gboolean
ioh_bench_value_take_runs (const char *option, const char *value, IohOptions *options,
                           GError **error)
{
    return ioh_value_parse_count (option, value, IOH_BENCH_RUNS_MOST, &options->bench.runs, error);
}

gboolean
ioh_bench_value_take_data (const char *option, const char *value, IohOptions *options,
                           GError **error)
{
    options->bench.zeros = g_str_equal (option, IOH_OPTION_ZERO);
    return TRUE;
}

/* A replaced file would be as gone as one that is written over. */
gboolean
ioh_bench_value_take_exists (const char *option, const char *value, IohOptions *options,
                             GError **error)
{
    static const char *const words[] = {"refuse", "overwrite", NULL};
    IohExists exists;

    if (!ioh_wire_exists_parse (value, &exists) || exists == IOH_EXISTS_REPLACE)
        return ioh_value_refuse_word (option, value, words, error);
    options->exists = exists;
    return TRUE;
}

gboolean
ioh_bench_value_take_plot (const char *option, const char *value, IohOptions *options,
                           GError **error)
{
    static const char *const others[] = {"png", "pdf", "jpg", "jpeg", "gif", "eps", "ps", "webp"};
    const char *suffix = strrchr (value, '.');

    for (unsigned i = 0; suffix != NULL && i < G_N_ELEMENTS (others); i++)
        if (g_ascii_strcasecmp (suffix + 1, others[i]) == 0)
            return ioh_error_usage (error, _ ("--%s: a picture is drawn as SVG, not as '%s'"),
                                    option, others[i]);
    g_free (options->bench.plot);
    options->bench.plot = g_strdup (value);
    return TRUE;
}

static gboolean
bench_refuse_suite (const char *word, GError **error)
{
    g_auto (GStrv) names = ioh_bench_suite_names ();
    g_autofree char *list = g_strjoinv (", ", names);
    const char *nearest = ioh_spelling_nearest (word, (const char *const *) names);

    if (nearest != NULL)
        return ioh_error_usage (error, _ ("bench: '%s' is not one of %s; did you mean '%s'?"), word,
                                list, nearest);
    return ioh_error_usage (error, _ ("bench: '%s' is not one of %s"), word, list);
}

gboolean
ioh_bench_take_operands (IohOptions *options, const char *suite, const char *target, GError **error)
{
    const IohBenchSuite *found =
        suite != NULL ? ioh_bench_suite_find (suite) : ioh_bench_suite_nth (0);

    if (found == NULL)
        return bench_refuse_suite (suite, error);
    if (target != NULL && target[0] == '\0')
        return ioh_error_usage (error, _ ("%s is empty"), "TARGET");
    if (target == NULL && found->needs_storage)
        return ioh_error_usage (error, _ ("bench: %s needs a TARGET, a file or a block device"),
                                found->name);
    options->bench.suite = found->name;
    ioh_options_set_file (options, target != NULL ? target : BENCH_NULL_DEVICE, -1);
    return TRUE;
}

char *
ioh_bench_describe (void)
{
    g_autoptr (GString) text = g_string_new (_ ("Suites"));
    const IohBenchSuite *suite;

    g_string_append_c (text, ':');
    for (unsigned i = 0; (suite = ioh_bench_suite_nth (i)) != NULL; i++)
        g_string_append_printf (text, "\n  %-13s    %s", suite->name, _ (suite->summary));
    g_string_append_c (text, '\n');
    return g_string_free (g_steal_pointer (&text), FALSE);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan-explain - a plan for people: each decision in a line, with its reason.
 *
 * Owns the layout. The names in front are those of options and report and stay as they are in every
 * language.
 */
#include <inttypes.h>

#include "i18n.h"
#include "plan.h"
#include "printable.h"
#include "wrap.h"

/* The columns of a name, and the space behind it. */
#define EXPLAIN_NAME 12

typedef struct {
    GString *text;
    int columns;
} Explain;

static void explain_add (Explain *explain, const char *name, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
explain_add (Explain *explain, const char *name, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_autofree char *line = g_strdup_vprintf (format, args);
    va_end (args);
    g_autofree char *body = ioh_printable (line);
    g_string_append_printf (explain->text, "%-*s", EXPLAIN_NAME, name);
    ioh_wrap_append (explain->text, EXPLAIN_NAME, body, explain->columns);
}

static void
explain_add_ends (Explain *explain, const IohPlan *plan, const IohOptions *options,
                  const IohFacts *facts)
{
    const char *file_system = facts->file.file_system;

    explain_add (explain, "stream", "%s: %s", options->stream_name,
                 ioh_end_kind_name (facts->stream.kind));
    if (plan->pipe_bytes > 0)
        explain_add (explain, "pipe-size", _ ("%d: wanted; it is %d now"), plan->pipe_bytes,
                     facts->stream.pipe_bytes);
    explain_add (explain, "file", "%s: %s%s%s", options->file_name,
                 ioh_end_kind_name (facts->file.kind), file_system != NULL ? ", " : "",
                 file_system != NULL ? file_system : "");
}

char *
ioh_plan_explain (const IohPlan *plan, const IohOptions *options, const IohFacts *facts,
                  int columns)
{
    Explain explain = {g_string_new (NULL), columns};

    explain_add (&explain, "direction", "%s", ioh_wire_direction_name (plan->direction));
    explain_add_ends (&explain, plan, options, facts);
    explain_add (&explain, "engine", "%s: %s", plan->engine->name, plan->engine_reason);
    if (plan->queue_reason != NULL)
        explain_add (&explain, "queue", _ ("%s, %u requests deep: %s"),
                     ioh_wire_queue_name (plan->queue), plan->queue_depth, plan->queue_reason);
    explain_add (&explain, "cache", "%s: %s", ioh_wire_cache_name (plan->cache),
                 plan->cache_reason);
    if (plan->cache == IOH_CACHE_DIRECT)
        explain_add (&explain, "alignment", "%zu: %s", plan->file_align, plan->align_origin);
    explain_add (&explain, "block-size", "%zu", plan->block_bytes);
    explain_add (&explain, "offset", "%" PRIu64, plan->offset);
    if (plan->direction == IOH_RESTORE)
        return g_string_free (explain.text, FALSE);
    explain_add (&explain, "sync", "%s: %s", ioh_wire_sync_name (plan->sync), plan->sync_reason);
    explain_add (&explain, "publish", "%s: %s", ioh_publish_name (plan->publish),
                 plan->publish_reason);
    return g_string_free (explain.text, FALSE);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire - spells the words of the command line and the report.
 *
 * Owns nothing. These strings are an interface: they are never translated and never change.
 */
#include "wire.h"

static const char *const cache_words[] = {
    [IOH_CACHE_AUTO] = "auto",
    [IOH_CACHE_DIRECT] = "direct",
    [IOH_CACHE_DROP] = "drop",
    [IOH_CACHE_KEEP] = "keep",
    NULL,
};

static const char *const sync_words[] = {
    [IOH_SYNC_FULL] = "full",
    [IOH_SYNC_DATA] = "data",
    [IOH_SYNC_NONE] = "none",
    NULL,
};

static const char *const exists_words[] = {
    [IOH_EXISTS_REPLACE] = "replace",
    [IOH_EXISTS_REFUSE] = "refuse",
    [IOH_EXISTS_OVERWRITE] = "overwrite",
    NULL,
};

static const char *const parent_death_words[] = {
    [IOH_PARENT_DEATH_CANCEL] = "cancel",
    [IOH_PARENT_DEATH_FINISH_SAVE] = "finish-save",
    NULL,
};

static const char *const phase_words[] = {
    [IOH_PHASE_OPENING] = "opening",
    [IOH_PHASE_MOVING] = "moving",
    [IOH_PHASE_WAITING] = "waiting",
    [IOH_PHASE_FLUSHING] = "flushing",
    NULL,
};

static const char *const queue_words[] = {
    [IOH_QUEUE_AUTO] = "auto",
    [IOH_QUEUE_IO_URING] = "io_uring",
    [IOH_QUEUE_THREADS] = "threads",
    NULL,
};

static const char *const progress_words[] = {
    [IOH_PROGRESS_AUTO] = "auto",
    [IOH_PROGRESS_ALWAYS] = "always",
    [IOH_PROGRESS_NEVER] = "never",
    NULL,
};

/* The index of WORD in WORDS, which end with NULL, or -1. */
static int
wire_find (const char *const *words, const char *word)
{
    for (unsigned i = 0; words[i] != NULL; i++)
        if (g_str_equal (words[i], word))
            return (int) i;
    return -1;
}

const char *
ioh_wire_cache_name (IohCache cache)
{
    return cache_words[cache];
}

const char *
ioh_wire_sync_name (IohSync sync)
{
    return sync_words[sync];
}

const char *
ioh_wire_exists_name (IohExists exists)
{
    return exists_words[exists];
}

const char *
ioh_wire_queue_name (IohQueueKind kind)
{
    return queue_words[kind];
}

const char *
ioh_wire_progress_name (IohProgressWhen when)
{
    return progress_words[when];
}

gboolean
ioh_wire_cache_parse (const char *word, IohCache *out)
{
    int index = wire_find (cache_words, word);

    if (index >= 0)
        *out = (IohCache) index;
    return index >= 0;
}

gboolean
ioh_wire_sync_parse (const char *word, IohSync *out)
{
    int index = wire_find (sync_words, word);

    if (index >= 0)
        *out = (IohSync) index;
    return index >= 0;
}

gboolean
ioh_wire_exists_parse (const char *word, IohExists *out)
{
    int index = wire_find (exists_words, word);

    if (index >= 0)
        *out = (IohExists) index;
    return index >= 0;
}

gboolean
ioh_wire_queue_parse (const char *word, IohQueueKind *out)
{
    int index = wire_find (queue_words, word);

    if (index >= 0)
        *out = (IohQueueKind) index;
    return index >= 0;
}

gboolean
ioh_wire_progress_parse (const char *word, IohProgressWhen *out)
{
    int index = wire_find (progress_words, word);

    if (index >= 0)
        *out = (IohProgressWhen) index;
    return index >= 0;
}

const char *
ioh_wire_parent_death_name (IohParentDeath policy)
{
    return parent_death_words[policy];
}

gboolean
ioh_wire_parent_death_parse (const char *word, IohParentDeath *out)
{
    int index = wire_find (parent_death_words, word);

    if (index >= 0)
        *out = (IohParentDeath) index;
    return index >= 0;
}

const char *
ioh_wire_phase_name (IohPhase phase)
{
    return phase_words[phase];
}

gboolean
ioh_wire_phase_parse (const char *word, IohPhase *out)
{
    int index = wire_find (phase_words, word);

    if (index >= 0)
        *out = (IohPhase) index;
    return index >= 0;
}

const char *const *
ioh_wire_words (const char *option)
{
    static const struct {
        const char *option;
        const char *const *words;
    } table[] = {
        {IOH_OPTION_CACHE, cache_words},       {IOH_OPTION_SYNC, sync_words},
        {IOH_OPTION_EXISTS, exists_words},     {IOH_OPTION_QUEUE, queue_words},
        {IOH_OPTION_PROGRESS, progress_words}, {IOH_OPTION_PARENT_DEATH, parent_death_words},
    };
    unsigned i = 0;

    while (!g_str_equal (table[i].option, option))
        i++;
    return table[i].words;
}

const char *
ioh_wire_direction_name (IohDirection direction)
{
    return direction == IOH_SAVE ? "save" : "restore";
}

const char *
ioh_wire_side_name (IohSide side)
{
    static const char *const names[] = {
        [IOH_SIDE_NONE] = "none",
        [IOH_SIDE_STREAM] = "stream",
        [IOH_SIDE_FILE] = "file",
    };
    return names[side];
}

const char *
ioh_wire_stage_name (IohStage stage)
{
    static const char *const names[] = {
        [IOH_STAGE_NONE] = "none",         [IOH_STAGE_OPEN] = "open",   [IOH_STAGE_LABEL] = "label",
        [IOH_STAGE_CHECK] = "check",       [IOH_STAGE_READ] = "read",   [IOH_STAGE_WRITE] = "write",
        [IOH_STAGE_TRUNCATE] = "truncate", [IOH_STAGE_FLUSH] = "flush", [IOH_STAGE_CLOSE] = "close",
        [IOH_STAGE_PUBLISH] = "publish",
    };
    return names[stage];
}

const char *
ioh_wire_exit_name (IohExit status)
{
    static const char *const names[] = {
        [IOH_EXIT_DONE] = "done",   [IOH_EXIT_INTERNAL] = "internal",
        [IOH_EXIT_USAGE] = "usage", [IOH_EXIT_STREAM] = "stream",
        [IOH_EXIT_FILE] = "file",   [IOH_EXIT_NO_ROOM] = "no-room",
        [IOH_EXIT_FLUSH] = "flush", [IOH_EXIT_IMAGE] = "image",
    };
    return names[status];
}

#define WIRE_MIB (UINT64_C (1) << 20)

static const IohWireRange wire_ranges[] = {
    /* one pipe of so many bytes is what F_SETPIPE_SZ can be asked for */
    {IOH_OPTION_PIPE_SIZE, 1, G_MAXINT / 2 + 1, WIRE_MIB},
    {IOH_OPTION_SOCKET_BUFFER, 1, G_MAXINT / 2 + 1, WIRE_MIB},
    {IOH_OPTION_BLOCK_SIZE, 4096, 64 * WIRE_MIB, WIRE_MIB},
    {IOH_OPTION_OFFSET, 0, INT64_MAX, IOH_UNSET},
    {IOH_OPTION_EXPECT_SIZE, 0, INT64_MAX, IOH_UNSET},
};

const IohWireRange *
ioh_wire_range (const char *option)
{
    unsigned i = 0;

    while (!g_str_equal (wire_ranges[i].option, option))
        i++;
    return &wire_ranges[i];
}

gboolean
ioh_wire_json_is_shallow (const char *text, gsize length)
{
    gboolean quoted = FALSE;
    int depth = 0;

    for (gsize i = 0; i < length; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '{' || text[i] == '['))
            depth++;
        else if (!quoted && (text[i] == '}' || text[i] == ']'))
            depth--;
        else if (!quoted && (text[i] == '/' || text[i] == '\'' || text[i] == '#'))
            return FALSE;
        if (depth > IOH_WIRE_JSON_DEPTH_MOST)
            return FALSE;
    }
    return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan-words - options and facts written down in words, for tables.
 *
 * Owns what goes without saying: a pipe, a new file or an image of 1000 bytes, O_DIRECT that works.
 */
#include "plan-words.h"

#include <stdlib.h>

IohOptions *
plan_words_options (const char *line)
{
    g_autofree char *whole = g_strconcat ("iohelper ", line, NULL);
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) argv = NULL;

    g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
    IohOptions *options = ioh_options_parse (argv, &error);
    g_assert_no_error (error);
    return options;
}

static IohEndKind
words_parse_kind (const char *word)
{
    for (int kind = IOH_END_UNKNOWN; kind <= IOH_END_SOCKET; kind++)
        if (g_str_equal (ioh_end_kind_name ((IohEndKind) kind), word))
            return (IohEndKind) kind;
    g_error ("no such kind: %s", word);
}

static void
words_parse_file_kind (IohEndFacts *file, const char *word)
{
    file->kind = words_parse_kind (word);
    file->seekable = file->kind == IOH_END_REGULAR || file->kind == IOH_END_BLOCK ||
                     file->kind == IOH_END_MISSING;
}

static void
words_parse_direct (IohEndFacts *file, const char *word)
{
    file->direct = g_str_equal (word, "yes")  ? IOH_DIRECT_YES
                   : g_str_equal (word, "no") ? IOH_DIRECT_NO
                                              : IOH_DIRECT_UNKNOWN;
    file->direct_why = "so it is";
}

/* One "name=value" of the column FACTS. */
static void
words_parse_fact (IohFacts *facts, const char *name, const char *value)
{
    IohEndFacts *file = &facts->file;
    uint64_t number = g_ascii_strtoull (value, NULL, 10);

    if (g_str_equal (name, "stream"))
        facts->stream.kind = words_parse_kind (value);
    else if (g_str_equal (name, "file"))
        words_parse_file_kind (file, value);
    else if (g_str_equal (name, "direct"))
        words_parse_direct (file, value);
    else if (g_str_equal (name, "flag"))
        file->direct_flag = g_str_equal (value, "direct");
    else if (g_str_equal (name, "appends"))
        file->appends = TRUE;
    else if (g_str_equal (name, "position"))
        file->position = number;
    else if (g_str_equal (name, "size"))
        file->size = number;
    else if (g_str_equal (name, "room"))
        file->room = number;
    else if (g_str_equal (name, "limit"))
        file->size_limit = number;
    else if (g_str_equal (name, "align"))
        file->write_align = file->read_align = file->memory_align = (size_t) number;
    else if (g_str_equal (name, "read-align"))
        file->read_align = (size_t) number;
    else if (g_str_equal (name, "named"))
        file->unnamed = FALSE;
    else if (g_str_equal (name, "io_uring"))
        facts->io_uring_errno = (int) number;
    else
        g_error ("no such fact: %s", name);
}

IohFacts *
plan_words_facts (const IohOptions *options, const char *text)
{
    IohFacts *facts = g_new0 (IohFacts, 1);
    g_auto (GStrv) words = g_strsplit (text, " ", -1);

    facts->direction = options->direction;
    facts->page_bytes = 4096;
    facts->stream.kind = IOH_END_PIPE;
    facts->stream.replaced.st_ino = 1;
    facts->file.room = UINT64_MAX;
    facts->file.size_limit = UINT64_MAX;
    facts->file.unnamed = TRUE;
    facts->file.write_align = facts->file.read_align = facts->file.memory_align = 512;
    facts->file.align_origin = "statx";
    words_parse_file_kind (&facts->file, options->direction == IOH_SAVE ? "new" : "regular");
    facts->file.size = options->direction == IOH_SAVE ? 0 : 1000;
    words_parse_direct (&facts->file, "yes");
    for (unsigned i = 0; words[i] != NULL; i++) {
        g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
        if (words[i][0] != '\0')
            words_parse_fact (facts, pair[0], pair[1]);
    }
    return facts;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz-options - command lines, a word each line.
 *
 * Help and version print and exit, as they should: they are left out.
 */
#include <string.h>

#include "error.h"
#include "fuzz.h"
#include "options.h"

#define FUZZ_WORDS_MOST 64

static gboolean
fuzz_exits (const char *word)
{
    if (g_str_has_prefix (word, "--help") || g_str_has_prefix (word, "--version"))
        return TRUE;
    return word[0] == '-' && word[1] != '-' && strchr (word, 'h') != NULL;
}

static void
fuzz_check_size (const char *option, uint64_t bytes)
{
    const IohWireRange *range = ioh_wire_range (option);

    g_assert_true (bytes == range->standard || (bytes >= range->least && bytes <= range->most));
}

/* What any command line comes to that is taken. */
static void
fuzz_check (const IohOptions *options)
{
    fuzz_check_size (IOH_OPTION_PIPE_SIZE, options->pipe_bytes);
    fuzz_check_size (IOH_OPTION_SOCKET_BUFFER, options->socket_bytes);
    fuzz_check_size (IOH_OPTION_BLOCK_SIZE, options->block_bytes);
    fuzz_check_size (IOH_OPTION_OFFSET, options->offset);
    fuzz_check_size (IOH_OPTION_EXPECT_SIZE, options->expect_bytes);
    g_assert_cmpuint (options->queue_depth, >=, 1);
    g_assert_cmpuint (options->queue_depth, <=, IOH_QUEUE_DEPTH_MOST);
    g_assert_cmpuint (options->mode, <=, IOH_MODE_MOST);
    g_assert_cmpint (options->stall_us, >=, 0);
    g_assert_nonnull (options->engine);
    if (options->command == IOH_COMMAND_ENGINES)
        return;
    g_assert_nonnull (options->file_name);
    g_assert_true ((options->file_path != NULL) != (options->file_fd >= 0));
    g_assert_true (options->file_fd < 0 || options->file_fd != options->stream_fd);
    g_assert_false (options->listen != NULL && options->connect != NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t length)
{
    g_autofree char *text = g_strndup ((const char *) data, length);
    g_autofree char *line = g_strconcat ("iohelper\n", text, NULL);
    g_auto (GStrv) words = g_strsplit (line, "\n", FUZZ_WORDS_MOST);
    g_autoptr (GError) error = NULL;

    if (g_strcmp0 (words[1], "help") == 0)
        return 0;
    for (unsigned i = 1; words[i] != NULL; i++)
        if (fuzz_exits (words[i]))
            return 0;
    g_autoptr (IohOptions) options = ioh_options_parse (words, &error);
    if (options != NULL) {
        g_assert_no_error (error);
        fuzz_check (options);
    } else {
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        g_assert_cmpstr (error->message, !=, "");
    }
    return 0;
}

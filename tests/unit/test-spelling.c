/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-spelling - what is taken for a slip of the pen, and for which word.
 */
#include "spelling.h"

#include <string.h>

static const char *const words[] = {"save",      "restore",    "engines",     "cache",
                                    "queue",     "fd",         "queue-depth", "io_uring",
                                    "keep-copy", "rate-limit", "report",      NULL};

typedef struct {
    const char *word;
    const char *nearest;
} Row;

static void
check (const Row *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        g_test_message ("%s", rows[i].word);
        g_assert_cmpstr (ioh_spelling_nearest (rows[i].word, words), ==, rows[i].nearest);
    }
}

static void
test_near (void)
{
    static const Row rows[] = {
        {"svae", "save"},
        {"sav", "save"},
        {"saave", "save"},
        {"safe", "save"},
        {"asve", "save"},
        {"SAVE", "save"},
        {"restroe", "restore"},
        {"ratelimit", "rate-limit"},
        {"rate_limit", "rate-limit"},
        {"df", "fd"},
        {"io-uring", "io_uring"},
        {"quue", "queue"},
        {"quedepth", "queue-depth"},
        {"keepcopy", "keep-copy"},
        {"save", "save"},
    };

    check (rows, G_N_ELEMENTS (rows));
}

/* The beginning of one word only, however much is missing. */
static void
test_begun (void)
{
    static const Row rows[] = {
        {"eng", "engines"}, {"rest", "restore"}, {"queue-", "queue-depth"},
        {"i", "io_uring"},  {"re", NULL},
    };

    check (rows, G_N_ELEMENTS (rows));
}

static void
test_far (void)
{
    static const Row rows[] = {
        {"", NULL}, {"x", NULL}, {"load", NULL}, {"frobnicate", NULL}, {"--", NULL}, {"xy", NULL},
    };

    check (rows, G_N_ELEMENTS (rows));
}

/* Whatever somebody wrote: no matter how long, and it need not be text. */
static void
test_anything (void)
{
    g_autofree char *huge = g_strnfill (1 << 20, 's');
    char word[64];

    g_assert_null (ioh_spelling_nearest (huge, words));
    for (size_t length = 40; length < sizeof word; length++) {
        memset (word, 's', length);
        word[length] = '\0';
        g_assert_null (ioh_spelling_nearest (word, words));
    }
    g_assert_null (ioh_spelling_nearest ("\xff\xfe\xc3", words));
    g_assert_cmpstr (ioh_spelling_nearest ("sav\xff", words), ==, "save");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/spelling/near", test_near);
    g_test_add_func ("/spelling/begun", test_begun);
    g_test_add_func ("/spelling/far", test_far);
    g_test_add_func ("/spelling/anything", test_anything);
    return g_test_run ();
}

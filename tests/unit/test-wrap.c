/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-wrap - texts have room in their terminal, and lose nothing by it.
 */
#include "wrap.h"

#include <string.h>

#include "printable.h"

static char *
wrapped (const char *head, int indent, const char *body, int columns)
{
    GString *text = g_string_new (head);

    ioh_wrap_append (text, indent, body, columns);
    return g_string_free (text, FALSE);
}

static void
test_words (void)
{
    g_autofree char *text = wrapped ("engine   ", 9, "moves pages through a pipe of its own", 30);

    g_assert_cmpstr (text, ==,
                     "engine   moves pages through a\n"
                     "         pipe of its own\n");
}

static void
test_fits (void)
{
    g_autofree char *text = wrapped ("", 2, "just as wide as the room", 24);

    g_assert_cmpstr (text, ==, "just as wide as the room\n");
}

static void
test_not_broken (void)
{
    g_autofree char *text = wrapped ("", 2, "one line  for whoever reads lines", 0);

    g_assert_cmpstr (text, ==, "one line  for whoever reads lines\n");
}

static void
test_long_word (void)
{
    g_autofree char *text = wrapped ("", 2, "a /path/that/is/longer/than/a/line stays", 22);

    g_assert_cmpstr (text, ==, "a\n  /path/that/is/longer/than/a/line\n  stays\n");
}

/* Each letter takes two columns, and there is no space between any of them. */
static void
test_ideographs (void)
{
    const char *body = "\u30da\u30fc\u30b8\u306f\u3053\u306e\u30d7\u30ed\u30bb\u30b9\u3067"
                       "\u30b3\u30d4\u30fc\u3055\u308c\u305a\u306b\u79fb\u3055\u308c\u307e\u3059";
    g_autofree char *text = wrapped ("", 2, body, 24);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_autofree char *joined = NULL;

    g_assert_cmpuint (g_strv_length (lines), >, 2);
    for (unsigned i = 0; lines[i] != NULL; i++)
        g_assert_cmpint (ioh_printable_width (lines[i]), <=, 24);
    for (unsigned i = 0; lines[i] != NULL; i++)
        g_strstrip (lines[i]);
    joined = g_strjoinv ("", lines);
    g_assert_cmpstr (joined, ==, body);
}

/* No line begins with what closes a sentence. */
static void
test_full_stop (void)
{
    g_autofree char *text = wrapped ("", 0,
                                     "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341"
                                     "\u3002\u4e00\u4e8c",
                                     20);

    g_assert_cmpstr (text, ==,
                     "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\n"
                     "\u5341\u3002\u4e00\u4e8c\n");
}

/* Names of files need not be UTF-8; the last byte here announces more that do not come. */
static void
test_any_bytes (void)
{
    g_autofree char *text = wrapped ("", 2, "a name of \xe4 bytes and of more \xf0", 20);

    g_assert_cmpstr (text, ==, "a name of \xe4 bytes and\n  of more \xf0\n");
}

static void
test_join (void)
{
    const char *const parts[] = {"10.0 MiB in 0.1 s", "engine direct", NULL};
    g_autofree char *unbroken = ioh_wrap_join ("me: ", (char *const *) parts, 0);
    g_autofree char *wide = ioh_wrap_join ("me: ", (char *const *) parts, 80);
    g_autofree char *narrow = ioh_wrap_join ("me: ", (char *const *) parts, 30);

    g_assert_cmpstr (unbroken, ==, "me: 10.0 MiB in 0.1 s; engine direct\n");
    g_assert_cmpstr (wide, ==, unbroken);
    g_assert_cmpstr (narrow, ==, "me: 10.0 MiB in 0.1 s\n    engine direct\n");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/wrap/words", test_words);
    g_test_add_func ("/wrap/fits", test_fits);
    g_test_add_func ("/wrap/not-broken", test_not_broken);
    g_test_add_func ("/wrap/long-word", test_long_word);
    g_test_add_func ("/wrap/ideographs", test_ideographs);
    g_test_add_func ("/wrap/full-stop", test_full_stop);
    g_test_add_func ("/wrap/any-bytes", test_any_bytes);
    g_test_add_func ("/wrap/join", test_join);
    return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-help - help has room on one screen, and the tables it is made of are sound.
 */
#include "help.h"

#include <string.h>

#include "entries.h"

#define COLUMNS 80
#define LINES 40

static void
check_room (const char *text, unsigned lines)
{
    g_auto (GStrv) split = g_strsplit (text, "\n", -1);

    g_assert_cmpuint (g_strv_length (split) - 1, <=, lines);
    for (unsigned i = 0; split[i] != NULL; i++) {
        g_test_message ("%s", split[i]);
        g_assert_true (g_str_is_ascii (split[i]));
        g_assert_cmpuint (strlen (split[i]), <=, COLUMNS);
        g_assert_false (g_str_has_suffix (split[i], " "));
    }
    g_assert_true (g_str_has_suffix (text, "\n"));
}

static void
test_overview (void)
{
    g_autofree char *text = ioh_help_overview ();
    const IohCommandInfo *info;

    check_room (text, LINES);
    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++)
        g_assert_nonnull (strstr (text, info->summary));
}

static void
test_commands (void)
{
    const IohCommandInfo *info;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++) {
        g_autofree char *some = ioh_help_command (info, FALSE);
        g_autofree char *all = ioh_help_command (info, TRUE);
        check_room (some, LINES);
        check_room (all, G_MAXUINT);
    }
}

/* Help on all options has each, the short one all but the rare. */
static void
test_every_option (void)
{
    const IohCommandInfo *info;
    const IohSection *section;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++) {
        g_autofree char *some = ioh_help_command (info, FALSE);
        g_autofree char *all = ioh_help_command (info, TRUE);
        for (unsigned s = 0; (section = ioh_section_nth (info->command, s)) != NULL; s++)
            for (unsigned i = 0; i < section->count; i++) {
                const char *help = section->entries[i].help;
                g_assert_nonnull (strstr (all, help));
                g_assert_cmpint (strstr (some, help) != NULL, ==, !section->rare);
            }
    }
}

/* No two options of a command are of one name or letter. */
static void
test_distinct (void)
{
    const IohCommandInfo *info;
    const IohSection *section;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++)
        for (unsigned s = 0; (section = ioh_section_nth (info->command, s)) != NULL; s++)
            for (unsigned i = 0; i < section->count; i++) {
                const IohEntry *entry = &section->entries[i];
                g_assert_true (ioh_entry_find (info->command, entry->name) == entry);
                if (entry->letter != 0)
                    g_assert_true (ioh_entry_find_letter (info->command, entry->letter) == entry);
            }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/help/overview", test_overview);
    g_test_add_func ("/help/commands", test_commands);
    g_test_add_func ("/help/every-option", test_every_option);
    g_test_add_func ("/help/distinct", test_distinct);
    return g_test_run ();
}

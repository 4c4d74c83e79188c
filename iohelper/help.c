/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * help - tells how the program is used.
 *
 * Owns the look of help: what it says comes from the tables of commands and options. A line of it
 * has room in a terminal of 80 columns, the help on a command in 40 lines.
 */
#include "help.h"

#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "i18n.h"
#include "standard.h"
#include "wrap.h"

/* Also where there is no terminal: help goes into a pager as well. */
#define HELP_COLUMNS 80

/* "  save TARGET" */
static char *
help_command_usage (const IohCommandInfo *info)
{
    return g_strconcat ("  ", info->name, info->operands[0] != '\0' ? " " : "", info->operands,
                        NULL);
}

/* "  -q, --quiet", "  --progress[=WHEN]" */
static char *
help_entry_usage (const IohEntry *entry)
{
    char letter[] = {'-', entry->letter, ',', ' ', '\0'};

    gboolean may_lack = entry->implied != NULL;

    if (entry->value == NULL)
        return g_strconcat ("  ", entry->letter != 0 ? letter : "", "--", entry->name, NULL);
    return g_strconcat ("  ", entry->letter != 0 ? letter : "", "--", entry->name,
                        may_lack ? "[=" : "=", entry->value, may_lack ? "]" : "", NULL);
}

static int
help_overview_width (void)
{
    const IohCommandInfo *info;
    size_t width = 0;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++) {
        g_autofree char *usage = help_command_usage (info);
        width = MAX (width, strlen (usage));
    }
    return (int) width;
}

char *
ioh_help_overview (void)
{
    GString *text = g_string_new (_ ("Usage: iohelper COMMAND [OPTION...]\n\n"
                                     "Moves a hypervisor's migration stream to a file and back.\n"
                                     "\nCommands:\n"));
    int width = help_overview_width ();
    const IohCommandInfo *info;

    for (unsigned n = 0; (info = ioh_command_nth (n)) != NULL; n++) {
        g_autofree char *usage = help_command_usage (info);
        g_string_append_printf (text, "%-*s  ", width, usage);
        ioh_wrap_append (text, width + 2, _ (info->summary), HELP_COLUMNS);
    }
    g_string_append (text, _ ("\nA save from QEMU, and back into a new one:\n"));
    g_string_append (text, "  (qemu) migrate \"exec:iohelper save vm.img\"\n"
                           "  (qemu) migrate_incoming \"exec:iohelper restore vm.img\"\n\n");
    g_string_append (text, _ ("'iohelper COMMAND --help' lists the options of a command.\n"
                              "'man iohelper' has more examples, and tells what they do.\n"
                              "'iohelper PATH FD' behaves as libvirt_iohelper(8).\n"));
    return g_string_free (text, FALSE);
}

static int
help_command_width (const IohCommandInfo *info)
{
    const IohSection *section;
    size_t width = 0;

    for (unsigned n = 0; (section = ioh_section_nth (info->command, n)) != NULL; n++)
        for (unsigned i = 0; i < section->count; i++) {
            g_autofree char *usage = help_entry_usage (&section->entries[i]);
            width = MAX (width, strlen (usage));
        }
    return (int) width;
}

static void
help_append_section (GString *text, const IohSection *section, int width)
{
    g_string_append_printf (text, "\n%s:\n", _ (section->title));
    for (unsigned i = 0; i < section->count; i++) {
        g_autofree char *usage = help_entry_usage (&section->entries[i]);
        g_string_append_printf (text, "%-*s  ", width, usage);
        ioh_wrap_append (text, width + 2, _ (section->entries[i].help), HELP_COLUMNS);
    }
}

char *
ioh_help_command (const IohCommandInfo *info, gboolean all)
{
    GString *text = g_string_new (NULL);
    int width = help_command_width (info);
    const IohSection *section;

    g_string_append_printf (text, _ ("Usage: iohelper %s [OPTION...]%s%s\n"), info->name,
                            info->operands[0] != '\0' ? " " : "", info->operands);
    g_string_append_printf (text, _ ("%s.\n"), _ (info->summary));
    for (unsigned n = 0; (section = ioh_section_nth (info->command, n)) != NULL; n++)
        if (all || !section->rare)
            help_append_section (text, section, width);
    if (info->describe != NULL) {
        g_autofree char *below = info->describe ();
        g_string_append_printf (text, "\n%s", below);
    }
    return g_string_free (text, FALSE);
}

gboolean
ioh_help_print (char *text, GError **error)
{
    gboolean printed = ioh_standard_print (text, error);

    g_free (text);
    if (printed)
        exit (IOH_EXIT_DONE);
    return FALSE;
}

gboolean
ioh_help_take (const char *option, const char *value, IohOptions *options, GError **error)
{
    return ioh_help_print (ioh_help_command (ioh_command_info (options->command),
                                             g_str_equal (option, IOH_OPTION_HELP_ALL)),
                           error);
}

gboolean
ioh_help_take_version (const char *option, const char *value, IohOptions *options, GError **error)
{
    return ioh_help_print (g_strdup (IOH_PACKAGE " " IOH_VERSION "\n"), error);
}

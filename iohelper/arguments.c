/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arguments - tells options and operands apart.
 *
 * Owns the grammar of a command line and the refusal of what it does not know, with what was meant.
 * GOption takes a value for an option that has none and the next operand for a value that may be
 * left out; getopt takes any beginning of a name, which turns into another the day an option is
 * added. Both know no better answer than "unknown".
 */
#include "arguments.h"

#include <string.h>

#include "entries.h"
#include "error.h"
#include "i18n.h"
#include "spelling.h"

typedef struct {
    const IohCommandInfo *info;
    IohOptions *options;
    char **next; /* the argument to be read */
    GPtrArray *operands;
} Arguments;

static gboolean
arguments_refuse_option (const Arguments *arguments, const char *name, GError **error)
{
    const char *command = arguments->info->name;
    g_autofree const char **names = ioh_entry_names (arguments->info->command);
    const char *nearest = ioh_spelling_nearest (name, names);

    if (nearest != NULL)
        return ioh_error_usage (error, _ ("%s: there is no option --%s; did you mean '--%s'?"),
                                command, name, nearest);
    return ioh_error_usage (error, _ ("%s: there is no option --%s; see 'iohelper %s --help'"),
                            command, name, command);
}

static gboolean
arguments_take_long (Arguments *arguments, GError **error)
{
    const char *text = *arguments->next++ + strlen ("--");
    const char *value = strchr (text, '=');
    g_autofree char *name = value != NULL ? g_strndup (text, value - text) : g_strdup (text);
    const IohEntry *entry = ioh_entry_find (arguments->info->command, name);

    if (entry == NULL)
        return arguments_refuse_option (arguments, name, error);
    if (entry->value == NULL && value != NULL)
        return ioh_error_usage (error, _ ("--%s takes no value, but '%s' was given"), name,
                                value + 1);
    if (value != NULL)
        value++;
    else if (entry->implied != NULL)
        value = entry->implied;
    else if (entry->value != NULL && (value = *arguments->next++) == NULL)
        return ioh_error_usage (error, _ ("--%s: its value %s is missing"), name, entry->value);
    return entry->take (name, value, arguments->options, error);
}

static gboolean
arguments_refuse_letter (const Arguments *arguments, const char *letter, GError **error)
{
    const char *command = arguments->info->name;
    size_t bytes = MIN ((size_t) g_utf8_skip[(guchar) *letter], strlen (letter));

    return ioh_error_usage (error, _ ("%s: there is no option -%.*s; see 'iohelper %s --help'"),
                            command, (int) bytes, letter, command);
}

/* "-qv" is "-q -v". */
static gboolean
arguments_take_letters (Arguments *arguments, GError **error)
{
    for (const char *letter = *arguments->next++ + strlen ("-"); *letter != '\0'; letter++) {
        const IohEntry *entry = ioh_entry_find_letter (arguments->info->command, *letter);
        if (entry == NULL)
            return arguments_refuse_letter (arguments, letter, error);
        if (!entry->take (entry->name, NULL, arguments->options, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
arguments_take (Arguments *arguments, GError **error)
{
    gboolean operands_only = FALSE;

    while (*arguments->next != NULL) {
        const char *text = *arguments->next;
        gboolean taken = TRUE;
        if (operands_only || text[0] != '-' || text[1] == '\0') {
            g_ptr_array_add (arguments->operands, *arguments->next++);
        } else if (g_str_equal (text, "--")) {
            operands_only = TRUE;
            arguments->next++;
        } else {
            taken = text[1] == '-' ? arguments_take_long (arguments, error)
                                   : arguments_take_letters (arguments, error);
        }
        if (!taken)
            return FALSE;
    }
    return TRUE;
}

static gboolean
arguments_check_operands (const Arguments *arguments, GError **error)
{
    const IohCommandInfo *info = arguments->info;
    const GPtrArray *operands = arguments->operands;

    if (operands->len < info->least)
        return ioh_error_usage (error, _ ("%s: %s is missing: %s; see 'iohelper %s --help'"),
                                info->name, info->operands, _ (info->wanted), info->name);
    if (operands->len > info->most)
        return ioh_error_usage (error, _ ("%s: '%s' is one argument too many"), info->name,
                                (const char *) g_ptr_array_index (operands, info->most));
    return TRUE;
}

const char **
ioh_arguments_read (const IohCommandInfo *info, char **argv, IohOptions *options, GError **error)
{
    g_autoptr (GPtrArray) operands = g_ptr_array_new ();
    Arguments arguments = {info, options, argv, operands};

    if (!arguments_take (&arguments, error) || !arguments_check_operands (&arguments, error))
        return NULL;
    g_ptr_array_add (operands, NULL);
    return (const char **) g_ptr_array_free (g_steal_pointer (&operands), FALSE);
}

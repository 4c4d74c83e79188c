/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * commands - the one table of commands.
 *
 * Owns their names and what each wants behind its options. A new one is a line here, its options in
 * entries.c, and what it does in main.c.
 */
#include "commands.h"

#include "bench-values.h"
#include "i18n.h"

static const IohCommandInfo command_table[] = {
    {"save", IOH_COMMAND_SAVE, "TARGET", 1, 1, N_ ("the file to write, or fd:N, or -"),
     N_ ("Save a migration stream to TARGET")},
    {"restore", IOH_COMMAND_RESTORE, "IMAGE", 1, 1, N_ ("the file to read, or fd:N, or -"),
     N_ ("Restore a migration stream from IMAGE")},
    {"info", IOH_COMMAND_INFO, "IMAGE", 1, 1, N_ ("the file to look at, or fd:N, or -"),
     N_ ("Tell what IMAGE is and whether it is complete")},
    {"bench", IOH_COMMAND_BENCH, "[SUITE [TARGET]]", 0, 2, "",
     N_ ("Measure what iohelper can do on this machine"), ioh_bench_describe},
    {"engines", IOH_COMMAND_ENGINES, "", 0, 0, "",
     N_ ("List the engines, usable or not here, and why")},
    {"help", IOH_COMMAND_HELP, "[COMMAND]", 0, 1, "", N_ ("Print what --help does")},
};

const IohCommandInfo *
ioh_command_nth (unsigned n)
{
    return n < G_N_ELEMENTS (command_table) ? &command_table[n] : NULL;
}

const IohCommandInfo *
ioh_command_find (const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (command_table); i++)
        if (g_str_equal (command_table[i].name, name))
            return &command_table[i];
    return NULL;
}

const IohCommandInfo *
ioh_command_info (IohCommand command)
{
    unsigned i = 0;

    while (command_table[i].command != command)
        i++;
    return &command_table[i];
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay - feeds a corpus to a fuzz target, one TAP test a file, where there is no libFuzzer.
 *
 * replay DIRECTORY...
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static unsigned replay_count;

static void
replay_file (const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename (directory, name, NULL);
    g_autofree char *data = NULL;
    gsize length = 0;

    if (!g_file_get_contents (path, &data, &length, NULL))
        g_error ("%s cannot be read", path);
    /* where it stops tells which one it was */
    printf ("# %s\n", name);
    fflush (stdout);
    LLVMFuzzerTestOneInput ((const uint8_t *) data, length);
    printf ("ok %u - %s\n", ++replay_count, name);
}

int
main (int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        g_autoptr (GDir) dir = g_dir_open (argv[i], 0, NULL);
        const char *name;
        if (dir == NULL)
            g_error ("%s cannot be read", argv[i]);
        while ((name = g_dir_read_name (dir)) != NULL)
            replay_file (argv[i], name);
    }
    if (replay_count == 0)
        g_error ("the corpus is empty");
    printf ("1..%u\n", replay_count);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dropin - the command line, messages and manners of libvirt's own helper.
 *
 * Owns the translation between that contract and ours. The descriptor is used as it is handed over:
 * libvirt opened it as another user, labelled it and chose O_DIRECT.
 */
#include "dropin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "error.h"
#include "help.h"
#include "i18n.h"
#include "sys.h"

#define DROPIN_NAME "libvirt_iohelper"

static gboolean
dropin_is_number (const char *text)
{
    return text[0] != '\0' && text[strspn (text, "0123456789")] == '\0';
}

gboolean
ioh_dropin_wanted (int argc, char **argv)
{
    g_autofree char *name = g_path_get_basename (argv[0]);

    if (g_str_equal (name, DROPIN_NAME))
        return TRUE;
    return argc == 3 && ioh_command_find (argv[1]) == NULL && argv[1][0] != '-' &&
           dropin_is_number (argv[2]);
}

static gboolean
dropin_print_help (const char *program, GError **error)
{
    return ioh_help_print (
        g_strdup_printf (_ ("%s: moves a migration stream between the open file FD and standard "
                            "input or output\nUsage: %s PATH FD"),
                         program, program),
        error);
}

/* Which way, by how FD is open. One that was closed is only kept busy, by O_PATH. */
static gboolean
dropin_take_fd (IohOptions *options, const char *path, int fd, GError **error)
{
    int flags = ioh_sys_get_flags (fd);

    if (flags < 0 || (flags & O_PATH) != 0)
        return ioh_error_usage (error, _ ("FD %d: %s"), fd, g_strerror (EBADF));
    if ((flags & O_ACCMODE) == O_RDWR)
        return ioh_error_usage (error, _ ("FD %d is open for reading and writing"), fd);
    options->direction = (flags & O_ACCMODE) == O_WRONLY ? IOH_SAVE : IOH_RESTORE;
    /* what libvirt asked for by the way it opened the file */
    options->cache = (flags & O_DIRECT) != 0 ? IOH_CACHE_AUTO : IOH_CACHE_KEEP;
    ioh_options_set_file (options, path, fd);
    ioh_options_set_stream (options, options->direction == IOH_SAVE ? STDIN_FILENO : STDOUT_FILENO);
    if (options->stream_fd == fd)
        return ioh_error_usage (error, _ ("FD %d is the stream itself"), fd);
    return TRUE;
}

IohOptions *
ioh_dropin_parse (int argc, char **argv, GError **error)
{
    g_autoptr (IohOptions) options = ioh_options_new (IOH_COMMAND_DROPIN);
    int fd = -1;

    options->sync = IOH_SYNC_DATA;
    options->accept_empty = TRUE;
    options->verbosity = -1;
    options->progress = IOH_PROGRESS_NEVER;
    if (argc > 1 && g_str_equal (argv[1], "--help")) {
        dropin_print_help (argv[0], error);
        return NULL;
    }
    if (argc != 3) {
        ioh_error_usage (error, _ ("wrong number of arguments, try --help"));
        return NULL;
    }
    if (!ioh_options_parse_fd ("FD", argv[2], &fd, error) ||
        !dropin_take_fd (options, argv[1], fd, error))
        return NULL;
    return g_steal_pointer (&options);
}

/* What libvirt's users are used to read, by side and stage. */
static char *
dropin_describe (const IohErrorPrivate *details)
{
    const char *subject = details->side == IOH_SIDE_STREAM ? "stdio" : details->name;

    switch (details->stage) {
    case IOH_STAGE_READ:
        return g_strdup_printf (_ ("Unable to read %s"), subject);
    case IOH_STAGE_WRITE:
        return g_strdup_printf (_ ("Unable to write %s"), subject);
    case IOH_STAGE_TRUNCATE:
        return g_strdup_printf (_ ("Unable to truncate %s"), subject);
    case IOH_STAGE_FLUSH:
        return g_strdup_printf (_ ("unable to fsync %s"), subject);
    case IOH_STAGE_CLOSE:
        return g_strdup_printf (_ ("Unable to close %s"), subject);
    default:
        return g_strdup_printf (_ ("Unable to use %s"), subject);
    }
}

char *
ioh_dropin_message (const char *program, const char *path, const GError *error)
{
    const IohErrorPrivate *details = ioh_error_details (error);
    g_autofree char *message = NULL;

    if (details != NULL && details->side != IOH_SIDE_NONE && details->error_number != 0) {
        g_autofree char *what = dropin_describe (details);
        message = g_strdup_printf ("%s: %s", what, g_strerror (details->error_number));
    } else {
        message = g_strdup (error->message);
    }
    if (path == NULL)
        return g_strdup_printf ("%s: %s", program, message);
    return g_strdup_printf (_ ("%s: failure with %s: %s"), program, path, message);
}

gboolean
ioh_dropin_forgives (const IohOptions *options, const GError *error)
{
    const IohErrorPrivate *details = ioh_error_details (error);

    return options->direction == IOH_RESTORE && details != NULL &&
           details->side == IOH_SIDE_STREAM && details->error_number == EPIPE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-dropin - what libvirt asks for and how it is answered.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "dropin.h"
#include "error.h"
#include "scratch.h"

/* The arguments of libvirt for a descriptor opened with FLAGS. */
static IohOptions *
parse (int flags, GError **error)
{
    char *directory = scratch_new ();
    g_autofree char *path = scratch_file (directory, "image", 10, 'x');
    int fd = open (path, flags | O_CLOEXEC);
    g_autofree char *number = g_strdup_printf ("%d", fd);
    char *argv[] = {(char *) "libvirt_iohelper", (char *) "/label", number, NULL};

    g_assert_cmpint (fd, >=, 0);
    IohOptions *options = ioh_dropin_parse (3, argv, error);
    close (fd);
    scratch_remove (directory);
    return options;
}

/* The access mode of the descriptor is the direction; O_DIRECT is how it is to be used. */
static void
test_direction (void)
{
    static const struct {
        int flags;
        IohDirection direction;
        IohCache cache;
    } rows[] = {
        {O_WRONLY, IOH_SAVE, IOH_CACHE_KEEP},
        {O_RDONLY, IOH_RESTORE, IOH_CACHE_KEEP},
        {O_WRONLY | O_DIRECT, IOH_SAVE, IOH_CACHE_AUTO},
        {O_RDONLY | O_DIRECT, IOH_RESTORE, IOH_CACHE_AUTO},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (IohOptions) options = parse (rows[i].flags, &error);
        g_assert_no_error (error);
        g_assert_cmpint (options->direction, ==, rows[i].direction);
        g_assert_cmpint (options->cache, ==, rows[i].cache);
        g_assert_cmpint (options->stream_fd, ==, rows[i].direction == IOH_SAVE ? 0 : 1);
        g_assert_cmpstr (options->file_name, ==, "/label");
        g_assert_null (options->file_path);
    }
}

/* An empty stream is none of its business, nor is anything but the data on storage. */
static void
test_manners (void)
{
    g_autoptr (IohOptions) options = parse (O_WRONLY, NULL);

    g_assert_true (options->accept_empty);
    g_assert_cmpint (options->sync, ==, IOH_SYNC_DATA);
    g_assert_cmpint (options->verbosity, ==, -1);
    g_assert_cmpuint (options->offset, ==, IOH_UNSET);
}

static void
test_both_ways_refused (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_null (parse (O_RDWR, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
}

/* Every refusal names the argument it is about. */
static void
test_arguments_refused (void)
{
    static const struct {
        int argc;
        const char *fd;
        const char *message;
    } rows[] = {
        {1, NULL, "wrong number of arguments, try --help"},
        {2, NULL, "wrong number of arguments, try --help"},
        {4, "3", "wrong number of arguments, try --help"},
        {3, "abc", "FD: 'abc' is not a descriptor number"},
        {3, "-1", "FD: '-1' is not a descriptor number"},
        {3, "", "FD: '' is not a descriptor number"},
        {3, "987654", "FD 987654: Bad file descriptor"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autoptr (GError) error = NULL;
        char *argv[] = {(char *) "libvirt_iohelper", (char *) "/label", (char *) rows[i].fd,
                        (char *) "x", NULL};
        g_assert_null (ioh_dropin_parse (rows[i].argc, argv, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        g_assert_cmpstr (error->message, ==, rows[i].message);
    }
}

/* The one line that a user of libvirt reads; it ends without a newline. */
static void
test_messages (void)
{
    static const struct {
        IohSide side;
        IohStage stage;
        int error_number;
        const char *message;
    } rows[] = {
        {IOH_SIDE_STREAM, IOH_STAGE_READ, EIO, "Unable to read stdio: Input/output error"},
        {IOH_SIDE_STREAM, IOH_STAGE_WRITE, EPIPE, "Unable to write stdio: Broken pipe"},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, ENOSPC, "Unable to write /img: No space left on device"},
        {IOH_SIDE_FILE, IOH_STAGE_READ, EIO, "Unable to read /img: Input/output error"},
        {IOH_SIDE_FILE, IOH_STAGE_TRUNCATE, EIO, "Unable to truncate /img: Input/output error"},
        {IOH_SIDE_FILE, IOH_STAGE_FLUSH, EDQUOT, "unable to fsync /img: Disk quota exceeded"},
        {IOH_SIDE_FILE, IOH_STAGE_CLOSE, EIO, "Unable to close /img: Input/output error"},
        {IOH_SIDE_FILE, IOH_STAGE_OPEN, EACCES, "Unable to use /img: Permission denied"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        const IohPlace place = {rows[i].side, "/img", rows[i].stage, 4096};
        g_autoptr (GError) error = NULL;
        g_autofree char *expected = g_strconcat (
            "/usr/libexec/libvirt_iohelper: failure with /img: ", rows[i].message, NULL);
        ioh_error_errno (&error, &place, rows[i].error_number);
        g_autofree char *message =
            ioh_dropin_message ("/usr/libexec/libvirt_iohelper", "/img", error);
        g_assert_cmpstr (message, ==, expected);
    }
}

static void
test_message_without_errno (void)
{
    g_autoptr (GError) error = NULL;

    ioh_error_usage (&error, "FD 5 is odd");
    g_autofree char *message = ioh_dropin_message ("prog", NULL, error);
    g_assert_cmpstr (message, ==, "prog: FD 5 is odd");
}

/* A hypervisor that stops reading has what it wants; anything else is a failure. */
static void
test_forgives (void)
{
    static const struct {
        IohDirection direction;
        IohSide side;
        int error_number;
        gboolean forgives;
    } rows[] = {
        {IOH_RESTORE, IOH_SIDE_STREAM, EPIPE, TRUE}, {IOH_RESTORE, IOH_SIDE_STREAM, EIO, FALSE},
        {IOH_RESTORE, IOH_SIDE_FILE, EPIPE, FALSE},  {IOH_SAVE, IOH_SIDE_STREAM, EPIPE, FALSE},
        {IOH_SAVE, IOH_SIDE_FILE, EPIPE, FALSE},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        const IohPlace place = {rows[i].side, "x", IOH_STAGE_WRITE, 0};
        g_autoptr (IohOptions) options = ioh_options_new (IOH_COMMAND_DROPIN);
        g_autoptr (GError) error = NULL;
        options->direction = rows[i].direction;
        ioh_error_errno (&error, &place, rows[i].error_number);
        g_assert_cmpint (ioh_dropin_forgives (options, error), ==, rows[i].forgives);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/dropin/direction", test_direction);
    g_test_add_func ("/dropin/manners", test_manners);
    g_test_add_func ("/dropin/both-ways-refused", test_both_ways_refused);
    g_test_add_func ("/dropin/arguments-refused", test_arguments_refused);
    g_test_add_func ("/dropin/messages", test_messages);
    g_test_add_func ("/dropin/message-without-errno", test_message_without_errno);
    g_test_add_func ("/dropin/forgives", test_forgives);
    return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-probe - facts about real files, pipes and sockets, and what cannot be used.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "fault.h"
#include "probe.h"
#include "scratch.h"

typedef struct {
    char *directory;
    IohOptions *options;
    int pipe_fds[2];
    IohFacts *facts;
    GError *error;
} Fixture;

/* DATA is the command. */
static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    IohCommand command = (IohCommand) GPOINTER_TO_INT (data);

    fixture->directory = scratch_new ();
    fixture->options = ioh_options_new (command);
    g_assert_cmpint (pipe2 (fixture->pipe_fds, O_CLOEXEC), ==, 0);
    ioh_options_set_stream (fixture->options,
                            fixture->pipe_fds[command == IOH_COMMAND_SAVE ? 0 : 1]);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_facts_free (fixture->facts);
    g_clear_error (&fixture->error);
    ioh_options_free (fixture->options);
    close (fixture->pipe_fds[0]);
    close (fixture->pipe_fds[1]);
    scratch_remove (fixture->directory);
}

/* Asks about NAME in the test's directory, or about a path, or about FD. */
static const IohEndFacts *
probe (Fixture *fixture, const char *name, int fd)
{
    g_autofree char *path = name == NULL || g_path_is_absolute (name)
                                ? g_strdup (name)
                                : g_build_filename (fixture->directory, name, NULL);

    ioh_options_set_file (fixture->options, path, fd);
    fixture->facts = ioh_probe (fixture->options, &fixture->error);
    return fixture->facts != NULL ? &fixture->facts->file : NULL;
}

static void
expect_refused (Fixture *fixture, IohSide side, IohExit status, int error_number)
{
    g_assert_null (fixture->facts);
    g_assert_error (fixture->error, IOH_ERROR, (int) status);
    const IohErrorPrivate *details = ioh_error_details (fixture->error);
    g_assert_cmpint (details->side, ==, side);
    g_assert_cmpint (details->error_number, ==, error_number);
}

static void
make (Fixture *fixture, const char *name, size_t length)
{
    g_free (scratch_file (fixture->directory, name, length, 'x'));
}

static void
test_new_target (Fixture *fixture, gconstpointer data)
{
    const IohEndFacts *file = probe (fixture, "new", -1);

    g_assert_no_error (fixture->error);
    g_assert_cmpint (file->kind, ==, IOH_END_MISSING);
    g_assert_true (file->seekable);
    g_assert_cmpuint (file->room, >, 0);
    g_assert_cmpint (fixture->facts->stream.kind, ==, IOH_END_PIPE);
    g_assert_cmpint (fixture->facts->stream.pipe_bytes, >=, 4096);
    g_autofree char *names = scratch_names (fixture->directory);
    g_assert_cmpstr (names, ==, "");
}

static void
test_old_target (Fixture *fixture, gconstpointer data)
{
    make (fixture, "old", 12345);
    const IohEndFacts *file = probe (fixture, "old", -1);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (file->kind, ==, IOH_END_REGULAR);
    g_assert_cmpuint (file->size, ==, 12345);
    g_assert_cmpuint (file->replaced.st_mode & 07777, ==, 0600);
    g_autofree char *names = scratch_names (fixture->directory);
    g_assert_cmpstr (names, ==, "old");
}

/* The file a symbolic link points to is the target, whether or not it is there. */
static void
test_link (Fixture *fixture, gconstpointer data)
{
    g_autofree char *link = g_build_filename (fixture->directory, "link", NULL);
    g_autofree char *goal = g_build_filename (fixture->directory, "goal", NULL);

    g_assert_cmpint (symlink ("goal", link), ==, 0);
    const IohEndFacts *file = probe (fixture, "link", -1);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (file->kind, ==, IOH_END_MISSING);
    g_assert_cmpstr (file->path, ==, goal);
}

static void
test_kinds (Fixture *fixture, gconstpointer data)
{
    g_autofree char *fifo = g_build_filename (fixture->directory, "fifo", NULL);

    g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
    g_assert_cmpint (probe (fixture, "fifo", -1)->kind, ==, IOH_END_PIPE);
    g_clear_pointer (&fixture->facts, ioh_facts_free);
    g_assert_cmpint (probe (fixture, "/dev/null", -1)->kind, ==, IOH_END_NULL);
    g_clear_pointer (&fixture->facts, ioh_facts_free);
    g_assert_cmpint (probe (fixture, "/dev/zero", -1)->kind, ==, IOH_END_CHAR);
    g_assert_false (fixture->facts->file.seekable);
}

static void
test_inherited (Fixture *fixture, gconstpointer data)
{
    make (fixture, "file", 100);
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    int fd = open (path, O_WRONLY | O_CLOEXEC);
    lseek (fd, 77, SEEK_SET);
    const IohEndFacts *file = probe (fixture, NULL, fd);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (file->kind, ==, IOH_END_REGULAR);
    g_assert_cmpuint (file->position, ==, 77);
    g_assert_cmpuint (file->size, ==, 100);
    g_assert_false (file->appends);
    g_assert_cmpint (lseek (fd, 0, SEEK_CUR), ==, 77);
    close (fd);
}

/* What O_APPEND writes goes to the end, wherever the position is. */
static void
test_appends (Fixture *fixture, gconstpointer data)
{
    make (fixture, "file", 100);
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    int fd = open (path, O_WRONLY | O_APPEND | O_CLOEXEC);
    const IohEndFacts *file = probe (fixture, NULL, fd);
    g_assert_no_error (fixture->error);
    g_assert_true (file->appends);
    g_assert_cmpuint (file->position, ==, 100);
    close (fd);
}

/* A position that cannot be told is not 0: the stream would be written there. */
static void
test_position_unknown (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_SEEK, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EIO, 0};

    make (fixture, "file", 100);
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    int fd = open (path, O_WRONLY | O_CLOEXEC);
    fault_arm (&fault);
    probe (fixture, NULL, fd);
    fault_disarm ();
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_FILE, EIO);
    close (fd);
}

static void
test_wrong_way (Fixture *fixture, gconstpointer data)
{
    make (fixture, "file", 100);
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    probe (fixture, NULL, fd);
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_USAGE, 0);
    close (fd);
}

static void
test_stream_wrong_way (Fixture *fixture, gconstpointer data)
{
    ioh_options_set_stream (fixture->options, fixture->pipe_fds[1]);
    probe (fixture, "new", -1);
    expect_refused (fixture, IOH_SIDE_STREAM, IOH_EXIT_USAGE, 0);
}

static void
test_closed (Fixture *fixture, gconstpointer data)
{
    probe (fixture, NULL, 987654);
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_USAGE, 0);
}

static void
test_directory (Fixture *fixture, gconstpointer data)
{
    probe (fixture, "", -1);
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_FILE, EISDIR);
}

static void
test_no_parent (Fixture *fixture, gconstpointer data)
{
    probe (fixture, "missing/new", -1);
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_FILE, ENOENT);
}

static void
test_no_image (Fixture *fixture, gconstpointer data)
{
    probe (fixture, "missing", -1);
    expect_refused (fixture, IOH_SIDE_FILE, IOH_EXIT_FILE, ENOENT);
}

static void
test_image (Fixture *fixture, gconstpointer data)
{
    make (fixture, "image", 12345);
    const IohEndFacts *file = probe (fixture, "image", -1);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (file->kind, ==, IOH_END_REGULAR);
    g_assert_cmpuint (file->size, ==, 12345);
    g_assert_cmpuint (file->position, ==, 0);
}

/* Restoring needs no right to write anything. */
static void
test_read_only_directory (Fixture *fixture, gconstpointer data)
{
    make (fixture, "image", 12345);
    g_assert_cmpint (chmod (fixture->directory, 0500), ==, 0);
    probe (fixture, "image", -1);
    chmod (fixture->directory, 0700);
    g_assert_no_error (fixture->error);
}

static void
test_size_limit (Fixture *fixture, gconstpointer data)
{
    struct rlimit old;

    getrlimit (RLIMIT_FSIZE, &old);
    const struct rlimit limit = {.rlim_cur = 123456, .rlim_max = old.rlim_max};
    setrlimit (RLIMIT_FSIZE, &limit);
    const IohEndFacts *file = probe (fixture, "new", -1);
    setrlimit (RLIMIT_FSIZE, &old);
    g_assert_cmpuint (file->size_limit, ==, 123456);
}

/* A file system whose numbers are all zero says nothing about room. */
static void
test_room_unknown (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_FSTATFS, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -ENOSYS, 0};

    fault_arm (&fault);
    const IohEndFacts *file = probe (fixture, "new", -1);
    fault_disarm ();
    g_assert_no_error (fixture->error);
    g_assert_cmpuint (file->room, ==, UINT64_MAX);
    g_assert_null (file->file_system);
}

/* Where the kernel does not tell about O_DIRECT, it is to be tried, by whole pages. */
static void
test_direct_unknown (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_STATX, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -ENOSYS, 0};
    const Fault nameless = {SYS_FSTATFS, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -ENOSYS, 0};

    fault_arm (&fault);
    fault_arm (&nameless);
    const IohEndFacts *file = probe (fixture, "new", -1);
    fault_disarm ();
    g_assert_cmpint (file->direct, ==, IOH_DIRECT_UNKNOWN);
    g_assert_cmpuint (file->write_align, ==, 4096);
    g_assert_cmpstr (file->align_origin, ==, "default");
}

static void
test_no_unnamed_files (Fixture *fixture, gconstpointer data)
{
    /* the directory is opened first */
    const Fault fault = {SYS_OPEN, 2, 2, FAULT_INSTEAD, -EOPNOTSUPP, 0};

    fault_arm (&fault);
    const IohEndFacts *file = probe (fixture, "new", -1);
    fault_disarm ();
    g_assert_no_error (fixture->error);
    g_assert_false (file->unnamed);
}

static void
test_socket_stream (Fixture *fixture, gconstpointer data)
{
    int fds[2];

    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
    ioh_options_set_stream (fixture->options, fds[0]);
    probe (fixture, "new", -1);
    g_assert_cmpint (fixture->facts->stream.kind, ==, IOH_END_SOCKET);
    close (fds[0]);
    close (fds[1]);
}

typedef struct {
    const char *path;
    IohCommand command;
    void (*run) (Fixture *fixture, gconstpointer data);
} ProbeRow;

static const ProbeRow probe_rows[] = {
    {"/probe/new-target", IOH_COMMAND_SAVE, test_new_target},
    {"/probe/old-target", IOH_COMMAND_SAVE, test_old_target},
    {"/probe/link", IOH_COMMAND_SAVE, test_link},
    {"/probe/kinds", IOH_COMMAND_SAVE, test_kinds},
    {"/probe/inherited", IOH_COMMAND_SAVE, test_inherited},
    {"/probe/appends", IOH_COMMAND_SAVE, test_appends},
    {"/probe/position-unknown", IOH_COMMAND_SAVE, test_position_unknown},
    {"/probe/wrong-way", IOH_COMMAND_SAVE, test_wrong_way},
    {"/probe/stream-wrong-way", IOH_COMMAND_SAVE, test_stream_wrong_way},
    {"/probe/closed", IOH_COMMAND_SAVE, test_closed},
    {"/probe/directory", IOH_COMMAND_SAVE, test_directory},
    {"/probe/no-parent", IOH_COMMAND_SAVE, test_no_parent},
    {"/probe/no-image", IOH_COMMAND_RESTORE, test_no_image},
    {"/probe/image", IOH_COMMAND_RESTORE, test_image},
    {"/probe/read-only-directory", IOH_COMMAND_RESTORE, test_read_only_directory},
    {"/probe/size-limit", IOH_COMMAND_SAVE, test_size_limit},
    {"/probe/room-unknown", IOH_COMMAND_SAVE, test_room_unknown},
    {"/probe/direct-unknown", IOH_COMMAND_SAVE, test_direct_unknown},
    {"/probe/no-unnamed-files", IOH_COMMAND_SAVE, test_no_unnamed_files},
    {"/probe/socket-stream", IOH_COMMAND_SAVE, test_socket_stream},
};

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (probe_rows); i++)
        g_test_add (probe_rows[i].path, Fixture, GINT_TO_POINTER (probe_rows[i].command),
                    fixture_set_up, probe_rows[i].run, fixture_tear_down);
    return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-progress - lines of progress that are whole, come by themselves and hold nobody up.
 */
#include "progress-json.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error.h"

static void
make_pipe (int out_fds[2])
{
    g_assert_cmpint (pipe2 (out_fds, O_CLOEXEC), ==, 0);
}

/* Progress that is told to FD. */
static IohProgress *
start (int fd, uint64_t expect_bytes, GError **error)
{
    IohProgress *progress = ioh_progress_new (expect_bytes);

    if (!ioh_progress_json_add (progress, fd, error))
        g_clear_pointer (&progress, ioh_progress_free);
    return progress;
}

/* One line without its newline, waited for; NULL at the end. */
static char *
read_line (int fd)
{
    GString *line = g_string_new (NULL);
    char byte;

    while (read (fd, &byte, 1) == 1 && byte != '\n')
        g_string_append_c (line, byte);
    return g_string_free (line, line->len == 0);
}

/* Fails unless LINE is one JSON object with the members every line has. */
static JsonNode *
parse_line (const char *line)
{
    g_autoptr (GError) error = NULL;
    JsonNode *node = json_from_string (line, &error);

    g_assert_no_error (error);
    g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
    JsonObject *object = json_node_get_object (node);
    g_assert_true (json_object_has_member (object, IOH_PROGRESS_PHASE));
    g_assert_true (json_object_has_member (object, IOH_PROGRESS_BYTES));
    g_assert_cmpfloat (json_object_get_double_member (object, IOH_PROGRESS_SECONDS), >=, 0);
    return node;
}

/* Reads lines until one has PHASE. */
static JsonNode *
read_until_phase (int fd, const char *phase)
{
    JsonNode *node = NULL;

    do {
        g_autofree char *line = read_line (fd);
        g_assert_nonnull (line);
        g_clear_pointer (&node, json_node_unref);
        node = parse_line (line);
    } while (!g_str_equal (
        json_object_get_string_member (json_node_get_object (node), IOH_PROGRESS_PHASE), phase));
    return node;
}

static void
test_members (void)
{
    g_autoptr (GError) error = NULL;
    int fds[2];

    make_pipe (fds);
    IohProgress *progress = start (fds[1], IOH_UNSET, &error);
    g_assert_no_error (error);
    g_autofree char *first = read_line (fds[0]);
    g_autoptr (JsonNode) opening = parse_line (first);
    JsonObject *object = json_node_get_object (opening);
    g_assert_cmpstr (json_object_get_string_member (object, IOH_PROGRESS_PHASE), ==, "opening");
    g_assert_false (json_object_has_member (object, IOH_PROGRESS_EXPECTED));

    ioh_progress_expect (progress, G_GUINT64_CONSTANT (6000000000));
    ioh_progress_bytes (progress, G_GUINT64_CONSTANT (5000000000));
    ioh_progress_phase (progress, IOH_PHASE_MOVING);
    g_autoptr (JsonNode) moving = read_until_phase (fds[0], "moving");
    object = json_node_get_object (moving);
    g_assert_cmpint (json_object_get_int_member (object, IOH_PROGRESS_BYTES), ==, 5000000000);
    g_assert_cmpint (json_object_get_int_member (object, IOH_PROGRESS_EXPECTED), ==, 6000000000);
    ioh_progress_free (progress);
    close (fds[0]);
    close (fds[1]);
}

static void
test_comes_by_itself (void)
{
    g_autoptr (GError) error = NULL;
    double seconds = -1;
    int fds[2];

    make_pipe (fds);
    IohProgress *progress = start (fds[1], IOH_UNSET, &error);
    g_assert_no_error (error);
    for (int i = 0; i < 4; i++) {
        g_autofree char *line = read_line (fds[0]);
        g_autoptr (JsonNode) node = parse_line (line);
        double now =
            json_object_get_double_member (json_node_get_object (node), IOH_PROGRESS_SECONDS);
        g_assert_cmpfloat (now, >, seconds);
        seconds = now;
    }
    ioh_progress_free (progress);
    close (fds[0]);
    close (fds[1]);
}

static void
test_last_line (void)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *last = NULL;
    char *line;
    int fds[2];

    make_pipe (fds);
    IohProgress *progress = start (fds[1], IOH_UNSET, &error);
    g_assert_no_error (error);
    ioh_progress_bytes (progress, 12345);
    ioh_progress_free (progress);
    close (fds[1]);
    while ((line = read_line (fds[0])) != NULL) {
        g_free (last);
        last = line;
    }
    g_autoptr (JsonNode) node = parse_line (last);
    g_assert_cmpint (json_object_get_int_member (json_node_get_object (node), IOH_PROGRESS_BYTES),
                     ==, 12345);
    close (fds[0]);
}

/* Takes what is there and fails unless, after the first SKIP bytes, it is whole lines. */
static void
drain_whole_lines (int fd, size_t skip)
{
    static char text[1 << 20];
    size_t length = 0;
    ssize_t got;

    while ((got = read (fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t) got;
    text[length] = '\0';
    g_assert_cmpuint (length, >=, skip);
    g_auto (GStrv) lines = g_strsplit (text + skip, "\n", -1);
    guint count = g_strv_length (lines);
    for (guint i = 0; i + 1 < count; i++)
        json_node_unref (parse_line (lines[i]));
    if (count > 0) /* what follows the last newline */
        g_assert_cmpstr (lines[count - 1], ==, "");
}

/* A reader that is too slow misses lines, and what it gets is whole. */
static void
slow_reader (const int fds[2])
{
    g_autoptr (GError) error = NULL;
    char filler[512];
    ssize_t written;
    size_t filled = 0;

    memset (filler, 'x', sizeof filler);
    g_assert_cmpint (fcntl (fds[1], F_SETFL, O_NONBLOCK), ==, 0);
    while ((written = write (fds[1], filler, sizeof filler)) > 0)
        filled += (size_t) written;
    g_assert_cmpint (fcntl (fds[1], F_SETFL, 0), ==, 0);
    IohProgress *progress = start (fds[1], IOH_UNSET, &error);
    g_assert_no_error (error);
    for (uint64_t i = 0; i < 1000; i++) {
        ioh_progress_bytes (progress, i);
        ioh_progress_phase (progress, IOH_PHASE_MOVING);
    }
    ioh_progress_phase (progress, IOH_PHASE_FLUSHING);
    ioh_progress_free (progress);
    g_assert_cmpint (fcntl (fds[1], F_GETFL) & O_NONBLOCK, ==, 0);
    close (fds[1]);
    drain_whole_lines (fds[0], filled);
    close (fds[0]);
}

static void
test_slow_pipe (void)
{
    int fds[2];

    make_pipe (fds);
    slow_reader (fds);
}

static void
test_slow_socket (void)
{
    int fds[2];

    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
    slow_reader (fds);
}

/* Lines that do arrive at a reader that takes a few bytes at a time are whole as well. */
static void
test_tiny_reads (void)
{
    g_autoptr (GError) error = NULL;
    int fds[2];

    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
    IohProgress *progress = start (fds[1], 1 << 20, &error);
    g_assert_no_error (error);
    for (uint64_t i = 0; i < 200; i++) {
        ioh_progress_bytes (progress, i);
        ioh_progress_phase (progress, i % 2 == 0 ? IOH_PHASE_MOVING : IOH_PHASE_OPENING);
        g_autofree char *line = read_line (fds[0]);
        json_node_unref (parse_line (line));
    }
    ioh_progress_free (progress);
    close (fds[0]);
    close (fds[1]);
}

static void
test_reader_gone (void)
{
    g_autoptr (GError) error = NULL;
    int fds[2];

    make_pipe (fds);
    close (fds[0]);
    IohProgress *progress = start (fds[1], IOH_UNSET, &error);
    g_assert_no_error (error);
    for (uint64_t i = 0; i < 100; i++)
        ioh_progress_phase (progress, IOH_PHASE_MOVING);
    ioh_progress_free (progress);
    close (fds[1]);
}

static void
test_bad_descriptor (void)
{
    g_autoptr (GError) error = NULL;
    int fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);

    close (fd);
    g_assert_null (start (fd, IOH_UNSET, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    g_assert_nonnull (strstr (error->message, "--progress-fd"));
}

static void
test_nothing (void)
{
    ioh_progress_phase (NULL, IOH_PHASE_MOVING);
    ioh_progress_bytes (NULL, 1);
    ioh_progress_expect (NULL, 1);
    ioh_progress_free (NULL);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    signal (SIGPIPE, SIG_IGN);
    g_test_add_func ("/progress/members", test_members);
    g_test_add_func ("/progress/comes-by-itself", test_comes_by_itself);
    g_test_add_func ("/progress/last-line", test_last_line);
    g_test_add_func ("/progress/slow-pipe", test_slow_pipe);
    g_test_add_func ("/progress/slow-socket", test_slow_socket);
    g_test_add_func ("/progress/tiny-reads", test_tiny_reads);
    g_test_add_func ("/progress/reader-gone", test_reader_gone);
    g_test_add_func ("/progress/bad-descriptor", test_bad_descriptor);
    g_test_add_func ("/progress/nothing", test_nothing);
    return g_test_run ();
}

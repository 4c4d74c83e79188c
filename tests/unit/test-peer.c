/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-peer - meeting one peer at an address, and parting from it. Whatever happens meanwhile is
 * done in the waits of the code under test, so that nothing depends on time.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "error.h"
#include "fault.h"
#include "peer.h"
#include "scratch.h"
#include "sys.h"
#include "trial.h"

/* A meeting, and what happens in its first wait. */
typedef struct Meeting Meeting;
struct Meeting {
    char *directory;
    IohOptions *options;
    IohCancel *cancel;
    IohPeer peer;
    GError *error;
    void (*act) (Meeting *meeting);
    int other_fd;  /* the other end */
    int second_fd; /* of somebody who comes too late */
};

static int
meeting_wait (struct pollfd *fds, unsigned count, gint64 timeout_us, gpointer data)
{
    Meeting *meeting = data;
    void (*act) (Meeting *) = meeting->act;

    meeting->act = NULL;
    if (act != NULL)
        act (meeting);
    return fault_real_poll (fds, count, timeout_us);
}

/* TEXT may hold one %s, for a directory of its own. */
static Meeting *
meeting_new (const char *option, const char *format, void (*act) (Meeting *meeting))
{
    Meeting *meeting = g_new0 (Meeting, 1);
    gboolean listens = g_str_equal (option, "listen");
    GError *error = NULL;

    trial_watchdog (TRUE);
    meeting->directory = scratch_new ();
    g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
    g_autofree char *text = g_strjoinv (meeting->directory, parts);
    meeting->options = ioh_options_new (IOH_COMMAND_SAVE);
    IohAddress *address = ioh_address_parse (option, text, &error);
    g_assert_no_error (error);
    ioh_options_set_address (meeting->options, address, listens);
    meeting->cancel = ioh_cancel_new (NULL);
    meeting->act = act;
    meeting->other_fd = meeting->second_fd = -1;
    return meeting;
}

static gboolean
meeting_open (Meeting *meeting)
{
    fault_watch_waits (meeting_wait, meeting);
    gboolean met =
        ioh_peer_open (&meeting->peer, meeting->options, meeting->cancel, &meeting->error);
    fault_watch_waits (NULL, NULL);
    return met;
}

static gboolean
meeting_finish (Meeting *meeting)
{
    fault_watch_waits (meeting_wait, meeting);
    gboolean done = ioh_peer_finish (&meeting->peer, "peer", 0, meeting->options->stall_us,
                                     meeting->cancel, &meeting->error);
    fault_watch_waits (NULL, NULL);
    return done;
}

static void
meeting_expect_names (Meeting *meeting, const char *names)
{
    g_autofree char *is = scratch_names (meeting->directory);

    g_assert_cmpstr (is, ==, names);
}

static void
meeting_free (Meeting *meeting)
{
    ioh_sys_clear_fd (&meeting->peer.fd);
    ioh_sys_clear_fd (&meeting->other_fd);
    ioh_sys_clear_fd (&meeting->second_fd);
    ioh_cancel_free (meeting->cancel);
    ioh_options_free (meeting->options);
    g_clear_error (&meeting->error);
    scratch_remove (meeting->directory);
    g_free (meeting);
    trial_watchdog (FALSE);
}

/* What happens meanwhile */

static struct sockaddr_un
name_of_path (const Meeting *meeting)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    g_snprintf (name.sun_path, sizeof name.sun_path, "%s/s", meeting->directory);
    return name;
}

static int
call_path (const Meeting *meeting)
{
    const struct sockaddr_un name = name_of_path (meeting);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect (fd, (const struct sockaddr *) &name, sizeof name) == 0)
        return fd;
    int error_number = errno;
    close (fd);
    return -error_number;
}

static void
somebody_calls (Meeting *meeting)
{
    meeting->other_fd = call_path (meeting);
    g_assert_cmpint (meeting->other_fd, >=, 0);
}

static void
two_call (Meeting *meeting)
{
    somebody_calls (meeting);
    meeting->second_fd = call_path (meeting);
}

static void
look_at_mode (Meeting *meeting)
{
    struct stat st;

    g_assert_cmpint (stat (meeting->options->listen->name, &st), ==, 0);
    g_assert_true (S_ISSOCK (st.st_mode));
    g_assert_cmpint (st.st_mode & 07777, ==, 0600);
    somebody_calls (meeting);
}

static void
signal_comes (Meeting *meeting)
{
    raise (SIGTERM);
}

/* Somebody else has taken the path for something of his own. */
static void
path_is_replaced (Meeting *meeting)
{
    somebody_calls (meeting);
    unlink (meeting->options->listen->name);
    g_free (scratch_file (meeting->directory, "s", 7, 'o'));
}

/* A socket at the path, bound, and listening when BACKLOG is not negative. */
static int
occupy_path (Meeting *meeting, int backlog)
{
    const struct sockaddr_un name = name_of_path (meeting);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_assert_cmpint (bind (fd, (const struct sockaddr *) &name, sizeof name), ==, 0);
    if (backlog >= 0)
        g_assert_cmpint (listen (fd, backlog), ==, 0);
    return fd;
}

/* The tests */

static void
test_met (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", somebody_calls);

    g_assert_true (meeting_open (meeting));
    g_assert_cmpint (write (meeting->other_fd, "x", 1), ==, 1);
    char byte = 0;
    g_assert_cmpint (read (meeting->peer.fd, &byte, 1), ==, 1);
    g_assert_cmpint (byte, ==, 'x');
    meeting_expect_names (meeting, "");
    g_assert_true (meeting->peer.has_process);
    g_assert_cmpint (meeting->peer.pid, ==, getpid ());
    g_assert_cmpuint (meeting->peer.uid, ==, getuid ());
    meeting_free (meeting);
}

/* Whatever the umask lets through. */
static void
test_private (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", look_at_mode);
    mode_t before = umask (0);

    g_assert_true (meeting_open (meeting));
    umask (before);
    meeting_free (meeting);
}

static void
test_second_turned_away (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", two_call);
    char byte;

    g_assert_true (meeting_open (meeting));
    g_assert_cmpint (read (meeting->second_fd, &byte, 1), <=, 0);
    g_assert_cmpint (call_path (meeting), ==, -ENOENT);
    meeting_free (meeting);
}

/* Not met: the error names the stage, and nothing stays. */
static void
expect_failure (Meeting *meeting, int error_number, const char *names)
{
    g_assert_false (meeting_open (meeting));
    const IohErrorPrivate *details = ioh_error_details (meeting->error);
    g_assert_nonnull (details);
    g_assert_cmpint (details->side, ==, IOH_SIDE_STREAM);
    g_assert_cmpint (details->stage, ==, IOH_STAGE_OPEN);
    g_assert_cmpint (details->error_number, ==, error_number);
    g_assert_cmpint (ioh_error_exit (meeting->error), ==, IOH_EXIT_STREAM);
    meeting_expect_names (meeting, names);
    meeting_free (meeting);
}

static void
test_nobody_comes (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", NULL);

    meeting->options->stall_us = 1;
    expect_failure (meeting, 0, "");
}

static void
test_signal (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", signal_comes);

    g_assert_false (meeting_open (meeting));
    g_assert_no_error (meeting->error);
    g_assert_cmpint (ioh_cancel_signal (meeting->cancel), ==, SIGTERM);
    meeting_expect_names (meeting, "");
    meeting_free (meeting);
}

static void
test_cannot_listen (void)
{
    const Fault fault = {SYS_LISTEN, 1, 1, FAULT_INSTEAD, -EADDRINUSE, 0};
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", NULL);

    fault_arm (&fault);
    expect_failure (meeting, EADDRINUSE, "");
    g_assert_true (fault_disarm ());
}

static void
test_file_kept (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", NULL);

    g_free (scratch_file (meeting->directory, "s", 3, 'o'));
    expect_failure (meeting, 0, "s");
}

/* Not even through a symbolic link that leads to a dead socket. */
static void
test_link_kept (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/link", NULL);
    g_autofree char *link = g_build_filename (meeting->directory, "link", NULL);

    close (occupy_path (meeting, 1));
    g_assert_cmpint (symlink ("s", link), ==, 0);
    expect_failure (meeting, 0, "link s");
}

static void
test_living_kept (gconstpointer data)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", NULL);
    int fd = occupy_path (meeting, GPOINTER_TO_INT (data));

    expect_failure (meeting, EADDRINUSE, "s");
    close (fd);
}

static void
test_dead_replaced (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", somebody_calls);

    close (occupy_path (meeting, 1));
    g_assert_true (meeting_open (meeting));
    meeting_expect_names (meeting, "");
    meeting_free (meeting);
}

static void
test_replaced_kept (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", path_is_replaced);

    g_assert_true (meeting_open (meeting));
    meeting_expect_names (meeting, "s");
    meeting_free (meeting);
}

static void
test_no_listener (void)
{
    expect_failure (meeting_new ("connect", "unix:%s/s", NULL), ENOENT, "");
}

/* Buffers */

static IohSocketBuffer
ask (int fd, uint64_t bytes)
{
    IohSocketBuffer buffer = {0};

    ioh_socket_buffer_ask (&buffer, fd, IOH_ADDRESS_UNIX, bytes);
    ioh_socket_buffer_read_back (&buffer, fd, IOH_ADDRESS_UNIX);
    close (fd);
    return buffer;
}

static uint64_t
system_limit (void)
{
    g_autofree char *text = NULL;

    g_assert_true (g_file_get_contents ("/proc/sys/net/core/wmem_max", &text, NULL, NULL));
    return g_ascii_strtoull (text, NULL, 10);
}

static void
test_buffer_granted (void)
{
    IohSocketBuffer buffer = ask (socket (AF_UNIX, SOCK_STREAM, 0), 65536);

    g_assert_cmpuint (buffer.asked, ==, 65536);
    g_assert_cmpuint (buffer.used, ==, 65536);
    g_assert_false (buffer.cut);
    g_assert_cmpint (buffer.error_number, ==, 0);
}

/* Without the privilege; with it as well where the test has it. */
static void
test_buffer_cut (void)
{
    const Fault fault = {SYS_SET_OPTION, 1, 1, FAULT_INSTEAD, -EPERM, 0};
    uint64_t limit = system_limit ();

    fault_arm (&fault);
    IohSocketBuffer buffer = ask (socket (AF_UNIX, SOCK_STREAM, 0), 2 * limit);
    g_assert_true (fault_disarm ());
    g_assert_cmpuint (buffer.used, ==, limit);
    g_assert_true (buffer.cut);
    g_assert_cmpint (buffer.error_number, ==, 0);
}

static void
test_buffer_forced (void)
{
    uint64_t limit = system_limit ();
    int wanted = (int) (2 * limit);
    int fd = socket (AF_UNIX, SOCK_STREAM, 0);

    if (setsockopt (fd, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) < 0) {
        close (fd);
        g_test_skip ("needs CAP_NET_ADMIN");
        return;
    }
    IohSocketBuffer buffer = ask (fd, 2 * limit);
    g_assert_cmpuint (buffer.used, ==, 2 * limit);
    g_assert_false (buffer.cut);
}

static void
test_buffer_refused (void)
{
    const Fault fault = {SYS_SET_OPTION, 1, 2, FAULT_INSTEAD, -ENOMEM, 0};

    fault_arm (&fault);
    IohSocketBuffer buffer = ask (socket (AF_UNIX, SOCK_STREAM, 0), 64 * 1048576);
    g_assert_true (fault_disarm ());
    g_assert_cmpint (buffer.error_number, ==, ENOMEM);
    g_assert_false (buffer.cut);
}

/* vsock; where the kernel has no such sockets, one of another kind stands in for it. */

static void
test_vsock_buffer (void)
{
    IohSocketBuffer buffer = {0};
    ioh_autofd fd = socket (AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        g_test_skip_printf ("no vsock: %s", g_strerror (errno));
        return;
    }
    ioh_socket_buffer_ask (&buffer, fd, IOH_ADDRESS_VSOCK, 3 * 1048576);
    ioh_socket_buffer_read_back (&buffer, fd, IOH_ADDRESS_VSOCK);
    g_assert_cmpint (buffer.error_number, ==, 0);
    g_assert_cmpuint (buffer.used, ==, 3 * 1048576);
    g_assert_false (buffer.cut);
}

static void
test_vsock_stand_in (void)
{
    Meeting *meeting = meeting_new ("listen", "vsock:3:1234", somebody_calls);
    const Fault faults[] = {
        {SYS_SOCKET, 1, 1, FAULT_INSTEAD, occupy_path (meeting, -1), 0},
        {SYS_BIND, 1, 1, FAULT_INSTEAD, 0, 0},
        {SYS_SET_OPTION, 1, FAULT_FOR_EVER, FAULT_INSTEAD, 0, 0},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (faults); i++)
        fault_arm (&faults[i]);
    gboolean met = meeting_open (meeting);
    /* twice each: of the socket that listens, and of the one that was accepted */
    unsigned asked = fault_calls (SYS_SET_OPTION);
    g_assert_true (fault_disarm ());
    g_assert_true (met);
    g_assert_cmpuint (asked, ==, 4);
    g_assert_false (meeting->peer.has_process);
    g_assert_false (meeting->peer.buffer.cut);
    meeting_free (meeting);
}

/* TCP */

/* Listens at a free port of this machine and sets the address of MEETING to it. */
static int
listen_tcp (Meeting *meeting, int receive_bytes)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
    socklen_t length = sizeof name;
    int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (receive_bytes > 0)
        setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    g_assert_cmpint (bind (fd, (struct sockaddr *) &name, length), ==, 0);
    g_assert_cmpint (listen (fd, 1), ==, 0);
    g_assert_cmpint (getsockname (fd, (struct sockaddr *) &name, &length), ==, 0);
    g_autofree char *text = g_strdup_printf ("tcp:127.0.0.1:%u", ntohs (name.sin_port));
    ioh_options_set_address (meeting->options, ioh_address_parse ("connect", text, NULL), FALSE);
    return fd;
}

/* A meeting over TCP: the other end is other_fd. */
static Meeting *
meet_over_tcp (int receive_bytes)
{
    Meeting *meeting = meeting_new ("connect", "tcp:localhost:1", NULL);
    ioh_autofd listen_fd = listen_tcp (meeting, receive_bytes);

    g_assert_true (meeting_open (meeting));
    meeting->other_fd = accept (listen_fd, NULL, NULL);
    return meeting;
}

static void
test_tcp_options (void)
{
    Meeting *meeting = meet_over_tcp (0);
    int value = 0;

    ioh_sys_get_option (meeting->peer.fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value);
    g_assert_cmpint (value, !=, 0);
    ioh_sys_get_option (meeting->peer.fd, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value);
    g_assert_cmpint (value, !=, 0);
    g_assert_cmpuint (meeting->peer.buffer.used, >=, meeting->peer.buffer.asked);
    g_assert_false (meeting->peer.has_process);
    meeting_free (meeting);
}

static void
test_tcp_refused (void)
{
    Meeting *meeting = meeting_new ("connect", "tcp:localhost:1", NULL);

    close (listen_tcp (meeting, 0));
    expect_failure (meeting, ECONNREFUSED, "");
}

/* Everything that fits into the buffers between us. */
static void
fill (const Meeting *meeting)
{
    static const char bytes[65536];

    while (send (meeting->peer.fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
}

static void
expect_close_failure (Meeting *meeting, int error_number)
{
    g_assert_false (meeting_finish (meeting));
    const IohErrorPrivate *details = ioh_error_details (meeting->error);
    g_assert_nonnull (details);
    g_assert_cmpint (details->stage, ==, IOH_STAGE_CLOSE);
    g_assert_cmpint (details->error_number, ==, error_number);
    meeting_free (meeting);
}

static void
test_tcp_never_acknowledged (void)
{
    Meeting *meeting = meet_over_tcp (4096);

    fill (meeting);
    meeting->options->stall_us = 50000;
    expect_close_failure (meeting, 0);
}

static void
other_end_resets (Meeting *meeting)
{
    const struct linger at_once = {.l_onoff = 1};

    setsockopt (meeting->other_fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ioh_sys_clear_fd (&meeting->other_fd);
}

static void
test_tcp_reset_at_end (void)
{
    Meeting *meeting = meet_over_tcp (4096);

    fill (meeting);
    meeting->act = other_end_resets;
    expect_close_failure (meeting, ECONNRESET);
}

static void
other_end_reads (Meeting *meeting)
{
    char bytes[65536];

    fcntl (meeting->other_fd, F_SETFL, O_NONBLOCK);
    while (read (meeting->other_fd, bytes, sizeof bytes) > 0)
        ;
    meeting->act = other_end_reads;
}

/* All is acknowledged once the other end reads; that it has long said its last word, which poll
 * reports for ever, does not matter. */
static void
test_tcp_half_closed (void)
{
    Meeting *meeting = meet_over_tcp (4096);

    fill (meeting);
    shutdown (meeting->other_fd, SHUT_WR);
    meeting->act = other_end_reads;
    g_assert_true (meeting_finish (meeting));
    meeting_free (meeting);
}

/* Who had something to say that nobody read still sees an end, not a reset. */
static void
test_unread_words (void)
{
    Meeting *meeting = meeting_new ("listen", "unix:%s/s", somebody_calls);
    char byte;

    g_assert_true (meeting_open (meeting));
    g_assert_cmpint (write (meeting->other_fd, "words", 5), ==, 5);
    g_assert_true (meeting_finish (meeting));
    ioh_sys_clear_fd (&meeting->peer.fd);
    g_assert_cmpint (read (meeting->other_fd, &byte, 1), ==, 0);
    meeting_free (meeting);
}

int
main (int argc, char **argv)
{
    signal (SIGPIPE, SIG_IGN);
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/peer/met", test_met);
    g_test_add_func ("/peer/private", test_private);
    g_test_add_func ("/peer/second-turned-away", test_second_turned_away);
    g_test_add_func ("/peer/nobody-comes", test_nobody_comes);
    g_test_add_func ("/peer/signal", test_signal);
    g_test_add_func ("/peer/cannot-listen", test_cannot_listen);
    g_test_add_func ("/peer/no-listener", test_no_listener);
    g_test_add_func ("/peer/path/file-kept", test_file_kept);
    g_test_add_func ("/peer/path/link-kept", test_link_kept);
    g_test_add_data_func ("/peer/path/listening-kept", GINT_TO_POINTER (1), test_living_kept);
    g_test_add_data_func ("/peer/path/bound-kept", GINT_TO_POINTER (-1), test_living_kept);
    g_test_add_func ("/peer/path/dead-replaced", test_dead_replaced);
    g_test_add_func ("/peer/path/replaced-kept", test_replaced_kept);
    g_test_add_func ("/peer/buffer/granted", test_buffer_granted);
    g_test_add_func ("/peer/buffer/cut", test_buffer_cut);
    g_test_add_func ("/peer/buffer/forced", test_buffer_forced);
    g_test_add_func ("/peer/buffer/refused", test_buffer_refused);
    g_test_add_func ("/peer/vsock/buffer", test_vsock_buffer);
    g_test_add_func ("/peer/vsock/stand-in", test_vsock_stand_in);
    g_test_add_func ("/peer/tcp/options", test_tcp_options);
    g_test_add_func ("/peer/tcp/refused", test_tcp_refused);
    g_test_add_func ("/peer/finish/never-acknowledged", test_tcp_never_acknowledged);
    g_test_add_func ("/peer/finish/reset", test_tcp_reset_at_end);
    g_test_add_func ("/peer/finish/half-closed", test_tcp_half_closed);
    g_test_add_func ("/peer/finish/unread-words", test_unread_words);
    return g_test_run ();
}

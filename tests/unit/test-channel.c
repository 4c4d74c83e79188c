/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-channel - reads and writes that never wait and never touch flags, on every kind of stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "fault.h"

/* The two ends of a stream; the tests read [0] and write [1]. */
typedef struct {
    IohEndKind kind;
    int status_flags;
    gboolean without_nowait; /* as on kernels that refuse RWF_NOWAIT on pipes */
} ChannelSetup;

static const ChannelSetup channel_setups[] = {
    {IOH_END_PIPE, 0, FALSE},   {IOH_END_PIPE, O_NONBLOCK, FALSE},   {IOH_END_PIPE, 0, TRUE},
    {IOH_END_SOCKET, 0, FALSE}, {IOH_END_SOCKET, O_NONBLOCK, FALSE},
};

typedef struct {
    int fds[2];
    int flags[2];
    IohChannel channels[2];
} Channels;

static void
refuse_nowait (void)
{
    const Fault read = {SYS_READ_NOWAIT, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EOPNOTSUPP, 0};
    const Fault write = {SYS_WRITE_NOWAIT, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EOPNOTSUPP, 0};

    fault_arm (&read);
    fault_arm (&write);
}

static void
channels_open (Channels *channels, const ChannelSetup *setup)
{
    int result = setup->kind == IOH_END_PIPE
                     ? pipe2 (channels->fds, O_CLOEXEC)
                     : socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels->fds);

    g_assert_cmpint (result, ==, 0);
    for (unsigned i = 0; i < 2; i++) {
        fcntl (channels->fds[i], F_SETFL, setup->status_flags);
        channels->flags[i] = fcntl (channels->fds[i], F_GETFL);
        ioh_channel_init (&channels->channels[i], channels->fds[i], setup->kind);
    }
    if (setup->without_nowait)
        refuse_nowait ();
}

static void
channels_close (Channels *channels)
{
    fault_disarm ();
    for (unsigned i = 0; i < 2; i++) {
        if (channels->fds[i] < 0)
            continue;
        g_assert_cmpint (fcntl (channels->fds[i], F_GETFL), ==, channels->flags[i]);
        close (channels->fds[i]);
    }
}

static void
for_each_setup (void (*check) (Channels *channels))
{
    for (unsigned i = 0; i < G_N_ELEMENTS (channel_setups); i++) {
        Channels channels;
        g_test_message ("setup %u", i);
        channels_open (&channels, &channel_setups[i]);
        check (&channels);
        channels_close (&channels);
    }
}

static void
check_passes (Channels *channels)
{
    char buffer[16] = "";

    g_assert_cmpint (ioh_channel_write (&channels->channels[1], "hello", 5), ==, 5);
    g_assert_cmpint (ioh_channel_read (&channels->channels[0], buffer, sizeof buffer), ==, 5);
    g_assert_cmpstr (buffer, ==, "hello");
}

static void
test_passes (void)
{
    for_each_setup (check_passes);
}

static void
check_empty (Channels *channels)
{
    char byte = 0;

    g_assert_false (ioh_channel_ready (&channels->channels[0], POLLIN));
    g_assert_cmpint (ioh_channel_read (&channels->channels[0], &byte, 1), ==, -EAGAIN);
}

/* Nothing there yet is no end. */
static void
test_empty (void)
{
    for_each_setup (check_empty);
}

static void
check_full (Channels *channels)
{
    static const char block[65536];
    ssize_t written;
    size_t total = 0;

    while ((written = ioh_channel_write (&channels->channels[1], block, sizeof block)) > 0)
        total += (size_t) written;
    g_assert_cmpint (written, ==, -EAGAIN);
    g_assert_cmpuint (total, >=, 4096);
    g_assert_false (ioh_channel_ready (&channels->channels[1], POLLOUT));
}

static void
test_full (void)
{
    for_each_setup (check_full);
}

static void
check_end (Channels *channels)
{
    char buffer[16];

    g_assert_cmpint (ioh_channel_write (&channels->channels[1], "x", 1), ==, 1);
    close (channels->fds[1]);
    channels->fds[1] = -1;
    g_assert_cmpint (ioh_channel_read (&channels->channels[0], buffer, sizeof buffer), ==, 1);
    g_assert_cmpint (ioh_channel_read (&channels->channels[0], buffer, sizeof buffer), ==, 0);
}

/* What was written before the end comes before the end. */
static void
test_end (void)
{
    for_each_setup (check_end);
}

static void
check_reader_gone (Channels *channels)
{
    close (channels->fds[0]);
    channels->fds[0] = -1;
    g_assert_cmpint (ioh_channel_write (&channels->channels[1], "x", 1), ==, -EPIPE);
}

static void
test_reader_gone (void)
{
    for_each_setup (check_reader_gone);
}

/* A refusal of RWF_NOWAIT is remembered: asking each time would cost a call for nothing. */
static void
test_refusal_remembered (void)
{
    Channels channels;

    channels_open (&channels, &channel_setups[2]);
    fault_count_anew ();
    for (unsigned i = 0; i < 3; i++)
        check_passes (&channels);
    g_assert_cmpuint (fault_calls (SYS_READ_NOWAIT), ==, 1);
    g_assert_cmpuint (fault_calls (SYS_WRITE_NOWAIT), ==, 1);
    channels_close (&channels);
}

/* Without RWF_NOWAIT a pipe that poll calls writable takes a page at the most without waiting. */
static void
test_small_writes_without_nowait (void)
{
    static const char block[65536];
    Channels channels;

    channels_open (&channels, &channel_setups[2]);
    g_assert_cmpint (ioh_channel_write (&channels.channels[1], block, sizeof block), ==, 4096);
    channels_close (&channels);
}

/* Devices have no call that does not wait: poll is asked first. */
static void
test_null_device (void)
{
    int fd = open ("/dev/null", O_RDWR | O_CLOEXEC);
    IohChannel channel;
    char byte = 0;

    ioh_channel_init (&channel, fd, IOH_END_NULL);
    g_assert_cmpint (ioh_channel_write (&channel, "hello", 5), ==, 5);
    g_assert_cmpint (ioh_channel_read (&channel, &byte, 1), ==, 0);
    close (fd);
}

int
main (int argc, char **argv)
{
    signal (SIGPIPE, SIG_IGN);
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/channel/passes", test_passes);
    g_test_add_func ("/channel/empty", test_empty);
    g_test_add_func ("/channel/full", test_full);
    g_test_add_func ("/channel/end", test_end);
    g_test_add_func ("/channel/reader-gone", test_reader_gone);
    g_test_add_func ("/channel/refusal-remembered", test_refusal_remembered);
    g_test_add_func ("/channel/small-writes-without-nowait", test_small_writes_without_nowait);
    g_test_add_func ("/channel/null-device", test_null_device);
    return g_test_run ();
}

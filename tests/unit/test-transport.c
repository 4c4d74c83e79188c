/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-transport - how a pipe is enlarged while the kernel has its say.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fault.h"
#include "transport.h"

#define MIB 1048576

static void
refuse (unsigned first, unsigned last, int error_number)
{
    const Fault fault = {SYS_SET_PIPE_SIZE, first, last, FAULT_INSTEAD, -error_number, 0};

    fault_arm (&fault);
}

/* Asks for a mebibyte and gives the pipe's real size as well. */
static int
grow (int *out_real, int *out_errno)
{
    int fds[2];

    g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
    int told = ioh_transport_grow_pipe (fds[1], MIB, out_errno);
    *out_real = fcntl (fds[0], F_GETPIPE_SZ);
    close (fds[0]);
    close (fds[1]);
    return told;
}

static void
test_granted (void)
{
    int real = 0;
    int refused = -1;

    g_assert_cmpint (grow (&real, &refused), ==, MIB);
    g_assert_cmpint (real, ==, MIB);
    g_assert_cmpint (refused, ==, 0);
}

/* One that is large enough is left alone. */
static void
test_large_already (void)
{
    int fds[2];
    int refused = -1;

    g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
    fcntl (fds[1], F_SETPIPE_SZ, MIB);
    fault_count_anew ();
    g_assert_cmpint (ioh_transport_grow_pipe (fds[1], MIB / 2, &refused), ==, MIB);
    g_assert_cmpuint (fault_calls (SYS_SET_PIPE_SIZE), ==, 0);
    g_assert_cmpint (refused, ==, 0);
    close (fds[0]);
    close (fds[1]);
}

/* Halves until it is granted; what is told is the reason of the first refusal. */
static void
test_halved (void)
{
    static const int errors[] = {EPERM, EBUSY, ENOMEM};

    for (unsigned i = 0; i < G_N_ELEMENTS (errors); i++) {
        int real = 0;
        int refused = 0;
        refuse (1, 2, errors[i]);
        int told = grow (&real, &refused);
        fault_disarm ();
        g_assert_cmpint (told, ==, MIB / 4);
        g_assert_cmpint (real, ==, MIB / 4);
        g_assert_cmpint (refused, ==, errors[i]);
    }
}

/* Refused all the way down to what it has. */
static void
test_never_granted (void)
{
    int real = 0;
    int refused = 0;

    refuse (1, FAULT_FOR_EVER, EPERM);
    int told = grow (&real, &refused);
    unsigned asked = fault_calls (SYS_SET_PIPE_SIZE);
    fault_disarm ();
    g_assert_cmpint (told, ==, real);
    g_assert_cmpint (refused, ==, EPERM);
    /* 1M, 512K, 256K, 128K; 64K is what it has */
    g_assert_cmpuint (asked, ==, 4);
}

/* An answer that smaller numbers do not change ends the asking. */
static void
test_hopeless (void)
{
    int real = 0;
    int refused = 0;

    refuse (1, FAULT_FOR_EVER, EBADF);
    int told = grow (&real, &refused);
    unsigned asked = fault_calls (SYS_SET_PIPE_SIZE);
    fault_disarm ();
    g_assert_cmpint (told, ==, real);
    g_assert_cmpint (refused, ==, EBADF);
    g_assert_cmpuint (asked, ==, 1);
}

/* A pipe that does not say holds a page: 0 would make every splice into it an end of the stream. */
static void
test_unknown_size (void)
{
    const Fault fault = {SYS_GET_PIPE_SIZE, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EBADF, 0};
    int real = 0;
    int refused = 0;

    fault_arm (&fault);
    int told = grow (&real, &refused);
    fault_disarm ();
    g_assert_cmpint (told, ==, 4096);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/transport/granted", test_granted);
    g_test_add_func ("/transport/large-already", test_large_already);
    g_test_add_func ("/transport/halved", test_halved);
    g_test_add_func ("/transport/never-granted", test_never_granted);
    g_test_add_func ("/transport/hopeless", test_hopeless);
    g_test_add_func ("/transport/unknown-size", test_unknown_size);
    return g_test_run ();
}

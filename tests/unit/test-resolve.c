/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-resolve - the names of sockets that addresses stand for.
 */
#include <errno.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "error.h"
#include "fault.h"
#include "resolve.h"

/* NULL with *OUT_ERROR; the caller frees what it gets. */
static GArray *
resolve (const char *text, gboolean listens, GError **out_error)
{
    g_autoptr (IohAddress) address = ioh_address_parse ("listen", text, NULL);
    IohCancel *cancel = ioh_cancel_new (NULL);
    const IohPatience patience = {cancel, 0};

    GArray *names = ioh_resolve (address, listens, &patience, out_error);
    ioh_cancel_free (cancel);
    return names;
}

static const IohSocketName *
first (const GArray *names)
{
    g_assert_nonnull (names);
    g_assert_cmpuint (names->len, >=, 1);
    return &g_array_index (names, IohSocketName, 0);
}

static void
test_path (void)
{
    g_autoptr (GArray) names = resolve ("unix:/run/x y.sock", TRUE, NULL);
    const IohSocketName *name = first (names);
    const struct sockaddr_un *sun = (const struct sockaddr_un *) &name->storage;

    g_assert_cmpint (sun->sun_family, ==, AF_UNIX);
    g_assert_cmpstr (sun->sun_path, ==, "/run/x y.sock");
}

/* The name alone, without zeros behind it: that would be another name. */
static void
test_hidden (void)
{
    g_autoptr (GArray) names = resolve ("unix:@vm", FALSE, NULL);
    const IohSocketName *name = first (names);
    const struct sockaddr_un *sun = (const struct sockaddr_un *) &name->storage;

    g_assert_cmpuint (name->length, ==, offsetof (struct sockaddr_un, sun_path) + 3);
    g_assert_cmpint (memcmp (sun->sun_path, "\0vm", 3), ==, 0);
}

static void
test_vsock (void)
{
    g_autoptr (GArray) names = resolve ("vsock:3:4294967295", FALSE, NULL);
    const struct sockaddr_vm *svm = (const struct sockaddr_vm *) &first (names)->storage;

    g_assert_cmpint (svm->svm_family, ==, AF_VSOCK);
    g_assert_cmpuint (svm->svm_cid, ==, 3);
    g_assert_cmpuint (svm->svm_port, ==, VMADDR_PORT_ANY);
}

static void
test_ipv4 (void)
{
    g_autoptr (GArray) names = resolve ("tcp:127.0.0.2:4444", FALSE, NULL);
    const struct sockaddr_in *sin = (const struct sockaddr_in *) &first (names)->storage;

    g_assert_cmpint (sin->sin_family, ==, AF_INET);
    g_assert_cmpuint (ntohl (sin->sin_addr.s_addr), ==, 0x7f000002);
    g_assert_cmpuint (ntohs (sin->sin_port), ==, 4444);
}

static void
test_ipv6 (void)
{
    g_autoptr (GArray) names = resolve ("tcp:[::1]:4444", FALSE, NULL);
    const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *) &first (names)->storage;

    g_assert_cmpint (sin6->sin6_family, ==, AF_INET6);
    g_assert_true (IN6_IS_ADDR_LOOPBACK (&sin6->sin6_addr));
    g_assert_cmpuint (ntohs (sin6->sin6_port), ==, 4444);
}

static void
test_name (void)
{
    g_autoptr (GArray) names = resolve ("tcp:localhost:4444", FALSE, NULL);

    g_assert_cmpint (first (names)->storage.ss_family, !=, AF_UNSPEC);
}

/* Both families where the kernel has both: the socket that serves both goes first. */
static void
test_any (void)
{
    g_autoptr (GArray) names = resolve ("tcp::4444", TRUE, NULL);

    if (names->len > 1)
        g_assert_cmpint (first (names)->storage.ss_family, ==, AF_INET6);
}

static void
test_unknown (void)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) names = resolve ("tcp:no-such-host.invalid:4444", FALSE, &error);
    const IohErrorPrivate *details = ioh_error_details (error);

    g_assert_null (names);
    g_assert_nonnull (details);
    g_assert_cmpint (details->side, ==, IOH_SIDE_STREAM);
    g_assert_cmpint (details->stage, ==, IOH_STAGE_OPEN);
    g_assert_cmpint (ioh_error_exit (error), ==, IOH_EXIT_STREAM);
}

static int
signal_comes (struct pollfd *fds, unsigned count, gint64 timeout_us, gpointer data)
{
    raise (SIGTERM);
    return fault_real_poll (fds, count, timeout_us);
}

/* Name servers may take their time: a signal does not wait for them. */
static void
test_signal (void)
{
    g_autoptr (GError) error = NULL;

    fault_watch_waits (signal_comes, NULL);
    g_autoptr (GArray) names = resolve ("tcp:no-such-host.invalid:4444", FALSE, &error);
    fault_watch_waits (NULL, NULL);
    g_assert_null (names);
    g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/resolve/path", test_path);
    g_test_add_func ("/resolve/hidden", test_hidden);
    g_test_add_func ("/resolve/vsock", test_vsock);
    g_test_add_func ("/resolve/ipv4", test_ipv4);
    g_test_add_func ("/resolve/ipv6", test_ipv6);
    g_test_add_func ("/resolve/name", test_name);
    g_test_add_func ("/resolve/any", test_any);
    g_test_add_func ("/resolve/unknown", test_unknown);
    g_test_add_func ("/resolve/signal", test_signal);
    return g_test_run ();
}

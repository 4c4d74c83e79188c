/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-stream - the channel to the hypervisor, and its SELinux context.
 *
 * The functions that ask SELinux are replaced when this is linked.
 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "libiohelper.h"
#include "scratch.h"

#define CONTEXT "system_u:object_r:svirt_t:s0"

IohContexts __wrap_ioh_contexts (void);
int __wrap_ioh_context_set (int fd, const char *context);
int __wrap_ioh_context_set_for_sockets (const char *context);

static struct {
    IohContexts contexts;
    int result;      /* what labelling comes to */
    int labelled_fd; /* -1: none */
    int for_sockets; /* how often a context for sockets was set */
    int resets;      /* and taken back */
} selinux;

IohContexts
__wrap_ioh_contexts (void)
{
    return selinux.contexts;
}

int
__wrap_ioh_context_set (int fd, const char *context)
{
    g_assert_cmpstr (context, ==, CONTEXT);
    selinux.labelled_fd = fd;
    return selinux.result;
}

int
__wrap_ioh_context_set_for_sockets (const char *context)
{
    if (context == NULL) {
        selinux.resets++;
        return 0;
    }
    g_assert_cmpstr (context, ==, CONTEXT);
    selinux.for_sockets++;
    return selinux.result;
}

typedef struct {
    IohStream stream;
    IohStreamWish wish;
    GError *error;
    unsigned fds;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    const IohTransportKind *kind = data;

    memset (&selinux, 0, sizeof selinux);
    selinux.labelled_fd = -1;
    fixture->stream = (IohStream){.hypervisor_fd = -1, .helper_fd = -1};
    fixture->wish = (IohStreamWish){
        .kind = *kind, .pipe_bytes = 1 << 16, .socket_bytes = 1 << 16, .label = CONTEXT};
    fixture->fds = scratch_count_fds ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_stream_clear (&fixture->stream);
    g_assert_cmpuint (scratch_count_fds (), ==, fixture->fds);
    g_assert_cmpint (selinux.resets, ==, selinux.result == 0 ? selinux.for_sockets : 0);
    g_clear_error (&fixture->error);
}

static gboolean
open_stream (Fixture *fixture)
{
    return ioh_stream_open (&fixture->stream, IOH_SAVE, &fixture->wish, &fixture->error);
}

static void
check_works (const Fixture *fixture)
{
    char text[8] = "";

    g_assert_no_error (fixture->error);
    g_assert_cmpint (write (fixture->stream.hypervisor_fd, "stream", 6), ==, 6);
    g_assert_cmpint (read (fixture->stream.helper_fd, text, sizeof text), ==, 6);
    g_assert_cmpstr (text, ==, "stream");
}

/* The only note there is has TEXT. */
static void
check_noted (const Fixture *fixture, const char *text)
{
    g_assert_cmpuint (fixture->stream.notes->len, ==, 1);
    g_assert_nonnull (strstr (g_ptr_array_index (fixture->stream.notes, 0), text));
}

/* What the hypervisor gets is labelled, before anybody has it. */
static void
test_active (Fixture *fixture, gconstpointer data)
{
    g_assert_true (open_stream (fixture));
    check_works (fixture);
    g_assert_cmpuint (fixture->stream.notes->len, ==, 0);
    if (fixture->stream.kind == IOH_TRANSPORT_PIPE) {
        g_assert_cmpint (selinux.labelled_fd, ==, fixture->stream.hypervisor_fd);
        g_assert_cmpint (selinux.for_sockets, ==, 0);
    } else {
        g_assert_cmpint (selinux.for_sockets, ==, 1);
    }
}

static void
test_disabled (Fixture *fixture, gconstpointer data)
{
    selinux.contexts = IOH_CONTEXTS_DISABLED;
    g_assert_true (open_stream (fixture));
    check_works (fixture);
    g_assert_cmpint (selinux.labelled_fd, ==, -1);
    g_assert_cmpint (selinux.for_sockets, ==, 0);
    check_noted (fixture, "SELinux is disabled");
}

static void
test_not_built (Fixture *fixture, gconstpointer data)
{
    selinux.contexts = IOH_CONTEXTS_NOT_BUILT;
    g_assert_false (open_stream (fixture));
    g_assert_error (fixture->error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_USAGE);
    g_assert_nonnull (strstr (fixture->error->message, "stream-label"));
}

static void
test_not_supported (Fixture *fixture, gconstpointer data)
{
    selinux.result = -EOPNOTSUPP;
    g_assert_true (open_stream (fixture));
    check_works (fixture);
    check_noted (fixture, CONTEXT);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
    selinux.result = -EINVAL;
    g_assert_false (open_stream (fixture));
    g_assert_error (fixture->error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_STREAM);
    g_assert_cmpint (ioh_transfer_error_get_stage (fixture->error), ==, IOH_STAGE_LABEL);
    g_assert_cmpint (ioh_transfer_error_get_errno (fixture->error), ==, EINVAL);
    g_assert_nonnull (strstr (fixture->error->message, CONTEXT));
}

/* Without a label nobody asks SELinux for anything. */
static void
test_no_label (Fixture *fixture, gconstpointer data)
{
    selinux.contexts = IOH_CONTEXTS_NOT_BUILT;
    fixture->wish.label = NULL;
    g_assert_true (open_stream (fixture));
    check_works (fixture);
    g_assert_cmpuint (fixture->stream.notes->len, ==, 0);
    g_assert_cmpint (fcntl (fixture->stream.hypervisor_fd, F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint (fcntl (fixture->stream.helper_fd, F_GETFD), ==, FD_CLOEXEC);
    g_assert_cmpint (fcntl (fixture->stream.hypervisor_fd, F_GETFL) & O_NONBLOCK, ==, 0);
    g_assert_cmpuint (fixture->stream.bytes, ==, 1 << 16);
}

/* What is chosen when nothing is said; a choice that is made stands. */
static void
test_kinds (void)
{
    static const struct {
        IohDirection direction;
        IohTransportKind wish;
        IohCache cache;
        IohTransportKind kind;
    } rows[] = {
        {IOH_SAVE, IOH_TRANSPORT_AUTO, IOH_CACHE_AUTO, IOH_TRANSPORT_SOCKET},
        {IOH_SAVE, IOH_TRANSPORT_AUTO, IOH_CACHE_KEEP, IOH_TRANSPORT_SOCKET},
        {IOH_RESTORE, IOH_TRANSPORT_AUTO, IOH_CACHE_AUTO, IOH_TRANSPORT_SOCKET},
        {IOH_RESTORE, IOH_TRANSPORT_AUTO, IOH_CACHE_KEEP, IOH_TRANSPORT_PIPE},
        {IOH_RESTORE, IOH_TRANSPORT_SOCKET, IOH_CACHE_KEEP, IOH_TRANSPORT_SOCKET},
        {IOH_SAVE, IOH_TRANSPORT_PIPE, IOH_CACHE_AUTO, IOH_TRANSPORT_PIPE},
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        const IohStreamWish wish = {
            .kind = rows[i].wish, .cache = rows[i].cache, .pipe_bytes = 4096, .socket_bytes = 4096};
        g_autoptr (GError) error = NULL;
        IohStream stream;
        ioh_stream_open (&stream, rows[i].direction, &wish, &error);
        g_assert_no_error (error);
        g_assert_cmpint (stream.kind, ==, rows[i].kind);
        ioh_stream_clear (&stream);
    }
}

/* No pipe is so large: what there is instead is told. */
static void
test_narrower (Fixture *fixture, gconstpointer data)
{
    fixture->wish.label = NULL;
    fixture->wish.pipe_bytes = G_MAXINT;
    g_assert_true (open_stream (fixture));
    check_works (fixture);
    g_autofree char *text = g_strdup_printf (
        " %" G_GUINT64_FORMAT " bytes instead of %d: ", fixture->stream.bytes, G_MAXINT);
    check_noted (fixture, text);
}

int
main (int argc, char **argv)
{
    static const IohTransportKind kinds[] = {IOH_TRANSPORT_PIPE, IOH_TRANSPORT_SOCKET};
    static const struct {
        const char *name;
        void (*run) (Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"active", test_active},       {"disabled", test_disabled},
        {"not-built", test_not_built}, {"not-supported", test_not_supported},
        {"refused", test_refused},     {"no-label", test_no_label},
    };

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
        for (guint j = 0; j < G_N_ELEMENTS (kinds); j++) {
            g_autofree char *name =
                g_strdup_printf ("/stream/%s/%s", tests[i].name, j == 0 ? "pipe" : "socket");
            g_test_add (name, Fixture, &kinds[j], set_up, tests[i].run, tear_down);
        }
    }
    g_test_add ("/stream/narrower", Fixture, &kinds[0], set_up, test_narrower, tear_down);
    g_test_add_func ("/stream/kinds", test_kinds);
    return g_test_run ();
}

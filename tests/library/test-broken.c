/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-broken - helpers that are not what they should be: each is an error that says so, and none
 * is a hang, a crash or a success.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

/* A helper that goes wrong, and what is to be said of it. */
typedef struct {
    const char *fake;
    IohTransferError code;
    const char *text;
} Case;

static unsigned fds_before;

static IohTransfer *
start (const char *fake, int *out_fd)
{
    g_autofree char *variable = g_strconcat ("FAKE=", fake, NULL);
    const char *const environment[] = {variable, NULL};
    g_autoptr (GError) error = NULL;

    fds_before = scratch_count_fds ();
    IohTransfer *transfer =
        g_object_new (IOH_TYPE_TRANSFER, "path", "/nonexistent", "helper-path",
                      g_getenv ("IOH_FAKE_HELPER"), "environment", environment, NULL);
    *out_fd = ioh_transfer_start (transfer, &error);
    g_assert_no_error (error);
    return transfer;
}

static void
end (IohTransfer *transfer)
{
    g_object_unref (transfer);
    g_assert_cmpuint (scratch_count_fds (), ==, fds_before);
}

static void
test_case (gconstpointer data)
{
    const Case *broken = data;
    g_autoptr (GError) error = NULL;
    int fd;
    IohTransfer *transfer = start (broken->fake, &fd);

    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_test_message ("%s", error->message);
    g_assert_error (error, IOH_TRANSFER_ERROR, (int) broken->code);
    g_assert_nonnull (strstr (error->message, broken->text));
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    g_assert_null (strchr (error->message, '\n'));
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_assert_false (ioh_transfer_result_is_done (result));
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_FAILED);
    close (fd);
    end (transfer);
}

/* Whatever the report is, asking the result is safe. */
static void
test_odd_members (void)
{
    g_autoptr (GError) error = NULL;
    int fd;
    IohTransfer *transfer = start ("odd-members", &fd);

    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_FILE);
    g_assert_cmpstr (error->message, ==, "odd");
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_assert_cmpuint (ioh_transfer_result_get_bytes (result), ==, 0);
    g_assert_cmpuint (ioh_transfer_result_get_length (result), ==, 0);
    g_assert_null (ioh_transfer_result_get_engine (result));
    g_assert_null (ioh_transfer_result_get_notes (result)[0]);
    g_assert_cmpfloat (ioh_transfer_result_get_total_seconds (result), ==, 0);
    g_assert_cmpint (ioh_transfer_result_get_side (result), ==, IOH_SIDE_NONE);
    g_assert_cmpint (ioh_transfer_result_get_stage (result), ==, IOH_STAGE_NONE);
    g_assert_cmpint (ioh_transfer_result_get_offset (result), ==, -1);
    g_assert_cmpint (ioh_transfer_result_get_errno (result), ==, 0);
    close (fd);
    end (transfer);
}

static void
note_progress (IohTransfer *transfer, IohPhase phase, guint64 bytes, gint64 expected,
               double seconds, gpointer data)
{
    guint64 *most = data;

    g_assert_cmpuint (bytes, >=, *most);
    g_assert_cmpfloat (seconds, >=, 0);
    *most = bytes;
}

static void
test_falling_progress (void)
{
    g_autoptr (GError) error = NULL;
    guint64 most = 0;
    int fd;
    IohTransfer *transfer = start ("falling-progress", &fd);

    g_signal_connect (transfer, "progress", G_CALLBACK (note_progress), &most);
    manager_await_phase (transfer, IOH_PHASE_FLUSHING);
    g_assert_cmpuint (most, ==, 5);
    close (fd);
    g_assert_true (ioh_transfer_finish (transfer, NULL, &error));
    manager_await_state (transfer, IOH_TRANSFER_STATE_DONE);
    while (g_main_context_iteration (NULL, FALSE))
        continue;
    g_assert_cmpuint (most, ==, 7);
    end (transfer);
}

/* Nothing is done to a helper that only takes its time, until it is cancelled. */
static void
cancelled (const char *fake, IohPhase phase)
{
    g_autoptr (GError) error = NULL;
    int fd;
    IohTransfer *transfer = start (fake, &fd);
    int pid = ioh_transfer_get_pid (transfer);

    manager_await_phase (transfer, phase);
    ioh_transfer_cancel (transfer);
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_CANCELLING);
    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED);
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_CANCELLED);
    g_assert_cmpint (ioh_transfer_get_pid (transfer), ==, -1);
    g_assert_cmpint (kill (pid, 0), ==, -1);
    close (fd);
    end (transfer);
}

static void
test_hang (void)
{
    cancelled ("hang", IOH_PHASE_OPENING);
}

/* One that ignores SIGTERM and has closed its lines is killed. */
static void
test_deaf (void)
{
    cancelled ("deaf", IOH_PHASE_WAITING);
}

/* A process that outlives the helper and keeps its lines open holds nobody up. */
static void
test_leave_child (void)
{
    g_autoptr (GError) error = NULL;
    int fd;
    IohTransfer *transfer = start ("leave-child", &fd);

    gboolean done = ioh_transfer_finish (transfer, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (done);
    close (fd);
    end (transfer);
}

static void
test_environment (void)
{
    g_autoptr (GError) error = NULL;
    int fd;
    IohTransfer *transfer = start ("environment", &fd);

    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_assert_cmpstr (error->message, ==, "FAKE=environment");
    close (fd);
    end (transfer);
}

int
main (int argc, char **argv)
{
    static const Case cases[] = {
        {"nothing", IOH_TRANSFER_ERROR_PROTOCOL, "without the report"},
        {"status-1", IOH_TRANSFER_ERROR_PROTOCOL, "status 1"},
        {"status-77", IOH_TRANSFER_ERROR_PROTOCOL, "status 77"},
        {"status-77", IOH_TRANSFER_ERROR_PROTOCOL, "cannot find the manual"},
        {"unknown", IOH_TRANSFER_ERROR_PROTOCOL, "status 98"},
        {"crash", IOH_TRANSFER_ERROR_DIED, "signal 11"},
        {"crash", IOH_TRANSFER_ERROR_DIED, ": all is lost"},
        {"garbage", IOH_TRANSFER_ERROR_PROTOCOL, "without the report"},
        {"nested", IOH_TRANSFER_ERROR_PROTOCOL, "without the report"},
        {"half-report", IOH_TRANSFER_ERROR_PROTOCOL, "without the report"},
        {"lying-report", IOH_TRANSFER_ERROR_PROTOCOL, "status 4"},
        {"done-but-killed", IOH_TRANSFER_ERROR_DIED, "out of memory"},
        {"flood-report", IOH_TRANSFER_ERROR_PROTOCOL, "said more"},
        {"flood-progress", IOH_TRANSFER_ERROR_PROTOCOL, "said more"},
        {"flood-words", IOH_TRANSFER_ERROR_PROTOCOL, "said more"},
        {"endless-line", IOH_TRANSFER_ERROR_PROTOCOL, "said more"},
    };

    manager_init (&argc, &argv);
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autofree char *name = g_strdup_printf ("/broken/%s/%s", cases[i].fake, cases[i].text);
        g_test_add_data_func (name, &cases[i], test_case);
    }
    g_test_add_func ("/broken/odd-members", test_odd_members);
    g_test_add_func ("/broken/falling-progress", test_falling_progress);
    g_test_add_func ("/broken/hang", test_hang);
    g_test_add_func ("/broken/deaf", test_deaf);
    g_test_add_func ("/broken/leave-child", test_leave_child);
    g_test_add_func ("/broken/environment", test_environment);
    return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-error - what a failure says, which exit status it asks for, and what is remembered of it.
 */
#include <errno.h>

#include "error.h"

/* side, stage, errno -> exit status */
static void
test_exit_status (void)
{
    static const struct {
        IohSide side;
        IohStage stage;
        int error_number;
        IohExit status;
    } table[] = {
        {IOH_SIDE_STREAM, IOH_STAGE_READ, EIO, IOH_EXIT_STREAM},
        {IOH_SIDE_STREAM, IOH_STAGE_WRITE, EPIPE, IOH_EXIT_STREAM},
        {IOH_SIDE_STREAM, IOH_STAGE_CLOSE, ENOSPC, IOH_EXIT_STREAM},
        {IOH_SIDE_FILE, IOH_STAGE_OPEN, EACCES, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_OPEN, ENOSPC, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_CHECK, EEXIST, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_LABEL, EPERM, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_READ, EIO, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, EIO, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, EPIPE, IOH_EXIT_FILE},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, ENOSPC, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, EDQUOT, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_WRITE, EFBIG, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_TRUNCATE, EIO, IOH_EXIT_FLUSH},
        {IOH_SIDE_FILE, IOH_STAGE_FLUSH, EIO, IOH_EXIT_FLUSH},
        {IOH_SIDE_FILE, IOH_STAGE_FLUSH, ENOSPC, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_CLOSE, EIO, IOH_EXIT_FLUSH},
        {IOH_SIDE_FILE, IOH_STAGE_CLOSE, EDQUOT, IOH_EXIT_NO_ROOM},
        {IOH_SIDE_FILE, IOH_STAGE_PUBLISH, EIO, IOH_EXIT_FLUSH},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        const IohPlace place = {table[i].side, "/srv/vm", table[i].stage, 0};
        g_autoptr (GError) error = NULL;
        g_assert_false (ioh_error_errno (&error, &place, table[i].error_number));
        g_test_message ("%s", error->message);
        g_assert_error (error, IOH_ERROR, (int) table[i].status);
        g_assert_cmpint (ioh_error_exit (error), ==, table[i].status);
    }
}

static void
test_message (void)
{
    const IohPlace place = {IOH_SIDE_FILE, "/srv/vm.img", IOH_STAGE_WRITE, 4096};
    g_autoptr (GError) error = NULL;

    ioh_error_errno (&error, &place, ENOSPC);
    g_assert_cmpstr (error->message, ==,
                     "file /srv/vm.img: write failed at byte 4096: No space left on device");
}

/* Where no position is meant none is told. */
static void
test_message_without_offset (void)
{
    const IohPlace place = {IOH_SIDE_STREAM, "fd 5", IOH_STAGE_CLOSE, IOH_NO_OFFSET};
    g_autoptr (GError) error = NULL;

    ioh_error_errno (&error, &place, EIO);
    g_assert_cmpstr (error->message, ==, "stream fd 5: close failed: Input/output error");
}

/* A name cannot make two lines of one. */
static void
test_message_of_one_line (void)
{
    const IohPlace place = {IOH_SIDE_FILE, "a\nb", IOH_STAGE_OPEN, IOH_NO_OFFSET};
    g_autoptr (GError) error = NULL;

    ioh_error_errno (&error, &place, ENOENT);
    g_assert_cmpstr (error->message, ==, "file a\\012b: open failed: No such file or directory");
    g_assert_cmpstr (ioh_error_details (error)->name, ==, "a\nb");
}

static void
test_words_of_our_own (void)
{
    const IohPlace place = {IOH_SIDE_FILE, "img", IOH_STAGE_CHECK, IOH_NO_OFFSET};
    g_autoptr (GError) error = NULL;

    g_assert_false (ioh_error_set (&error, IOH_EXIT_IMAGE, &place, "cut by %d bytes", 7));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_IMAGE);
    g_assert_cmpstr (error->message, ==, "file img: check failed: cut by 7 bytes");
    g_assert_cmpint (ioh_error_details (error)->error_number, ==, 0);
}

static void
test_details (void)
{
    const IohPlace place = {IOH_SIDE_STREAM, "fd 5", IOH_STAGE_READ, UINT64_C (1) << 40};
    g_autoptr (GError) error = NULL;

    ioh_error_errno (&error, &place, ECONNRESET);
    const IohErrorPrivate *details = ioh_error_details (error);
    g_assert_cmpint (details->side, ==, IOH_SIDE_STREAM);
    g_assert_cmpint (details->stage, ==, IOH_STAGE_READ);
    g_assert_cmpstr (details->name, ==, "fd 5");
    g_assert_cmpuint (details->offset, ==, UINT64_C (1) << 40);
    g_assert_cmpint (details->error_number, ==, ECONNRESET);
}

/* A copy outlives the error it was made of. */
static void
test_details_copied (void)
{
    const IohPlace place = {IOH_SIDE_FILE, "/a/name", IOH_STAGE_FLUSH, 7};
    GError *error = NULL;

    ioh_error_errno (&error, &place, EIO);
    g_autoptr (GError) copy = g_error_copy (error);
    g_error_free (error);
    g_assert_cmpstr (ioh_error_details (copy)->name, ==, "/a/name");
    g_assert_cmpint (ioh_error_details (copy)->stage, ==, IOH_STAGE_FLUSH);
    g_assert_cmpuint (ioh_error_details (copy)->offset, ==, 7);
}

static void
test_usage (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_false (ioh_error_usage (&error, "--%s is odd", "size"));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    g_assert_cmpstr (error->message, ==, "--size is odd");
    g_assert_cmpint (ioh_error_details (error)->side, ==, IOH_SIDE_NONE);
}

static void
test_internal (void)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GError) plain = NULL;

    g_assert_false (ioh_error_internal (&error, "cannot make a pipe", EMFILE));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_INTERNAL);
    g_assert_cmpstr (error->message, ==, "cannot make a pipe: Too many open files");
    g_assert_false (ioh_error_internal (&plain, "no threads", 0));
    g_assert_cmpstr (plain->message, ==, "no threads");
}

/* Errors of other domains are faults of ours. */
static void
test_foreign (void)
{
    g_autoptr (GError) error = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_IO, "x");

    g_assert_null (ioh_error_details (error));
    g_assert_null (ioh_error_details (NULL));
    g_assert_cmpint (ioh_error_exit (error), ==, IOH_EXIT_INTERNAL);
}

/* Whoever does not want to know passes NULL. */
static void
test_unwanted (void)
{
    const IohPlace place = {IOH_SIDE_FILE, "f", IOH_STAGE_READ, 0};

    g_assert_false (ioh_error_errno (NULL, &place, EIO));
    g_assert_false (ioh_error_set (NULL, IOH_EXIT_FILE, &place, "x"));
    g_assert_false (ioh_error_usage (NULL, "x"));
    g_assert_false (ioh_error_internal (NULL, "x", EIO));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/error/exit-status", test_exit_status);
    g_test_add_func ("/error/message", test_message);
    g_test_add_func ("/error/message-without-offset", test_message_without_offset);
    g_test_add_func ("/error/message-of-one-line", test_message_of_one_line);
    g_test_add_func ("/error/words-of-our-own", test_words_of_our_own);
    g_test_add_func ("/error/details", test_details);
    g_test_add_func ("/error/details-copied", test_details_copied);
    g_test_add_func ("/error/usage", test_usage);
    g_test_add_func ("/error/internal", test_internal);
    g_test_add_func ("/error/foreign", test_foreign);
    g_test_add_func ("/error/unwanted", test_unwanted);
    return g_test_run ();
}

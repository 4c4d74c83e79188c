/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-label - what --label does, where SELinux is active, disabled or not built in.
 *
 * The two functions that ask SELinux are replaced when this is linked; the last test calls the real
 * one, which can write and read the attribute also where SELinux is switched off.
 */
#include "label.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "config.h"
#include "error.h"
#include "options.h"
#include "plan.h"
#include "probe.h"
#include "run.h"

#define CONTEXT "system_u:object_r:virt_image_t:s0"

int __real_ioh_label_set (int fd, const char *context);
int __wrap_ioh_label_set (int fd, const char *context);
IohLabels __wrap_ioh_labels (void);

typedef struct {
    IohLabels labels;
    int result;  /* what setting a label comes to */
    int calls;   /* how often it was asked for */
    off_t bytes; /* how much the file held by then */
    char *directory;
    char *target;
    IohOptions *options;
    IohReport *report;
    IohOutcome outcome;
    GError *error;
} Fixture;

static Fixture *current;

IohLabels
__wrap_ioh_labels (void)
{
    return current->labels;
}

int
__wrap_ioh_label_set (int fd, const char *context)
{
    struct stat st;

    g_assert_cmpstr (context, ==, CONTEXT);
    g_assert_cmpint (fstat (fd, &st), ==, 0);
    current->bytes = st.st_size;
    current->calls++;
    return current->result;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    current = fixture;
    fixture->directory = g_dir_make_tmp ("iohelper-XXXXXX", &error);
    g_assert_no_error (error);
    fixture->target = g_build_filename (fixture->directory, "image", NULL);
    fixture->report = ioh_report_new ();
    fixture->options = ioh_options_new (IOH_COMMAND_SAVE);
    fixture->options->label = g_strdup (CONTEXT);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
    g_remove (fixture->target);
    g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
    g_free (fixture->directory);
    g_free (fixture->target);
    ioh_options_free (fixture->options);
    ioh_report_free (fixture->report);
    g_clear_error (&fixture->error);
}

/* Saves a few bytes to the target. */
static void
save (Fixture *fixture)
{
    g_autoptr (GError) error = NULL;
    int fds[2];

    g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
    g_assert_cmpint (write (fds[1], "stream", 6), ==, 6);
    close (fds[1]);
    ioh_options_set_file (fixture->options, fixture->target, -1);
    ioh_options_set_stream (fixture->options, fds[0]);
    g_autoptr (IohFacts) facts = ioh_probe (fixture->options, &error);
    g_assert_no_error (error);
    g_autoptr (IohPlan) plan = ioh_plan_new (fixture->options, facts, &error);
    g_assert_no_error (error);
    IohLinks links = {.cancel = ioh_cancel_new (&error), .report = fixture->report};
    g_assert_no_error (error);
    fixture->outcome = ioh_run (fixture->options, facts, plan, &links, &fixture->error);
    ioh_cancel_free (links.cancel);
    close (fds[0]);
}

static gboolean
noted (const Fixture *fixture, const char *text)
{
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);
    gboolean found = FALSE;

    for (int i = 0; lines[i] != NULL; i++)
        found = found || strstr (lines[i], text) != NULL;
    return found;
}

static void
test_active (Fixture *fixture, gconstpointer data)
{
    save (fixture);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (fixture->outcome, ==, IOH_OUTCOME_DONE);
    g_assert_cmpint (fixture->calls, ==, 1);
    g_assert_cmpint (fixture->bytes, ==, 0);
    g_assert_false (noted (fixture, "label"));
}

/* The label asked for and not the old file's is what the new file gets. */
static void
test_replaces (Fixture *fixture, gconstpointer data)
{
    g_assert_true (g_file_set_contents (fixture->target, "old", 3, NULL));
    test_active (fixture, data);
}

static void
test_not_supported (Fixture *fixture, gconstpointer data)
{
    fixture->result = -EOPNOTSUPP;
    save (fixture);
    g_assert_no_error (fixture->error);
    g_assert_true (noted (fixture, CONTEXT));
    g_assert_true (g_file_test (fixture->target, G_FILE_TEST_EXISTS));
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
    fixture->result = -EINVAL;
    save (fixture);
    g_assert_error (fixture->error, IOH_ERROR, IOH_EXIT_FILE);
    g_assert_cmpint (ioh_error_details (fixture->error)->stage, ==, IOH_STAGE_LABEL);
    g_assert_nonnull (strstr (fixture->error->message, CONTEXT));
    g_assert_nonnull (strstr (fixture->error->message, g_strerror (EINVAL)));
    /* tear_down finds the directory empty */
    g_assert_false (g_file_test (fixture->target, G_FILE_TEST_EXISTS));
}

static void
test_disabled (Fixture *fixture, gconstpointer data)
{
    fixture->labels = IOH_LABELS_DISABLED;
    save (fixture);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (fixture->calls, ==, 0);
    g_assert_true (noted (fixture, "SELinux is disabled"));
}

static void
test_in_place (Fixture *fixture, gconstpointer data)
{
    g_assert_true (g_file_set_contents (fixture->target, "old", 3, NULL));
    fixture->options->exists = IOH_EXISTS_OVERWRITE;
    save (fixture);
    g_assert_no_error (fixture->error);
    g_assert_cmpint (fixture->calls, ==, 0);
    g_assert_true (noted (fixture, "only created files"));
}

static void
test_not_built (Fixture *fixture, gconstpointer data)
{
    char *argv[] = {(char *) "iohelper", (char *) "save", (char *) "--label=" CONTEXT,
                    (char *) "image", NULL};
    g_autoptr (GError) error = NULL;

    fixture->labels = IOH_LABELS_NOT_BUILT;
    g_assert_null (ioh_options_parse (argv, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    g_assert_nonnull (strstr (error->message, "--label"));
    g_assert_nonnull (strstr (error->message, "without SELinux"));

    g_clear_error (&error);
    fixture->labels = IOH_LABELS_DISABLED;
    g_autoptr (IohOptions) options = ioh_options_parse (argv, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (options->label, ==, CONTEXT);
}

/* The attribute itself, which root can write on most file systems. */
static void
test_attribute (Fixture *fixture, gconstpointer data)
{
    int fd = open (fixture->target, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    int result = __real_ioh_label_set (fd, CONTEXT);
    char stored[256] = "";

    if (!IOH_HAVE_SELINUX)
        g_assert_cmpint (result, ==, -EOPNOTSUPP);
    if (result == -EPERM || result == -EOPNOTSUPP) {
        /* not built in is no want of the machine */
        if (IOH_HAVE_SELINUX && g_strcmp0 (g_getenv ("IOH_MUST_WORK"), "1") == 0)
            g_test_fail_printf ("contexts cannot be set here: %s", g_strerror (-result));
        else
            g_test_skip ("contexts cannot be set here");
    } else {
        g_assert_cmpint (result, ==, 0);
        g_assert_cmpint (fgetxattr (fd, "security.selinux", stored, sizeof stored - 1), >, 0);
        g_assert_cmpstr (stored, ==, CONTEXT);
    }
    close (fd);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)
    ADD ("/label/active", test_active);
    ADD ("/label/replaces", test_replaces);
    ADD ("/label/not-supported", test_not_supported);
    ADD ("/label/refused", test_refused);
    ADD ("/label/disabled", test_disabled);
    ADD ("/label/in-place", test_in_place);
    ADD ("/label/not-built", test_not_built);
    ADD ("/label/attribute", test_attribute);
    return g_test_run ();
}

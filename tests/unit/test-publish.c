/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-publish - files that get their name when they are complete, in a directory of the test.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "fault.h"
#include "publish.h"
#include "scratch.h"

typedef struct {
    char *directory;
    char *path;
    IohOptions *options;
    IohFacts facts;
    IohPlan plan;
    IohReport *report;
    int fd;
} Fixture;

/* DATA is the way to publish. */
static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    fixture->directory = scratch_new ();
    fixture->path = g_build_filename (fixture->directory, "target", NULL);
    fixture->options = ioh_options_new (IOH_COMMAND_SAVE);
    ioh_options_set_file (fixture->options, fixture->path, -1);
    fixture->facts.file.path = fixture->path;
    fixture->facts.file.kind = IOH_END_MISSING;
    fixture->plan.publish = (IohPublish) GPOINTER_TO_INT (data);
    fixture->report = ioh_report_new ();
    fixture->fd = -1;
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_report_free (fixture->report);
    ioh_options_free (fixture->options);
    scratch_remove (fixture->directory);
    g_free (fixture->path);
}

/* There is a file with the target's name already. */
static void
fixture_make_old (Fixture *fixture, mode_t mode)
{
    g_autofree char *name = g_path_get_basename (fixture->path);

    g_free (scratch_file (fixture->directory, name, 100, 'o'));
    chmod (fixture->path, mode);
    fixture->facts.file.kind = IOH_END_REGULAR;
    g_assert_cmpint (stat (fixture->path, &fixture->facts.file.replaced), ==, 0);
}

static IohPublication *
begin (Fixture *fixture)
{
    g_autoptr (GError) error = NULL;
    IohPublication *publication =
        ioh_publication_new (fixture->options, &fixture->plan, &fixture->facts, 0, fixture->report,
                             &fixture->fd, &error);

    g_assert_no_error (error);
    g_assert_cmpint (write (fixture->fd, "new", 3), ==, 3);
    return publication;
}

static void
end (Fixture *fixture, IohPublication *publication)
{
    close (fixture->fd);
    ioh_publication_free (publication);
}

static void
commit (Fixture *fixture, IohPublication *publication)
{
    g_autoptr (GError) error = NULL;

    ioh_publication_commit (publication, fixture->fd, &error);
    g_assert_no_error (error);
}

static void
expect_names (Fixture *fixture, const char *names)
{
    g_autofree char *is = scratch_names (fixture->directory);

    g_assert_cmpstr (is, ==, names);
}

static void
expect_content (Fixture *fixture, const char *name, const char *content)
{
    g_autofree char *path = g_build_filename (fixture->directory, name, NULL);
    size_t length = 0;
    g_autofree uint8_t *is = scratch_read (path, &length);

    g_assert_cmpmem (is, length, content, strlen (content));
}

static void
expect_old (Fixture *fixture)
{
    size_t length = 0;
    g_autofree uint8_t *is = scratch_read (fixture->path, &length);

    g_assert_cmpuint (length, ==, 100);
    g_assert_cmpint (is[0], ==, 'o');
}

static mode_t
mode_of (const char *path)
{
    struct stat st;

    g_assert_cmpint (stat (path, &st), ==, 0);
    return st.st_mode & 07777;
}

static void
test_new_file (Fixture *fixture, gconstpointer data)
{
    IohPublication *publication = begin (fixture);

    g_assert_false (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
    commit (fixture, publication);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_content (fixture, "target", "new");
    g_assert_cmpuint (mode_of (fixture->path), ==, 0600);
}

/* The mode is exact: no umask takes from it. */
static void
test_mode (Fixture *fixture, gconstpointer data)
{
    mode_t umask_before = umask (077);

    fixture->options->mode = 0664;
    IohPublication *publication = begin (fixture);
    umask (umask_before);
    commit (fixture, publication);
    end (fixture, publication);
    g_assert_cmpuint (mode_of (fixture->path), ==, 0664);
}

/* Until commit the name means the old file; its mode is kept. */
static void
test_replaces (Fixture *fixture, gconstpointer data)
{
    fixture_make_old (fixture, 0640);
    IohPublication *publication = begin (fixture);
    expect_old (fixture);
    commit (fixture, publication);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_content (fixture, "target", "new");
    g_assert_cmpuint (mode_of (fixture->path), ==, 0640);
}

/* Hard links to the old file are none of ours. */
static void
test_replaces_one_name (Fixture *fixture, gconstpointer data)
{
    fixture_make_old (fixture, 0600);
    g_autofree char *other = g_build_filename (fixture->directory, "other", NULL);
    g_assert_cmpint (link (fixture->path, other), ==, 0);
    IohPublication *publication = begin (fixture);
    commit (fixture, publication);
    end (fixture, publication);
    expect_names (fixture, "other target");
    expect_content (fixture, "target", "new");
}

static void
test_discarded (Fixture *fixture, gconstpointer data)
{
    fixture_make_old (fixture, 0600);
    IohPublication *publication = begin (fixture);
    ioh_publication_discard (publication, fixture->fd, FALSE);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_old (fixture);
}

static void
test_partial_kept (Fixture *fixture, gconstpointer data)
{
    fixture_make_old (fixture, 0600);
    IohPublication *publication = begin (fixture);
    ioh_publication_discard (publication, fixture->fd, TRUE);
    end (fixture, publication);
    expect_names (fixture, "target target.part");
    expect_content (fixture, "target.part", "new");
    expect_old (fixture);
}

/* One left from an earlier failure gives way. */
static void
test_partial_replaced (Fixture *fixture, gconstpointer data)
{
    g_free (scratch_file (fixture->directory, "target.part", 50, 'p'));
    IohPublication *publication = begin (fixture);
    ioh_publication_discard (publication, fixture->fd, TRUE);
    end (fixture, publication);
    expect_names (fixture, "target.part");
    expect_content (fixture, "target.part", "new");
}

static void
appear (Fixture *fixture)
{
    g_free (scratch_file (fixture->directory, "target", 100, 'o'));
}

/* A file that appears meanwhile is replaced like one that was there. */
static void
test_appears (Fixture *fixture, gconstpointer data)
{
    IohPublication *publication = begin (fixture);

    appear (fixture);
    commit (fixture, publication);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_content (fixture, "target", "new");
}

/* Unless the name had to be free. */
static void
test_appears_refused (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    fixture->options->exists = IOH_EXISTS_REFUSE;
    IohPublication *publication = begin (fixture);
    appear (fixture);
    g_assert_false (ioh_publication_commit (publication, fixture->fd, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_FLUSH);
    g_assert_cmpint (ioh_error_details (error)->stage, ==, IOH_STAGE_PUBLISH);
    g_assert_cmpint (ioh_error_details (error)->error_number, ==, EEXIST);
    ioh_publication_discard (publication, fixture->fd, FALSE);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_old (fixture);
}

static void
test_refuses_nothing (Fixture *fixture, gconstpointer data)
{
    fixture->options->exists = IOH_EXISTS_REFUSE;
    IohPublication *publication = begin (fixture);
    commit (fixture, publication);
    end (fixture, publication);
    expect_names (fixture, "target");
    expect_content (fixture, "target", "new");
}

/* The name may be as long as names can be; the temporary one still fits. */
static void
test_long_name (Fixture *fixture, gconstpointer data)
{
    char name[NAME_MAX + 1];

    memset (name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    g_free (fixture->path);
    fixture->path = g_build_filename (fixture->directory, name, NULL);
    fixture->facts.file.path = fixture->path;
    fixture_make_old (fixture, 0600);
    IohPublication *publication = begin (fixture);
    commit (fixture, publication);
    end (fixture, publication);
    expect_content (fixture, name, "new");
}

/* A directory that cannot flush itself is no failure; one that fails to is. */
static void
test_flush (Fixture *fixture, gconstpointer data)
{
    const Fault unable = {SYS_SYNC, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EINVAL, 0};
    const Fault failed = {SYS_SYNC, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EIO, 0};
    g_autoptr (GError) error = NULL;
    IohPublication *publication = begin (fixture);

    commit (fixture, publication);
    g_assert_true (ioh_publication_flush (publication, NULL));
    fault_arm (&unable);
    g_assert_true (ioh_publication_flush (publication, NULL));
    fault_disarm ();
    fault_arm (&failed);
    g_assert_false (ioh_publication_flush (publication, &error));
    fault_disarm ();
    g_assert_error (error, IOH_ERROR, IOH_EXIT_FLUSH);
    end (fixture, publication);
}

static void
test_no_directory (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    g_free (fixture->path);
    fixture->path = g_build_filename (fixture->directory, "missing", "target", NULL);
    fixture->facts.file.path = fixture->path;
    g_assert_null (ioh_publication_new (fixture->options, &fixture->plan, &fixture->facts, 0,
                                        fixture->report, &fixture->fd, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_FILE);
    g_assert_cmpint (ioh_error_details (error)->stage, ==, IOH_STAGE_OPEN);
    g_assert_cmpint (fixture->fd, ==, -1);
}

/* An owner that cannot be given away takes the group's rights along: they were another group's. */
static void
test_owner_not_kept (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_CHOWN, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EPERM, 0};

    fixture_make_old (fixture, 0664);
    fixture->facts.file.replaced.st_gid++;
    fault_arm (&fault);
    IohPublication *publication = begin (fixture);
    fault_disarm ();
    commit (fixture, publication);
    end (fixture, publication);
    g_assert_cmpuint (mode_of (fixture->path), ==, 0644);
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);
    g_assert_cmpuint (g_strv_length (lines), ==, 1);
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run) (Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"new-file", test_new_file},
        {"mode", test_mode},
        {"replaces", test_replaces},
        {"replaces-one-name", test_replaces_one_name},
        {"discarded", test_discarded},
        {"partial-kept", test_partial_kept},
        {"partial-replaced", test_partial_replaced},
        {"appears", test_appears},
        {"appears-refused", test_appears_refused},
        {"refuses-nothing", test_refuses_nothing},
        {"long-name", test_long_name},
        {"flush", test_flush},
        {"no-directory", test_no_directory},
        {"owner-not-kept", test_owner_not_kept},
    };

    g_test_init (&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (tests) * 2; i++) {
        IohPublish publish = i % 2 == 0 ? IOH_PUBLISH_UNNAMED : IOH_PUBLISH_NAMED;
        g_autofree char *path =
            g_strdup_printf ("/publish/%s/%s", ioh_publish_name (publish), tests[i / 2].name);
        g_test_add (path, Fixture, GINT_TO_POINTER (publish), fixture_set_up, tests[i / 2].run,
                    fixture_tear_down);
    }
    return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-sink - the places in a file that bytes of a very long stream go to.
 *
 * The stream is never that long here: a file with holes takes some of its bytes at their offsets.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"
#include "scratch.h"
#include "sink.h"
#include "size.h"

#define GIB (1024 * IOH_MIB)

/* Around the offsets at which counters of 31 and 32 bits end, and beyond. */
static const uint64_t sink_offsets[] = {0,           2 * GIB - 4, 2 * GIB + 4,
                                        4 * GIB - 4, 4 * GIB + 4, 5 * GIB};

typedef struct {
    char *directory;
    char *path;
    IohOptions *options;
    IohFacts *facts;
    IohPlan *plan;
    IohReport *report;
    IohSink *sink;
    int pipe_fds[2];
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (pipe2 (fixture->pipe_fds, O_CLOEXEC), ==, 0);
    fixture->directory = scratch_new ();
    fixture->path = g_build_filename (fixture->directory, "target", NULL);
    fixture->options = ioh_options_new (IOH_COMMAND_SAVE);
    fixture->options->cache = IOH_CACHE_KEEP;
    fixture->options->sync = IOH_SYNC_NONE;
    ioh_options_set_file (fixture->options, fixture->path, -1);
    ioh_options_set_stream (fixture->options, fixture->pipe_fds[0]);
    fixture->report = ioh_report_new ();
    fixture->facts = ioh_probe (fixture->options, &error);
    g_assert_no_error (error);
    fixture->plan = ioh_plan_new (fixture->options, fixture->facts, &error);
    g_assert_no_error (error);
    fixture->sink = ioh_sink_open (fixture->options, fixture->plan, fixture->facts, NULL,
                                   fixture->report, &error);
    g_assert_no_error (error);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_sink_free (fixture->sink);
    ioh_report_free (fixture->report);
    ioh_plan_free (fixture->plan);
    ioh_facts_free (fixture->facts);
    ioh_options_free (fixture->options);
    close (fixture->pipe_fds[0]);
    close (fixture->pipe_fds[1]);
    scratch_remove (fixture->directory);
    g_free (fixture->path);
}

typedef IohStep SinkGive (Fixture *fixture, uint64_t offset, size_t *out_bytes, GError **error);

static IohStep
sink_put (Fixture *fixture, uint64_t offset, size_t *out_bytes, GError **error)
{
    IohWait wait;

    return ioh_sink_put (fixture->sink, &offset, sizeof offset, offset, out_bytes, &wait, error);
}

static IohStep
sink_splice (Fixture *fixture, uint64_t offset, size_t *out_bytes, GError **error)
{
    IohWait wait;

    g_assert_cmpint (write (fixture->pipe_fds[1], &offset, sizeof offset), ==, sizeof offset);
    return ioh_sink_splice (fixture->sink, fixture->pipe_fds[0], sizeof offset, offset, out_bytes,
                            &wait, error);
}

/* Every offset holds itself, and the file ends behind the last. */
static void
expect_offsets (Fixture *fixture)
{
    const unsigned last = G_N_ELEMENTS (sink_offsets) - 1;
    int fd = open (fixture->path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    g_assert_cmpint (fstat (fd, &st), ==, 0);
    g_assert_cmpuint ((uint64_t) st.st_size, ==, sink_offsets[last] + sizeof (uint64_t));
    for (unsigned i = 0; i <= last; i++) {
        uint64_t is = 1;
        g_assert_cmpint (pread (fd, &is, sizeof is, (off_t) sink_offsets[i]), ==, sizeof is);
        g_assert_cmpuint (is, ==, sink_offsets[i]);
    }
    close (fd);
}

static void
give_all (Fixture *fixture, SinkGive *give)
{
    const uint64_t end = sink_offsets[G_N_ELEMENTS (sink_offsets) - 1] + sizeof end;
    g_autoptr (GError) error = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS (sink_offsets); i++) {
        size_t bytes = 0;
        IohStep step = give (fixture, sink_offsets[i], &bytes, &error);
        g_assert_no_error (error);
        g_assert_cmpint (step, ==, IOH_STEP_MOVED);
        g_assert_cmpuint (bytes, ==, sizeof (uint64_t));
    }
    ioh_sink_flush (fixture->sink, end, &error);
    g_assert_no_error (error);
    ioh_sink_finish (fixture->sink, &error);
    g_assert_no_error (error);
    expect_offsets (fixture);
}

static void
test_put (Fixture *fixture, gconstpointer data)
{
    give_all (fixture, sink_put);
}

static void
test_splice (Fixture *fixture, gconstpointer data)
{
    give_all (fixture, sink_splice);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add ("/sink/put-far-behind", Fixture, NULL, fixture_set_up, test_put, fixture_tear_down);
    g_test_add ("/sink/splice-far-behind", Fixture, NULL, fixture_set_up, test_splice,
                fixture_tear_down);
    return g_test_run ();
}

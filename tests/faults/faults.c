/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * faults - every function of sys.h going wrong, the first call, the second, ... until a transfer
 * completes untouched; in every scene, for every engine and queue.
 *
 * Owns the enumeration, and the count of what it reached: a row that no scene meets, or a function
 * without a row, fails.
 */
#include <signal.h>
#include <stdlib.h>

#include "queue.h"
#include "strike.h"

/* What goes wrong for good does so from one of the first calls on; later ones are no different. */
#define FAULTS_LASTING 4

/* Which rows have struck, in all tests together. */
static gboolean *faults_struck;
static unsigned faults_tests;
static unsigned faults_tests_run;

/* One fault; FALSE when it was not met. */
static gboolean
faults_strike (const FaultTest *test, const FaultRow *row, unsigned nth)
{
    g_autofree char *name = fault_row_name (row);
    g_autofree char *what = g_strdup_printf ("%s, call %u", name, nth);
    Trial *trial = NULL;

    trial_says (what);
    const Strike strike = {row, nth};
    gboolean struck = strike_run (test, &strike, 1, &trial);
    if (struck)
        strike_judge (trial, row);
    else
        trial_expect_done (trial);
    trial_free (trial);
    trial_says (NULL);
    return struck;
}

static gboolean
faults_matters (const FaultScene *scene, SysCall call)
{
    if (scene->only == NULL)
        return TRUE;
    for (const SysCall *only = scene->only; *only != SYS_CALLS; only++)
        if (*only == call)
            return TRUE;
    return FALSE;
}

/* Whether standing faults or stubs have taken the place of the call. */
static gboolean
faults_stands (const FaultScene *scene, SysCall call)
{
    return scene->standing != NULL && scene->standing->call == call;
}

static void
faults_run_scene (gconstpointer data)
{
    const FaultTest *test = data;
    unsigned calls[SYS_CALLS];
    Trial *trial = NULL;

    faults_tests_run++;
    strike_run (test, NULL, 0, &trial);
    for (unsigned i = 0; i < SYS_CALLS; i++)
        calls[i] = fault_calls (i);
    trial_expect_done (trial);
    trial_free (trial);
    for (unsigned i = 0; i < fault_row_count; i++) {
        const FaultRow *row = &fault_rows[i];
        if (calls[row->call] == 0 || !faults_matters (test->scene, row->call) ||
            faults_stands (test->scene, row->call))
            continue;
        unsigned most = row->lasts ? FAULTS_LASTING : G_MAXUINT;
        for (unsigned nth = 1; nth <= most && faults_strike (test, row, nth); nth++)
            faults_struck[i] = TRUE;
    }
}

/* Two things that go wrong at once are too many to try all: some, drawn anew each time. */
#define FAULTS_PAIRS 30

static Strike
faults_draw (GRand *random)
{
    const FaultRow *row = &fault_rows[g_rand_int_range (random, 0, (gint32) fault_row_count)];

    return (Strike){row, (unsigned) g_rand_int_range (random, 1, 8)};
}

static void
faults_run_pairs (gconstpointer data)
{
    const FaultTest *test = data;
    const char *given = g_getenv ("IOH_SEED");
    uint32_t seed = given != NULL ? (uint32_t) strtoul (given, NULL, 10) : g_random_int ();
    g_autoptr (GRand) random = g_rand_new_with_seed (seed);

    g_test_message ("IOH_SEED=%u", seed);
    for (unsigned i = 0; i < FAULTS_PAIRS; i++) {
        const Strike strikes[] = {faults_draw (random), faults_draw (random)};
        g_autofree char *first = fault_row_name (strikes[0].row);
        g_autofree char *second = fault_row_name (strikes[1].row);
        g_autofree char *what = g_strdup_printf ("%s, call %u; %s, call %u", first, strikes[0].nth,
                                                 second, strikes[1].nth);
        Trial *trial = NULL;
        trial_says (what);
        strike_run (test, strikes, G_N_ELEMENTS (strikes), &trial);
        strike_judge_loosely (trial);
        trial_free (trial);
        trial_says (NULL);
    }
}

/* Every function that sys.h declares has its row: one that was added is not forgotten here. */
static void
faults_run_complete (void)
{
    gboolean known[SYS_CALLS] = {FALSE};

    for (unsigned i = 0; i < fault_row_count; i++)
        known[fault_rows[i].call] = TRUE;
    for (unsigned i = 0; i < SYS_CALLS; i++)
        if (!known[i])
            trial_fail ("rows.c says nothing about ioh_sys_%s", sys_call_names[i]);
}

/* Only block devices are asked for these. */
static gboolean
faults_needs_device (SysCall call)
{
    return call == SYS_DEVICE_SIZE || call == SYS_SECTOR_SIZE;
}

/* Every row has struck somewhere: none is there for show. */
static void
faults_run_reached (void)
{
    if (faults_tests_run < faults_tests) {
        g_test_skip ("only some of the scenes were run");
        return;
    }
    for (unsigned i = 0; i < fault_row_count; i++) {
        g_autofree char *name = fault_row_name (&fault_rows[i]);
        if (!faults_struck[i] && !faults_needs_device (fault_rows[i].call))
            trial_fail ("no scene met this: %s", name);
    }
}

static void
faults_add_test (const FaultTest *test, const char *what, GTestDataFunc func)
{
    const char *engine = test->engine != NULL ? test->engine->name : "auto";
    gboolean named = test->queue != IOH_QUEUE_AUTO;
    g_autofree char *path =
        g_strdup_printf ("/%s/%s%s%s/%s", what, engine, named ? "-" : "",
                         named ? ioh_wire_queue_name (test->queue) : "", test->scene->name);

    g_test_add_data_func_full (path, g_memdup2 (test, sizeof *test), func, g_free);
}

static void
faults_add (const FaultScene *scene, const IohEngine *engine, IohQueueKind queue)
{
    const FaultTest test = {scene, engine, queue};
    Trial *trial = fault_scene_trial (scene, engine, queue);

    trial_probe (trial);
    /* a file that cannot be had twice is for engines that take it as it is */
    if (trial_engine_fits (trial) &&
        (scene->standing == NULL || engine == NULL || engine->saves_direct)) {
        faults_add_test (&test, "faults", faults_run_scene);
        faults_tests++;
        if (scene->only == NULL)
            faults_add_test (&test, "pairs", faults_run_pairs);
    }
    trial_free (trial);
}

static void
faults_add_engines (const FaultScene *scene)
{
    const IohEngine *engine;

    faults_add (scene, NULL, IOH_QUEUE_AUTO);
    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        if (!engine->queues) {
            faults_add (scene, engine, IOH_QUEUE_AUTO);
            continue;
        }
        faults_add (scene, engine, IOH_QUEUE_THREADS);
        if (ioh_queue_probe_io_uring () == 0)
            faults_add (scene, engine, IOH_QUEUE_IO_URING);
    }
}

int
main (int argc, char **argv)
{
    signal (SIGPIPE, SIG_IGN);
    g_test_init (&argc, &argv, NULL);
    g_test_set_nonfatal_assertions ();
    faults_struck = g_new0 (gboolean, fault_row_count);
    g_test_add_func ("/faults/complete", faults_run_complete);
    for (unsigned i = 0; i < fault_scene_count; i++)
        faults_add_engines (&fault_scenes[i]);
    g_test_add_func ("/faults/reached/all", faults_run_reached);
    int result = g_test_run ();
    g_free (faults_struck);
    return result;
}

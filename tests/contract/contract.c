/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * contract - what every engine promises, tried on every engine, direction, stream and file.
 *
 * Owns the enumeration. An engine that is added to the table of engines is tested without a line
 * here; where it says that it cannot work, it must be refused by name and nothing else is tried.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "cases.h"
#include "error.h"
#include "queue.h"
#include "scratch.h"

static const TrialFile contract_files[] = {
    {"regular-keep", TRIAL_REGULAR, IOH_CACHE_KEEP, FALSE},
    {"regular-drop", TRIAL_REGULAR, IOH_CACHE_DROP, FALSE},
    {"regular-direct", TRIAL_REGULAR, IOH_CACHE_DIRECT, FALSE},
    {"inherited-keep", TRIAL_INHERITED, IOH_CACHE_KEEP, FALSE},
    {"inherited-direct", TRIAL_INHERITED, IOH_CACHE_AUTO, TRUE},
    {"fifo", TRIAL_FIFO, IOH_CACHE_AUTO, FALSE},
    {"null", TRIAL_NULL, IOH_CACHE_AUTO, FALSE},
};

static const TrialFile contract_devices[] = {
    {"block-direct", TRIAL_BLOCK, IOH_CACHE_DIRECT, FALSE},
    {"block-drop", TRIAL_BLOCK, IOH_CACHE_DROP, FALSE},
};

/* What g_test_add_data_func hands to a test. */
typedef struct {
    TrialEnds ends;
    const ContractCase *contract;
} ContractTest;

gboolean
contract_is_save (const TrialEnds *ends)
{
    return ends->direction == IOH_SAVE;
}

gboolean
contract_is_restore (const TrialEnds *ends)
{
    return ends->direction == IOH_RESTORE;
}

gboolean
contract_is_seekable (const TrialEnds *ends)
{
    return ends->file->kind != TRIAL_FIFO && ends->file->kind != TRIAL_NULL;
}

gboolean
contract_is_regular (const TrialEnds *ends)
{
    return ends->file->kind == TRIAL_REGULAR || ends->file->kind == TRIAL_INHERITED;
}

gboolean
contract_has_file_peer (const TrialEnds *ends)
{
    return ends->file->kind == TRIAL_FIFO;
}

uint32_t
contract_seed (void)
{
    const char *given = g_getenv ("IOH_SEED");
    uint32_t seed = given != NULL ? (uint32_t) strtoul (given, NULL, 10) : g_random_int ();

    g_test_message ("IOH_SEED=%u", seed);
    return seed;
}

static void
contract_run (gconstpointer data)
{
    const ContractTest *test = data;

    test->contract->run (&test->ends, test->contract->argument);
}

/* An engine that says it cannot work here is refused when it is named, and says why. */
static void
contract_run_refused (gconstpointer data)
{
    const ContractTest *test = data;
    Trial *trial = trial_new (&test->ends, 1);

    trial_run (trial);
    if (trial->plan != NULL || trial->error == NULL ||
        ioh_error_exit (trial->error) != IOH_EXIT_USAGE)
        trial_fail ("a named engine that cannot work was not refused");
    trial_expect_untouched (trial);
    trial_free (trial);
}

static void
contract_run_no_direct (gconstpointer data)
{
    scratch_lacks ("O_DIRECT does not work on the file system of TMPDIR");
}

static void
contract_run_no_io_uring (gconstpointer data)
{
    scratch_lacks ("this host refuses io_uring");
}

static char *
contract_path (const TrialEnds *ends, const char *name)
{
    const char *queue = ends->engine->queues ? ioh_wire_queue_name (ends->queue) : "";

    return g_strdup_printf ("/contract/%s%s%s/%s/%s/%s/%s", ends->engine->name,
                            ends->engine->queues ? "-" : "", queue,
                            ioh_wire_direction_name (ends->direction),
                            ends->stream == TRIAL_PIPE ? "pipe" : "socket", ends->file->name, name);
}

static void
contract_add (const TrialEnds *ends, const ContractCase *contract, const char *name,
              GTestDataFunc func)
{
    ContractTest *test = g_new0 (ContractTest, 1);
    g_autofree char *path = contract_path (ends, name);

    test->ends = *ends;
    test->contract = contract;
    g_test_add_data_func_full (path, test, func, g_free);
}

static void
contract_add_cases (const TrialEnds *ends, const ContractCase *cases)
{
    for (; cases->name != NULL; cases++)
        if (cases->applies == NULL || cases->applies (ends))
            contract_add (ends, cases, cases->name, contract_run);
}

/* There is nothing to restore from the null device. */
static gboolean
contract_makes_sense (const TrialEnds *ends)
{
    return ends->direction == IOH_SAVE || ends->file->kind != TRIAL_NULL;
}

static void
contract_add_ends (const TrialEnds *ends)
{
    Trial *trial = trial_new (ends, 1);
    gboolean direct = ends->file->cache == IOH_CACHE_DIRECT || ends->file->direct;

    trial_probe (trial);
    g_assert_no_error (trial->error);
    if (direct && trial->facts->file.direct == IOH_DIRECT_NO) {
        contract_add (ends, NULL, "direct", contract_run_no_direct);
    } else if (!trial_engine_fits (trial)) {
        contract_add (ends, NULL, "refused", contract_run_refused);
    } else if (ends->engine->queues && ends->queue == IOH_QUEUE_IO_URING &&
               ioh_queue_probe_io_uring () != 0) {
        contract_add (ends, NULL, "queue", contract_run_no_io_uring);
    } else {
        contract_add_cases (ends, contract_size_cases);
        contract_add_cases (ends, contract_flow_cases);
        contract_add_cases (ends, contract_fail_cases);
    }
    trial_free (trial);
}

static void
contract_add_engine (const IohEngine *engine, IohQueueKind queue, const TrialFile *files,
                     unsigned file_count)
{
    for (unsigned i = 0; i < file_count * 4; i++) {
        const TrialEnds ends = {
            .engine = engine,
            .queue = queue,
            .direction = i % 2 == 0 ? IOH_SAVE : IOH_RESTORE,
            .stream = i / 2 % 2 == 0 ? TRIAL_PIPE : TRIAL_SOCKET,
            .file = &files[i / 4],
        };
        if (contract_makes_sense (&ends))
            contract_add_ends (&ends);
    }
}

static void
contract_add_engines (const TrialFile *files, unsigned file_count)
{
    const char *only = g_getenv ("IOH_ENGINE");
    const IohEngine *engine;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        if (only != NULL && !g_str_equal (only, engine->name))
            continue;
        if (engine->queues && ioh_queue_probe_io_uring () != ENOPKG)
            contract_add_engine (engine, IOH_QUEUE_IO_URING, files, file_count);
        contract_add_engine (engine, engine->queues ? IOH_QUEUE_THREADS : IOH_QUEUE_AUTO, files,
                             file_count);
    }
}

static void
contract_run_no_device (gconstpointer why)
{
    scratch_lacks (why);
}

/* The size of sectors that the last argument asks for by "block" or "block-4096"; 0: neither. */
static unsigned
contract_sector_bytes (const char *argument)
{
    if (g_str_equal (argument, "block"))
        return 512;
    return g_str_equal (argument, "block-4096") ? 4096 : 0;
}

/* With that argument: block devices and nothing else, which takes root. */
int
main (int argc, char **argv)
{
    unsigned sector_bytes = contract_sector_bytes (argv[argc - 1]);
    const char *why = NULL;
    ScratchDevice *device = NULL;

    signal (SIGPIPE, SIG_IGN);
    signal (SIGXFSZ, SIG_IGN);
    g_test_init (&argc, &argv, NULL);
    g_test_set_nonfatal_assertions ();
    if (sector_bytes == 0) {
        contract_add_engines (contract_files, G_N_ELEMENTS (contract_files));
        return g_test_run ();
    }
    device = scratch_device_new (TRIAL_DEVICE_BYTES, sector_bytes, &why);
    if (device != NULL) {
        trial_use_device (scratch_device_path (device));
        contract_add_engines (contract_devices, G_N_ELEMENTS (contract_devices));
    } else {
        g_test_add_data_func ("/contract/block", why, contract_run_no_device);
    }
    int result = g_test_run ();
    scratch_device_free (device);
    return result;
}

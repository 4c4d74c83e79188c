/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-plan - what is decided from command lines and facts made by hand.
 *
 * A plan is a pure function: the tables below need no file and no kernel.
 */
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "plan-words.h"
#include "plan.h"

/* A command line, facts in words and the plan, or the refusal, in words. */
typedef struct {
    const char *line;
    const char *facts;
    const char *said;
} PlanRow;

/* "ENGINE[>BEHIND] CACHE[?]": the cache mode may step down where there is a question mark. */
static char *
describe (const IohPlan *plan)
{
    return g_strdup_printf ("%s%s%s %s%s", plan->engine->name, plan->step_down != NULL ? ">" : "",
                            plan->step_down != NULL ? plan->step_down->name : "",
                            ioh_wire_cache_name (plan->cache), plan->cache_steps_down ? "?" : "");
}

static IohPlan *
make_plan (const PlanRow *row, GError **error)
{
    g_autoptr (IohOptions) options = plan_words_options (row->line);
    g_autoptr (IohFacts) facts = plan_words_facts (options, row->facts);

    g_test_message ("%s, %s", row->line, row->facts);
    return ioh_plan_new (options, facts, error);
}

static void
check_plans (const PlanRow *rows, unsigned count, char *(*say) (const IohPlan *plan))
{
    for (unsigned i = 0; i < count; i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (IohPlan) plan = make_plan (&rows[i], &error);
        g_assert_no_error (error);
        g_autofree char *said = say (plan);
        g_assert_cmpstr (said, ==, rows[i].said);
    }
}

static void
check_refusals (const PlanRow *rows, unsigned count, IohExit status)
{
    for (unsigned i = 0; i < count; i++) {
        g_autoptr (GError) error = NULL;
        g_assert_null (make_plan (&rows[i], &error));
        g_assert_error (error, IOH_ERROR, (int) status);
        g_assert_cmpstr (error->message, ==, rows[i].said);
    }
}

/* The table of data paths, with nothing asked for. */
static void
test_auto (void)
{
    static const PlanRow rows[] = {
        {"save x", "", "direct>copy direct?"},
        {"save x", "stream=socket", "direct>copy direct?"},
        {"save x", "file=regular", "direct>copy direct?"},
        {"save x", "file=block", "direct>copy direct?"},
        {"save x", "direct=unknown", "direct>copy direct?"},
        {"save x", "direct=no", "splice>copy drop"},
        {"save x", "direct=no stream=socket", "splice>copy drop"},
        {"save x", "file=null", "splice>copy keep"},
        {"save x", "file=pipe", "splice>copy keep"},
        {"save x", "file=socket", "splice>copy keep"},
        {"save x", "file=char", "splice>copy keep"},
        {"save --cache keep x", "", "splice>copy keep"},
        {"save --cache drop x", "", "splice>copy drop"},
        {"save x", "stream=regular", "direct>copy direct?"},
        {"save --cache keep x", "stream=regular", "copy keep"},
        {"save fd:7", "file=regular flag=direct", "direct>copy direct?"},
        {"save fd:7", "file=regular flag=direct direct=no", "direct>copy direct?"},
        {"save fd:7", "file=regular appends=1", "copy direct?"},
        {"restore x", "", "splice>copy direct?"},
        {"restore x", "file=block", "splice>copy direct?"},
        {"restore x", "stream=socket", "splice>copy direct?"},
        {"restore x", "direct=no", "splice>copy drop"},
        {"restore --cache keep x", "", "splice>copy keep"},
        {"restore x", "file=pipe", "copy keep"},
        {"restore x", "stream=regular", "direct>copy direct?"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe);
}

/* An engine that was named is used and nothing stands behind it. */
static void
test_named (void)
{
    static const PlanRow rows[] = {
        {"save --engine copy x", "", "copy direct?"},
        {"save --engine copy --cache direct x", "", "copy direct"},
        {"save --engine copy x", "file=pipe", "copy keep"},
        {"save --engine direct x", "", "direct direct?"},
        {"save --engine direct --cache keep x", "", "direct keep"},
        {"save --engine splice x", "", "splice drop"},
        {"save --engine splice x", "file=null", "splice keep"},
        {"restore --engine splice --cache direct x", "", "splice direct"},
        {"restore --engine copy x", "direct=no", "copy drop"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe);
}

/* Asked for direct I/O, there is no other. */
static void
test_cache_asked (void)
{
    static const PlanRow rows[] = {
        {"save --cache direct x", "", "direct>copy direct"},
        {"save --cache direct x", "direct=unknown", "direct>copy direct"},
        {"restore --cache direct x", "", "splice>copy direct"},
        {"save --cache drop fd:7", "file=regular flag=direct", "splice>copy drop"},
        {"save --cache keep x", "file=block", "splice>copy keep"},
        {"save --cache drop x", "file=null", "splice>copy keep"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe);
}

static void
test_cache_refused (void)
{
    static const PlanRow rows[] = {
        {"save --cache direct x", "direct=no",
         "file x: check failed: direct I/O is not supported here (so it is); use --cache=auto"},
        {"restore --cache direct x", "direct=no",
         "file x: check failed: direct I/O is not supported here (so it is); use --cache=auto"},
        {"save --cache direct x", "file=null",
         "file x: check failed: direct I/O is not supported here (null); use --cache=auto"},
        {"restore --cache direct x", "file=pipe",
         "file x: check failed: direct I/O is not supported here (pipe); use --cache=auto"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_FILE);
}

static void
test_named_refused (void)
{
    static const PlanRow rows[] = {
        {"save --engine direct x", "file=pipe",
         "engine direct cannot be used here: this kind of file has no positions"},
        {"save --engine direct fd:7", "file=regular appends=1",
         "engine direct cannot be used here: the descriptor appends, which allows one write at a "
         "time"},
        {"save --offset 10 fd:7", "file=regular appends=1 position=4096",
         "--offset: fd 7 appends, its stream begins at byte 4096 and nowhere else"},
        {"save --engine splice x", "stream=regular",
         "engine splice cannot be used here: the stream is neither a pipe nor a socket"},
        {"restore --engine splice x", "file=pipe",
         "engine splice cannot be used here: the image is neither a file nor a block device"},
        {"save --engine splice --cache direct x", "",
         "engine splice cannot be used with --cache=direct"},
        {"save --queue io_uring x", "io_uring=1",
         "--queue=io_uring cannot be used here: Operation not permitted"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_USAGE);
}

static char *
describe_queue (const IohPlan *plan)
{
    if (plan->queue_reason == NULL)
        return g_strdup ("none");
    return g_strdup_printf ("%s%s %u", ioh_wire_queue_name (plan->queue),
                            plan->queue_steps_down ? "?" : "", plan->queue_depth);
}

static void
test_queue (void)
{
    static const PlanRow rows[] = {
        {"save x", "", "io_uring? 4"},
        {"save x", "io_uring=1", "threads 4"},
        {"save --queue threads --queue-depth 9 x", "", "threads 9"},
        {"save --queue io_uring x", "", "io_uring 4"},
        {"save --cache keep x", "", "none"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe_queue);
}

static char *
describe_publish (const IohPlan *plan)
{
    return g_strdup_printf ("%s %s", ioh_publish_name (plan->publish),
                            ioh_wire_sync_name (plan->sync));
}

static void
test_publish (void)
{
    static const PlanRow rows[] = {
        {"save x", "", "unnamed full"},
        {"save x", "named=1", "named full"},
        {"save x", "file=regular", "unnamed full"},
        {"save --exists refuse x", "", "unnamed full"},
        {"save --exists overwrite x", "", "unnamed full"},
        {"save --exists overwrite x", "file=regular", "in-place full"},
        {"save x", "file=block", "in-place full"},
        {"save x", "file=null", "in-place none"},
        {"save x", "file=pipe", "in-place none"},
        {"save --sync data x", "", "unnamed data"},
        {"save --sync none x", "", "unnamed none"},
        {"save fd:7", "file=regular", "in-place full"},
        {"save --exists refuse fd:7", "file=regular", "in-place full"},
        {"restore x", "", "in-place none"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe_publish);
}

static void
test_exists_refused (void)
{
    static const PlanRow rows[] = {
        {"save --exists refuse x", "file=regular", "file x: check failed: File exists"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_FILE);
}

static char *
describe_extent (const IohPlan *plan)
{
    GString *text = g_string_new (NULL);

    g_string_append_printf (text, "%" PRIu64, plan->offset);
    if (plan->expect_bytes != IOH_UNSET)
        g_string_append_printf (text, " expects %" PRIu64, plan->expect_bytes);
    if (plan->direction == IOH_RESTORE && plan->limit_bytes != UINT64_MAX)
        g_string_append_printf (text, " ends after %" PRIu64, plan->limit_bytes);
    return g_string_free (text, FALSE);
}

static void
test_extent (void)
{
    static const PlanRow rows[] = {
        {"save x", "", "0"},
        {"save --offset 777 x", "", "777"},
        {"save fd:7", "file=regular position=123", "123"},
        {"save --offset 0 fd:7", "file=regular position=123", "0"},
        {"save --offset 0 x", "file=pipe", "0"},
        {"save --expect-size 5 x", "room=5", "0 expects 5"},
        {"save --expect-size 5 --offset 3 x", "limit=8", "3 expects 5"},
        {"save --expect-size 5 x", "file=pipe room=0", "0 expects 5"},
        {"save --expect-size 0 x", "room=0", "0 expects 0"},
        {"restore x", "", "0"},
        {"restore --offset 999 x", "", "999"},
        {"restore --expect-size 1000 x", "", "0 expects 1000 ends after 1000"},
        {"restore --expect-size 1 --offset 999 x", "", "999 expects 1 ends after 1"},
        {"restore --expect-size 10 x", "file=block", "0 expects 10 ends after 10"},
        {"restore --expect-size 10 x", "file=pipe", "0 expects 10"},
        {"restore --expect-size 0 x", "size=0", "0 expects 0 ends after 0"},
        {"restore fd:7", "position=600", "600"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe_extent);
}

static void
test_extent_refused (void)
{
    static const PlanRow rows[] = {
        {"save --offset 1 x", "file=null", "--offset: x (null) has no positions"},
        {"restore --offset 1 x", "file=pipe", "--offset: x (pipe) has no positions"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_USAGE);
}

static void
test_room_refused (void)
{
    static const PlanRow rows[] = {
        {"save --expect-size 6 x", "room=5",
         "file x: check failed: the stream needs 6 bytes, 5 are available"},
        {"save --expect-size 6 x", "limit=5",
         "file x: check failed: the stream would end at byte 6, the limit is 5"},
        {"save --expect-size 5 --offset 4 x", "limit=8",
         "file x: check failed: the stream would end at byte 9, the limit is 8"},
        {"save --expect-size 9 x", "file=block size=8 limit=8",
         "file x: check failed: the stream would end at byte 9, the limit is 8"},
        {"save --expect-size 9223372036854775807 --offset 9223372036854775807 x", "limit=100",
         "file x: check failed: the stream would end at byte 18446744073709551614, the limit is "
         "100"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_NO_ROOM);
}

static void
test_image_refused (void)
{
    static const PlanRow rows[] = {
        {"restore x", "size=0", "file x: check failed: the image is empty"},
        {"restore --offset 1000 x", "",
         "file x: check failed: nothing lies behind the offset, 1000: it ends there"},
        {"restore --offset 1007 x", "",
         "file x: check failed: the offset lies 7 bytes behind its end"},
        {"restore --expect-size 1001 x", "",
         "file x: check failed: the image is truncated: 1 of 1001 bytes are missing"},
        {"restore --expect-size 999 x", "",
         "file x: check failed: the image has 1 bytes more than expected"},
        {"restore --expect-size 0 x", "",
         "file x: check failed: the image has 1000 bytes more than expected"},
        {"restore --expect-size 1001 x", "file=block",
         "file x: check failed: the image is truncated: 1 of 1001 bytes are missing"},
    };

    check_refusals (rows, G_N_ELEMENTS (rows), IOH_EXIT_IMAGE);
}

static char *
describe_sizes (const IohPlan *plan)
{
    return g_strdup_printf ("pipe %d block %zu align %zu memory %zu", plan->pipe_bytes,
                            plan->block_bytes, plan->file_align, plan->memory_align);
}

/* Blocks are whole units of what direct requests are made of, which is a page at least. */
static void
test_sizes (void)
{
    static const PlanRow rows[] = {
        {"save x", "", "pipe 1048576 block 1048576 align 4096 memory 4096"},
        {"save --pipe-size 4K x", "", "pipe 4096 block 1048576 align 4096 memory 4096"},
        {"save x", "stream=socket", "pipe 0 block 1048576 align 4096 memory 4096"},
        {"save --block-size 5000 x", "", "pipe 1048576 block 8192 align 4096 memory 4096"},
        {"save --block-size 4096 x", "align=65536",
         "pipe 1048576 block 65536 align 65536 memory 65536"},
        {"restore x", "align=16384", "pipe 1048576 block 1048576 align 16384 memory 16384"},
        {"restore x", "read-align=16384", "pipe 1048576 block 1048576 align 16384 memory 4096"},
        {"save x", "read-align=16384", "pipe 1048576 block 1048576 align 4096 memory 4096"},
        {"save --rate-limit 1M x", "", "pipe 1048576 block 53248 align 4096 memory 4096"},
        {"save --rate-limit 1 x", "", "pipe 1048576 block 4096 align 4096 memory 4096"},
    };

    check_plans (rows, G_N_ELEMENTS (rows), describe_sizes);
}

/* Reading and writing one file at a time would go on for ever; replacing it is harmless. */
static void
test_same_file (void)
{
    g_autoptr (IohOptions) options = plan_words_options ("save fd:7");
    g_autoptr (IohOptions) replacing = plan_words_options ("save x");
    g_autoptr (IohFacts) facts = plan_words_facts (options, "stream=regular file=regular");
    g_autoptr (GError) error = NULL;

    facts->file.replaced.st_ino = 1;
    g_assert_null (ioh_plan_new (options, facts, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    g_autoptr (IohPlan) replaces = ioh_plan_new (replacing, facts, NULL);
    g_assert_nonnull (replaces);
    facts->file.replaced.st_ino = 2;
    g_autoptr (IohPlan) distinct = ioh_plan_new (options, facts, NULL);
    g_assert_nonnull (distinct);
}

/* Every decision has its reason, and all of them are shown. */
static void
test_explained (void)
{
    g_autoptr (IohOptions) options = plan_words_options ("save x");
    g_autoptr (IohFacts) facts = plan_words_facts (options, "");
    g_autoptr (IohPlan) plan = ioh_plan_new (options, facts, NULL);
    g_autofree char *text = ioh_plan_explain (plan, options, facts, 0);
    const char *const reasons[] = {plan->engine_reason, plan->queue_reason, plan->cache_reason,
                                   plan->sync_reason, plan->publish_reason};

    for (unsigned i = 0; i < G_N_ELEMENTS (reasons); i++) {
        g_assert_nonnull (reasons[i]);
        g_assert_nonnull (strstr (text, reasons[i]));
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/plan/auto", test_auto);
    g_test_add_func ("/plan/named", test_named);
    g_test_add_func ("/plan/named-refused", test_named_refused);
    g_test_add_func ("/plan/cache-asked", test_cache_asked);
    g_test_add_func ("/plan/cache-refused", test_cache_refused);
    g_test_add_func ("/plan/queue", test_queue);
    g_test_add_func ("/plan/publish", test_publish);
    g_test_add_func ("/plan/exists-refused", test_exists_refused);
    g_test_add_func ("/plan/extent", test_extent);
    g_test_add_func ("/plan/extent-refused", test_extent_refused);
    g_test_add_func ("/plan/room-refused", test_room_refused);
    g_test_add_func ("/plan/image-refused", test_image_refused);
    g_test_add_func ("/plan/sizes", test_sizes);
    g_test_add_func ("/plan/same-file", test_same_file);
    g_test_add_func ("/plan/explained", test_explained);
    return g_test_run ();
}

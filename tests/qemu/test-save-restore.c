/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main promise, with a real QEMU on both sides: a virtual machine saved through iohelper and
 * restored through iohelper has the same RAM, to the byte, and runs; a machine that dies in the
 * middle of a save leaves no file that looks complete. Every engine that is usable here is tried in
 * every cache mode, through a small pipe and a large one, and over sockets where QEMU and the
 * program meet by themselves.
 *
 * IOH_HELPER names the program, IOH_ENGINE the one engine to try. The run over 4 GiB of stream
 * comes with "-m slow".
 */
#include "autofd.h"
#include "helper.h"
#include "needs.h"
#include "wire.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (UINT64_C (1) << 20)
#define USUAL_RAM_BYTES (256 * MIB)
#define SMALL_RAM_BYTES (64 * MIB)
#define HUGE_RAM_BYTES (4352 * MIB)

typedef struct {
    const char *program;
    const IohRam *ram; /* filled once, never written again: the machines that are saved never run */
    const char *engine; /* takes part in the directions that it can do */
    const char *cache;
    const char *pipe_size;
    unsigned pipe_bytes;
    const char *meets; /* "unix" or "tcp": at an address instead of a pipe; or NULL */
} Case;

/* One direction of a round trip. */
typedef gboolean (*Move) (const IohHelperJob *job, const IohRam *ram, IohHelperResult *out_result,
                          GError **error);

/* Whether the engine takes this on: the program plans it against a pipe, or a peer that has not
 * come, and moves nothing. */
static gboolean
engine_fits (const Case *self, const char *verb, const char *const *options, const char *file)
{
    const char *stream = self->meets != NULL ? "--connect=unix:nobody" : "--quiet";
    const char *const argv[] = {self->program, verb,   "--explain", options[0],
                                options[1],    stream, file,        NULL};
    g_autoptr (IohChild) child = NULL;
    int pipe_fds[2];

    /* The reference engine and the choice of the program have no excuse. */
    if (g_str_equal (self->engine, "copy") || g_str_equal (self->engine, "auto"))
        return TRUE;
    g_assert_cmpint (pipe2 (pipe_fds, O_CLOEXEC), ==, 0);
    /* Of both ends the program looks at the one that is its stream. */
    child = ioh_child_spawn (argv, pipe_fds, G_N_ELEMENTS (pipe_fds), NULL);
    close (pipe_fds[0]);
    close (pipe_fds[1]);
    return child != NULL && ioh_child_wait (child, 60, NULL) == 0;
}

/* What was asked by name has been used, and every byte of the file is accounted for. */
static void
check_result (const Case *self, const char *engine, const char *file, const IohHelperResult *result)
{
    struct stat status;

    g_assert_cmpint (stat (file, &status), ==, 0);
    g_assert_cmpuint (ioh_helper_result_bytes (result), ==, (uint64_t) status.st_size);
    if (!g_str_equal (self->cache, "auto"))
        g_assert_cmpstr (ioh_helper_result_used (result, IOH_REPORT_CACHE), ==, self->cache);
    if (!g_str_equal (engine, "auto"))
        g_assert_cmpstr (ioh_helper_result_used (result, IOH_REPORT_ENGINE), ==, engine);
}

/* Where no test that runs at the same time meets; NULL for a pipe. */
static char *
make_address (const Case *self, const char *file)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
    socklen_t length = sizeof name;
    IOH_AUTOFD fd = -1;

    if (self->meets == NULL)
        return NULL;
    if (g_str_equal (self->meets, "unix"))
        return g_strdup_printf ("unix:%s.sock", file);
    fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint (bind (fd, (struct sockaddr *) &name, length), ==, 0);
    g_assert_cmpint (getsockname (fd, (struct sockaddr *) &name, &length), ==, 0);
    return g_strdup_printf ("tcp:127.0.0.1:%u", ntohs (name.sin_port));
}

/* By the engine of the case where it takes this on. Whether it did. */
static gboolean
move (const Case *self, const char *verb, Move mover, const char *file, GError **error)
{
    g_autofree char *cache = g_strconcat ("--cache=", self->cache, NULL);
    g_autofree char *engine = g_strconcat ("--engine=", self->engine, NULL);
    g_autofree char *pipe_size = g_strconcat ("--pipe-size=", self->pipe_size, NULL);
    const char *options[] = {cache, engine, pipe_size, NULL};
    g_autofree char *address = make_address (self, file);
    const IohHelperJob job = {self->program, options, file, self->pipe_bytes, address};
    gboolean fits = engine_fits (self, verb, options, file);
    g_auto (IohHelperResult) result = {0};

    if (!fits)
        options[1] = "--engine=auto";
    if (mover (&job, self->ram, &result, error))
        check_result (self, fits ? self->engine : "auto", file, &result);
    return fits;
}

static void
round_trip (const Case *self, const char *file)
{
    g_autoptr (GError) error = NULL;
    gboolean saves = move (self, "save", ioh_helper_save, file, &error);
    gboolean restores = error == NULL && move (self, "restore", ioh_helper_restore, file, &error);

    if (error != NULL)
        ioh_needs_blame (error);
    else if (!saves && !restores)
        g_test_skip_printf ("%s does neither direction with cache=%s", self->engine, self->cache);
}

static void
test_round_trip (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autofree char *file = NULL;

    g_assert_no_error (error);
    if (!ioh_needs_room (scratch, self->ram->bytes))
        return;
    if (g_str_equal (self->cache, "direct") && !ioh_needs_direct (scratch))
        return;
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    round_trip (self, file);
}

static void
test_over_4_gib (gconstpointer data)
{
    Case huge = *(const Case *) data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autoptr (IohRam) ram = NULL;
    g_autofree char *file = NULL;
    struct stat status;

    g_assert_no_error (error);
    if (!ioh_needs_room (scratch, HUGE_RAM_BYTES))
        return;
    ram = ioh_ram_new (HUGE_RAM_BYTES, &error);
    if (ram == NULL) {
        ioh_needs_blame (error);
        return;
    }
    ioh_ram_fill (ram);
    huge.ram = ram;
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    round_trip (&huge, file);
    if (stat (file, &status) == 0)
        g_assert_cmpint (status.st_size, >, INT64_C (1) << 32);
}

/* Restores the file into a pipe that has just the room for it and that nobody reads meanwhile. */
static int
restore_into_full_pipe (const Case *self, const char *file, char **out_said, void *out_bytes)
{
    g_autofree char *cache = g_strconcat ("--cache=", self->cache, NULL);
    g_autofree char *engine = g_strconcat ("--engine=", self->engine, NULL);
    g_autofree char *pipe_size = g_strconcat ("--pipe-size=", self->pipe_size, NULL);
    const char *const argv[] = {self->program, "restore", cache, engine, pipe_size, file, NULL};
    g_autoptr (IohChild) child = NULL;
    int pipe_fds[2];
    int status;

    g_assert_cmpint (pipe2 (pipe_fds, O_CLOEXEC), ==, 0);
    g_assert_cmpint (fcntl (pipe_fds[1], F_SETPIPE_SZ, (int) self->pipe_bytes), >=, 0);
    child = ioh_child_spawn (argv, (const int[]){-1, pipe_fds[1]}, 2, NULL);
    g_assert_nonnull (child);
    close (pipe_fds[1]);
    status = ioh_child_wait (child, 30, NULL);
    *out_said = ioh_child_stderr (child);
    g_assert_cmpint (read (pipe_fds[0], out_bytes, self->pipe_bytes), ==, self->pipe_bytes);
    close (pipe_fds[0]);
    return status;
}

/*
 * QEMU closes the stream as soon as it has the last byte. A helper that turns to the stream once
 * more after that byte takes the close for a failure; here it would wait for room that never comes.
 */
static void
test_ends_with_last_byte (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autofree char *file = NULL;
    g_autofree char *bytes = g_malloc (self->pipe_bytes);
    g_autofree char *said = NULL;

    g_assert_no_error (error);
    if (g_str_equal (self->cache, "direct") && !ioh_needs_direct (scratch))
        return;
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    g_file_set_contents (file, (const char *) self->ram->data, self->pipe_bytes, &error);
    g_assert_no_error (error);
    g_assert_cmpint (restore_into_full_pipe (self, file, &said, bytes), ==, 0);
    g_assert_cmpstr (said, ==, "");
    g_assert_cmpmem (bytes, self->pipe_bytes, self->ram->data, self->pipe_bytes);
}

/* QEMU is killed when all RAM has been sent and the rest has not: the file would look complete. */
static void
kill_in_the_middle (const Case *self, const char *file, GError **error)
{
    g_autofree char *engine = g_strconcat ("--engine=", self->engine, NULL);
    const char *const options[] = {engine, "--expect-size=128M", NULL};
    const IohHelperJob job = {self->program, options, file, self->pipe_bytes, NULL};
    g_autoptr (IohRam) ram = ioh_ram_new (SMALL_RAM_BYTES, error);
    g_autoptr (IohVm) vm = NULL;
    g_autoptr (IohChild) helper = NULL;
    g_autofree char *said = NULL;

    if (ram == NULL)
        return;
    ioh_ram_fill (ram);
    vm = ioh_vm_start (ram, IOH_VM_FRESH, error);
    if (vm == NULL || !ioh_vm_pause_before_switchover (vm, error))
        return;
    helper = ioh_helper_begin_save (&job, vm, error);
    if (helper == NULL || !ioh_vm_wait_migration (vm, "pre-switchover", error))
        return;
    ioh_vm_kill (vm);
    g_assert_cmpint (ioh_child_wait (helper, 60, error), ==, IOH_EXIT_STREAM);
    said = ioh_child_stderr (helper);
    g_assert_cmpstr (said, !=, "");
}

static void
test_killed_leaves_nothing (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autofree char *file = NULL;
    g_autofree char *left = NULL;

    g_assert_no_error (error);
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    kill_in_the_middle (self, file, &error);
    g_assert_no_error (error);
    left = ioh_scratch_list (scratch);
    g_assert_cmpstr (left, ==, "");
}

static void
test_killed_keeps_old_file (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autofree char *file = NULL;
    g_autofree char *left = NULL;
    g_autofree char *content = NULL;

    g_assert_no_error (error);
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    g_file_set_contents (file, "the image of yesterday", -1, &error);
    g_assert_no_error (error);
    kill_in_the_middle (self, file, &error);
    g_assert_no_error (error);
    left = ioh_scratch_list (scratch);
    g_assert_cmpstr (left, ==, "image");
    g_file_get_contents (file, &content, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (content, ==, "the image of yesterday");
}

/* What `iohelper info` says of FILE: its status, and WORD somewhere in the JSON. */
static void
check_info (const Case *self, const char *file, IohExit status, const char *word)
{
    const char *const argv[] = {self->program, "info", "--json", file, NULL};
    g_autofree char *text = NULL;
    g_autofree char *said = NULL;
    g_autoptr (GError) error = NULL;
    int wait_status = 0;

    g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, &said,
                  &wait_status, &error);
    g_assert_no_error (error);
    g_assert_true (WIFEXITED (wait_status));
    g_assert_cmpint (WEXITSTATUS (wait_status), ==, status);
    g_assert_nonnull (strstr (text, word));
}

/* The stream of a real machine is known, and so is that its end has been cut off. */
static void
test_info (gconstpointer data)
{
    const Case *self = data;
    const char *const options[] = {NULL};
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autoptr (IohRam) ram = ioh_ram_new (SMALL_RAM_BYTES, &error);
    g_autofree char *file = NULL;
    g_auto (IohHelperResult) result = {0};

    g_assert_no_error (error);
    ioh_ram_fill (ram);
    file = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    const IohHelperJob job = {self->program, options, file, self->pipe_bytes};
    if (!ioh_helper_save (&job, ram, &result, &error)) {
        ioh_needs_blame (error);
        return;
    }
    uint64_t length = ioh_helper_result_bytes (&result);
    check_info (self, file, IOH_EXIT_DONE, "\"state\" : \"complete\"");
    check_info (self, file, IOH_EXIT_DONE, "\"name\" : \"globalstate\"");
    check_info (self, file, IOH_EXIT_DONE, "\"page-size\" : 4096");
    for (uint64_t cut = 1; cut < length; cut *= 16) {
        g_assert_cmpint (truncate (file, (off_t) (length - cut)), ==, 0);
        check_info (self, file, IOH_EXIT_IMAGE, "\"state\" : \"truncated\"");
    }
}

/* The proof of the other tests must itself be able to fail. */
static void
test_compare_finds_one_bit (void)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (IohRam) saved = ioh_ram_new (MIB, &error);
    g_autoptr (IohRam) restored = ioh_ram_new (MIB, &error);

    g_assert_no_error (error);
    ioh_ram_fill (saved);
    g_assert_false (ioh_ram_compare (saved, restored, NULL));
    ioh_ram_fill (restored);
    ioh_ram_compare (saved, restored, &error);
    g_assert_no_error (error);
    restored->data[MIB - 1] ^= 1;
    g_assert_false (ioh_ram_compare (saved, restored, &error));
    g_assert_nonnull (strstr (error->message, "0xfffff"));
}

static gboolean
direction_usable (JsonObject *engine, const char *direction)
{
    return json_object_get_boolean_member (json_object_get_object_member (engine, direction),
                                           "usable");
}

/* The engines that are usable here, by the program's own word. */
static GStrv
list_engines (const char *program, GError **error)
{
    const char *argv[] = {program, "engines", "--json", NULL};
    g_autofree char *text = NULL;
    g_autoptr (JsonNode) node = NULL;
    g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
    JsonArray *engines;
    int status;

    if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL,
                       &status, error) ||
        !g_spawn_check_wait_status (status, error))
        return NULL;
    node = json_from_string (text, error);
    if (node == NULL)
        return NULL;
    engines = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (engines); i++) {
        JsonObject *engine = json_array_get_object_element (engines, i);

        if (direction_usable (engine, "save") || direction_usable (engine, "restore"))
            g_strv_builder_add (names, json_object_get_string_member (engine, "name"));
    }
    return g_strv_builder_end (names);
}

static void
add_case (const char *story, const Case *self, GTestDataFunc test)
{
    g_autofree char *path = g_strdup_printf ("/qemu/%s/%s/%s/%s", story, self->engine, self->cache,
                                             self->meets != NULL ? self->meets : self->pipe_size);

    g_test_add_data_func_full (path, g_memdup2 (self, sizeof *self), test, g_free);
}

static void
add_engine (const Case *common, const char *engine)
{
    static const char *const caches[] = {"keep", "drop", "direct"};
    static const char *const meets[] = {"unix", "tcp"};
    Case added = *common;

    added.engine = g_intern_string (engine);
    for (size_t i = 0; i < G_N_ELEMENTS (caches); i++) {
        added.cache = caches[i];
        added.pipe_size = "64K";
        added.pipe_bytes = 64 * 1024;
        add_case ("round-trip", &added, test_round_trip);
        add_case ("ends-with-last-byte", &added, test_ends_with_last_byte);
        added.pipe_size = "1M";
        added.pipe_bytes = 1024 * 1024;
        add_case ("round-trip", &added, test_round_trip);
    }
    added.cache = "auto";
    for (size_t i = 0; i < G_N_ELEMENTS (meets); i++) {
        added.meets = meets[i];
        add_case ("round-trip", &added, test_round_trip);
    }
    added.meets = NULL;
    add_case ("killed-leaves-nothing", &added, test_killed_leaves_nothing);
    add_case ("killed-keeps-old-file", &added, test_killed_keeps_old_file);
}

static gboolean
add_engines (const Case *common, GError **error)
{
    g_auto (GStrv) engines = list_engines (common->program, error);

    if (engines == NULL)
        return FALSE;
    for (size_t i = 0; engines[i] != NULL; i++)
        if (g_str_equal (common->engine, "auto") || g_str_equal (common->engine, engines[i]))
            add_engine (common, engines[i]);
    return TRUE;
}

static void
test_skipped (gconstpointer reason)
{
    ioh_needs_skip ("%s", (const char *) reason);
}

int
main (int argc, char **argv)
{
    const char *only = g_getenv ("IOH_ENGINE");
    /* The pipe is what the kernel gives, and the program makes of it what it likes. */
    Case common = {.program = g_getenv ("IOH_HELPER"),
                   .engine = only != NULL && *only != '\0' ? only : "auto",
                   .cache = "auto",
                   .pipe_size = "1M"};
    g_autoptr (GError) error = NULL;
    g_autoptr (IohRam) ram = NULL;

    g_test_init (&argc, &argv, NULL);
    g_test_set_nonfatal_assertions ();
    g_test_add_func ("/qemu/compare-finds-one-bit", test_compare_finds_one_bit);
    if (ioh_vm_missing () != NULL) {
        g_test_add_data_func ("/qemu/round-trip", ioh_vm_missing (), test_skipped);
        return g_test_run ();
    }
    ram = ioh_ram_new (USUAL_RAM_BYTES, &error);
    if (ram != NULL)
        ioh_ram_fill (ram);
    common.ram = ram;
    if (common.program == NULL || ram == NULL || !add_engines (&common, &error)) {
        g_printerr ("%s\n", error != NULL ? error->message : "IOH_HELPER names no program");
        return 1;
    }
    add_case ("round-trip", &common, test_round_trip);
    add_case ("info", &common, test_info);
    if (g_test_slow ())
        g_test_add_data_func ("/qemu/over-4-GiB", &common, test_over_4_gib);
    return g_test_run ();
}

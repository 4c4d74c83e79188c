/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-vm - a real QEMU saved and resumed through the library: the same RAM, to the byte, and a
 * guest that runs; one that dies on the way leaves the older image as it was.
 */
#include <gio/gio.h>
#include <libiohelper.h>
#include <string.h>
#include <unistd.h>

#include "needs.h"
#include "vm.h"

#define MIB (UINT64_C (1) << 20)
#define RAM_BYTES (128 * MIB)

typedef struct {
    const IohRam *ram; /* filled once, never written again */
    IohTransportKind transport;
    IohCache cache;
} Case;

/* Starts TRANSFER and gives its stream to VM. */
static gboolean
connect_vm (IohTransfer *transfer, IohVm *vm,
            gboolean (*migrate) (IohVm *self, int stream_fd, GError **error), GError **error)
{
    int fd = ioh_transfer_start (transfer, error);

    if (fd < 0)
        return FALSE;
    gboolean migrating = migrate (vm, fd, error);
    close (fd);
    return migrating;
}

static gboolean
save_vm (const Case *self, const char *path, GError **error)
{
    g_autoptr (IohVm) vm = ioh_vm_start (self->ram, IOH_VM_FRESH, error);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);

    g_object_set (transfer, "transport", self->transport, "cache", self->cache, NULL);
    if (vm == NULL || !connect_vm (transfer, vm, ioh_vm_migrate_to_fd, error) ||
        !ioh_vm_wait_migration (vm, "completed", error) ||
        !ioh_transfer_finish (transfer, NULL, error))
        return FALSE;
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_test_message ("saved %" G_GUINT64_FORMAT " bytes in %.3f s, stream of %" G_GUINT64_FORMAT,
                    ioh_transfer_result_get_bytes (result),
                    ioh_transfer_result_get_total_seconds (result),
                    ioh_transfer_get_stream_size (transfer));
    g_assert_cmpuint (ioh_transfer_result_get_bytes (result), >, RAM_BYTES);
    return ioh_vm_quit (vm, error);
}

/* The transfer is finished first: a QEMU that fails ends, and the helper learns of that. */
static gboolean
restore_vm (const Case *self, const char *path, GError **error)
{
    g_autoptr (IohRam) ram = ioh_ram_new (RAM_BYTES, error);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore (path);

    if (ram == NULL)
        return FALSE;
    g_object_set (transfer, "transport", self->transport, "cache", self->cache, NULL);
    g_autoptr (IohVm) vm = ioh_vm_start (ram, IOH_VM_INCOMING, error);
    return vm != NULL && connect_vm (transfer, vm, ioh_vm_migrate_from_fd, error) &&
           ioh_transfer_finish (transfer, NULL, error) &&
           ioh_vm_wait_migration (vm, "completed", error) &&
           ioh_ram_compare (self->ram, ram, error) && ioh_vm_resume (vm, error) &&
           ioh_vm_quit (vm, error);
}

static void
test_round_trip (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);

    g_assert_no_error (error);
    if (!ioh_needs_room (scratch, RAM_BYTES) ||
        (self->cache == IOH_CACHE_DIRECT && !ioh_needs_direct (scratch)))
        return;
    g_autofree char *path = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    if (!save_vm (self, path, &error) || !restore_vm (self, path, &error))
        ioh_needs_blame (error);
}

/* All RAM has been sent when QEMU is killed: to the helper the stream just ends. */
static void
test_killed (gconstpointer data)
{
    const Case *self = data;
    g_autoptr (GError) error = NULL;
    g_autoptr (IohScratch) scratch = ioh_scratch_new (NULL, &error);
    g_autofree char *content = NULL;

    g_assert_no_error (error);
    g_autofree char *path = g_build_filename (ioh_scratch_path (scratch), "image", NULL);
    g_file_set_contents (path, "the image of yesterday", -1, &error);
    g_assert_no_error (error);
    g_autoptr (IohVm) vm = ioh_vm_start (self->ram, IOH_VM_FRESH, &error);
    g_assert_no_error (error);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);
    ioh_vm_pause_before_switchover (vm, &error);
    g_assert_no_error (error);
    connect_vm (transfer, vm, ioh_vm_migrate_to_fd, &error);
    g_assert_no_error (error);
    ioh_vm_wait_migration (vm, "pre-switchover", &error);
    g_assert_no_error (error);
    ioh_vm_kill (vm);
    /* what a manager does when the migration has failed */
    ioh_transfer_cancel (transfer);
    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED);
    g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
    g_assert_cmpstr (content, ==, "the image of yesterday");
    g_autofree char *left = ioh_scratch_list (scratch);
    g_assert_cmpstr (left, ==, "image");
}

static void
test_skipped (gconstpointer reason)
{
    ioh_needs_skip ("%s", (const char *) reason);
}

static void
add_round_trip (const Case *self)
{
    static const char *const transports[] = {"auto", "pipe", "socket"};
    static const char *const caches[] = {"auto", "direct", "drop", "keep"};
    g_autofree char *name =
        g_strdup_printf ("/vm/round-trip/%s/%s", transports[self->transport], caches[self->cache]);

    g_test_add_data_func_full (name, g_memdup2 (self, sizeof *self), test_round_trip, g_free);
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;

    g_test_init (&argc, &argv, NULL);
    g_test_set_nonfatal_assertions ();
    if (ioh_vm_missing () != NULL) {
        g_test_add_data_func ("/vm/round-trip", ioh_vm_missing (), test_skipped);
        return g_test_run ();
    }
    g_autoptr (IohRam) ram = ioh_ram_new (RAM_BYTES, &error);
    if (ram == NULL) {
        g_printerr ("%s\n", error->message);
        return 1;
    }
    ioh_ram_fill (ram);
    Case self = {.ram = ram};
    for (self.transport = IOH_TRANSPORT_AUTO; self.transport <= IOH_TRANSPORT_SOCKET;
         self.transport++)
        add_round_trip (&self);
    self.transport = IOH_TRANSPORT_AUTO;
    self.cache = IOH_CACHE_DIRECT;
    add_round_trip (&self);
    g_test_add_data_func ("/vm/killed", &self, test_killed);
    return g_test_run ();
}

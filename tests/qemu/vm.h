/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_VM_H
#define IOH_TESTS_VM_H

#include "ram.h"

G_BEGIN_DECLS

/* A real virtual machine without disk, network or display, paused until it is resumed. */
typedef struct _IohVm IohVm;

typedef enum {
    IOH_VM_FRESH,    /* about to boot */
    IOH_VM_INCOMING, /* waits for a migration stream */
} IohVmRole;

/* NULL when QEMU is installed, else why no test can have a virtual machine. */
const char *ioh_vm_missing (void);

/* "kvm" where /dev/kvm opens, else "tcg"; IOH_TEST_ACCEL says otherwise. */
const char *ioh_vm_accelerator (void);

/* The RAM stays the caller's and must outlive the machine. */
IohVm *ioh_vm_start (const IohRam *ram, IohVmRole role, GError **error);

/* Begins to write, or read, the migration stream at a descriptor that stays the caller's. */
gboolean ioh_vm_migrate_to_fd (IohVm *self, int stream_fd, GError **error);
gboolean ioh_vm_migrate_from_fd (IohVm *self, int stream_fd, GError **error);

/* The same by an address as QEMU spells it: goes there, or waits there. */
gboolean ioh_vm_migrate_to (IohVm *self, const char *uri, GError **error);
gboolean ioh_vm_migrate_from (IohVm *self, const char *uri, GError **error);

/* Makes the migration stop when the RAM is sent and the device state is not: "pre-switchover". */
gboolean ioh_vm_pause_before_switchover (IohVm *self, GError **error);

/* Waits until the migration has that status; fails when it ends with another one. */
gboolean ioh_vm_wait_migration (IohVm *self, const char *status, GError **error);

/* Lets the guest run, and makes sure that it does: status "running", its firmware prints. */
gboolean ioh_vm_resume (IohVm *self, GError **error);

/* Adds what QEMU printed to an error that is set. Always false, to be returned at once. */
gboolean ioh_vm_explain (IohVm *self, GError **error);

/* Ends QEMU in an orderly way. */
gboolean ioh_vm_quit (IohVm *self, GError **error);

/* Ends QEMU by SIGKILL. */
void ioh_vm_kill (IohVm *self);

void ioh_vm_free (IohVm *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohVm, ioh_vm_free)

G_END_DECLS

#endif

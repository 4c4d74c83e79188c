/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_MACHINE_H
#define IOH_BENCH_MACHINE_H

#include <glib.h>
#include <stdint.h>

/* What one has to know about the machine before believing any figure. */
typedef struct {
    char *kernel; /* name, release and architecture */
    unsigned cpus;
    double load;            /* of the last minute, before anything was measured; -1: unknown */
    uint64_t pipe_max_size; /* 0 when unknown, as below */
    uint64_t wmem_max;
    double others;   /* CPUs that others and the kernel used meanwhile; -1: unknown */
    double withheld; /* CPUs that the host gave to somebody else meanwhile; -1: unknown */

    gint64 start_us;
    double start_others_s;
    double start_withheld_s;
} IohBenchMachine;

/* Looks at the machine and begins to watch it. */
void ioh_bench_machine_start (IohBenchMachine *machine);

/* What happened in the meantime besides us. */
void ioh_bench_machine_stop (IohBenchMachine *machine);

/* Whether figures must not be trusted for what else it had to do. */
gboolean ioh_bench_machine_was_busy (const IohBenchMachine *machine);

void ioh_bench_machine_clear (IohBenchMachine *machine);

#endif

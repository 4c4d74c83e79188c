/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-machine - the machine that a benchmark runs on, and what else it does meanwhile.
 *
 * Owns what it read from /proc. Changes nothing.
 */
#include "bench-machine.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A share of all CPUs in use by others at which two runs of the same thing may differ by more than
 * two ways of doing it; and the same of CPUs that are not there at all. */
#define MACHINE_BUSY_SHARE 0.25
#define MACHINE_WITHHELD_SHARE 0.05

/* The same in processes that want one, where nobody tells more. */
#define MACHINE_BUSY_LOAD 0.5

/* The first number of the file at PATH, or 0. */
static uint64_t
machine_number (const char *path)
{
    g_autofree char *text = NULL;

    return g_file_get_contents (path, &text, NULL, NULL) ? g_ascii_strtoull (text, NULL, 10) : 0;
}

static double
machine_rusage_seconds (int who)
{
    struct rusage usage;

    if (getrusage (who, &usage) < 0)
        return 0;
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / G_USEC_PER_SEC;
}

/* CPU seconds since the machine started: of everybody but us, and withheld by its host. FALSE when
 * nobody tells. */
static gboolean
machine_read_cpu (double *out_others_s, double *out_withheld_s)
{
    /* user, nice, system, idle, iowait, irq, softirq, steal */
    enum { IDLE = 3, IOWAIT = 4, STEAL = 7, FIELDS = 8 };
    g_autofree char *text = NULL;
    double tick = (double) sysconf (_SC_CLK_TCK);
    double busy = 0;

    if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL) || !g_str_has_prefix (text, "cpu "))
        return FALSE;
    char *at = text + sizeof "cpu " - 1;
    for (int field = 0; field < FIELDS; field++) {
        double seconds = (double) g_ascii_strtoull (at, &at, 10) / tick;
        if (field == STEAL)
            *out_withheld_s = seconds;
        else if (field != IDLE && field != IOWAIT)
            busy += seconds;
    }
    *out_others_s =
        busy - machine_rusage_seconds (RUSAGE_SELF) - machine_rusage_seconds (RUSAGE_CHILDREN);
    return TRUE;
}

void
ioh_bench_machine_start (IohBenchMachine *machine)
{
    struct utsname names;

    *machine = (IohBenchMachine){.others = -1, .withheld = -1, .load = -1};
    if (uname (&names) == 0)
        machine->kernel = g_strdup_printf ("%s %s %s", names.sysname, names.release, names.machine);
    machine->cpus = g_get_num_processors ();
    if (getloadavg (&machine->load, 1) < 1)
        machine->load = -1;
    machine->pipe_max_size = machine_number ("/proc/sys/fs/pipe-max-size");
    machine->wmem_max = machine_number ("/proc/sys/net/core/wmem_max");
    if (machine_read_cpu (&machine->start_others_s, &machine->start_withheld_s))
        machine->start_us = g_get_monotonic_time ();
}

void
ioh_bench_machine_stop (IohBenchMachine *machine)
{
    double others_s = 0;
    double withheld_s = 0;

    if (machine->start_us == 0 || !machine_read_cpu (&others_s, &withheld_s))
        return;
    double seconds = (double) MAX (g_get_monotonic_time () - machine->start_us, 1) / G_USEC_PER_SEC;
    machine->others = MAX (others_s - machine->start_others_s, 0) / seconds;
    machine->withheld = MAX (withheld_s - machine->start_withheld_s, 0) / seconds;
}

gboolean
ioh_bench_machine_was_busy (const IohBenchMachine *machine)
{
    double cpus = machine->cpus;

    /* the load of the last minute only tells of the time before, and of what waits for storage */
    if (machine->others < 0)
        return machine->load > MACHINE_BUSY_LOAD * cpus;
    return machine->others > MACHINE_BUSY_SHARE * cpus ||
           machine->withheld > MACHINE_WITHHELD_SHARE * cpus;
}

void
ioh_bench_machine_clear (IohBenchMachine *machine)
{
    g_clear_pointer (&machine->kernel, g_free);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_CHILD_H
#define IOH_BENCH_CHILD_H

#include <glib.h>
#include <stdint.h>
#include <sys/types.h>

#include "cancel.h"

/* One process of ours: iohelper itself, the stream's other end, or what draws. None outlives the
 * benchmark, whatever becomes of it. */
typedef struct {
    pid_t pid;  /* 0 when there is none */
    int pid_fd; /* readable when it has ended */
    gboolean ended;
    int status; /* of wait, once it has ended */
    gint64 end_us;
    gint64 cpu_us; /* user and system */
} IohBenchChild;

#define IOH_BENCH_CHILD_NONE ((IohBenchChild){.pid_fd = -1})
#define IOH_BENCH_CHILD_FDS 5

/* Executes PROGRAM with ARGV. FDS become its descriptors 0, 1, 2 ...; -1: /dev/null, all others are
 * closed. FALSE with the error set. */
gboolean ioh_bench_child_execute (IohBenchChild *child, const char *program, char *const *argv,
                                  const int fds[IOH_BENCH_CHILD_FDS], GError **error);

/* Lets a copy of this process do WORK and exit; it has all descriptors and closes what it must not
 * hold open. FALSE with the error set. */
gboolean ioh_bench_child_fork (IohBenchChild *child, void (*work) (gpointer), gpointer data,
                               GError **error);

/* Waits until all COUNT have ended, or until one has or FD is readable when FD is not -1. FALSE
 * when a signal came first. */
gboolean ioh_bench_child_wait (IohBenchChild *const *children, unsigned count, int fd,
                               IohCancel *cancel);

/* Ends it by SIGNAL_NUMBER if it still runs, waits for that and lets go of it. */
void ioh_bench_child_end (IohBenchChild *child, int signal_number);

#endif

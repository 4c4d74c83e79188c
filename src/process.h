/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROCESS_H
#define IOH_PROCESS_H

#include <glib.h>
#include <sys/types.h>

/* A child of ours. It is known by its descriptor: the number may be another's as soon as somebody
 * has reaped it. */
typedef struct {
    pid_t pid;
    int pid_fd; /* readable when it has ended; owned; -1 where the kernel has no such thing */
} IohProcess;

/* Starts the program ARGV[0], a path, with the environment ENVIRONMENT and with FDS[0] to
 * FDS[COUNT - 1] as its descriptors 0 to COUNT - 1 and no others; -1 stands for /dev/null. It runs
 * in a process group of its own, with no signal blocked or ignored, and no shell is involved. FDS
 * stay the caller's. FALSE with the error set (the code is SPAWN) when it cannot be executed. */
gboolean ioh_process_start (const char *const *argv, const char *const *environment, const int *fds,
                            unsigned count, IohProcess *out_process, GError **error);

/* Sends a signal; nothing happens when it has ended. */
void ioh_process_signal (const IohProcess *process, int signal_number);

/* Whether it has; asks the kernel and does not wait. */
gboolean ioh_process_has_ended (const IohProcess *process);

/* How a process ended. */
typedef enum {
    IOH_ENDED_EXITED,
    IOH_ENDED_SIGNALLED,
    IOH_ENDED_UNKNOWN, /* somebody else in this program has reaped it */
} IohEnded;

/* Reaps PROCESS, which has ended. *OUT_NUMBER is the exit status or the signal. Touches
 * no other child. */
IohEnded ioh_process_reap (const IohProcess *process, int *out_number);

#endif

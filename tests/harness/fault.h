/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_FAULT_H
#define IOH_TEST_FAULT_H

#include <glib.h>
#include <poll.h>
#include <sys/types.h>

#include "sys-wrap.h"

/* Faults in the functions of sys.h, put there by the linker: every program that links the test
 * library calls them through a wrapper. Nothing is wrong until something is armed. Any thread may
 * call the wrappers; arming and disarming is for the main thread while no transfer runs. */

typedef enum {
    FAULT_INSTEAD, /* the call is not made; RESULT is returned */
    FAULT_AFTER,   /* the call is made, then RESULT is returned: a failure that is told late */
    FAULT_SHORT,   /* the call is made with at most SHORT_TO bytes */
} FaultManner;

typedef struct {
    SysCall call;
    unsigned first; /* strikes from this call on, 1 being the first after arming ... */
    unsigned last;  /* ... up to this one; FAULT_FOR_EVER: all later ones as well */
    FaultManner manner;
    gint64 result; /* -errno, or any other value the function could return */
    size_t short_to;
} Fault;

#define FAULT_FOR_EVER G_MAXUINT

/* Adds FAULT to those that are armed and begins to count calls anew. Where several strike the same
 * call, the one armed last does. */
void fault_arm (const Fault *fault);

/* Ends all faults. TRUE when the one that was armed last has struck. */
gboolean fault_disarm (void);

/* How often CALL was made since the last arming or fault_count_anew. */
unsigned fault_calls (SysCall call);
void fault_count_anew (void);

/* Called instead of poll when it may wait (TIMEOUT_US is not 0): lets the other ends of a transfer
 * act exactly then. It does the waiting itself, by fault_real_poll. NULL ends that. */
typedef int (*FaultWaitFunc) (struct pollfd *fds, unsigned count, gint64 timeout_us, gpointer data);
void fault_watch_waits (FaultWaitFunc func, gpointer data);
int fault_real_poll (struct pollfd *fds, unsigned count, gint64 timeout_us);

/* Queues hand back what is finished in the opposite order, as far as more than one request is. */
void fault_reverse_queues (gboolean reverse);
gboolean fault_queues_reversed (void);

/* For the wrappers. */
typedef struct {
    gboolean instead;
    gboolean after;
    gboolean shortens;
    size_t short_to;
    gint64 result;
} FaultVerdict;

FaultVerdict fault_enter (SysCall call);

#endif

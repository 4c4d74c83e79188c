/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fault - decides for every call of sys whether it goes wrong.
 *
 * Owns the armed faults and the counts of calls, which are global because the wrappers have no
 * other way to reach them.
 */
#include "fault.h"

#define FAULT_MOST 8

static struct {
    GMutex mutex;
    Fault armed[FAULT_MOST];
    unsigned count;
    gboolean struck; /* the last of them has */
    gboolean reverse_queues;
    unsigned calls[SYS_CALLS];
    FaultWaitFunc watcher;
    gpointer watcher_data;
} fault;

int __real_ioh_sys_poll (struct pollfd *fds, unsigned count, gint64 timeout_us);
int __wrap_ioh_sys_poll (struct pollfd *fds, unsigned count, gint64 timeout_us);

void
fault_count_anew (void)
{
    g_mutex_lock (&fault.mutex);
    for (unsigned i = 0; i < SYS_CALLS; i++)
        fault.calls[i] = 0;
    g_mutex_unlock (&fault.mutex);
}

void
fault_arm (const Fault *added)
{
    g_assert_cmpuint (fault.count, <, FAULT_MOST);
    fault_count_anew ();
    fault.armed[fault.count++] = *added;
}

gboolean
fault_disarm (void)
{
    gboolean struck = fault.struck;

    fault.struck = FALSE;
    fault.count = 0;
    return struck;
}

unsigned
fault_calls (SysCall call)
{
    g_mutex_lock (&fault.mutex);
    unsigned calls = fault.calls[call];
    g_mutex_unlock (&fault.mutex);
    return calls;
}

void
fault_watch_waits (FaultWaitFunc func, gpointer data)
{
    fault.watcher = func;
    fault.watcher_data = data;
}

void
fault_reverse_queues (gboolean reverse)
{
    fault.reverse_queues = reverse;
}

gboolean
fault_queues_reversed (void)
{
    return fault.reverse_queues;
}

static FaultVerdict
fault_verdict (const Fault *armed)
{
    return (FaultVerdict){
        .instead = armed->manner == FAULT_INSTEAD,
        .after = armed->manner == FAULT_AFTER,
        .shortens = armed->manner == FAULT_SHORT,
        .short_to = armed->short_to,
        .result = armed->result,
    };
}

FaultVerdict
fault_enter (SysCall call)
{
    FaultVerdict verdict = {0};

    g_mutex_lock (&fault.mutex);
    unsigned nth = ++fault.calls[call];
    for (unsigned i = 0; i < fault.count; i++) {
        const Fault *armed = &fault.armed[i];
        if (armed->call == call && nth >= armed->first && nth <= armed->last) {
            verdict = fault_verdict (armed);
            fault.struck = fault.struck || i + 1 == fault.count;
        }
    }
    g_mutex_unlock (&fault.mutex);
    return verdict;
}

int
fault_real_poll (struct pollfd *fds, unsigned count, gint64 timeout_us)
{
    return __real_ioh_sys_poll (fds, count, timeout_us);
}

int
__wrap_ioh_sys_poll (struct pollfd *fds, unsigned count, gint64 timeout_us)
{
    FaultVerdict verdict = fault_enter (SYS_POLL);

    if (verdict.instead)
        return (int) verdict.result;
    if (fault.watcher != NULL && timeout_us != 0)
        return fault.watcher (fds, count, timeout_us, fault.watcher_data);
    return fault_real_poll (fds, count, timeout_us);
}

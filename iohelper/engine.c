/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * engine - the one table of engines.
 *
 * Owns which engines this build has. A new one is a file of its own and a line here.
 */
#include "engine.h"

#include <string.h>

#include "engine-copy.h"
#include "engine-direct.h"
#include "engine-splice.h"
#include "sys.h"

/* In order of preference: the first that is usable serves --engine=auto. */
static const IohEngine *const engine_table[] = {
    &ioh_engine_splice,
    &ioh_engine_direct,
    &ioh_engine_copy,
};

const IohEngine *
ioh_engine_nth (unsigned n)
{
    return n < G_N_ELEMENTS (engine_table) ? engine_table[n] : NULL;
}

const IohEngine *
ioh_engine_find (const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (engine_table); i++)
        if (g_str_equal (engine_table[i]->name, name))
            return engine_table[i];
    return NULL;
}

const char **
ioh_engine_words (void)
{
    const char **words = g_new0 (const char *, G_N_ELEMENTS (engine_table) + 2);

    words[0] = IOH_ENGINE_AUTO;
    for (unsigned i = 0; i < G_N_ELEMENTS (engine_table); i++)
        words[i + 1] = engine_table[i]->name;
    return words;
}

IohStep
ioh_wait_for (IohWait *wait, int fd, short events, IohSide side)
{
    *wait = (IohWait){
        .fds = {{.fd = fd, .events = events}},
        .count = 1,
        .timeout_us = -1,
        .side = side,
    };
    return IOH_STEP_WAIT;
}

IohStep
ioh_wait_for_news (IohWait *wait, int fd)
{
    *wait = (IohWait){.timeout_us = -1, .side = IOH_SIDE_FILE};
    return ioh_wait_also_for_news (wait, fd);
}

IohStep
ioh_wait_also_for_news (IohWait *wait, int fd)
{
    wait->fds[wait->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (wait->timeout_us < 0 || wait->timeout_us > IOH_SYS_LOOK_US)
        wait->timeout_us = IOH_SYS_LOOK_US;
    return IOH_STEP_WAIT;
}

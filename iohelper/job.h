/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_JOB_H
#define IOH_JOB_H

#include <stdint.h>

#include "engine.h"
#include "plan.h"
#include "sink.h"
#include "source.h"
#include "transport.h"

/* One transfer under way: what run gives to an engine. The engine moves the two counts and nothing
 * else; the stream's bytes from TAKEN on are still where they came from. */
struct IohJob {
    const IohPlan *plan;
    IohTransport transport;
    IohSource *source; /* restore */
    IohSink *sink;     /* save */
    IohReport *report;
    uint64_t taken;     /* bytes read from the origin */
    uint64_t delivered; /* bytes handed over at the destination */
};

#endif

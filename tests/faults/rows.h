/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_ROWS_H
#define IOH_TEST_ROWS_H

#include "fault.h"
#include "wire.h"

/* What a transfer makes of a fault. */
typedef enum {
    FATE_SURVIVES, /* it goes on as if nothing had been */
    FATE_FAILS,    /* it fails as the row says */
    FATE_EITHER,   /* it depends on which call it was: all is well, or it fails as the row says */
} Fate;

/* Failures that belong to no side. */
#define FATE_INTERNAL (1u << 0) /* nothing of ours was to be had: a pipe, a queue */
#define FATE_USAGE (1u << 1)    /* the descriptor we were given cannot be used */
#define FATE_NAMED (1u << 2)    /* as INTERNAL, but only an engine that was asked for by name */
#define FATE_AT(stage) (1u << (8 + (stage)))

/* One kind of fault in one function. */
typedef struct {
    SysCall call;
    FaultManner manner;
    int error_number; /* of FAULT_INSTEAD and FAULT_AFTER; negative: minus a value that is none */
    size_t short_to;  /* of FAULT_SHORT */
    gboolean lasts;   /* all later calls as well */
    Fate fate;
    unsigned how; /* FATE_INTERNAL ...; the stages it may fail at */
} FaultRow;

extern const FaultRow fault_rows[];
extern const unsigned fault_row_count;

/* The row in words, for messages; the caller frees it. */
char *fault_row_name (const FaultRow *row);

#endif

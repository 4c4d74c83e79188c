/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_REPORT_H
#define IOH_REPORT_H

#include <glib.h>
#include <stdint.h>

#include "options.h"
#include "peer.h"
#include "plan.h"
#include "probe.h"

/* What happened, gathered on the way and written at the end as one JSON object (members in
 * wire.h). One thread. */
typedef struct IohReport IohReport;

/* What a transfer came to, in numbers. */
typedef struct {
    const IohEngine *engine; /* the one used last; NULL when none was started */
    uint64_t bytes;          /* of the stream, handed over */
    gboolean published;      /* the target has its name */
    gboolean durable;        /* and is on storage */
    uint64_t length;         /* of the file, 0 when it has none */
    uint64_t allocated;
    gint64 total_us;
    gint64 wait_stream_us;
    gint64 wait_file_us;
    gint64 flush_us;
} IohResult;

IohReport *ioh_report_new (void);
void ioh_report_free (IohReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohReport, ioh_report_free)

/* Something a person should know that is no failure. */
void ioh_report_note (IohReport *report, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* WHAT ("cache", "engine" ...) went on as TO instead of FROM at OFFSET because of REASON. */
void ioh_report_step_down (IohReport *report, const char *what, const char *from, const char *to,
                           uint64_t offset, const char *reason);

/* The stream's pipe holds BYTES; ERROR_NUMBER is why not more, or 0. */
void ioh_report_pipe_size (IohReport *report, int bytes, int error_number);

/* The stream goes over a socket of ours, whose other end is PEER. */
void ioh_report_peer (IohReport *report, const IohPeer *peer);

/* What was given up before the first byte: USED is one of the words in wire.h. REASON is copied. */
void ioh_report_sandbox (IohReport *report, const char *used, const char *reason);

/* The numbers of the end. */
void ioh_report_result (IohReport *report, const IohResult *result);

/* Notes and steps down as lines for people, oldest first; the caller frees it. */
char **ioh_report_lines (const IohReport *report);

/* What a successful transfer did, as parts of one sentence; the caller frees them. */
char **ioh_report_summary (const IohReport *report, const IohPlan *plan);

/* The object as text with a newline at its end; FACTS and PLAN are NULL when it did not come to
 * them, ERROR when all went well. SIGNAL_NUMBER is not 0 when a signal ended the transfer. The
 * caller frees it. */
char *ioh_report_to_json (const IohReport *report, const IohOptions *options, const IohFacts *facts,
                          const IohPlan *plan, const GError *error, int signal_number);

#endif

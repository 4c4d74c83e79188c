/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ERROR_H
#define IOH_ERROR_H

#include <glib.h>
#include <stdint.h>

#include "wire.h"

/* "no byte offset is meant", for IohPlace.offset */
#define IOH_NO_OFFSET UINT64_MAX

/* Where something went wrong. NAME is a path or "fd 5", borrowed. */
typedef struct {
    IohSide side;
    const char *name;
    IohStage stage;
    uint64_t offset;
} IohPlace;

/* The private part of every error of this domain; what the report and the drop-in print. */
typedef struct {
    IohSide side;
    char *name; /* owned; NULL when there is none */
    IohStage stage;
    uint64_t offset;
    int error_number; /* errno value, 0 when the kernel was not involved */
} IohErrorPrivate;

/* Domain of all failures; the code is the IohExit the process ends with. */
#define IOH_ERROR (ioh_error_quark ())
GQuark ioh_error_quark (void);

/* Fails with an errno value (positive): the message is "side name: what failed at byte N: errno
 * text", the code follows from side, stage and errno. Always returns FALSE, to be returned on. */
gboolean ioh_error_errno (GError **error, const IohPlace *place, int error_number);

/* The same with words of our own instead of an errno text. */
gboolean ioh_error_set (GError **error, IohExit status, const IohPlace *place, const char *format,
                        ...) G_GNUC_PRINTF (4, 5);

/* A command line that makes no sense. */
gboolean ioh_error_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* A fault that belongs to neither side: memory, descriptors, threads. ERROR_NUMBER may be 0. */
gboolean ioh_error_internal (GError **error, const char *doing, int error_number);

/* The details of ERROR, or NULL when it is of another domain. Borrowed from ERROR. */
const IohErrorPrivate *ioh_error_details (const GError *error);

/* The exit status ERROR asks for; IOH_EXIT_INTERNAL for foreign domains. */
IohExit ioh_error_exit (const GError *error);

/* TRUE for the errno values that mean "there is no room for this". */
gboolean ioh_error_is_no_room (int error_number);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_VALUES_H
#define IOH_VALUES_H

#include <glib.h>
#include <stdint.h>

#include "options.h"

/* Reads VALUE, NULL where OPTION has none, into OPTIONS. FALSE with a usage error. */
typedef gboolean IohTake (const char *option, const char *value, IohOptions *options,
                          GError **error);

/* What several options read alike: a size from LEAST to MOST, a number from 1 to MOST. */
gboolean ioh_value_parse_size (const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *out_bytes, GError **error);
gboolean ioh_value_parse_count (const char *option, const char *value, int most,
                                unsigned *out_count, GError **error);

/* Refuses VALUE, naming the WORDS there are, which end with NULL, and the one that was meant. */
gboolean ioh_value_refuse_word (const char *option, const char *value, const char *const *words,
                                GError **error);

/* Each knows the options it is for, by their names without dashes. */
IohTake ioh_value_take_address;
IohTake ioh_value_take_engine;
IohTake ioh_value_take_fd;
IohTake ioh_value_take_flag;
IohTake ioh_value_take_label;
IohTake ioh_value_take_mode;
IohTake ioh_value_take_queue_depth;
IohTake ioh_value_take_rate;
IohTake ioh_value_take_report;
IohTake ioh_value_take_size;
IohTake ioh_value_take_stall_timeout;
IohTake ioh_value_take_verbosity;
IohTake ioh_value_take_word;

#endif

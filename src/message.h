/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_MESSAGE_H
#define IOH_MESSAGE_H

#include <glib.h>

/* Messages for people go through _(), which looks in this project's own catalogue whatever the host
 * program has chosen for its own. */
#define _(text) ioh_message (text)

const char *ioh_message (const char *text) G_GNUC_FORMAT (1);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_NOTICE_H
#define IOH_NOTICE_H

#include <glib-object.h>

/* Has an object tell of what is new, in one main context, however many threads find out. */
typedef struct IohNotice IohNotice;

/* TELL is called with OBJECT in CONTEXT, as long as OBJECT, which is not kept alive, is there. */
IohNotice *ioh_notice_new (GMainContext *context, GObject *object, void (*tell) (gpointer object));

/* Sees to it that TELL is called, once for all posts until then. Any thread. */
void ioh_notice_post (IohNotice *notice);

/* TELL is not called any more. Not while another thread posts. */
void ioh_notice_free (IohNotice *notice);

#endif

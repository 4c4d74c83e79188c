/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * notice - a call in somebody else's main context, once however often it is asked for.
 *
 * Owns a source that is attached while there is something to tell. A main context that nobody runs
 * gathers no more than that one.
 */
#include "notice.h"

typedef struct {
    gatomicrefcount references; /* the notice and its source */
    GMutex lock;
    GSource *source; /* attached, or NULL; borrowed from the context */
    GWeakRef object;
    void (*tell) (gpointer object);
} NoticeCore;

struct IohNotice {
    NoticeCore *core;
    GMainContext *context;
};

static void
notice_unref_core (gpointer data)
{
    NoticeCore *core = data;

    if (!g_atomic_ref_count_dec (&core->references))
        return;
    g_weak_ref_clear (&core->object);
    g_mutex_clear (&core->lock);
    g_free (core);
}

IohNotice *
ioh_notice_new (GMainContext *context, GObject *object, void (*tell) (gpointer object))
{
    IohNotice *notice = g_new0 (IohNotice, 1);
    NoticeCore *core = g_new0 (NoticeCore, 1);

    g_atomic_ref_count_init (&core->references);
    g_mutex_init (&core->lock);
    g_weak_ref_init (&core->object, object);
    core->tell = tell;
    notice->core = core;
    notice->context = g_main_context_ref (context);
    return notice;
}

static gboolean
notice_dispatch (gpointer data)
{
    NoticeCore *core = data;

    g_mutex_lock (&core->lock);
    core->source = NULL;
    g_mutex_unlock (&core->lock);
    g_autoptr (GObject) object = g_weak_ref_get (&core->object);
    if (object != NULL)
        core->tell (object);
    return G_SOURCE_REMOVE;
}

void
ioh_notice_post (IohNotice *notice)
{
    NoticeCore *core = notice->core;

    g_mutex_lock (&core->lock);
    if (core->source == NULL) {
        core->source = g_idle_source_new ();
        g_source_set_priority (core->source, G_PRIORITY_DEFAULT);
        g_atomic_ref_count_inc (&core->references);
        g_source_set_callback (core->source, notice_dispatch, core, notice_unref_core);
        g_source_attach (core->source, notice->context);
        g_source_unref (core->source);
    }
    g_mutex_unlock (&core->lock);
}

void
ioh_notice_free (IohNotice *notice)
{
    NoticeCore *core = notice->core;

    g_mutex_lock (&core->lock);
    GSource *source = core->source != NULL ? g_source_ref (core->source) : NULL;
    g_mutex_unlock (&core->lock);
    if (source != NULL) {
        g_source_destroy (source);
        g_source_unref (source);
    }
    g_main_context_unref (notice->context);
    notice_unref_core (core);
    g_free (notice);
}

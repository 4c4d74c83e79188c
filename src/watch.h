/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_WATCH_H
#define IOH_WATCH_H

#include <glib.h>

#include "libiohelper-types.h"
#include "process.h"
#include "verdict.h"

/* A helper under way, and the thread that listens to it until it has ended. */
typedef struct IohWatch IohWatch;

/* How far a transfer is, by the helper's own account. */
typedef struct {
    IohPhase phase;
    guint64 bytes;   /* never falls */
    gint64 expected; /* -1: not known */
    gint64 heard_us; /* monotonic time of the last word from the helper */
} IohTold;

/* Called in the watch's thread, in this order: told any number of times, stuck at most once, ended
 * once. */
typedef struct {
    void (*told) (gpointer data, const IohTold *told);
    void (*stuck) (gpointer data); /* cancelled and killed, but the kernel does not let go of it */
    void (*ended) (gpointer data, const IohEnding *ending);
} IohWatchCalls;

/* The lines to one helper. */
typedef struct {
    IohProcess process;
    int control_fd; /* socket: our words to it, its progress to us */
    int report_fd;  /* pipe: its report; does not block */
    int words_fd;   /* pipe: its standard error; does not block */
} IohWatchLines;

/* Takes over LINES, also on failure, when the helper is killed. CALLS is static; DATA is freed by
 * FREE_DATA when the thread and the caller no longer need it. Nothing is called before
 * ioh_watch_start. */
IohWatch *ioh_watch_new (const IohWatchLines *lines, const IohWatchCalls *calls, gpointer data,
                         GDestroyNotify free_data);

/* Starts the thread. FALSE with the error set when there is none to be had; the helper is killed
 * then, and nothing will be called. */
gboolean ioh_watch_start (IohWatch *watch, GError **error);

/* From any thread, without waiting: lets the helper complete what it saves; asks it to give up, and
 * kills it when it has not done so in a few seconds; hangs up, so that it does what it was told to
 * do when its manager goes away. */
void ioh_watch_commit (IohWatch *watch);
void ioh_watch_cancel (IohWatch *watch);
void ioh_watch_hang_up (IohWatch *watch);

void ioh_watch_unref (IohWatch *watch);

#endif

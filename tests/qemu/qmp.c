/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small synchronous QMP client: one line is one JSON message, one command is under way at a time,
 * events that arrive meanwhile wait in a queue. Every wait is a poll with a deadline.
 */
#include "qmp.h"

#include "autofd.h"

#include <errno.h>
#include <gio/gio.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* Generous: a loaded machine without KVM still answers within it. */
#define QMP_ANSWER_SECONDS 60

struct _IohQmp {
    int fd;
    GString *received;
    GQueue events;
};

static gboolean
qmp_fail (const char *what, int code, GError **error)
{
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "QMP: %s: %s", what,
                 g_strerror (code));
    return FALSE;
}

static gboolean
qmp_poll (IohQmp *self, short events, gint64 deadline_us, GError **error)
{
    struct pollfd pollfd = {.fd = self->fd, .events = events};

    for (;;) {
        gint64 left_us = MAX (deadline_us - g_get_monotonic_time (), 0);
        int ready = poll (&pollfd, 1, (int) (left_us / 1000));

        if (ready > 0)
            return TRUE;
        if (ready < 0 && errno != EINTR)
            return qmp_fail ("poll", errno, error);
        if (ready == 0 && left_us == 0)
            return qmp_fail ("no answer from QEMU", ETIMEDOUT, error);
    }
}

static gboolean
qmp_receive (IohQmp *self, gint64 deadline_us, GError **error)
{
    char chunk[4096];
    ssize_t got;

    if (!qmp_poll (self, POLLIN, deadline_us, error))
        return FALSE;
    got = recv (self->fd, chunk, sizeof chunk, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return TRUE;
    if (got < 0 && errno != ECONNRESET)
        return qmp_fail ("recv", errno, error);
    if (got <= 0) {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "QMP: QEMU went away");
        return FALSE;
    }
    g_string_append_len (self->received, chunk, got);
    return TRUE;
}

/* The next line as an object. */
static JsonObject *
qmp_read (IohQmp *self, gint64 deadline_us, GError **error)
{
    g_autoptr (JsonNode) node = NULL;
    g_autofree char *line = NULL;
    const char *end;

    while ((end = memchr (self->received->str, '\n', self->received->len)) == NULL)
        if (!qmp_receive (self, deadline_us, error))
            return NULL;
    line = g_strndup (self->received->str, (gsize) (end - self->received->str));
    g_string_erase (self->received, 0, end - self->received->str + 1);
    node = json_from_string (line, error);
    if (node == NULL)
        return NULL;
    if (!JSON_NODE_HOLDS_OBJECT (node)) {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "QMP: not an object: %s", line);
        return NULL;
    }
    return json_node_dup_object (node);
}

static gboolean
qmp_send (IohQmp *self, const char *text, int passed_fd, gint64 deadline_us, GError **error)
{
    size_t left = strlen (text);
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE (sizeof (int))];
    } control = {0};

    while (left > 0) {
        struct iovec iov = {.iov_base = (char *) text, .iov_len = left};
        struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
        ssize_t sent;

        if (passed_fd >= 0) {
            msg.msg_control = control.bytes;
            msg.msg_controllen = sizeof control.bytes;
            *CMSG_FIRSTHDR (&msg) = (struct cmsghdr){.cmsg_len = CMSG_LEN (sizeof (int)),
                                                     .cmsg_level = SOL_SOCKET,
                                                     .cmsg_type = SCM_RIGHTS};
            memcpy (CMSG_DATA (CMSG_FIRSTHDR (&msg)), &passed_fd, sizeof passed_fd);
        }
        if (!qmp_poll (self, POLLOUT, deadline_us, error))
            return FALSE;
        sent = sendmsg (self->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return qmp_fail ("sendmsg", errno, error);
        if (sent > 0) {
            text += sent;
            left -= (size_t) sent;
            passed_fd = -1;
        }
    }
    return TRUE;
}

static char *
qmp_compose (const char *command, JsonObject *arguments)
{
    g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
    JsonObject *message = json_object_new ();

    json_object_set_string_member (message, "execute", command);
    if (arguments != NULL)
        json_object_set_object_member (message, "arguments", arguments);
    json_node_take_object (node, message);
    return json_to_string (node, FALSE);
}

gboolean
ioh_qmp_execute (IohQmp *self, const char *command, JsonObject *arguments, int passed_fd,
                 JsonNode **out_return, GError **error)
{
    g_autofree char *text = qmp_compose (command, arguments);
    gint64 deadline_us = g_get_monotonic_time () + QMP_ANSWER_SECONDS * G_USEC_PER_SEC;

    if (!qmp_send (self, text, passed_fd, deadline_us, error))
        return FALSE;
    for (;;) {
        g_autoptr (JsonObject) message = qmp_read (self, deadline_us, error);

        if (message == NULL)
            return FALSE;
        if (json_object_has_member (message, "event")) {
            g_queue_push_tail (&self->events, g_steal_pointer (&message));
        } else if (json_object_has_member (message, "error")) {
            JsonObject *detail = json_object_get_object_member (message, "error");

            g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "QMP: %s: %s", command,
                         json_object_get_string_member (detail, "desc"));
            return FALSE;
        } else {
            if (out_return != NULL)
                *out_return = json_object_dup_member (message, "return");
            return TRUE;
        }
    }
}

JsonObject *
ioh_qmp_wait_event (IohQmp *self, const char *name, unsigned seconds, GError **error)
{
    gint64 deadline_us = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

    for (;;) {
        g_autoptr (JsonObject) event = g_queue_pop_head (&self->events);

        if (event == NULL)
            event = qmp_read (self, deadline_us, error);
        if (event == NULL)
            return NULL;
        if (g_str_equal (json_object_get_string_member_with_default (event, "event", ""), name))
            return json_object_ref (json_object_get_object_member (event, "data"));
    }
}

static gboolean
qmp_greet (IohQmp *self, GError **error)
{
    gint64 deadline_us = g_get_monotonic_time () + QMP_ANSWER_SECONDS * G_USEC_PER_SEC;
    g_autoptr (JsonObject) greeting = qmp_read (self, deadline_us, error);

    if (greeting == NULL)
        return FALSE;
    if (!json_object_has_member (greeting, "QMP")) {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "QMP: no greeting");
        return FALSE;
    }
    return ioh_qmp_execute (self, "qmp_capabilities", NULL, -1, NULL, error);
}

IohQmp *
ioh_qmp_new (int socket_fd, GError **error)
{
    g_autoptr (IohQmp) self = g_new0 (IohQmp, 1);

    self->fd = socket_fd;
    self->received = g_string_new (NULL);
    g_queue_init (&self->events);
    return qmp_greet (self, error) ? g_steal_pointer (&self) : NULL;
}

void
ioh_qmp_free (IohQmp *self)
{
    g_queue_clear_full (&self->events, (GDestroyNotify) json_object_unref);
    g_string_free (self->received, TRUE);
    ioh_autofd_clear (&self->fd);
    g_free (self);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * settings - the properties that say what a transfer is to be, and their spelling as options.
 *
 * Owns one table: a property that is an option of the command line has its name, range and default
 * from wire, and is handed to the helper when it was changed. What the table does not check the
 * helper does.
 */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "descriptor.h"
#include "error-private.h"
#include "libiohelper-enums.h"
#include "message.h"
#include "wire.h"

typedef enum {
    SETTING_SIZE,     /* guint64, a number of bytes with a range of its own */
    SETTING_RATE,     /* guint64, 0 for none */
    SETTING_POSITION, /* gint64, -1 when not given */
    SETTING_NUMBER,   /* guint */
    SETTING_OCTAL,    /* guint */
    SETTING_WORD,     /* an enumeration */
    SETTING_FLAG,     /* gboolean */
    SETTING_TEXT,     /* owned string */
    SETTING_TEXTS,    /* owned strings */
    SETTING_FD,       /* int, ours is a copy */
} SettingKind;

typedef enum {
    SETTING_OF_BOTH,
    SETTING_OF_SAVE,    /* an option of save only */
    SETTING_OF_RESTORE, /* an option of restore only */
    SETTING_OF_LIBRARY, /* no option */
    SETTING_OF_ENDS,    /* no option, and only set at construction */
} SettingScope;

typedef struct {
    const char *name;
    SettingKind kind;
    SettingScope scope;
    size_t member;
    GType (*type) (void); /* of a word */
    guint least;          /* of numbers */
    guint most;
    guint standard; /* of numbers */
    const char *standard_text;
} Setting;

#define MEMBER(member) G_STRUCT_OFFSET (IohSettings, member)

static const Setting settings_table[] = {
    {"direction", SETTING_WORD, SETTING_OF_ENDS, MEMBER (direction), ioh_direction_get_type},
    {"path", SETTING_TEXT, SETTING_OF_ENDS, MEMBER (path)},
    {"file-fd", SETTING_FD, SETTING_OF_ENDS, MEMBER (file_fd)},
    {IOH_OPTION_PIPE_SIZE, SETTING_SIZE, SETTING_OF_BOTH, MEMBER (pipe_size)},
    {IOH_OPTION_SOCKET_BUFFER, SETTING_SIZE, SETTING_OF_LIBRARY, MEMBER (socket_buffer)},
    {"transport", SETTING_WORD, SETTING_OF_LIBRARY, MEMBER (transport),
     ioh_transport_kind_get_type},
    {"stream-label", SETTING_TEXT, SETTING_OF_LIBRARY, MEMBER (stream_label)},
    {IOH_OPTION_ENGINE, SETTING_TEXT, SETTING_OF_BOTH, MEMBER (engine),
     .standard_text = IOH_ENGINE_AUTO},
    {IOH_OPTION_CACHE, SETTING_WORD, SETTING_OF_BOTH, MEMBER (cache), ioh_cache_get_type},
    {IOH_OPTION_BLOCK_SIZE, SETTING_SIZE, SETTING_OF_BOTH, MEMBER (block_size)},
    {IOH_OPTION_QUEUE_DEPTH, SETTING_NUMBER, SETTING_OF_BOTH, MEMBER (queue_depth), .least = 1,
     .most = IOH_QUEUE_DEPTH_MOST, .standard = IOH_QUEUE_DEPTH_STANDARD},
    {IOH_OPTION_QUEUE, SETTING_WORD, SETTING_OF_BOTH, MEMBER (queue), ioh_queue_kind_get_type},
    {IOH_OPTION_OFFSET, SETTING_POSITION, SETTING_OF_BOTH, MEMBER (offset)},
    {IOH_OPTION_SKIP_HEADER, SETTING_FLAG, SETTING_OF_RESTORE, MEMBER (skip_header)},
    {IOH_OPTION_EXPECT_SIZE, SETTING_POSITION, SETTING_OF_BOTH, MEMBER (expect_size)},
    {IOH_OPTION_RATE_LIMIT, SETTING_RATE, SETTING_OF_BOTH, MEMBER (rate_limit)},
    {IOH_OPTION_STALL_TIMEOUT, SETTING_NUMBER, SETTING_OF_BOTH, MEMBER (stall_timeout),
     .most = IOH_STALL_TIMEOUT_MOST},
    {IOH_OPTION_SYNC, SETTING_WORD, SETTING_OF_SAVE, MEMBER (sync), ioh_sync_get_type},
    {IOH_OPTION_EXISTS, SETTING_WORD, SETTING_OF_SAVE, MEMBER (exists), ioh_exists_get_type},
    {IOH_OPTION_MODE, SETTING_OCTAL, SETTING_OF_SAVE, MEMBER (mode), .most = IOH_MODE_MOST,
     .standard = IOH_MODE_STANDARD},
    {IOH_OPTION_LABEL, SETTING_TEXT, SETTING_OF_SAVE, MEMBER (label)},
    {IOH_OPTION_KEEP_PARTIAL, SETTING_FLAG, SETTING_OF_SAVE, MEMBER (keep_partial)},
    {IOH_OPTION_PARENT_DEATH, SETTING_WORD, SETTING_OF_BOTH, MEMBER (parent_death),
     ioh_parent_death_get_type},
    {"helper-path", SETTING_TEXT, SETTING_OF_LIBRARY, MEMBER (helper_path)},
    {"environment", SETTING_TEXTS, SETTING_OF_LIBRARY, MEMBER (environment)},
};

G_STATIC_ASSERT (G_N_ELEMENTS (settings_table) == IOH_SETTINGS_COUNT);

static GParamSpec *
settings_spec (const Setting *setting)
{
    const char *name = setting->name;
    const IohWireRange *range = NULL;
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

    if (setting->scope == SETTING_OF_ENDS)
        flags |= G_PARAM_CONSTRUCT_ONLY;
    if (setting->kind == SETTING_FD)
        flags &= ~(GParamFlags) G_PARAM_READABLE;
    if (setting->kind == SETTING_SIZE || setting->kind == SETTING_POSITION)
        range = ioh_wire_range (name);
    switch (setting->kind) {
    case SETTING_SIZE:
        return g_param_spec_uint64 (name, NULL, NULL, range->least, range->most, range->standard,
                                    flags);
    case SETTING_RATE:
        return g_param_spec_uint64 (name, NULL, NULL, 0, G_MAXINT64, 0, flags);
    case SETTING_POSITION:
        return g_param_spec_int64 (name, NULL, NULL, -1, (gint64) range->most, -1, flags);
    case SETTING_NUMBER:
    case SETTING_OCTAL:
        return g_param_spec_uint (name, NULL, NULL, setting->least, setting->most,
                                  setting->standard, flags);
    case SETTING_WORD:
        return g_param_spec_enum (name, NULL, NULL, setting->type (), 0, flags);
    case SETTING_FLAG:
        return g_param_spec_boolean (name, NULL, NULL, FALSE, flags);
    case SETTING_TEXTS:
        return g_param_spec_boxed (name, NULL, NULL, G_TYPE_STRV, flags);
    case SETTING_FD:
        return g_param_spec_int (name, NULL, NULL, -1, G_MAXINT, -1, flags);
    default:
        return g_param_spec_string (name, NULL, NULL, setting->standard_text, flags);
    }
}

void
ioh_settings_install (GObjectClass *object_class)
{
    for (guint i = 0; i < IOH_SETTINGS_COUNT; i++)
        g_object_class_install_property (object_class, i + 1, settings_spec (&settings_table[i]));
}

static gpointer
settings_member (const IohSettings *settings, const Setting *setting)
{
    return G_STRUCT_MEMBER_P (settings, setting->member);
}

/* Keeps a copy: whether the caller closes its own before or after the start is all the same. */
static void
settings_set_fd (IohSettings *settings, int fd)
{
    if (fd < 0)
        return;
    settings->file_fd = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    settings->fd_errno = settings->file_fd < 0 ? errno : 0;
}

void
ioh_settings_set (IohSettings *settings, guint id, const GValue *value)
{
    const Setting *setting = &settings_table[id - 1];
    gpointer member = settings_member (settings, setting);

    switch (setting->kind) {
    case SETTING_SIZE:
    case SETTING_RATE:
        *(guint64 *) member = g_value_get_uint64 (value);
        break;
    case SETTING_POSITION:
        *(gint64 *) member = g_value_get_int64 (value);
        break;
    case SETTING_NUMBER:
    case SETTING_OCTAL:
        *(guint *) member = g_value_get_uint (value);
        break;
    case SETTING_WORD:
        *(int *) member = g_value_get_enum (value);
        break;
    case SETTING_FLAG:
        *(gboolean *) member = g_value_get_boolean (value);
        break;
    case SETTING_TEXTS:
        g_strfreev (*(char ***) member);
        *(char ***) member = g_value_dup_boxed (value);
        break;
    case SETTING_FD:
        settings_set_fd (settings, g_value_get_int (value));
        break;
    default:
        g_free (*(char **) member);
        *(char **) member = g_value_dup_string (value);
    }
}

void
ioh_settings_get (const IohSettings *settings, guint id, GValue *value)
{
    const Setting *setting = &settings_table[id - 1];
    gpointer member = settings_member (settings, setting);

    switch (setting->kind) {
    case SETTING_SIZE:
    case SETTING_RATE:
        g_value_set_uint64 (value, *(guint64 *) member);
        break;
    case SETTING_POSITION:
        g_value_set_int64 (value, *(gint64 *) member);
        break;
    case SETTING_NUMBER:
    case SETTING_OCTAL:
        g_value_set_uint (value, *(guint *) member);
        break;
    case SETTING_WORD:
        g_value_set_enum (value, *(int *) member);
        break;
    case SETTING_FLAG:
        g_value_set_boolean (value, *(gboolean *) member);
        break;
    case SETTING_TEXTS:
        g_value_set_boxed (value, *(char ***) member);
        break;
    case SETTING_FD:
        g_value_set_int (value, *(int *) member);
        break;
    default:
        g_value_set_string (value, *(char **) member);
    }
}

static void
settings_init_one (IohSettings *settings, guint id)
{
    GParamSpec *spec = g_param_spec_ref_sink (settings_spec (&settings_table[id - 1]));

    ioh_settings_set (settings, id, g_param_spec_get_default_value (spec));
    g_param_spec_unref (spec);
}

void
ioh_settings_init (IohSettings *settings)
{
    *settings = (IohSettings){.file_fd = -1};
    for (guint id = 1; id <= IOH_SETTINGS_COUNT; id++)
        settings_init_one (settings, id);
}

void
ioh_settings_clear (IohSettings *settings)
{
    for (guint i = 0; i < IOH_SETTINGS_COUNT; i++) {
        const Setting *setting = &settings_table[i];
        gpointer member = settings_member (settings, setting);
        if (setting->kind == SETTING_TEXT)
            g_clear_pointer ((char **) member, g_free);
        else if (setting->kind == SETTING_TEXTS)
            g_clear_pointer ((char ***) member, g_strfreev);
        else if (setting->kind == SETTING_FD)
            ioh_descriptor_clear ((int *) member);
    }
}

/* The option that says what VALUE does; the caller frees it. */
static char *
settings_option (const Setting *setting, const GValue *value)
{
    const char *name = setting->name;

    switch (setting->kind) {
    case SETTING_SIZE:
    case SETTING_RATE:
        return g_strdup_printf ("--%s=%" G_GUINT64_FORMAT, name, g_value_get_uint64 (value));
    case SETTING_POSITION:
        return g_strdup_printf ("--%s=%" G_GINT64_FORMAT, name, g_value_get_int64 (value));
    case SETTING_NUMBER:
        return g_strdup_printf ("--%s=%u", name, g_value_get_uint (value));
    case SETTING_OCTAL:
        return g_strdup_printf ("--%s=%o", name, g_value_get_uint (value));
    case SETTING_WORD: {
        g_autoptr (GEnumClass) words = g_type_class_ref (setting->type ());
        const GEnumValue *word = g_enum_get_value (words, g_value_get_enum (value));
        return g_strdup_printf ("--%s=%s", name, word->value_nick);
    }
    case SETTING_FLAG:
        return g_strdup_printf ("--%s", name);
    default:
        return g_strdup_printf ("--%s=%s", name, g_value_get_string (value));
    }
}

/* The option for the setting ID, or NULL when it is what it is by default, or is no option. */
static char *
settings_changed_option (const IohSettings *settings, guint id)
{
    const Setting *setting = &settings_table[id - 1];
    g_auto (GValue) value = G_VALUE_INIT;
    char *option = NULL;

    if (setting->scope == SETTING_OF_LIBRARY || setting->scope == SETTING_OF_ENDS)
        return NULL;
    GParamSpec *spec = g_param_spec_ref_sink (settings_spec (setting));
    g_value_init (&value, spec->value_type);
    ioh_settings_get (settings, id, &value);
    if (!g_param_value_defaults (spec, &value))
        option = settings_option (setting, &value);
    g_param_spec_unref (spec);
    return option;
}

void
ioh_settings_add_options (const IohSettings *settings, GPtrArray *argv)
{
    for (guint id = 1; id <= IOH_SETTINGS_COUNT; id++) {
        char *option = settings_changed_option (settings, id);
        if (option != NULL)
            g_ptr_array_add (argv, option);
    }
}

/* A name of a descriptor means the helper's there, and not the caller's. */
static gboolean
settings_check_path (const char *path, GError **error)
{
    static const char *const fd_names[] = {"/dev/fd/", "/proc/self/", "/dev/stdin", "/dev/stdout",
                                           "/dev/stderr"};

    if (path[0] == '\0')
        return ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_USAGE, NULL, "%s",
                                       _ ("the path is empty"));
    for (guint i = 0; i < G_N_ELEMENTS (fd_names); i++)
        if (g_str_has_prefix (path, fd_names[i]))
            return ioh_transfer_error_set (
                error, IOH_TRANSFER_ERROR_USAGE, NULL,
                _ ("%s is another file in the helper: give the descriptor itself"), path);
    return TRUE;
}

/* Nothing is asked for that only the other direction has. */
static gboolean
settings_check_direction (const IohSettings *settings, GError **error)
{
    gboolean save = settings->direction == IOH_SAVE;

    for (guint id = 1; id <= IOH_SETTINGS_COUNT; id++) {
        const Setting *setting = &settings_table[id - 1];
        if (setting->scope != (save ? SETTING_OF_RESTORE : SETTING_OF_SAVE))
            continue;
        g_autofree char *option = settings_changed_option (settings, id);
        if (option != NULL)
            return ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_USAGE, NULL,
                                           save ? _ ("%s: only a restore has that")
                                                : _ ("%s: only a save has that"),
                                           setting->name);
    }
    return TRUE;
}

/* The stream begins in one place. */
static gboolean
settings_check_offset (const IohSettings *settings, GError **error)
{
    if (settings->skip_header && settings->offset >= 0)
        return ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_USAGE, NULL,
                                       _ ("%s and %s exclude each other"), IOH_OPTION_SKIP_HEADER,
                                       IOH_OPTION_OFFSET);
    return TRUE;
}

gboolean
ioh_settings_check (const IohSettings *settings, GError **error)
{
    if (settings->fd_errno != 0)
        return ioh_transfer_error_errno (error, IOH_TRANSFER_ERROR_USAGE, settings->fd_errno,
                                         _ ("the descriptor of the file cannot be used"));
    if ((settings->path != NULL) == (settings->file_fd >= 0))
        return ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_USAGE, NULL, "%s",
                                       _ ("a transfer needs a path or a descriptor"));
    return settings_check_direction (settings, error) && settings_check_offset (settings, error) &&
           (settings->path == NULL || settings_check_path (settings->path, error));
}

char *
ioh_settings_helper (const IohSettings *settings)
{
    const char *helper = settings->helper_path;

    if (helper == NULL)
        helper = secure_getenv (IOH_HELPER_VARIABLE);
    return g_strdup (helper != NULL && helper[0] != '\0' ? helper : IOH_HELPER_PATH);
}

/* What a program needs to speak the user's language and to find its libraries, and nothing that
 * was meant for the caller alone. */
char **
ioh_settings_environment (const IohSettings *settings)
{
    static const char *const names[] = {"PATH", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "TZ"};
    g_auto (GStrv) all = NULL;
    char **environment = NULL;

    if (settings->environment != NULL)
        return g_strdupv (settings->environment);
    all = g_get_environ ();
    environment = g_new0 (char *, 1);
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        const char *value = g_environ_getenv (all, names[i]);
        if (value != NULL)
            environment = g_environ_setenv (environment, names[i], value, TRUE);
    }
    for (guint i = 0; all[i] != NULL; i++) {
        g_auto (GStrv) pair = g_strsplit (all[i], "=", 2);
        if (g_str_has_prefix (pair[0], "LC_"))
            environment = g_environ_setenv (environment, pair[0], pair[1], TRUE);
    }
    return environment;
}

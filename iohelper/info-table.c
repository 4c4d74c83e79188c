/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * info-table - what is known of an image, for people.
 *
 * Owns the words and their place: labels in the user's language, values in one column behind them.
 * Names come from the image and are not trusted with the terminal.
 */
#include <inttypes.h>

#include "i18n.h"
#include "info.h"
#include "printable.h"
#include "size.h"
#include "wrap.h"

/* Where a list of names is broken when there is no terminal to say it. */
#define TABLE_COLUMNS 80

/* How many names of a list are shown. */
#define TABLE_NAMES_MOST 100

typedef struct {
    const char *label;
    char *value;
    gboolean list; /* of names, which may be long */
} TableLine;

static void
table_line_clear (gpointer line)
{
    g_free (((TableLine *) line)->value);
}

static void G_GNUC_PRINTF (3, 4)
    table_add (GArray *table, const char *label, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_autofree char *value = g_strdup_vprintf (format, args);
    va_end (args);
    const TableLine line = {.label = label, .value = ioh_printable (value)};
    g_array_append_val (table, line);
}

static void
table_add_bytes (GArray *table, const char *label, uint64_t bytes)
{
    const TableLine line = {.label = label, .value = ioh_size_format_exact (bytes)};

    g_array_append_val (table, line);
}

static char *
table_print (const GArray *table, int columns)
{
    GString *text = g_string_new (NULL);
    int widest = 0;

    for (guint i = 0; i < table->len; i++)
        widest = MAX (widest, ioh_printable_width (g_array_index (table, TableLine, i).label));
    for (guint i = 0; i < table->len; i++) {
        const TableLine *line = &g_array_index (table, TableLine, i);
        int blanks = widest - ioh_printable_width (line->label) + 2;
        g_string_append_printf (text, "%s%*s", line->label, blanks, "");
        ioh_wrap_append (text, widest + 2, line->value,
                         columns == 0 && line->list ? TABLE_COLUMNS : columns);
    }
    return g_string_free (text, FALSE);
}

/* Cuts a list of names that has become too long for anybody to read. */
static void
table_limit_names (GPtrArray *names)
{
    guint more = names->len - MIN (names->len, TABLE_NAMES_MOST);

    if (more == 0)
        return;
    g_ptr_array_set_size (names, TABLE_NAMES_MOST);
    g_ptr_array_add (names, g_strdup_printf (_ ("and %u more"), more));
}

/* Adds NAMES, or as many of them as anybody reads. */
static void
table_add_names (GArray *table, const char *label, GPtrArray *names)
{
    if (names->len == 0)
        return;
    table_limit_names (names);
    g_ptr_array_add (names, NULL);
    g_autofree char *list = g_strjoinv (", ", (char **) names->pdata);
    const TableLine line = {label, ioh_printable (list), TRUE};
    g_array_append_val (table, line);
}

static void
table_add_blocks (GArray *table, const IohQemuStream *stream)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

    for (guint i = 0; i < stream->blocks->len; i++) {
        const IohQemuBlock *block = &g_array_index (stream->blocks, IohQemuBlock, i);
        g_ptr_array_add (names, g_strdup_printf ("%s %" PRIu64, block->name, block->bytes));
    }
    if (stream->blocks->len > 0)
        table_add_bytes (table, _ ("memory"), stream->ram_bytes);
    table_add_names (table, _ ("in blocks"), names);
}

/* Sections that differ in their instance alone are told once, with their number. */
static void
table_add_sections (GArray *table, const IohQemuStream *stream)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < stream->sections->len; i++) {
        char *name = g_array_index (stream->sections, IohQemuSection, i).name;
        guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name));
        if (count == 0)
            g_ptr_array_add (names, name);
        g_hash_table_insert (counts, name, GUINT_TO_POINTER (count + 1));
    }
    for (guint i = 0; i < names->len; i++) {
        guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, names->pdata[i]));
        names->pdata[i] = count > 1 ? g_strdup_printf ("%s (%u)", (char *) names->pdata[i], count)
                                    : g_strdup (names->pdata[i]);
    }
    table_add_names (table, _ ("sections"), names);
}

static void
table_add_qemu (GArray *table, const IohQemuStream *stream)
{
    table_add (table, _ ("QEMU version"), "%u", stream->version);
    if (stream->machine != NULL)
        table_add (table, _ ("machine"), "%s", stream->machine);
    if (stream->page_bytes != 0)
        table_add (table, _ ("page size"), "%" PRIu64, stream->page_bytes);
    table_add_blocks (table, stream);
    table_add_sections (table, stream);
    if (stream->description_bytes != 0)
        table_add_bytes (table, _ ("description"), stream->description_bytes);
}

static void
table_add_libvirt (GArray *table, const IohLibvirtHeader *header)
{
    const char *format = ioh_libvirt_header_format (header);

    table_add (table, _ ("domain"), "%s", header->domain != NULL ? header->domain : _ ("unknown"));
    table_add (table, _ ("was running"), "%s", header->was_running ? _ ("yes") : _ ("no"));
    table_add (table, _ ("marked complete"), "%s", header->complete ? _ ("yes") : _ ("no"));
    if (format != NULL)
        table_add (table, _ ("format"), "%s", format);
    else
        table_add (table, _ ("format"), _ ("unknown (%u)"), header->format);
    table_add (table, _ ("libvirt version"),
               header->swapped ? _ ("%u, of the other byte order") : "%u", header->version);
    table_add_bytes (table, _ ("XML and room"), header->data_bytes);
    if (header->cookie_offset != 0)
        table_add (table, _ ("cookie"), _ ("%u bytes behind the header"), header->cookie_offset);
}

static void
table_add_verdict (GArray *table, const IohImageVerdict *verdict)
{
    static const char *const states[] = {
        [IOH_IMAGE_UNKNOWN] = N_ ("not known"),      [IOH_IMAGE_COMPLETE] = N_ ("yes"),
        [IOH_IMAGE_PARTIAL] = N_ ("no, unfinished"), [IOH_IMAGE_TRUNCATED] = N_ ("no, truncated"),
        [IOH_IMAGE_DAMAGED] = N_ ("no, damaged"),
    };

    table_add (table, _ ("complete"), "%s: %s", _ (states[verdict->state]), _ (verdict->reason));
    if (verdict->missing != 0)
        table_add (table, _ ("missing"), _ ("at least %" PRIu64 " bytes"), verdict->missing);
    if (verdict->state == IOH_IMAGE_DAMAGED)
        table_add (table, _ ("seen at"), _ ("byte %" PRIu64), verdict->offset);
}

char *
ioh_info_table (const IohImage *image, const char *name, int columns)
{
    g_autoptr (GArray) table = g_array_new (FALSE, FALSE, sizeof (TableLine));
    const char *summary = _ (image->format->summary);

    g_array_set_clear_func (table, table_line_clear);
    table_add (table, _ ("image"), "%s", name);
    table_add (table, _ ("kind"), "%s",
               image->libvirt != NULL ? _ ("libvirt save image") : summary);
    table_add_bytes (table, _ ("size"), image->bytes);
    table_add_verdict (table, &image->verdict);
    if (image->libvirt != NULL) {
        table_add_libvirt (table, image->libvirt);
        table_add (table, _ ("stream"), _ ("%s, from byte %" PRIu64), summary,
                   image->stream_offset);
    }
    if (image->qemu != NULL)
        table_add_qemu (table, image->qemu);
    if (image->qemu != NULL && image->qemu->ended)
        table_add (table, _ ("stream ends"), _ ("at byte %" PRIu64), image->qemu->end);
    return table_print (table, columns);
}

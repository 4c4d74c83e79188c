/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image-libvirt - the header of a libvirt save image, and the name of its domain.
 *
 * Owns the layout of that header: words of 32 bits in the byte order of the machine that wrote
 * them. May assume nothing about what is in it. The XML is read in pieces, up to a limit, until the
 * name has been seen.
 */
#include "image-libvirt.h"

#include <string.h>

#include "i18n.h"

#define LIBVIRT_MAGIC_BYTES 16
#define LIBVIRT_COMPLETE "LibvirtQemudSave"
#define LIBVIRT_PARTIAL "LibvirtQemudPart"

/* A version larger than this is one in the other byte order. */
#define LIBVIRT_VERSION_MOST 2

/* How far into the XML the name is looked for. */
#define LIBVIRT_XML_MOST (1024 * 1024)
#define LIBVIRT_XML_PIECE 4096

/* By their numbers in the header, to which libvirt only ever adds. */
static const struct {
    const char *name;
    gboolean compressed;
} libvirt_formats[] = {
    {"raw", FALSE}, {"gzip", TRUE}, {"bzip2", TRUE},   {"xz", TRUE},
    {"lzop", TRUE}, {"zstd", TRUE}, {"sparse", FALSE},
};

G_STATIC_ASSERT (sizeof LIBVIRT_COMPLETE == LIBVIRT_MAGIC_BYTES + 1);
G_STATIC_ASSERT (sizeof LIBVIRT_PARTIAL == LIBVIRT_MAGIC_BYTES + 1);

const char *
ioh_libvirt_header_format (const IohLibvirtHeader *header)
{
    return header->format < G_N_ELEMENTS (libvirt_formats) ? libvirt_formats[header->format].name
                                                           : NULL;
}

gboolean
ioh_libvirt_header_is_raw (const IohLibvirtHeader *header)
{
    return header->format == 0;
}

gboolean
ioh_libvirt_header_is_compressed (const IohLibvirtHeader *header)
{
    return header->format < G_N_ELEMENTS (libvirt_formats) &&
           libvirt_formats[header->format].compressed;
}

/* What the parser has seen of the XML. */
typedef struct {
    int depth;
    gboolean in_name;
    GString *name; /* NULL until the element begins */
    gboolean done;
} LibvirtName;

static void
libvirt_name_begin (GMarkupParseContext *context, const char *element, const char **names,
                    const char **values, gpointer data, GError **error)
{
    LibvirtName *name = data;

    name->depth++;
    name->in_name = name->depth == 2 && !name->done && g_str_equal (element, "name");
    if (name->in_name && name->name == NULL)
        name->name = g_string_new (NULL);
}

static void
libvirt_name_end (GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
    LibvirtName *name = data;

    name->depth--;
    name->done = name->done || name->in_name;
    name->in_name = FALSE;
}

static void
libvirt_name_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
                   GError **error)
{
    LibvirtName *name = data;

    if (name->in_name)
        g_string_append_len (name->name, text, (gssize) length);
}

/* The name of the domain in the XML at the position, of at most LENGTH bytes. */
static char *
libvirt_read_name (IohCursor *cursor, uint64_t length)
{
    static const GMarkupParser parser = {
        .start_element = libvirt_name_begin,
        .end_element = libvirt_name_end,
        .text = libvirt_name_text,
    };
    LibvirtName name = {0};
    g_autoptr (GMarkupParseContext) context =
        g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, &name, NULL);
    char piece[LIBVIRT_XML_PIECE];
    gboolean more = TRUE;

    for (length = MIN (length, LIBVIRT_XML_MOST); more && length > 0 && !name.done;) {
        size_t part = (size_t) MIN (length, sizeof piece);
        if (!ioh_cursor_take (cursor, piece, part))
            break;
        size_t text = strnlen (piece, part);
        more = g_markup_parse_context_parse (context, piece, (gssize) text, NULL) && text == part;
        length -= part;
    }
    if (name.name == NULL)
        return NULL;
    return g_string_free (name.name, !name.done);
}

static uint32_t
libvirt_word (const IohLibvirtHeader *header, const uint32_t *words, unsigned index)
{
    return header->swapped ? GUINT32_SWAP_LE_BE (words[index]) : words[index];
}

/* START is where the header begins and BEHIND how much follows it. */
static IohImageVerdict
libvirt_judge (const IohLibvirtHeader *header, uint64_t start, uint64_t behind)
{
    IohImageVerdict verdict = {.offset = start};

    if (!header->complete) {
        verdict.state = IOH_IMAGE_PARTIAL;
        verdict.reason = N_ ("libvirt has not marked it complete");
    } else if (header->version == 0 || header->version > LIBVIRT_VERSION_MOST) {
        verdict.state = IOH_IMAGE_DAMAGED;
        verdict.reason = N_ ("its libvirt header has a version that does not exist");
    } else if (header->data_bytes == 0 || header->cookie_offset >= header->data_bytes) {
        verdict.state = IOH_IMAGE_DAMAGED;
        verdict.reason = N_ ("the lengths in its libvirt header make no sense");
    } else if (header->data_bytes >= behind) {
        verdict.state = IOH_IMAGE_TRUNCATED;
        verdict.reason = N_ ("it ends before the stream begins");
        verdict.missing = header->data_bytes - behind + 1;
    }
    return verdict;
}

IohLibvirtHeader *
ioh_libvirt_header_read (IohCursor *cursor, IohImageVerdict *out_verdict)
{
    uint64_t start = cursor->position;
    char magic[LIBVIRT_MAGIC_BYTES];
    uint32_t words[(IOH_LIBVIRT_HEADER_BYTES - LIBVIRT_MAGIC_BYTES) / sizeof (uint32_t)];

    ioh_cursor_take (cursor, magic, sizeof magic);
    gboolean complete = memcmp (magic, LIBVIRT_COMPLETE, sizeof magic) == 0;
    if (!complete && memcmp (magic, LIBVIRT_PARTIAL, sizeof magic) != 0)
        return NULL;
    g_autoptr (IohLibvirtHeader) header = g_new0 (IohLibvirtHeader, 1);
    header->complete = complete;
    if (!ioh_cursor_take (cursor, words, sizeof words)) {
        *out_verdict =
            (IohImageVerdict){IOH_IMAGE_TRUNCATED, N_ ("it ends within its libvirt header"),
                              start + IOH_LIBVIRT_HEADER_BYTES - cursor->end, cursor->end};
        return g_steal_pointer (&header);
    }
    header->swapped =
        words[0] > LIBVIRT_VERSION_MOST && GUINT32_SWAP_LE_BE (words[0]) <= LIBVIRT_VERSION_MOST;
    header->version = libvirt_word (header, words, 0);
    header->data_bytes = libvirt_word (header, words, 1);
    header->was_running = libvirt_word (header, words, 2) != 0;
    header->format = libvirt_word (header, words, 3);
    header->cookie_offset = libvirt_word (header, words, 4);
    *out_verdict = libvirt_judge (header, start, ioh_cursor_left (cursor));
    header->domain = libvirt_read_name (cursor, header->data_bytes);
    return g_steal_pointer (&header);
}

void
ioh_libvirt_header_free (IohLibvirtHeader *header)
{
    if (header == NULL)
        return;
    g_free (header->domain);
    g_free (header);
}

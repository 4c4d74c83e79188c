/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image-qemu - a QEMU migration stream: its configuration, its sections, its end.
 *
 * Owns the framing of the stream. How long the state of a device is nobody but the device knows, so
 * that it is passed over by looking for the footer behind it. May assume nothing about the bytes:
 * the lists are limited, and nothing goes back or recurses.
 */
#include "image-qemu.h"

#include <string.h>

#include "i18n.h"
#include "image-qemu-description.h"
#include "image-qemu-ram.h"

#define QEMU_VERSION 3

/* What a byte between two sections says. */
#define QEMU_START 0x01 /* the first part of a section that comes in several */
#define QEMU_PART 0x02
#define QEMU_LAST 0x03
#define QEMU_WHOLE 0x04 /* a section in one part */
#define QEMU_SUBSECTION 0x05
#define QEMU_CONFIGURATION 0x07
#define QEMU_COMMAND 0x08
#define QEMU_FOOTER 0x7e

/* More than any machine has. */
#define QEMU_BLOCKS_MOST 4096
#define QEMU_SECTIONS_MOST 65536
#define QEMU_STARTED_MOST 256
#define QEMU_CAPABILITIES_MOST 1024

#define QEMU_PAGE_BITS_LEAST 10 /* the bits below must have room for the flags */
#define QEMU_PAGE_BITS_MOST 30

static const char qemu_within_header[] = N_ ("it ends within its header");
static const char qemu_within_ram[] = N_ ("it ends within the memory of the guest");
static const char qemu_within_devices[] = N_ ("it ends within the state of the devices");

/* A walk through a stream. */
typedef struct {
    IohCursor *cursor;
    IohQemuStream *stream;
    const char *within; /* what to say when it ends here */
    IohImageVerdict verdict;
    uint32_t started[QEMU_STARTED_MOST]; /* the ids of sections that come in several parts */
    gboolean is_ram[QEMU_STARTED_MOST];
    unsigned started_count;
    gboolean placed;     /* addresses are told with the blocks of memory */
    gboolean no_footers; /* old machine types do without */
    gboolean scattered;  /* memory lies elsewhere in the file */
    gboolean done;
} QemuWalk;

static void
qemu_block_clear (gpointer block)
{
    g_free (((IohQemuBlock *) block)->name);
}

static void
qemu_section_clear (gpointer section)
{
    g_free (((IohQemuSection *) section)->name);
}

static IohQemuStream *
qemu_stream_new (void)
{
    IohQemuStream *stream = g_new0 (IohQemuStream, 1);

    stream->blocks = g_array_new (FALSE, FALSE, sizeof (IohQemuBlock));
    g_array_set_clear_func (stream->blocks, qemu_block_clear);
    stream->block_names = g_hash_table_new (g_str_hash, g_str_equal);
    stream->sections = g_array_new (FALSE, FALSE, sizeof (IohQemuSection));
    g_array_set_clear_func (stream->sections, qemu_section_clear);
    return stream;
}

void
ioh_qemu_stream_free (IohQemuStream *stream)
{
    if (stream == NULL)
        return;
    g_free (stream->machine);
    g_hash_table_unref (stream->block_names);
    g_array_unref (stream->blocks);
    g_array_unref (stream->sections);
    g_free (stream);
}

gboolean
ioh_qemu_stream_add_block (IohQemuStream *stream, char *name, uint64_t bytes)
{
    const IohQemuBlock block = {name, bytes};

    g_array_append_val (stream->blocks, block);
    g_hash_table_add (stream->block_names, name);
    return stream->blocks->len <= QEMU_BLOCKS_MOST;
}

gboolean
ioh_qemu_stream_add_section (IohQemuStream *stream, char *name, uint32_t instance, uint32_t version)
{
    const IohQemuSection section = {name, instance, version};

    g_array_append_val (stream->sections, section);
    return stream->sections->len <= QEMU_SECTIONS_MOST;
}

/* The walk ends here. */
static void
walk_end (QemuWalk *walk, IohImageState state, const char *reason)
{
    if (!walk->done)
        walk->verdict = (IohImageVerdict){state, reason, 0, walk->cursor->position};
    walk->done = TRUE;
}

static void
walk_end_damaged (QemuWalk *walk)
{
    walk_end (walk, IOH_IMAGE_DAMAGED, N_ ("from there on it is no QEMU stream"));
}

/* TRUE when the walk goes on; ended here if the stream has. */
static gboolean
walk_goes_on (QemuWalk *walk)
{
    if (walk->cursor->state != IOH_CURSOR_GOOD)
        walk_end (walk, IOH_IMAGE_TRUNCATED, walk->within);
    return !walk->done;
}

static void
walk_pass_capabilities (QemuWalk *walk)
{
    uint32_t count = ioh_cursor_be32 (walk->cursor);

    if (count > QEMU_CAPABILITIES_MOST)
        walk_end_damaged (walk);
    for (uint32_t i = 0; i < count && walk_goes_on (walk); i++) {
        g_autofree char *name = ioh_cursor_text (walk->cursor, ioh_cursor_byte (walk->cursor));
        walk->placed = walk->placed || g_str_equal (name, "x-ignore-shared");
        walk->scattered = walk->scattered || g_str_equal (name, "mapped-ram");
    }
}

static void
walk_pass_page_bits (QemuWalk *walk)
{
    uint32_t bits = ioh_cursor_be32 (walk->cursor);

    if (walk->cursor->state == IOH_CURSOR_GOOD &&
        (bits < QEMU_PAGE_BITS_LEAST || bits > QEMU_PAGE_BITS_MOST))
        walk_end_damaged (walk);
    else if (walk->cursor->state == IOH_CURSOR_GOOD)
        walk->stream->page_bytes = UINT64_C (1) << bits;
}

static void
walk_pass_subsection (QemuWalk *walk)
{
    g_autofree char *name = ioh_cursor_text (walk->cursor, ioh_cursor_byte (walk->cursor));

    ioh_cursor_be32 (walk->cursor); /* its version */
    if (g_str_equal (name, "configuration/target-page-bits"))
        walk_pass_page_bits (walk);
    else if (g_str_equal (name, "configuration/capabilities"))
        walk_pass_capabilities (walk);
    else if (g_str_equal (name, "configuration/uuid"))
        ioh_cursor_skip (walk->cursor, 16);
    else if (walk_goes_on (walk))
        walk_end (walk, IOH_IMAGE_UNKNOWN, N_ ("its configuration has an unknown part"));
}

/* The byte at the position, which stays. */
static uint8_t
walk_peek (QemuWalk *walk)
{
    uint64_t position = walk->cursor->position;
    uint8_t byte = ioh_cursor_byte (walk->cursor);

    if (walk->cursor->state == IOH_CURSOR_GOOD)
        ioh_cursor_seek (walk->cursor, position);
    return byte;
}

/* The machine's type, and parts that are there when they say more than goes without saying. */
static void
walk_pass_configuration (QemuWalk *walk)
{
    uint32_t length = ioh_cursor_be32 (walk->cursor);

    if (length > UINT8_MAX)
        walk_end_damaged (walk);
    if (walk_goes_on (walk))
        walk->stream->machine = ioh_cursor_text (walk->cursor, (uint8_t) length);
    if (!walk_goes_on (walk))
        g_clear_pointer (&walk->stream->machine, g_free);
    while (walk_goes_on (walk) && walk_peek (walk) == QEMU_SUBSECTION) {
        ioh_cursor_byte (walk->cursor);
        walk_pass_subsection (walk);
    }
}

/* The index of ID among those that come in several parts, or their number. */
static unsigned
walk_find_started (const QemuWalk *walk, uint32_t id)
{
    unsigned i = 0;

    while (i < walk->started_count && walk->started[i] != id)
        i++;
    return i;
}

static gboolean
walk_is_name (const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!g_ascii_isprint (*c))
            return FALSE;
    return name[0] != '\0';
}

/* Whether a section, or the end, begins at the position. */
static gboolean
walk_is_between (QemuWalk *walk)
{
    uint8_t kind = ioh_cursor_byte (walk->cursor);
    uint32_t id = 0;

    if (kind == IOH_QEMU_EOF || kind == QEMU_COMMAND)
        return TRUE;
    if (kind < QEMU_START || kind > QEMU_WHOLE)
        return FALSE;
    id = ioh_cursor_be32 (walk->cursor);
    if (kind == QEMU_PART || kind == QEMU_LAST)
        return walk_find_started (walk, id) < walk->started_count;
    g_autofree char *name = ioh_cursor_text (walk->cursor, ioh_cursor_byte (walk->cursor));
    return walk_is_name (name);
}

/* Passes over state whose length nobody tells, and over the footer of section ID behind it. */
static void
walk_pass_state (QemuWalk *walk, uint32_t id)
{
    IohCursor *cursor = walk->cursor;
    uint8_t footer[1 + sizeof id] = {QEMU_FOOTER};
    gboolean between = FALSE;

    if (walk->no_footers) {
        walk_end (walk, IOH_IMAGE_UNKNOWN,
                  N_ ("its machine type tells nothing about the length of its parts"));
        return;
    }
    id = GUINT32_TO_BE (id);
    memcpy (footer + 1, &id, sizeof id);
    while (!between && ioh_cursor_find (cursor, footer, sizeof footer)) {
        uint64_t behind = cursor->position + sizeof footer;
        ioh_cursor_seek (cursor, behind);
        between = walk_is_between (walk) || cursor->state == IOH_CURSOR_SHORT;
        ioh_cursor_seek (cursor, between ? behind : behind - sizeof footer + 1);
    }
}

static void
walk_pass_ram (QemuWalk *walk, uint32_t id)
{
    IohCursor *cursor = walk->cursor;

    walk->within = qemu_within_ram;
    if (!ioh_qemu_ram_pass (cursor, walk->stream, walk->placed)) {
        if (walk_goes_on (walk))
            walk_end_damaged (walk);
        return;
    }
    if (walk_peek (walk) != QEMU_FOOTER) {
        walk->no_footers = cursor->state == IOH_CURSOR_GOOD;
        return;
    }
    ioh_cursor_byte (cursor);
    if (ioh_cursor_be32 (cursor) != id && walk_goes_on (walk))
        walk_end_damaged (walk);
}

/* The first or the only part of a section. */
static void
walk_pass_first (QemuWalk *walk, gboolean whole)
{
    IohCursor *cursor = walk->cursor;
    uint32_t id = ioh_cursor_be32 (cursor);
    g_autofree char *name = ioh_cursor_text (cursor, ioh_cursor_byte (cursor));
    uint32_t instance = ioh_cursor_be32 (cursor);
    uint32_t version = ioh_cursor_be32 (cursor);
    gboolean is_ram = g_str_equal (name, "ram");

    if (!walk_goes_on (walk))
        return;
    if (!walk_is_name (name) || walk->started_count == QEMU_STARTED_MOST ||
        !ioh_qemu_stream_add_section (walk->stream, g_steal_pointer (&name), instance, version)) {
        walk_end_damaged (walk);
        return;
    }
    if (!whole) {
        walk->started[walk->started_count] = id;
        walk->is_ram[walk->started_count++] = is_ram;
    }
    if (is_ram && walk->scattered)
        walk_end (walk, IOH_IMAGE_UNKNOWN,
                  N_ ("its memory has a layout (mapped-ram) that is not looked into"));
    else if (is_ram)
        walk_pass_ram (walk, id);
    else
        walk_pass_state (walk, id);
}

static void
walk_pass_further (QemuWalk *walk)
{
    uint32_t id = ioh_cursor_be32 (walk->cursor);
    unsigned i = walk_find_started (walk, id);

    if (!walk_goes_on (walk))
        return;
    if (i == walk->started_count)
        walk_end_damaged (walk);
    else if (walk->is_ram[i])
        walk_pass_ram (walk, id);
    else
        walk_pass_state (walk, id);
}

static void
walk_pass_command (QemuWalk *walk)
{
    ioh_cursor_be16 (walk->cursor); /* which */
    ioh_cursor_skip (walk->cursor, ioh_cursor_be16 (walk->cursor));
}

/* The description, of LENGTH bytes. FALSE when the walk has ended with it. */
static gboolean
walk_pass_description (QemuWalk *walk, uint32_t length)
{
    uint64_t left = ioh_cursor_left (walk->cursor);

    if (walk->cursor->state != IOH_CURSOR_GOOD || length > left) {
        walk_end (walk, IOH_IMAGE_TRUNCATED, N_ ("it ends within the description of the devices"));
        walk->verdict.missing = length > left ? length - left : 0;
    } else if (!ioh_qemu_description_read (walk->cursor, walk->stream, length, FALSE)) {
        walk_end_damaged (walk);
    } else {
        walk->stream->description_bytes = length;
    }
    return !walk->done;
}

/* Behind the end mark: the description, if there is one, then whatever else is in the file. */
static void
walk_take_end (QemuWalk *walk)
{
    IohCursor *cursor = walk->cursor;
    uint64_t end = cursor->position;
    gboolean told = ioh_cursor_byte (cursor) == IOH_QEMU_DESCRIPTION;
    uint32_t length = ioh_cursor_be32 (cursor);
    uint64_t begin = cursor->position;

    /* where a device holds what was there before, anything may follow */
    told = told && (ioh_cursor_left (cursor) == 0 || ioh_cursor_byte (cursor) == '{');
    if (cursor->state == IOH_CURSOR_GOOD)
        ioh_cursor_seek (cursor, begin);
    if (told && !walk_pass_description (walk, length))
        return;
    walk->stream->ended = TRUE;
    walk->stream->end = told ? cursor->position : end;
    walk_end (walk, IOH_IMAGE_COMPLETE, N_ ("the end of the stream was found"));
}

static void
walk_pass_section (QemuWalk *walk, uint8_t kind)
{
    switch (kind) {
    case QEMU_START:
    case QEMU_WHOLE:
        walk_pass_first (walk, kind == QEMU_WHOLE);
        break;
    case QEMU_PART:
    case QEMU_LAST:
        walk_pass_further (walk);
        break;
    case QEMU_COMMAND:
        walk_pass_command (walk);
        break;
    case IOH_QEMU_EOF:
        walk_take_end (walk);
        break;
    default:
        walk_end_damaged (walk);
    }
}

/* Goes on to the end, or to the first section of another kind than ONLY (0: any). */
static void
walk_go (QemuWalk *walk, uint8_t only)
{
    while (walk_goes_on (walk)) {
        uint8_t kind = walk_peek (walk);
        if (!walk_goes_on (walk) || (only != 0 && kind != only))
            return;
        ioh_cursor_byte (walk->cursor);
        if (kind > QEMU_START && kind <= QEMU_WHOLE)
            walk->within = qemu_within_devices;
        walk_pass_section (walk, kind);
        walk_goes_on (walk);
    }
}

static void
walk_begin (QemuWalk *walk)
{
    ioh_cursor_skip (walk->cursor, strlen ("QEVM"));
    walk->within = qemu_within_header;
    walk->stream->version = ioh_cursor_be32 (walk->cursor);
    if (walk_goes_on (walk) && walk->stream->version != QEMU_VERSION)
        walk_end (walk, IOH_IMAGE_DAMAGED, N_ ("its QEMU version does not exist"));
    if (walk_goes_on (walk) && walk_peek (walk) == QEMU_CONFIGURATION) {
        ioh_cursor_byte (walk->cursor);
        walk_pass_configuration (walk);
    }
    walk_go (walk, QEMU_START);
}

IohQemuStream *
ioh_qemu_stream_read (IohCursor *cursor, IohImageVerdict *out_verdict)
{
    g_autoptr (IohQemuStream) stream = qemu_stream_new ();
    QemuWalk walk = {.cursor = cursor, .stream = stream};

    walk_begin (&walk);
    if (!walk.done || walk.verdict.state == IOH_IMAGE_UNKNOWN) {
        uint64_t position = cursor->position;
        if (ioh_qemu_description_at_end (cursor, stream)) {
            *out_verdict = (IohImageVerdict){
                IOH_IMAGE_COMPLETE, N_ ("the end of the stream was found"), 0, stream->end};
            return g_steal_pointer (&stream);
        }
        ioh_cursor_seek (cursor, position);
        walk_go (&walk, 0);
    }
    *out_verdict = walk.verdict;
    return g_steal_pointer (&stream);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * info-json - what is known of an image, for programs.
 *
 * Owns the names of the members, which are documented and never change. Nothing is translated.
 */

#include "info.h"
#include "json.h"

static void
json_add_libvirt (JsonBuilder *builder, const IohLibvirtHeader *header)
{
    ioh_json_begin_object (builder, "libvirt");
    ioh_json_add_boolean (builder, "complete", header->complete);
    ioh_json_add_number (builder, "version", header->version);
    ioh_json_add_boolean (builder, "swapped", header->swapped);
    ioh_json_add_number (builder, "data-length", header->data_bytes);
    ioh_json_add_boolean (builder, "was-running", header->was_running);
    ioh_json_add_number (builder, "format-number", header->format);
    ioh_json_add_text (builder, "format", ioh_libvirt_header_format (header));
    ioh_json_add_number (builder, "cookie-offset", header->cookie_offset);
    ioh_json_add_text (builder, "domain", header->domain);
    json_builder_end_object (builder);
}

static void
json_add_blocks (JsonBuilder *builder, const GArray *blocks)
{
    ioh_json_begin_array (builder, "ram-blocks");
    for (guint i = 0; i < blocks->len; i++) {
        const IohQemuBlock *block = &g_array_index (blocks, IohQemuBlock, i);
        json_builder_begin_object (builder);
        ioh_json_add_text (builder, "name", block->name);
        ioh_json_add_number (builder, "bytes", block->bytes);
        json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
}

static void
json_add_sections (JsonBuilder *builder, const GArray *sections)
{
    ioh_json_begin_array (builder, "sections");
    for (guint i = 0; i < sections->len; i++) {
        const IohQemuSection *section = &g_array_index (sections, IohQemuSection, i);
        json_builder_begin_object (builder);
        ioh_json_add_text (builder, "name", section->name);
        ioh_json_add_number (builder, "instance", section->instance);
        ioh_json_add_number (builder, "version", section->version);
        json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
}

static void
json_add_qemu (JsonBuilder *builder, const IohQemuStream *stream)
{
    ioh_json_begin_object (builder, "qemu");
    ioh_json_add_number (builder, "version", stream->version);
    ioh_json_add_text (builder, "machine", stream->machine);
    if (stream->page_bytes != 0)
        ioh_json_add_number (builder, "page-size", stream->page_bytes);
    ioh_json_add_number (builder, "ram-bytes", stream->ram_bytes);
    json_add_blocks (builder, stream->blocks);
    json_add_sections (builder, stream->sections);
    ioh_json_add_boolean (builder, "end-found", stream->ended);
    if (stream->ended)
        ioh_json_add_number (builder, "end", stream->end);
    ioh_json_add_number (builder, "description-bytes", stream->description_bytes);
    json_builder_end_object (builder);
}

static void
json_add_image (JsonBuilder *builder, const IohImage *image, const char *name)
{
    const char *kind = image->libvirt != NULL ? "libvirt" : image->format->name;

    json_builder_begin_object (builder);
    ioh_json_add_text (builder, "name", name);
    ioh_json_add_text (builder, "kind", kind);
    ioh_json_add_text (builder, "state", ioh_image_state_name (image->verdict.state));
    ioh_json_add_text (builder, "reason", image->verdict.reason);
    if (image->verdict.missing != 0)
        ioh_json_add_number (builder, "missing", image->verdict.missing);
    ioh_json_add_number (builder, "bytes", image->bytes);
    if (image->libvirt != NULL)
        json_add_libvirt (builder, image->libvirt);
    ioh_json_begin_object (builder, "stream");
    ioh_json_add_text (builder, "kind", image->format->name);
    ioh_json_add_number (builder, "offset", image->stream_offset);
    json_builder_end_object (builder);
    if (image->qemu != NULL)
        json_add_qemu (builder, image->qemu);
    json_builder_end_object (builder);
}

char *
ioh_info_json (const IohImage *image, const char *name)
{
    g_autoptr (JsonBuilder) builder = json_builder_new ();

    json_add_image (builder, image, name);
    return ioh_json_print (builder);
}

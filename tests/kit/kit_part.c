/* SPDX-License-Identifier: MIT */
/*
 * `part`, `pack` and `unpack`: records for another file of a directory, and compressed records. The
 * library's output is split again into blocks of any length and either record type.
 */
#include <errno.h>
#include <string.h>

#include "file/pack/pack.h"
#include "kit/kit_internal.h"

#define PARTS_MAX  64
#define PIECE_MAX  60000
#define PACK_LEVEL 3

/* Parts are files of a directory; in a single file or stream all records are in sequence. */
int pfx_kit_part(struct kit *kit, struct kit_line *line)
{
	struct kit_word *word = pfx_kit_plain(line);
	uint64_t part = 0;

	if (!word || strncmp(word->value, "data", 4) ||
	    (word->value[4] && (word->value[4] != '.' || !pfx_kit_number(word->value + 5, &part) ||
				part >= PARTS_MAX)))
		return pfx_kit_error(kit, line, "part data, or part data.N");
	if (kit->packing)
		return pfx_kit_error(kit, line, "unpack comes first");
	if (!kit->options.directory)
		return 0;
	kit->parts.at[kit->part].data = kit->data;
	kit->part = word->value[4] ? part + 1 : 0;
	while (kit->parts.nr <= kit->part)
		*pfx_vec_add(&kit->parts) = (struct kit_part){0};
	kit->data = kit->parts.at[kit->part].data;
	kit->data.swap = kit->swap;
	return 0;
}

void pfx_kit_parts_fini(struct kit *kit)
{
	size_t i;

	kit->parts.at[kit->part].data = kit->data;
	for (i = 0; i < kit->parts.nr; i++) {
		pfx_buffer_fini(&kit->parts.at[i].data);
		pfx_pack_free(kit->parts.at[i].pack);
	}
	pfx_vec_free(&kit->parts);
}

int pfx_kit_pack(struct kit *kit, struct kit_line *line)
{
	int rc;

	if (kit->packing)
		return pfx_kit_error(kit, line, "pack inside of pack");
	kit->packing = true;
	kit->pack_start = kit->data.len;
	kit->pack_piece = PIECE_MAX;
	kit->pack_type = PFX_RECORD_COMPRESSED;
	rc = pfx_kit_u64(kit, line, "piece", &kit->pack_piece);
	rc = rc ? rc : pfx_kit_u64(kit, line, "type", &kit->pack_type);
	if (!rc && (!kit->pack_piece || kit->pack_piece > PIECE_MAX))
		return pfx_kit_error(kit, line, "a piece has 1 to %d bytes", PIECE_MAX);
	return rc;
}

/* Concatenate the payloads of the records that the library wrote. */
static void join_bodies(const struct pfx_buffer *records, struct pfx_buffer *to)
{
	size_t at = 0;

	while (at + PFX_RECORD_HEADER_SIZE <= records->len) {
		uint16_t size = pfx_load16(records->at + at + 6, records->swap);

		pfx_buffer_bytes(to, records->at + at + PFX_RECORD_HEADER_SIZE,
				 size - PFX_RECORD_HEADER_SIZE);
		at += size;
	}
}

static void put_pieces(struct kit *kit, const struct pfx_buffer *bytes)
{
	size_t at = 0;

	while (at < bytes->len) {
		struct pfx_body body = {.type = (uint32_t)kit->pack_type};
		size_t size = bytes->len - at;

		if (size > kit->pack_piece)
			size = kit->pack_piece;
		body.compressed.data = (struct pfx_bytes){bytes->at + at, size};
		pfx_record_encode(&body, NULL, &kit->data);
		at += size;
	}
}

int pfx_kit_unpack(struct kit *kit, struct kit_line *line)
{
	struct kit_part *part = &kit->parts.at[kit->part];
	struct pfx_buffer packed = {0}, bytes = {0};
	int rc = 0;

	if (!kit->packing)
		return pfx_kit_error(kit, line, "unpack without pack");
	kit->packing = false;
	if (!part->pack)
		rc = pfx_pack_new(&part->pack, PACK_LEVEL, kit->err);
	if (!rc)
		rc = pfx_pack_bytes(part->pack, kit->data.at + kit->pack_start,
				    kit->data.len - kit->pack_start, &packed, kit->err);
	if (!rc) {
		join_bodies(&packed, &bytes);
		kit->data.len = kit->pack_start;
		put_pieces(kit, &bytes);
	}
	pfx_buffer_fini(&packed);
	pfx_buffer_fini(&bytes);
	return rc;
}

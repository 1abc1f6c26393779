/* SPDX-License-Identifier: MIT */
/*
 * Encodes the container: from the parsed description to the bytes of a file or a stream.
 *
 * file: header (104), ids of all events, attrs with the section of their ids, records, table of the
 * features' sections, features (or ids and attrs at the end)
 *
 * stream: header (16), HEADER_ATTR of each event, HEADER_FEATURE of each feature and one more at
 * the end, records
 */
#include "kit/kit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/header/feature.h"
#include "kit/kit_internal.h"

#define HEADER_SIZE 104
#define MAGIC2      0x32454c4946524550ull /* PERFILE2 */

static int kit_file_line(struct kit *kit, struct kit_line *line)
{
	struct kit_word *attrs = pfx_kit_find(line, "attrs");
	uint64_t version = 2;
	int rc = pfx_kit_u64(kit, line, "version", &version);

	rc = rc ? rc : pfx_kit_u64(kit, line, "header", &kit->header_size);
	rc = rc ? rc : pfx_kit_u64(kit, line, "attr_size", &kit->attr_size);
	rc = rc ? rc : pfx_kit_u64(kit, line, "attr_gap", &kit->attr_gap);
	rc = rc ? rc : pfx_kit_u64(kit, line, "slack", &kit->slack);
	rc = rc ? rc : pfx_kit_u64(kit, line, "bitmap_word", &kit->bitmap_word);
	if (!rc && kit->bitmap_word != 4 && kit->bitmap_word != 8)
		return pfx_kit_error(kit, line, "a word of the bitmap has 4 or 8 bytes");
	kit->attrs_last = attrs && !strcmp(attrs->value, "last");
	kit->is_version1 = version == 1;
	return rc;
}

static int kit_patch_line(struct kit *kit, struct kit_line *line)
{
	struct kit_patch *patch = pfx_vec_add(&kit->patches);

	*patch = (struct kit_patch){0};
	patch->bytes.swap = kit->swap;
	if (pfx_kit_u64(kit, line, "at", &patch->at))
		return -1;
	return pfx_kit_typed(kit, line, &patch->bytes);
}

static int kit_cut_line(struct kit *kit, struct kit_line *line)
{
	struct kit_word *word = pfx_kit_plain(line);
	uint64_t number;

	if (!word || !pfx_kit_number(word->value, &number))
		return pfx_kit_error(kit, line, "cut wants a number");
	kit->cut = (int64_t)number;
	kit->has_cut = true;
	return 0;
}

static int kit_raw_line(struct kit *kit, struct kit_line *line)
{
	kit->data.swap = kit->swap;
	return pfx_kit_typed(kit, line, &kit->data);
}

static const struct {
	const char *verb;
	int (*run)(struct kit *kit, struct kit_line *line);
} lines[] = {
	{"event", pfx_kit_event},   {"feature", pfx_kit_feature}, {"dso", pfx_kit_dso},
	{"sample", pfx_kit_sample}, {"file", kit_file_line},      {"patch", kit_patch_line},
	{"cut", kit_cut_line},      {"raw", kit_raw_line},        {"part", pfx_kit_part},
	{"pack", pfx_kit_pack},     {"unpack", pfx_kit_unpack},
};

static int run_line(struct kit *kit, struct kit_line *line)
{
	int rc;
	size_t i;

	if (pfx_kit_is_record(line->verb)) {
		rc = pfx_kit_record(kit, line);
		return rc ? rc : pfx_kit_all_used(kit, line);
	}
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strcmp(lines[i].verb, line->verb))
			continue;
		rc = lines[i].run(kit, line);
		return rc ? rc : pfx_kit_all_used(kit, line);
	}
	return pfx_kit_error(kit, line, "unknown verb '%s'", line->verb);
}

static int parse(struct kit *kit, const char *text)
{
	struct kit_line line = {0};
	int rc = 0;

	while (*text && !rc) {
		size_t len = strcspn(text, "\n");

		line.number++;
		rc = pfx_kit_split(kit, text, len, &line);
		if (!rc && line.verb)
			rc = run_line(kit, &line);
		text += len + (text[len] == '\n');
	}
	if (!rc && kit->packing)
		return pfx_kit_error(kit, &line, "pack without unpack");
	return rc;
}

static int by_feature(const void *a, const void *b)
{
	const struct kit_feature *x = a, *y = b;

	return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static void put_section(struct pfx_buffer *to, size_t at, uint64_t offset, uint64_t size)
{
	pfx_buffer_patch64(to, at, offset);
	pfx_buffer_patch64(to, at + 8, size);
}

static void put_magic(const struct kit *kit, struct pfx_buffer *to)
{
	if (kit->is_version1)
		pfx_buffer_bytes(to, "PERFFILE", 8);
	else
		pfx_buffer_u64(to, MAGIC2);
}

static uint64_t attr_entry_size(const struct kit *kit)
{
	if (kit->attr_size || !kit->meta->nr_events)
		return kit->attr_size ? kit->attr_size : PFX_ATTR_SIZE_VER7 + 16;
	return kit->meta->events[0]->attr.size + kit->attr_gap + 16;
}

static void put_header(const struct kit *kit, struct pfx_buffer *to)
{
	put_magic(kit, to);
	pfx_buffer_u64(to, kit->header_size);
	pfx_buffer_u64(to, attr_entry_size(kit));
	pfx_buffer_zeros(to, kit->header_size - to->len);
}

/* Writes the ids; @offsets gets the start of each event's ids. */
static void put_ids(const struct kit *kit, struct pfx_buffer *to, uint64_t *offsets)
{
	uint32_t i, j;

	for (i = 0; i < kit->meta->nr_events; i++) {
		const struct pfx_event *event = kit->meta->events[i];

		offsets[i] = to->len;
		for (j = 0; j < event->nr_ids; j++)
			pfx_buffer_u64(to, event->ids[j]);
	}
}

static void put_attrs(const struct kit *kit, struct pfx_buffer *to, const uint64_t *offsets)
{
	size_t start = to->len;
	uint32_t i;

	for (i = 0; i < kit->meta->nr_events; i++) {
		const struct pfx_event *event = kit->meta->events[i];

		pfx_attr_encode(&event->attr, to);
		pfx_buffer_zeros(to, kit->attr_gap);
		pfx_buffer_u64(to, offsets[i]);
		pfx_buffer_u64(to, 8 * (uint64_t)event->nr_ids);
	}
	put_section(to, 24, start, to->len - start);
}

/* The bitmap is an array of words of the writer's size. */
static void set_bit(const struct kit *kit, unsigned feature, struct pfx_buffer *to)
{
	size_t bits = 8 * kit->bitmap_word;
	size_t at = 72 + kit->bitmap_word * (feature / bits);

	if (bits == 32)
		pfx_buffer_patch32(to, at,
				   pfx_load32(to->at + at, to->swap) | 1u << (feature % 32));
	else
		pfx_buffer_patch64(to, at,
				   pfx_load64(to->at + at, to->swap) | 1ull << (feature % 64));
}

static void put_features(const struct kit *kit, struct pfx_buffer *to)
{
	size_t table = to->len, i;

	pfx_buffer_zeros(to, 16 * (kit->features.nr + kit->slack));
	for (i = 0; i < kit->features.nr; i++) {
		const struct kit_feature *f = &kit->features.at[i];

		set_bit(kit, f->feature, to);
		put_section(to, table + 16 * i, to->len, f->bytes.len);
		pfx_buffer_bytes(to, f->bytes.at, f->bytes.len);
	}
}

static void put_events(struct kit *kit, struct pfx_buffer *to)
{
	uint64_t *offsets = pfx_arena_array(&kit->arena, uint64_t, kit->meta->nr_events + 1);

	put_ids(kit, to, offsets);
	put_attrs(kit, to, offsets);
}

static void build_file(struct kit *kit, struct pfx_buffer *to)
{
	const struct pfx_buffer *data = kit->part ? &kit->parts.at[0].data : &kit->data;
	size_t start;

	put_header(kit, to);
	if (!kit->attrs_last)
		put_events(kit, to);
	start = to->len;
	pfx_buffer_bytes(to, data->at, data->len);
	put_section(to, 40, start, to->len - start);
	if (kit->header_size >= HEADER_SIZE)
		put_features(kit, to);
	if (kit->attrs_last)
		put_events(kit, to);
}

/* The records of a file `data.n`. */
static int build_part(struct kit *kit, struct pfx_buffer *to)
{
	const struct pfx_buffer *data;

	if (kit->options.part >= kit->parts.nr)
		return pfx_error_set(kit->err, ENOENT, "there is no part %zu", kit->options.part);
	data = kit->part == kit->options.part ? &kit->data : &kit->parts.at[kit->options.part].data;
	pfx_buffer_bytes(to, data->at, data->len);
	return 0;
}

static void put_feature_record(uint64_t feature, const struct pfx_buffer *bytes,
			       struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_HEADER_FEATURE};

	body.header_feature.feature = feature;
	if (bytes)
		body.header_feature.payload = (struct pfx_bytes){bytes->at, bytes->len};
	pfx_record_encode(&body, NULL, to);
}

/* The formats follow the record, padded. */
static void put_tracing_data(const struct pfx_buffer *bytes, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_HEADER_TRACING_DATA};
	size_t pad = -bytes->len & 7;

	body.tracing_data_size = (uint32_t)(bytes->len + pad);
	pfx_record_encode(&body, NULL, to);
	pfx_buffer_bytes(to, bytes->at, bytes->len);
	pfx_buffer_zeros(to, pad);
}

static void build_pipe(struct kit *kit, struct pfx_buffer *to)
{
	uint32_t i;

	put_magic(kit, to);
	pfx_buffer_u64(to, 16);
	for (i = 0; i < kit->meta->nr_events; i++) {
		const struct pfx_event *event = kit->meta->events[i];
		struct pfx_body body = {.type = PFX_RECORD_HEADER_ATTR};

		body.header_attr.attr = event->attr;
		body.header_attr.ids =
			(struct pfx_words){(const uint8_t *)event->ids, event->nr_ids, false};
		pfx_record_encode(&body, NULL, to);
	}
	for (i = 0; i < kit->features.nr; i++) {
		const struct kit_feature *f = &kit->features.at[i];

		if (pfx_feature_in_pipe(f->feature))
			put_feature_record(f->feature, &f->bytes, to);
	}
	if (kit->features.nr)
		put_feature_record(PFX_FEAT_MAX, NULL, to);
	for (i = 0; i < kit->features.nr; i++) {
		if (kit->features.at[i].feature == PFX_FEAT_TRACING_DATA)
			put_tracing_data(&kit->features.at[i].bytes, to);
	}
	pfx_buffer_bytes(to, kit->data.at, kit->data.len);
}

static int damage(struct kit *kit, struct pfx_buffer *to)
{
	size_t i;

	for (i = 0; i < kit->patches.nr; i++) {
		const struct kit_patch *patch = &kit->patches.at[i];

		if (patch->at > to->len || patch->bytes.len > to->len - patch->at)
			return pfx_error_set(kit->err, EINVAL, "a patch lies outside the file");
		memcpy(to->at + patch->at, patch->bytes.at, patch->bytes.len);
	}
	if (!kit->has_cut)
		return 0;
	if (kit->cut >= 0 && (uint64_t)kit->cut < to->len)
		to->len = (size_t)kit->cut;
	else if (kit->cut < 0)
		to->len = (uint64_t)-kit->cut < to->len ? to->len - (size_t)-kit->cut : 0;
	return 0;
}

static void kit_fini(struct kit *kit)
{
	size_t i;

	for (i = 0; i < kit->features.nr; i++)
		pfx_buffer_fini(&kit->features.at[i].bytes);
	for (i = 0; i < kit->patches.nr; i++)
		pfx_buffer_fini(&kit->patches.at[i].bytes);
	pfx_vec_free(&kit->features);
	pfx_vec_free(&kit->patches);
	pfx_kit_parts_fini(kit);
	pfx_buffer_fini(&kit->build_ids);
	pfx_meta_free(kit->meta);
	pfx_arena_clear(&kit->arena);
}

int pfx_kit_build(const char *text, const struct pfx_kit_options *options, struct pfx_buffer *ret,
		  struct pfx_error *err)
{
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct kit kit = {
		.options = *options, .err = err, .header_size = HEADER_SIZE, .bitmap_word = 8};
	int rc;

	kit.swap = ret->swap = options->big_endian != is_big;
	kit.data.swap = kit.swap;
	kit.meta = pfx_meta_new();
	*pfx_vec_add(&kit.parts) = (struct kit_part){0};
	rc = parse(&kit, text);
	if (!rc && kit.build_ids.len) {
		struct kit_feature *f = pfx_vec_add(&kit.features);

		*f = (struct kit_feature){PFX_FEAT_BUILD_ID, kit.build_ids};
		kit.build_ids = (struct pfx_buffer){0};
	}
	if (!rc && kit.features.nr)
		qsort(kit.features.at, kit.features.nr, sizeof(*kit.features.at), by_feature);
	if (!rc && options->part) {
		rc = build_part(&kit, ret);
	} else if (!rc) {
		if (options->pipe)
			build_pipe(&kit, ret);
		else
			build_file(&kit, ret);
		rc = damage(&kit, ret);
	}
	kit_fini(&kit);
	return rc;
}

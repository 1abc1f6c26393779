/* SPDX-License-Identifier: MIT */
/*
 * The parts of a file around the records:
 *
 *	0  u64 magic	8 u64 header size	16 u64 attr size
 *	24 attrs {u64 offset, size}	40 data	56 event types (unused)
 *	72 256 bits: which features there are, as array of the writer's unsigned long
 *
 * then the attrs, each followed by the section of its ids, and after the records a table with one
 * section for each feature. A killed recorder leaves data.size 0 and no features; a truncated copy
 * ends anywhere. Offsets are untrusted: every section is limited to the file. Sections 2.2, 2.3,
 * 3.6, 13.1 and 13.2 of Documentation/file-format.md.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "file/header/feature_internal.h"
#include "reader_state_internal.h"

struct file_header {
	uint64_t size, attr_size;
	struct pfx_section attrs, data;
	uint64_t features[PFX_FEAT_BITS / 64];
};

/* Attr sizes of the first format; the magic does not show the byte order, the size does. */
static bool is_v1_attr_size(uint64_t size)
{
	return size >= PFX_ATTR_SIZE_VER0 + 16 && size <= 4096;
}

static bool probe_v1(struct pfx_reader *reader, const uint8_t *data, size_t size)
{
	if (memcmp(data, PFX_MAGIC_V1, 8))
		return false;
	reader->info.version = 1;
	if (size >= 24)
		reader->swap = !is_v1_attr_size(pfx_load64(data + 16, false));
	if (pfx_load64(data + 8, true) == PFX_PIPE_SIZE)
		reader->swap = true;
	else if (pfx_load64(data + 8, false) == PFX_PIPE_SIZE)
		reader->swap = false;
	return true;
}

static bool probe_v2(struct pfx_reader *reader, const uint8_t *data)
{
	uint64_t magic = pfx_load64(data, false);

	if (magic != PFX_MAGIC_V2 && magic != __builtin_bswap64(PFX_MAGIC_V2))
		return false;
	reader->info.version = 2;
	reader->swap = magic != PFX_MAGIC_V2;
	return true;
}

int pfx_reader_probe(struct pfx_reader *reader, const uint8_t *data, size_t size,
		     struct pfx_error *err)
{
	if (size < PFX_PIPE_SIZE)
		return pfx_reader_refuse(reader, data, size, err);
	if (!probe_v2(reader, data) && !probe_v1(reader, data, size))
		return pfx_reader_refuse(reader, data, size, err);
	reader->meta->swap = reader->swap;
	return pfx_load64(data + 8, reader->swap) == PFX_PIPE_SIZE;
}

/* Limits the section to the file; false if nothing is left. */
static bool cut_section(struct pfx_section *section, uint64_t size)
{
	if (section->offset > size)
		return false;
	if (section->size > size - section->offset)
		section->size = size - section->offset;
	return true;
}

static struct pfx_section read_section(struct pfx_cursor *c)
{
	struct pfx_section section;

	section.offset = pfx_cursor_u64(c);
	section.size = pfx_cursor_u64(c);
	return section;
}

static bool has_feature(const uint64_t *bits, unsigned feature)
{
	return bits[feature / 64] >> (feature % 64) & 1;
}

/*
 * The bitmap in words of @word bytes. On little-endian machines, all widths look the same; a
 * big-endian writer's width follows from the position of the HOSTNAME bit, which every writer of
 * that time sets.
 */
static void read_bits(const uint8_t *at, unsigned word, bool swap, uint64_t *bits)
{
	unsigned i;

	memset(bits, 0, PFX_FEAT_BITS / 8);
	for (i = 0; i < PFX_FEAT_BITS / 8 / word; i++) {
		if (word == 8)
			bits[i] = pfx_load64(at + 8 * i, swap);
		else
			bits[i / 2] |= (uint64_t)pfx_load32(at + 4 * i, swap) << (i % 2 * 32);
	}
}

/* Whether an interpretation of the bitmap is plausible: its first word has low bits and no bits of
 * unknown features. With the wrong width, the low bits would be at its other end. Other recorders
 * have their own features in the later words. */
static bool is_plausible(const uint64_t *bits)
{
	return (uint32_t)bits[0] && !(bits[0] >> PFX_FEAT_MAX);
}

static void read_bitmap(struct pfx_reader *reader, const uint8_t *at, uint64_t *bits)
{
	bool big_endian = reader->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	static const uint8_t none[PFX_FEAT_BITS / 8];

	read_bits(at, 8, reader->swap, bits);
	if (!big_endian || has_feature(bits, PFX_FEAT_HOSTNAME) || is_plausible(bits) ||
	    !memcmp(at, none, sizeof(none)))
		return;
	read_bits(at, 4, reader->swap, bits);
	if (has_feature(bits, PFX_FEAT_HOSTNAME) || is_plausible(bits))
		return;
	memset(bits, 0, PFX_FEAT_BITS / 8);
	bits[0] = 1ull << PFX_FEAT_BUILD_ID;
}

static int read_fixed(struct pfx_reader *reader, const uint8_t *data, size_t size,
		      struct file_header *ret, struct pfx_error *err)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, reader->swap);
	char name[256];

	memset(ret, 0, sizeof(*ret));
	pfx_cursor_skip(&c, 8);
	ret->size = pfx_cursor_u64(&c);
	ret->attr_size = pfx_cursor_u64(&c);
	ret->attrs = read_section(&c);
	ret->data = read_section(&c);
	pfx_cursor_skip(&c, 16);
	if (ret->size != PFX_HEADER_SIZE && ret->size != PFX_HEADER_OLD) {
		pfx_error_set(err, EPROTONOSUPPORT, "'%s' has a header of %llu bytes, not 104",
			      pfx_reader_name(reader, name, sizeof(name)),
			      (unsigned long long)ret->size);
		pfx_error_hint(err, "it is damaged, or newer than this pfx");
		return -EPROTONOSUPPORT;
	}
	if (size < ret->size)
		return pfx_reader_refuse_short(reader, "its header", err);
	if (ret->size == PFX_HEADER_SIZE)
		read_bitmap(reader, data + PFX_HEADER_OLD, ret->features);
	return 0;
}

/* All events on all CPUs and threads; no machine allows that many file descriptors. */
#define IDS_MAX ((uint64_t)16 << 20)

/* Sections of different events do not overlap: together they have at most @left ids, which is
 * limited by the file's size. Returns the rest of @left. */
static uint64_t read_ids(struct pfx_reader *reader, struct pfx_event *event,
			 struct pfx_section section, const struct pfx_mapping *file, uint64_t left)
{
	uint64_t claimed = section.size, nr = 0, i;

	if (cut_section(&section, file->size))
		nr = section.size / 8;
	nr = nr < left ? nr : left;
	if (8 * nr != claimed)
		reader->damage.nr_bad++;
	for (i = 0; i < nr; i++)
		pfx_meta_add_id(reader->meta, event,
				pfx_load64(file->data + section.offset + 8 * i, reader->swap));
	return left - nr;
}

/* Whether a section of ids is valid in this file. */
static bool is_possible(const struct pfx_section *ids, uint64_t size)
{
	return ids->offset >= PFX_HEADER_OLD && ids->size % 8 == 0 && ids->offset <= size &&
	       ids->size <= size - ids->offset;
}

/*
 * The section of ids after an attr of @used bytes. The size in the attr itself determines its
 * offset, not the attr size in the header; the latter is used only if the former gives no valid
 * section and the latter does.
 */
static struct pfx_section read_ids_section(struct pfx_cursor *c, uint64_t used, uint64_t attr_size,
					   uint64_t file_size)
{
	struct pfx_cursor far = *c;
	struct pfx_section section = read_section(c), other;

	if (!section.size || is_possible(&section, file_size) || attr_size <= used + 16)
		return section;
	pfx_cursor_skip(&far, attr_size - 16 - used);
	other = read_section(&far);
	if (!pfx_cursor_ok(&far) || !is_possible(&other, file_size))
		return section;
	*c = far;
	return other;
}

static int read_attrs(struct pfx_reader *reader, const struct file_header *header,
		      const uint8_t *data, size_t size, struct pfx_error *err)
{
	const struct pfx_mapping file = {data, size};
	struct pfx_section attrs = header->attrs;
	uint64_t nr = header->attr_size ? attrs.size / header->attr_size : 0;
	uint64_t left = size / 8 < IDS_MAX ? size / 8 : IDS_MAX;
	struct pfx_section ids;
	struct pfx_event *event;
	struct pfx_cursor c;
	struct pfx_attr attr;
	int used;

	if (nr > PFX_EVENTS_MAX)
		return pfx_error_set(err, EFBIG, "the file claims %llu events",
				     (unsigned long long)nr);
	if (attrs.offset > size)
		return pfx_reader_refuse_short(reader, "the list of its events", err);
	c = pfx_cursor_make(data + attrs.offset, size - attrs.offset, reader->swap);
	for (; nr; nr--) {
		used = pfx_attr_decode(c.at, pfx_cursor_left(&c), reader->swap, &attr, err);
		if (used < 0)
			return used == -ENODATA ? pfx_reader_refuse_short(
							  reader, "the list of its events", err)
						: used;
		pfx_cursor_skip(&c, (size_t)used);
		ids = read_ids_section(&c, (uint64_t)used, header->attr_size, size);
		if (!pfx_cursor_ok(&c))
			return pfx_reader_refuse_short(reader, "the list of its events", err);
		event = pfx_meta_add_event(reader->meta, &attr, NULL);
		left = read_ids(reader, event, ids, &file, left);
	}
	reader->events_changed = true;
	return 0;
}

/* One section for each set bit, in their order. Sections that do not fit or cannot be decoded are
 * counted. */
static void read_features(struct pfx_reader *reader, const struct file_header *header,
			  const uint8_t *data, size_t size)
{
	uint64_t table = reader->info.feature_offset, claimed;
	struct pfx_section section;
	struct pfx_error ignored;
	struct pfx_cursor c;
	unsigned feature;

	if (table > size)
		return;
	c = pfx_cursor_make(data + table, size - table, reader->swap);
	for (feature = 0; feature < PFX_FEAT_BITS; feature++) {
		if (!has_feature(header->features, feature))
			continue;
		section = read_section(&c);
		claimed = section.size;
		if (!pfx_cursor_ok(&c) || !cut_section(&section, size) || section.size != claimed) {
			reader->damage.nr_bad_features++;
			reader->damage.cut_short = true;
			continue;
		}
		if (pfx_feature_borrow(reader->meta, feature, data + section.offset, section.size,
				       &ignored) < 0)
			reader->damage.nr_bad_features++;
	}
}

static bool no_features(const struct file_header *header)
{
	unsigned i;

	for (i = 0; i < PFX_FEAT_BITS / 64; i++)
		if (header->features[i])
			return false;
	return true;
}

/* Whether a record could start at @at: of a known type and within the @left bytes. */
static bool looks_like_record(struct pfx_reader *reader, const uint8_t *at, uint64_t left)
{
	uint32_t type;
	uint16_t size;

	if (left < PFX_RECORD_HEADER_SIZE)
		return false;
	type = pfx_load32(at, reader->swap);
	size = pfx_load16(at + 6, reader->swap);
	if (size < PFX_RECORD_HEADER_SIZE || size > left)
		return false;
	return (type && type < PFX_RECORD_KERNEL_MAX) ||
	       (type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX);
}

/* Whether the table of features can be at @end: its first section is within the file. */
static bool looks_like_table(struct pfx_reader *reader, const uint8_t *data, uint64_t end,
			     uint64_t size)
{
	struct pfx_cursor c = pfx_cursor_make(data + end, size - end, reader->swap);
	struct pfx_section section = read_section(&c);
	uint64_t behind;

	return pfx_cursor_ok(&c) &&
	       !__builtin_add_overflow(section.offset, section.size, &behind) && behind <= size;
}

/*
 * The end of the records. A killed recorder has written no size, or the size of its last refresh
 * and no features, or was about to move the table of features: then the records extend to the end
 * of the file.
 */
static uint64_t find_data_end(struct pfx_reader *reader, const struct file_header *header,
			      const uint8_t *data, size_t size)
{
	struct pfx_section section = header->data;
	uint64_t end, limit = size;

	if (header->attrs.offset > section.offset)
		limit = header->attrs.offset < size ? header->attrs.offset : size;
	if (!section.size) {
		if (section.offset < limit && !no_features(header) &&
		    looks_like_table(reader, data, section.offset, size))
			return section.offset;
		reader->damage.no_size = true;
		return limit > section.offset ? limit : section.offset;
	}
	if (__builtin_add_overflow(section.offset, section.size, &end) || end > size) {
		reader->damage.cut_short = true;
		return size;
	}
	if (header->size == PFX_HEADER_SIZE && end < limit &&
	    (no_features(header) || !looks_like_table(reader, data, end, size)) &&
	    looks_like_record(reader, data + end, limit - end)) {
		reader->damage.no_size = true;
		return limit;
	}
	return end;
}

static void fill_info(struct pfx_reader *reader, const struct file_header *header, size_t size)
{
	struct pfx_file_info *info = &reader->info;

	if (info->form != PFX_READER_DIRECTORY)
		info->form = PFX_READER_FILE;
	info->header_size = header->size;
	info->attr_size = header->attr_size;
	info->data_offset = header->data.offset;
	info->data_size = header->data.size;
	info->feature_offset = header->data.offset + header->data.size;
	if (!info->file_size)
		info->file_size = size;
}

int pfx_reader_read_file(struct pfx_reader *reader, const uint8_t *data, size_t size,
			 struct pfx_error *err)
{
	struct file_header header;
	uint64_t start, end;
	char name[256];
	int rc = read_fixed(reader, data, size, &header, err);

	if (rc < 0)
		return rc;
	if (!header.attr_size) {
		pfx_error_set(err, EBADMSG, "the header of '%s' is not filled in",
			      pfx_reader_name(reader, name, sizeof(name)));
		pfx_error_hint(err, "the recorder ended before it could say what it records");
		return -EBADMSG;
	}
	fill_info(reader, &header, size);
	rc = read_attrs(reader, &header, data, size, err);
	if (rc < 0)
		return rc;
	start = header.data.offset;
	end = find_data_end(reader, &header, data, size);
	if (start > size)
		return pfx_reader_refuse_short(reader, "the list of its events", err);
	if (!reader->damage.no_size && end - start == header.data.size)
		read_features(reader, &header, data, size);
	pfx_feed_init_memory(&reader->lanes[0].raw, data + start, end - start, start);
	return 0;
}

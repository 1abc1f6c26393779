/* SPDX-License-Identifier: MIT */
/*
 * Records of all types but SAMPLE between bytes and struct pfx_body: the frame that is common to
 * them (header, trailer of sample_id_all, alignment). What each type says is in record_kernel.c and
 * record_user.c. Knows nothing of files; every offset is checked by the cursor. Sections 4.1 to
 * 4.3 and, for values of counters, 3.5 of Documentation/file-format.md.
 */
#include "event/record.h"

#include <errno.h>
#include <string.h>

#include "event/codec_internal.h"

#define TRAILER_FIELDS                                                             \
	(PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID | \
	 PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER)
#define RECORD_SIZE_MAX 65535

/* Codecs by type; NULL for types that do not exist. SAMPLE has a name only. */
static const struct pfx_record_codec *codec_of(uint32_t type)
{
	const struct pfx_record_codec *codec = NULL;

	if (type < PFX_RECORD_KERNEL_MAX)
		codec = &pfx_record_kernel_codecs[type];
	else if (type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX)
		codec = &pfx_record_user_codecs[type - PFX_RECORD_USER_FIRST];
	return codec && codec->name ? codec : NULL;
}

const char *pfx_record_name(uint32_t type)
{
	const struct pfx_record_codec *codec = codec_of(type);

	return codec ? codec->name : NULL;
}

struct pfx_words pfx_record_words(struct pfx_cursor *c, uint64_t nr)
{
	struct pfx_words words = {c->at, 0, c->swap};

	if (!pfx_cursor_fits(c, nr, 8))
		return words;
	words.nr = nr;
	pfx_cursor_skip(c, nr * 8);
	return words;
}

struct pfx_words pfx_record_rest_words(struct pfx_cursor *c)
{
	return pfx_record_words(c, pfx_cursor_left(c) / 8);
}

struct pfx_bytes pfx_record_bytes(struct pfx_cursor *c, uint64_t nr, size_t size)
{
	struct pfx_bytes bytes = {c->at, 0};

	if (!pfx_cursor_fits(c, nr, size))
		return bytes;
	bytes.size = nr * size;
	pfx_cursor_skip(c, bytes.size);
	return bytes;
}

void pfx_record_put_words(struct pfx_buffer *to, const struct pfx_words *words)
{
	uint64_t i;

	for (i = 0; i < words->nr; i++)
		pfx_buffer_u64(to, pfx_word(words, i));
}

void pfx_record_put_field(struct pfx_buffer *to, const char *s, size_t size)
{
	size_t len = s ? strnlen(s, size - 1) : 0;

	pfx_buffer_bytes(to, s, len);
	pfx_buffer_zeros(to, size - len);
}

static uint64_t trailer_fields(uint32_t type, const struct pfx_attr *attr)
{
	if (!attr || type >= PFX_RECORD_USER_FIRST || !(attr->flags & PFX_ATTR_SAMPLE_ID_ALL))
		return 0;
	return attr->sample_type & TRAILER_FIELDS;
}

static void decode_trailer(struct pfx_cursor *c, uint64_t has, struct pfx_sample_id *ret)
{
	*ret = (struct pfx_sample_id){.has = has, .time = PFX_NO_TIME};
	if (has & PFX_SAMPLE_TID) {
		ret->pid = pfx_cursor_u32(c);
		ret->tid = pfx_cursor_u32(c);
	}
	if (has & PFX_SAMPLE_TIME)
		ret->time = pfx_cursor_u64(c);
	if (has & PFX_SAMPLE_ID)
		ret->id = pfx_cursor_u64(c);
	if (has & PFX_SAMPLE_STREAM_ID)
		ret->stream_id = pfx_cursor_u64(c);
	if (has & PFX_SAMPLE_CPU) {
		ret->cpu = pfx_cursor_u32(c);
		pfx_cursor_skip(c, 4);
	}
	if (has & PFX_SAMPLE_IDENTIFIER)
		ret->identifier = pfx_cursor_u64(c);
}

bool pfx_sample_id_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
			  struct pfx_sample_id *ret)
{
	uint64_t has = trailer_fields(rec->type, attr);
	size_t size = 8 * (size_t)__builtin_popcountll(has);
	struct pfx_cursor c;

	*ret = (struct pfx_sample_id){.time = PFX_NO_TIME};
	if (PFX_RECORD_HEADER_SIZE + size > rec->size)
		return false;
	c = pfx_cursor_make(rec->bytes + rec->size - size, size, rec->swap);
	decode_trailer(&c, has, ret);
	return true;
}

/* Append the trailer that @attr asks for. */
static void encode_sample_id(const struct pfx_sample_id *id, const struct pfx_attr *attr,
			     struct pfx_buffer *to)
{
	uint64_t has = trailer_fields(PFX_RECORD_MMAP, attr);

	if (has & PFX_SAMPLE_TID) {
		pfx_buffer_u32(to, id->pid);
		pfx_buffer_u32(to, id->tid);
	}
	if (has & PFX_SAMPLE_TIME)
		pfx_buffer_u64(to, id->time);
	if (has & PFX_SAMPLE_ID)
		pfx_buffer_u64(to, id->id);
	if (has & PFX_SAMPLE_STREAM_ID)
		pfx_buffer_u64(to, id->stream_id);
	if (has & PFX_SAMPLE_CPU) {
		pfx_buffer_u32(to, id->cpu);
		pfx_buffer_u32(to, 0);
	}
	if (has & PFX_SAMPLE_IDENTIFIER)
		pfx_buffer_u64(to, id->identifier);
}

static void decode_read_values(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	uint64_t i;

	for (i = 0; i < ret->nr; i++) {
		struct pfx_read_value v = {0};

		v.value = pfx_cursor_u64(c);
		if (read_format & PFX_FORMAT_ID)
			v.id = pfx_cursor_u64(c);
		if (read_format & PFX_FORMAT_LOST)
			v.lost = pfx_cursor_u64(c);
		if (i < PFX_READ_MAX)
			ret->values[i] = v;
	}
}

static void decode_times(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	ret->enabled = read_format & PFX_FORMAT_ENABLED ? pfx_cursor_u64(c) : 0;
	ret->running = read_format & PFX_FORMAT_RUNNING ? pfx_cursor_u64(c) : 0;
}

/*
 * One counter:	value, [enabled], [running], [id], [lost]
 * A group:	nr, [enabled], [running], nr times { value, [id], [lost] }
 */
bool pfx_read_decode(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret)
{
	unsigned words = 1 + !!(read_format & PFX_FORMAT_ID) + !!(read_format & PFX_FORMAT_LOST);

	if (read_format & PFX_FORMAT_GROUP) {
		ret->nr = pfx_cursor_u64(c);
		decode_times(c, read_format, ret);
		if (pfx_cursor_fits(c, ret->nr, 8 * words))
			decode_read_values(c, read_format, ret);
		return pfx_cursor_ok(c);
	}
	ret->nr = 1;
	ret->values[0] = (struct pfx_read_value){.value = pfx_cursor_u64(c)};
	decode_times(c, read_format, ret);
	if (read_format & PFX_FORMAT_ID)
		ret->values[0].id = pfx_cursor_u64(c);
	if (read_format & PFX_FORMAT_LOST)
		ret->values[0].lost = pfx_cursor_u64(c);
	return pfx_cursor_ok(c);
}

static void encode_times(const struct pfx_read *read, uint64_t read_format, struct pfx_buffer *to)
{
	if (read_format & PFX_FORMAT_ENABLED)
		pfx_buffer_u64(to, read->enabled);
	if (read_format & PFX_FORMAT_RUNNING)
		pfx_buffer_u64(to, read->running);
}

static void encode_ids(const struct pfx_read_value *v, uint64_t read_format, struct pfx_buffer *to)
{
	if (read_format & PFX_FORMAT_ID)
		pfx_buffer_u64(to, v->id);
	if (read_format & PFX_FORMAT_LOST)
		pfx_buffer_u64(to, v->lost);
}

void pfx_read_encode(const struct pfx_read *read, uint64_t read_format, struct pfx_buffer *to)
{
	uint64_t i, nr = read->nr < PFX_READ_MAX ? read->nr : PFX_READ_MAX;

	if (!(read_format & PFX_FORMAT_GROUP)) {
		pfx_buffer_u64(to, read->values[0].value);
		encode_times(read, read_format, to);
		encode_ids(&read->values[0], read_format, to);
		return;
	}
	pfx_buffer_u64(to, nr);
	encode_times(read, read_format, to);
	for (i = 0; i < nr; i++) {
		pfx_buffer_u64(to, read->values[i].value);
		encode_ids(&read->values[i], read_format, to);
	}
}

int pfx_record_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
		      struct pfx_body *ret, struct pfx_error *err)
{
	const struct pfx_record_codec *codec = codec_of(rec->type);
	const struct pfx_record_context ctx = {attr, rec->misc};
	size_t trailer = 8 * (size_t)__builtin_popcountll(trailer_fields(rec->type, attr));
	struct pfx_cursor c;

	if (!codec || rec->type == PFX_RECORD_SAMPLE)
		return pfx_error_set(err, EPROTONOSUPPORT, "record of unknown type %u", rec->type);
	ret->type = rec->type;
	ret->misc = rec->misc;
	ret->swap = rec->swap;
	if (PFX_RECORD_HEADER_SIZE + trailer > rec->size ||
	    !pfx_sample_id_decode(rec, attr, &ret->id))
		goto malformed;
	c = pfx_record_cursor(rec);
	c.end -= trailer;
	if (codec->decode)
		codec->decode(&c, &ctx, ret);
	if (pfx_cursor_ok(&c))
		return 0;
malformed:
	return pfx_error_set(err, EBADMSG, "%s record of %u bytes does not hold what it should",
			     codec->name, rec->size);
}

bool pfx_record_encode(const struct pfx_body *body, const struct pfx_attr *attr,
		       struct pfx_buffer *to)
{
	const struct pfx_record_codec *codec = codec_of(body->type);
	const struct pfx_record_context ctx = {attr, body->misc};
	size_t start = to->len, size;

	if (!codec || body->type == PFX_RECORD_SAMPLE)
		return false;
	pfx_buffer_u32(to, body->type);
	pfx_buffer_u16(to, body->misc);
	pfx_buffer_u16(to, 0);
	if (codec->encode)
		codec->encode(body, &ctx, to);
	if (!codec->unaligned)
		pfx_buffer_zeros(to, -(to->len - start) & 7);
	if (trailer_fields(body->type, attr))
		encode_sample_id(&body->id, attr, to);
	size = to->len - start;
	if (size > RECORD_SIZE_MAX) {
		to->len = start;
		return false;
	}
	pfx_buffer_patch16(to, start + 6, (uint16_t)size);
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Records of all types but SAMPLE between bytes and struct pfx_body: the parts that are common to
 * them (header, trailer of sample_id_all, alignment). The fields of each type are in
 * record_kernel.c and record_user.c. The cursor checks every offset. Sections 4.1 to 4.3 of
 * Documentation/file-format.md.
 */
#include "event/record.h"

#include <errno.h>
#include <string.h>

#include "event/codec_internal.h"

#define TRAILER_FIELDS                                                             \
	(PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID | \
	 PFX_SAMPLE_CPU | PFX_SAMPLE_IDENTIFIER)
#define RECORD_SIZE_MAX 65535

/* Codecs by type; NULL for unknown types. SAMPLE only has a name. */
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

/* Append the trailer that @attr requires. */
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

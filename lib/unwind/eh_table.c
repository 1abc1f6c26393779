/* SPDX-License-Identifier: MIT */
/*
 * An index of .eh_frame, as .eh_frame_hdr has it, for programs that were linked without one. The
 * bytes are foreign: records must lie in the section, and what cannot be read is left out. Who
 * looks up in it is not known here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "unwind/walk_internal.h"

#define ENC_SIZE    0x0f /* of a pointer's encoding: how it is written */
#define ENC_BASE    0x70 /* what it is relative to */
#define ENC_PCREL   0x10
#define ENC_UNKNOWN 0xff
#define NO_OFFSET   SIZE_MAX

struct frames {
	struct pfx_binary_part section;
	unsigned word;
	size_t common; /* where the last common part was, and how it says addresses */
	uint8_t encoding;
	PFX_VEC(struct pfx_eh_entry) entries;
};

static bool read_pointer(struct pfx_cursor *c, uint8_t encoding, unsigned word, uint64_t *ret)
{
	switch (encoding & ENC_SIZE) {
	case 0x00:
		*ret = word == 8 ? pfx_cursor_u64(c) : pfx_cursor_u32(c);
		return true;
	case 0x03:
		*ret = pfx_cursor_u32(c);
		return true;
	case 0x0b:
		*ret = (uint64_t)(int64_t)(int32_t)pfx_cursor_u32(c);
		return true;
	case 0x04:
	case 0x0c:
		*ret = pfx_cursor_u64(c);
		return true;
	default:
		return false;
	}
}

/* The letters behind "z" say what else there is; one of them how addresses are written. */
static uint8_t read_augmentation(struct pfx_cursor *c, const char *letters, unsigned word)
{
	uint64_t personality;

	for (; *letters && pfx_cursor_ok(c); letters++) {
		switch (*letters) {
		case 'R':
			return pfx_cursor_u8(c);
		case 'L':
			pfx_cursor_skip(c, 1);
			break;
		case 'P':
			if (!read_pointer(c, pfx_cursor_u8(c), word, &personality))
				return ENC_UNKNOWN;
			break;
		case 'S':
		case 'B':
			break;
		default:
			return ENC_UNKNOWN;
		}
	}
	return 0;
}

/* How the functions of a common part say their addresses. */
static uint8_t read_common(const struct frames *frames, size_t at)
{
	struct pfx_cursor c =
		pfx_cursor_make(frames->section.at + at, frames->section.size - at, false);
	const char *letters;
	uint8_t version, encoding = 0;

	pfx_cursor_skip(&c, 8); /* length, id */
	version = pfx_cursor_u8(&c);
	letters = pfx_cursor_cstr(&c);
	(void)pfx_cursor_uleb(&c); /* factor of code */
	(void)pfx_cursor_uleb(&c); /* of data */
	if (version == 1)
		pfx_cursor_skip(&c, 1);
	else
		(void)pfx_cursor_uleb(&c);
	if (*letters == 'z') {
		(void)pfx_cursor_uleb(&c);
		encoding = read_augmentation(&c, letters + 1, frames->word);
	}
	return pfx_cursor_ok(&c) ? encoding : ENC_UNKNOWN;
}

static void add_entry(struct frames *frames, size_t at, uint32_t back, struct pfx_cursor *c)
{
	size_t field = at + 8; /* of the address in the section */
	uint64_t start;
	int64_t distance;

	if (back > at + 4 || frames->section.size > INT32_MAX)
		return;
	if (frames->common != at + 4 - back) {
		frames->common = at + 4 - back;
		frames->encoding = read_common(frames, frames->common);
	}
	if (frames->encoding == ENC_UNKNOWN ||
	    !read_pointer(c, frames->encoding, frames->word, &start) || !pfx_cursor_ok(c))
		return;
	if ((frames->encoding & ENC_BASE) == ENC_PCREL)
		start += frames->section.vaddr + field;
	else if (frames->encoding & ENC_BASE)
		return;
	distance = (int64_t)(start - frames->section.vaddr);
	if (distance == (int32_t)distance)
		pfx_vec_push(&frames->entries,
			     ((struct pfx_eh_entry){(int32_t)distance, (int32_t)at}));
}

static void read_frames(struct frames *frames)
{
	struct pfx_cursor c = pfx_cursor_make(frames->section.at, frames->section.size, false);
	struct pfx_cursor record;
	uint32_t length, back;
	size_t at;

	while (pfx_cursor_left(&c) > 8) {
		at = (size_t)(c.at - frames->section.at);
		length = pfx_cursor_u32(&c);
		if (!length || length == UINT32_MAX) /* the end, or a length that nobody needs */
			return;
		record = pfx_cursor_sub(&c, length);
		back = pfx_cursor_u32(&record);
		if (back && pfx_cursor_ok(&record))
			add_entry(frames, at, back, &record);
	}
}

static int by_start(const void *x, const void *y)
{
	const struct pfx_eh_entry *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

struct pfx_eh_entry *pfx_eh_table_make(const struct pfx_binary *binary, unsigned word,
				       uint64_t *ret_base, uint32_t *ret_nr)
{
	struct frames frames = {.word = word, .common = NO_OFFSET};

	if (!pfx_binary_section(binary, ".eh_frame", &frames.section))
		return NULL;
	read_frames(&frames);
	if (frames.entries.nr)
		qsort(frames.entries.at, frames.entries.nr, sizeof(*frames.entries.at), by_start);
	*ret_base = frames.section.vaddr;
	*ret_nr = (uint32_t)frames.entries.nr;
	return frames.entries.at;
}

/* SPDX-License-Identifier: MIT */
/* Shared by the files of the kit: the state of a build, words, one function per kind of line. */
#ifndef PFX_KIT_INTERNAL_H
#define PFX_KIT_INTERNAL_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "event/env.h"
#include "event/meta.h"
#include "event/record.h"
#include "event/sample.h"
#include "kit/kit.h"

/* One word of a line: `value` or `key=value`; quotes and escapes are resolved. */
struct kit_word {
	const char *key; /* NULL: none */
	const char *value;
	size_t len; /* of the value, which may contain NULs */
	bool used;
};

struct pfx_pack;

struct kit_line {
	unsigned number;
	const char *verb;
	struct kit_word *words;
	size_t nr;
};

/* The payload of a header feature. */
struct kit_feature {
	unsigned feature;
	struct pfx_buffer bytes;
};

/* Damage, applied to the complete file. */
struct kit_patch {
	uint64_t at;
	struct pfx_buffer bytes;
};

/* One file of a directory, or the only file. */
struct kit_part {
	struct pfx_buffer data; /* records; those of the current part are in kit->data */
	struct pfx_pack *pack;  /* NULL: nothing was compressed yet */
};

struct kit {
	struct pfx_kit_options options;
	bool swap;
	struct pfx_arena arena;
	struct pfx_meta *meta;
	struct pfx_buffer data; /* records of the current part */
	PFX_VEC(struct kit_part) parts;
	size_t part;
	bool packing; /* records from pack_start on will be compressed */
	size_t pack_start;
	uint64_t pack_piece, pack_type; /* bytes of a block, type of its record */
	PFX_VEC(struct kit_feature) features;
	PFX_VEC(struct kit_patch) patches;
	struct pfx_buffer build_ids; /* content of the BUILD_ID feature */
	bool has_cut;
	int64_t cut;          /* size to keep; negative: bytes to drop at the end */
	uint64_t header_size; /* 104, or 72 without features */
	uint64_t attr_size;   /* 0: that of the first event */
	uint64_t attr_gap;    /* bytes between an attr and the section of its ids */
	uint64_t slack;       /* unused entries of the feature table */
	uint64_t bitmap_word; /* bytes of a word in the bitmap of features: 8 or 4 */
	bool attrs_last;      /* ids and attrs are after the features */
	bool is_version1;
	struct pfx_error *err;
};

/* kit_words.c */
int pfx_kit_split(struct kit *kit, const char *text, size_t len, struct kit_line *ret);
int pfx_kit_error(struct kit *kit, const struct kit_line *line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The word with @key, marked as used; NULL if there is none. */
struct kit_word *pfx_kit_find(struct kit_line *line, const char *key);
/* The next unused word without a key; NULL if there is none. */
struct kit_word *pfx_kit_plain(struct kit_line *line);
/* A number in any base, possibly negative. */
bool pfx_kit_number(const char *value, uint64_t *ret);
/* *@ret is unchanged if the key is missing. */
int pfx_kit_u64(struct kit *kit, struct kit_line *line, const char *key, uint64_t *ret);
/* A list "a,b,0x10" of names for bits or values, and numbers. */
int pfx_kit_numbers(struct kit *kit, const struct kit_line *line, const struct kit_word *word,
		    bool (*name_of)(const char *name, uint64_t *ret), struct pfx_words *ret);
/* "00ff10" to bytes. */
int pfx_kit_hex(struct kit *kit, const struct kit_line *line, const struct kit_word *word,
		struct pfx_bytes *ret);
/* All remaining words as typed bytes: u8= u16= u32= u64= order= (a byte that is 0 in little-endian
 * recordings) str= (preceded by its length, padded) text= bytes= zeros= align=. */
int pfx_kit_typed(struct kit *kit, struct kit_line *line, struct pfx_buffer *to);
/* An error if a word was not used. */
int pfx_kit_all_used(struct kit *kit, const struct kit_line *line);
bool pfx_kit_mode(const char *name, uint64_t *ret);

/* kit_event.c, kit_feature.c, kit_record.c, kit_sample.c: one line each. */
int pfx_kit_event(struct kit *kit, struct kit_line *line);
int pfx_kit_group(struct kit *kit, struct kit_line *line);
int pfx_kit_feature(struct kit *kit, struct kit_line *line);
int pfx_kit_dso(struct kit *kit, struct kit_line *line);
int pfx_kit_sample(struct kit *kit, struct kit_line *line);
/* Whether the verb is a record type; if so, the record is appended. */
bool pfx_kit_is_record(const char *verb);
int pfx_kit_record(struct kit *kit, struct kit_line *line);
/* The event of event= (index or name), the first by default; NULL if there is none. */
struct pfx_event *pfx_kit_event_of(struct kit *kit, struct kit_line *line);
/* kit_part.c */
int pfx_kit_part(struct kit *kit, struct kit_line *line);
int pfx_kit_pack(struct kit *kit, struct kit_line *line);
int pfx_kit_unpack(struct kit *kit, struct kit_line *line);
void pfx_kit_parts_fini(struct kit *kit);
/* EVENT_DESC from the events. */
void pfx_kit_event_desc(struct kit *kit, struct pfx_buffer *to);
/* A perf header string: length, bytes, padding to 64. */
void pfx_kit_string(struct pfx_buffer *to, const char *s);

#endif

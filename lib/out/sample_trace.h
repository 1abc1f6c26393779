/* SPDX-License-Identifier: MIT */
/* The text of a tracepoint sample's fields, and single fields as keys of a report. */
#ifndef PFX_OUT_SAMPLE_TRACE_H
#define PFX_OUT_SAMPLE_TRACE_H

#include "base/hash.h"
#include "base/str.h"
#include "event/meta.h"
#include "event/sample.h"
#include "hist/sortkey.h"
#include "trace/format.h"
#include "unwind/resolve.h"

/* Texts that were made lately, by the bytes that they were made of. */
#define PFX_SAMPLE_TRACE_KEPT 1024

struct pfx_kept_text {
	uint32_t event_idx, raw_size;
	uint32_t id;                    /* of the text, where ids were asked for */
	struct pfx_str bytes;           /* the raw bytes, then the text where that was asked for */
	struct pfx_kept_text *follower; /* what was asked for behind it the last time; or NULL */
};

/* Zero is empty. */
struct pfx_kept_texts {
	struct pfx_kept_text *table; /* PFX_SAMPLE_TRACE_KEPT by hash; NULL: none yet */
	struct pfx_kept_text *last;  /* what was asked for last; or NULL */
};

/* Zero, then the three borrowed members set. */
struct pfx_sample_trace {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_trace *trace; /* opened when first needed */
	bool tried;
	bool raw;                             /* the fields one by one instead */
	struct pfx_kept_texts kept, kept_ids; /* texts, and ids of texts */
	struct pfx_intern texts;
	struct pfx_intern fields;      /* of fields: the bytes, by id */
	PFX_VEC(uint32_t) field_texts; /* by the same id: id in texts */
	struct pfx_str scratch;
	struct pfx_str near; /* the last near name of a field */
};

/* Append the fields as the event's format prints them, escaped. Nothing without a format. */
void pfx_sample_trace_print(struct pfx_sample_trace *st, const struct pfx_event *event,
			    const struct pfx_sample *sample, struct pfx_str *to);
/* An id for that text: equal texts have equal ids. */
uint32_t pfx_sample_trace_id(void *st, const struct pfx_event *event,
			     const struct pfx_sample *sample);
/* The text of an id; valid until _fini(). */
const char *pfx_sample_trace_text(const void *st, uint32_t id);
/* The fields of the recording's tracepoints that a word of -s or -F names, as columns: their
 * number. */
unsigned pfx_sample_field_find(void *st, const char *word, struct pfx_columns *columns);
/* The field whose name is nearest to the word, or NULL; valid until the next call. */
const char *pfx_sample_field_near(void *st, const char *word);
/* Fields of tracepoints for -s and -F: an id for a value (equal bytes, equal id), its text (raw: in
 * hexadecimal), and the order of two values as bytes. */
uint32_t pfx_sample_field_id(void *st, const struct pfx_key_field *field,
			     const struct pfx_event *event, const struct pfx_sample *sample);
const char *pfx_sample_field_text(const void *st, uint32_t id);
int pfx_sample_field_order(const void *st, uint32_t a, uint32_t b);
/* How wide a column of the field is at least; 0 where the event has no such field. */
unsigned pfx_sample_field_width(void *st, const struct pfx_key_field *field,
				const struct pfx_event *event);
/* The formats of the recording's tracepoints, NULL where there are none. */
struct pfx_trace *pfx_sample_trace_formats(struct pfx_sample_trace *st);
void pfx_sample_trace_fini(struct pfx_sample_trace *st);

#endif

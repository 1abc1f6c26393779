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

/* Cache of recent texts, by the raw bytes. */
#define PFX_SAMPLE_TRACE_KEPT 1024

struct pfx_kept_text {
	uint32_t event_idx, raw_size;
	uint32_t id;                    /* of the text, if ids were requested */
	struct pfx_str bytes;           /* the raw bytes, then the text if it was requested */
	struct pfx_kept_text *follower; /* the next request after it last time; or NULL */
};

/* Zero-initialize. */
struct pfx_kept_texts {
	struct pfx_kept_text *table; /* PFX_SAMPLE_TRACE_KEPT by hash; NULL: none yet */
	struct pfx_kept_text *last;  /* the last request; or NULL */
};

/* Zero-initialize, then set the three borrowed members. */
struct pfx_sample_trace {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_trace *trace; /* opened at first use */
	bool tried;
	bool raw;                             /* the fields one by one instead */
	struct pfx_kept_texts kept, kept_ids; /* texts, and ids of texts */
	struct pfx_intern texts;
	struct pfx_intern fields;      /* of fields: the bytes, by id */
	PFX_VEC(uint32_t) field_texts; /* by the same id: id in texts */
	struct pfx_str scratch;
	struct pfx_str near; /* the last result of pfx_sample_field_near() */
};

/* Append the fields in the event's print format, escaped. Nothing without a format. */
void pfx_sample_trace_print(struct pfx_sample_trace *st, const struct pfx_event *event,
			    const struct pfx_sample *sample, struct pfx_str *to);
/* An id for that text: equal texts have equal ids. */
uint32_t pfx_sample_trace_id(void *st, const struct pfx_event *event,
			     const struct pfx_sample *sample);
/* The text of an id; valid until _fini(). */
const char *pfx_sample_trace_text(const void *st, uint32_t id);
/* The fields of the recording's tracepoints that match a word of -s or -F, as columns: returns
 * their number. */
unsigned pfx_sample_field_find(void *st, const char *word, struct pfx_columns *columns);
/* The field with the most similar name, or NULL; valid until the next call. */
const char *pfx_sample_field_near(void *st, const char *word);
/* Fields of tracepoints for -s and -F: an id for a value (equal bytes, equal id), its text (raw: in
 * hexadecimal), and the order of two values as bytes. */
uint32_t pfx_sample_field_id(void *st, const struct pfx_key_field *field,
			     const struct pfx_event *event, const struct pfx_sample *sample);
const char *pfx_sample_field_text(const void *st, uint32_t id);
int pfx_sample_field_order(const void *st, uint32_t a, uint32_t b);
/* Minimum width of a column of the field; 0 if the event has no such field. */
unsigned pfx_sample_field_width(void *st, const struct pfx_key_field *field,
				const struct pfx_event *event);
/* The formats of the recording's tracepoints, NULL if there are none. */
struct pfx_trace *pfx_sample_trace_formats(struct pfx_sample_trace *st);
void pfx_sample_trace_fini(struct pfx_sample_trace *st);

#endif

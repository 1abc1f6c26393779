/* SPDX-License-Identifier: MIT */
/* The text of a tracepoint sample's fields, for every command that shows or counts it. */
#ifndef PFX_CMD_SAMPLE_TRACE_H
#define PFX_CMD_SAMPLE_TRACE_H

#include "base/hash.h"
#include "base/str.h"
#include "event/sample.h"
#include "file/reader.h"
#include "trace/format.h"
#include "unwind/resolve.h"

/* Texts that were made lately, by the bytes that they were made of. */
#define PFX_SAMPLE_TRACE_KEPT 1024

struct pfx_kept_text {
	uint64_t hash;
	uint32_t event_idx, raw_size;
	struct pfx_str bytes; /* the raw bytes, then the text */
};

/* Zero, then the three borrowed members set. */
struct pfx_sample_trace {
	struct pfx_reader *reader;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_trace *trace; /* opened when first needed */
	bool tried;
	struct pfx_kept_text *kept; /* PFX_SAMPLE_TRACE_KEPT, by hash */
	struct pfx_intern raws;     /* (event, raw bytes) that were seen */
	uint32_t *text_of;          /* by id in raws: id in texts */
	uint32_t cap_text_of;
	struct pfx_intern texts;
	struct pfx_str scratch;
};

/* Append the fields as the event's format prints them, escaped. Nothing without a format. */
void pfx_sample_trace_print(struct pfx_sample_trace *st, const struct pfx_event *event,
			    const struct pfx_sample *sample, struct pfx_str *to);
/* An id for that text: equal texts have equal ids. Made once for each distinct content. */
uint32_t pfx_sample_trace_id(void *st, const struct pfx_event *event,
			     const struct pfx_sample *sample);
/* The text of an id; valid until _fini(). */
const char *pfx_sample_trace_text(const void *st, uint32_t id);
void pfx_sample_trace_fini(struct pfx_sample_trace *st);

#endif

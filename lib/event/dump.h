/* SPDX-License-Identifier: MIT */
/* The decoded dump of a record, as `report -D` and `script -D` show it: hex, then every field.
 * Lines have perf's format where perf has one; pfx adds fields that perf omits. */
#ifndef PFX_EVENT_DUMP_H
#define PFX_EVENT_DUMP_H

#include "base/str.h"
#include "event/meta.h"

/* Context for a dump; all members may be NULL, and so may the context. */
struct pfx_dump_context {
	const char *path; /* name of the perf.data file, "pipe" for a stream; printed after the
			     offset */
	/* Attr of the first event: whether records without an event show a CPU and a time. */
	const struct pfx_attr *attr;
	/* The name of a register of the recording's machine, NULL if unknown. */
	const char *(*reg_name)(const char *machine, unsigned bit);
	const char *machine; /* as in uname */
};

/* The whole dump: an empty line, offset line, hex, an empty line, fields. */
void pfx_dump_record(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		     struct pfx_str *to);
/* One line (several for some) that shows every field of the record; untrusted text is escaped. */
void pfx_dump_fields(const struct pfx_record *rec, struct pfx_str *to);

#endif

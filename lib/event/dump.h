/* SPDX-License-Identifier: MIT */
/* The decoded dump of a record, as `report -D` and `script -D` show it: hex, then every field. The
 * lines have perf's shapes where perf has one; pfx names fields that perf leaves out. */
#ifndef PFX_EVENT_DUMP_H
#define PFX_EVENT_DUMP_H

#include "base/str.h"
#include "event/meta.h"

/* What a dump needs to know from outside; all members may be NULL, and so may the context. */
struct pfx_dump_context {
	const char *path; /* of the file, "pipe" for a stream; stands behind the offset */
	/* The first event's attr: whether records that have no event show a CPU and a time. */
	const struct pfx_attr *attr;
	/* The name of a register of the recording's machine, NULL for unknown. */
	const char *(*reg_name)(const char *machine, unsigned bit);
	const char *machine; /* as uname calls it */
};

/* The whole dump: an empty line, offset line, hex, an empty line, fields. */
void pfx_dump_record(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		     struct pfx_str *to);
/* One line (several for some) that names every field of the record; foreign text is escaped. */
void pfx_dump_fields(const struct pfx_record *rec, struct pfx_str *to);

#endif

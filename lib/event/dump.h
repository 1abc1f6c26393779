/* SPDX-License-Identifier: MIT */
/* The decoded dump of a record, as `report -D` and `script -D` show it: hex, then every field. */
#ifndef PFX_EVENT_DUMP_H
#define PFX_EVENT_DUMP_H

#include "base/str.h"
#include "event/meta.h"

/* The raw bytes: offset line, 16 bytes a line in hex and as text. */
void pfx_dump_hex(const struct pfx_record *rec, struct pfx_str *to);
/* One line (several for samples) that names every field of the record; foreign text is escaped. */
void pfx_dump_fields(const struct pfx_record *rec, struct pfx_str *to);

#endif

/* SPDX-License-Identifier: MIT */
/* A record in hex and decoded, as `report -D` and `script -D` show it. */
#ifndef PFX_READ_RECORD_DUMP_H
#define PFX_READ_RECORD_DUMP_H

#include "base/str.h"
#include "event/record.h"
#include "file/reader/reader.h"
#include "unwind/resolve.h"

/* Append it; a sample is followed by its thread and binary. */
void pfx_record_dump(const struct pfx_record *rec, struct pfx_reader *reader,
		     struct pfx_session *session, struct pfx_resolver *resolver,
		     struct pfx_str *to);

#endif

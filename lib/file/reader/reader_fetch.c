/* SPDX-License-Identifier: MIT */
/* Selects the records of a lane that the caller gets: metadata records go into the meta, unknown
 * types are counted, all others are identified. Section 2.4 of Documentation/file-format.md. */
#include "reader_state_internal.h"

static bool is_kernel_type(uint32_t type)
{
	return type > 0 && type < PFX_RECORD_KERNEL_MAX;
}

static bool is_user_type(uint32_t type)
{
	return type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX;
}

static void count_unknown(struct pfx_reader *reader, uint32_t type)
{
	if (!reader->damage.nr_unknown++)
		reader->damage.first_unknown = type;
}

/* Whether the caller gets the record. */
static bool take(struct pfx_reader *reader, struct pfx_record *rec)
{
	if (is_kernel_type(rec->type)) {
		if (reader->events_changed) {
			pfx_meta_update_new(reader->meta);
			reader->events_changed = false;
		}
		pfx_meta_identify(reader->meta, rec);
		return true;
	}
	if (is_user_type(rec->type))
		return !pfx_reader_consume(reader, rec) || reader->options.keep_meta_records;
	count_unknown(reader, rec->type);
	return reader->options.keep_meta_records;
}

int pfx_reader_fetch(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_record *ret,
		     struct pfx_error *err)
{
	int rc;

	do {
		rc = pfx_lane_next(reader, lane, ret, err);
		if (rc <= 0)
			return rc;
		pfx_reader_walked(reader, ret->size + ret->extra_size);
	} while (!take(reader, ret));
	lane->from->seq = ++reader->seq;
	return 1;
}

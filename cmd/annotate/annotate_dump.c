/* SPDX-License-Identifier: MIT */
/* `pfx annotate -D`: the records, as `pfx report -D` prints them; no code is looked at. */
#include "cmd/annotate/annotate_run.h"
#include "cmd/app/commands.h"
#include "out/recording_text.h"
#include "read/record_dump.h"
#include "read/samples.h"

#define FLUSH_SIZE (64u << 10)

static int dump_record(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct pfx_annotate_run *a = context;

	pfx_record_dump(&item->rec, pfx_recording_reader(a->recording),
			pfx_recording_session(a->recording), pfx_recording_resolver(a->recording),
			&a->out);
	return pfx_out_write(&a->out, FLUSH_SIZE, err);
}

int pfx_annotate_dump(struct pfx_annotate_run *a, struct pfx_error *err)
{
	struct pfx_record_counts counts = {0};
	const struct pfx_samples_reading reading = {
		.recording = a->recording,
		.filter = &a->options->filter,
		.counts = &counts,
		.step = dump_record,
		.step_context = a,
	};
	int rc;

	pfx_pager_for("annotate");
	rc = pfx_samples_read(&reading, err);
	if (!rc) {
		pfx_record_counts_text(&counts, pfx_recording_session(a->recording),
				       pfx_recording_meta(a->recording), false, &a->out);
		rc = pfx_out_write(&a->out, 0, err);
	}
	pfx_record_counts_fini(&counts);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/*
 * Recordings in several files: the current file is ended and named after the time, the next one
 * begins with the tasks that are running. The ring buffers are emptied into the queue meanwhile.
 */
#include "record/file/record_file.h"

/* Apply --switch-max-files. */
static void forget_oldest(struct pfx_record_file *file)
{
	uint64_t most = file->plan->options->out.switch_max_files;
	const char *name;
	int rc;

	while ((rc = pfx_named_files_trim(&file->names, most, &name)))
		if (rc < 0)
			PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_FILE_STAYS,
					    .name = name, .code = -rc);
}

int pfx_record_file_name(struct pfx_record_file *file, struct pfx_error *err)
{
	const char *name;
	int rc = pfx_named_files_add(&file->names, file->plan->place.path, &name, err);

	if (rc < 0)
		return rc;
	PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_FILE_NAMED, .name = name);
	forget_oldest(file);
	return 0;
}

int pfx_record_file_next(struct pfx_record_file *file, struct pfx_error *err)
{
	int rc = pfx_sink_put_sums(&file->sink, err);

	if (rc >= 0)
		rc = pfx_record_file_end(file, err);
	if (rc < 0)
		return rc;
	PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_FILE_ENDED,
			    .number = __atomic_load_n(file->nr_wakes, __ATOMIC_RELAXED));
	rc = pfx_record_file_name(file, err);
	if (rc < 0)
		return rc;
	rc = pfx_sink_close_file(&file->sink, err);
	return rc < 0 ? rc : pfx_record_file_begin(file, true, err);
}

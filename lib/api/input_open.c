/* SPDX-License-Identifier: MIT */
/*
 * The door for reading recordings: options, opening, one record after another. A thin layer over
 * lib/read: it adds filters and hands out the samples of a group once for each of its events.
 */
#include <errno.h>
#include <stdlib.h>

#include "api/input_internal.h"
#include "base/io.h"

static int parse_filter(struct pfx_input *input, const struct pfx_input_options *o,
			struct pfx_error *err)
{
	struct pfx_filter *filter = &input->filter;
	int rc = 0;

	input->times = (struct pfx_time_range){o->from, o->to ? o->to : UINT64_MAX};
	filter->cpus_given = o->cpus != NULL;
	if (o->cpus)
		rc = pfx_list_read(o->cpus, &filter->cpus, "a list of CPUs", "for example: 0,4-7",
				   err);
	if (!rc && o->comms)
		rc = pfx_names_parse(&filter->comms, o->comms, err);
	if (!rc && o->pids)
		rc = pfx_ids_parse(&filter->pids, o->pids, err);
	if (!rc && o->tids)
		rc = pfx_ids_parse(&filter->tids, o->tids, err);
	return rc;
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	const struct pfx_input *input = context;

	(void)event;
	return sample->time >= input->times.start && sample->time <= input->times.end &&
	       pfx_filter_cpu(&input->filter, sample->cpu);
}

static void prepare_frames(struct pfx_input *input, const struct pfx_input_options *o)
{
	const struct pfx_resolve_options options = {
		.sym =
			{
				.symfs = o->symfs,
				.vmlinux = o->vmlinux,
				.kallsyms = o->kallsyms,
				.buildid_dir = o->build_id_dir,
				.force = o->flags & PFX_INPUT_FORCE,
			},
		.max_stack = o->max_stack,
		.inlines = o->flags & PFX_INPUT_INLINES,
		.full_source_path = true,
	};

	pfx_recording_resolve(input->recording, &options);
	input->resolver = pfx_recording_resolver(input->recording);
	pfx_recording_batch(input->recording, wants_frames, input);
}

/* Symbols that were asked for must not be missing silently. */
static int check_places(const struct pfx_input_options *o, struct pfx_error *err)
{
	int rc = pfx_check_readable("vmlinux", o->vmlinux, err);

	if (!rc)
		rc = pfx_check_readable("kallsyms", o->kallsyms, err);
	if (!rc)
		rc = pfx_check_directory("symfs", o->symfs, err);
	return rc ? rc : pfx_check_directory("build_id_dir", o->build_id_dir, err);
}

int pfx_input_open(struct pfx_input **ret, const char *path,
		   const struct pfx_input_options *options, struct pfx_error *err)
{
	struct pfx_input_options own = PFX_INIT(struct pfx_input_options);
	struct pfx_recording_options reading = {0};
	struct pfx_input *input;
	int rc;

	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	if (!path)
		return pfx_api_missing("path", err);
	rc = pfx_api_take(&own, sizeof(own), options, "pfx_input_options", err);
	if (rc)
		return rc;
	input = pfx_calloc(1, sizeof(*input));
	input->flags = own.flags;
	reading.reader.force = own.flags & PFX_INPUT_FORCE;
	reading.reader.strict = own.flags & PFX_INPUT_STRICT;
	reading.unsorted = own.flags & PFX_INPUT_FILE_ORDER;
	rc = parse_filter(input, &own, err);
	if (!rc)
		rc = check_places(&own, err);
	if (!rc)
		rc = pfx_recording_open(&input->recording, path, &reading, err);
	if (rc) {
		pfx_input_close(input);
		return pfx_api_rc(rc, err);
	}
	prepare_frames(input, &own);
	*ret = input;
	return 0;
}

void pfx_input_close(struct pfx_input *input)
{
	if (!input)
		return;
	pfx_trace_free(input->trace);
	pfx_recording_free(input->recording);
	pfx_filter_fini(&input->filter);
	pfx_vec_free(&input->stacks);
	pfx_vec_free(&input->frame_ids);
	pfx_vec_free(&input->frames);
	pfx_vec_free(&input->by_place);
	pfx_vec_free(&input->values);
	pfx_vec_free(&input->header);
	pfx_keep_list_free(&input->binaries.list);
	pfx_arena_clear(&input->texts);
	free(input);
}

/* --- reading --- */

static void show_part(struct pfx_input *input)
{
	const struct pfx_sample_part *part = &input->parts[input->next_part++];

	input->event = part->event;
	input->period = part->period;
	input->item.sample->id = part->id;
}

/* A sample of a group counts for each counter that increased, perhaps for none. */
static bool begin_sample(struct pfx_input *input)
{
	input->event = input->item.rec.event;
	input->period = input->item.sample->period;
	input->has_values = false;
	if (!pfx_session_splits(input->event))
		return true;
	input->nr_parts = pfx_session_split_sample(pfx_recording_session(input->recording),
						   input->event, input->item.sample, &input->parts);
	if (!input->nr_parts)
		return false;
	show_part(input);
	return true;
}

static bool passes(const struct pfx_input *input)
{
	const struct pfx_sample *sample = input->item.sample;
	const struct pfx_filter *filter = &input->filter;
	const struct pfx_thread *thread;

	if (!wants_frames((void *)input, input->event, sample))
		return false;
	thread = pfx_input_thread_of(input);
	return pfx_filter_thread(filter, thread) && pfx_filter_comm(filter, thread->comm->text);
}

static int read_record(struct pfx_input *input, struct pfx_error *err)
{
	int rc = pfx_recording_next(input->recording, &input->item, err);

	input->nr_parts = input->next_part = 0;
	if (rc <= 0) {
		input->item = (struct pfx_item){0};
		return pfx_api_rc(rc, err);
	}
	input->nr_records++;
	return 1;
}

int pfx_input_next(struct pfx_input *input, struct pfx_error *err)
{
	int rc;

	if (!input)
		return pfx_api_missing("input", err);
	if (input->next_part < input->nr_parts) {
		show_part(input);
		return 1;
	}
	while ((rc = read_record(input, err)) > 0)
		if (!input->item.sample || (begin_sample(input) && passes(input)))
			return 1;
	return rc;
}

int pfx_input_next_sample(struct pfx_input *input, struct pfx_error *err)
{
	int rc;

	while ((rc = pfx_input_next(input, err)) > 0 && !input->item.sample)
		;
	return rc;
}

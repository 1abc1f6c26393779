/* SPDX-License-Identifier: MIT */
/* The samples of a recording in memory: a profile of lib/view, and its columns as plain arrays. */
#include <errno.h>
#include <stdlib.h>

#include "api/input_internal.h"
#include "api/samples_internal.h"
#include "base/error.h"
#include "view/read_profile.h"

static int load(struct pfx_samples **ret, struct pfx_input *input, uint32_t flags,
		struct pfx_error *err)
{
	struct pfx_time_ranges times = {.at = {&input->times, 1, 1}};
	const struct pfx_profile_reading reading = {
		.recording = input->recording,
		.filter = &input->filter,
		.times = input->times.start || input->times.end != UINT64_MAX ? &times : NULL,
		.frames_by = flags & PFX_LOAD_LINES ? PFX_FRAMES_BY_LINE : PFX_FRAMES_BY_FUNCTION,
		.keep_times = flags & PFX_LOAD_TIMES,
		.function_lines = flags & PFX_LOAD_LINES,
		.no_chains = flags & PFX_LOAD_NO_CHAINS,
	};
	struct pfx_profile *profile;
	int rc = pfx_profile_read(&reading, &profile, err);

	input->item = (struct pfx_item){0};
	if (rc)
		return pfx_api_rc(rc, err);
	*ret = pfx_calloc(1, sizeof(**ret));
	(*ret)->profile = profile;
	return 0;
}

int pfx_samples_load(struct pfx_samples **ret, struct pfx_input *input, uint32_t flags,
		     struct pfx_error *err)
{
	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	return input ? load(ret, input, flags, err) : pfx_api_missing("input", err);
}

void pfx_samples_free(struct pfx_samples *samples)
{
	if (!samples)
		return;
	pfx_profile_free(samples->profile);
	free(samples->pids);
	free(samples->tids);
	free(samples->cpus);
	free(samples->ones);
	free(samples);
}

uint32_t pfx_samples_nr_events(const struct pfx_samples *samples)
{
	return samples ? samples->profile->nr_events : 0;
}

const char *pfx_samples_event_name(const struct pfx_samples *samples, uint32_t i)
{
	return samples ? samples->profile->events[i].name : NULL;
}

uint64_t pfx_samples_count(const struct pfx_samples *samples)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; i < pfx_samples_nr_events(samples); i++)
		nr += samples->profile->events[i].nr_samples;
	return nr;
}

/* --- columns --- */

static int32_t number_of(const struct pfx_profile *profile, enum pfx_column_kind which,
			 uint32_t row)
{
	const struct pfx_profile_thread *thread =
		&profile->threads[profile->tasks[profile->row_task[row]].thread];

	switch (which) {
	case PFX_COLUMN_PID:
		return (int32_t)profile->processes[thread->process].pid;
	case PFX_COLUMN_TID:
		return (int32_t)thread->tid;
	default:
		return (int32_t)profile->cpus[profile->row_cpu[row]];
	}
}

static const int32_t *numbers(const struct pfx_profile *profile, enum pfx_column_kind which,
			      int32_t **kept)
{
	uint32_t i;

	if (*kept)
		return *kept;
	*kept = pfx_malloc(profile->nr_rows * sizeof(**kept));
	for (i = 0; i < profile->nr_rows; i++)
		(*kept)[i] = number_of(profile, which, i);
	return *kept;
}

static const uint32_t *counts(struct pfx_samples *samples)
{
	const struct pfx_profile *profile = samples->profile;
	uint32_t i;

	if (profile->row_count)
		return profile->row_count;
	if (!samples->ones) {
		samples->ones = pfx_malloc(profile->nr_rows * sizeof(*samples->ones));
		for (i = 0; i < profile->nr_rows; i++)
			samples->ones[i] = 1;
	}
	return samples->ones;
}

static const void *column_data(struct pfx_samples *samples, enum pfx_column_kind which)
{
	const struct pfx_profile *profile = samples->profile;

	switch (which) {
	case PFX_COLUMN_TIME:
		return profile->row_time;
	case PFX_COLUMN_PERIOD:
		return profile->row_period;
	case PFX_COLUMN_COUNT:
		return counts(samples);
	case PFX_COLUMN_EVENT:
		return profile->row_event;
	case PFX_COLUMN_STACK:
		return profile->row_stack;
	case PFX_COLUMN_PID:
		return numbers(profile, which, &samples->pids);
	case PFX_COLUMN_TID:
		return numbers(profile, which, &samples->tids);
	case PFX_COLUMN_CPU:
		return numbers(profile, which, &samples->cpus);
	}
	return NULL;
}

static int get_column(struct pfx_samples *samples, enum pfx_column_kind which,
		      struct pfx_column_data *ret, struct pfx_error *err)
{
	const bool is_wide = which == PFX_COLUMN_TIME || which == PFX_COLUMN_PERIOD;
	const struct pfx_column_data column = {
		.data = column_data(samples, which),
		.nr = samples->profile->nr_rows,
		.width = is_wide ? sizeof(uint64_t) : sizeof(uint32_t),
		.is_signed = which == PFX_COLUMN_PID || which == PFX_COLUMN_TID ||
			     which == PFX_COLUMN_CPU,
	};

	if ((unsigned)which > PFX_COLUMN_STACK)
		return pfx_error_set(err, EINVAL, "unknown kind of column");
	if (!column.data && which == PFX_COLUMN_TIME && column.nr) {
		pfx_error_set(err, ENODATA, "the samples were loaded without their times");
		pfx_error_hint(err, "load them with PFX_LOAD_TIMES");
		return -ENODATA;
	}
	pfx_api_give(ret, &column, sizeof(column));
	return 0;
}

int pfx_samples_column(struct pfx_samples *samples, enum pfx_column_kind which,
		       struct pfx_column_data *ret, struct pfx_error *err)
{
	return samples ? get_column(samples, which, ret, err) : pfx_api_missing("samples", err);
}

/* --- stacks --- */

uint32_t pfx_samples_stack(const struct pfx_samples *samples, uint32_t stack, uint32_t *frames,
			   uint32_t max)
{
	const struct pfx_profile *profile;
	uint32_t node, nr = 0;

	if (stack >= pfx_samples_nr_stacks(samples))
		return 0;
	profile = samples->profile;
	node = profile->stack_node[stack];
	for (; node; node = profile->nodes.parent[node], nr++)
		if (frames && nr < max)
			frames[nr] = pfx_profile_node_function(profile, node);
	return nr;
}

uint32_t pfx_samples_nr_stacks(const struct pfx_samples *samples)
{
	return samples ? samples->profile->nr_stacks : 0;
}

uint32_t pfx_samples_nr_functions(const struct pfx_samples *samples)
{
	return samples ? samples->profile->nr_functions : 0;
}

const char *pfx_samples_function(const struct pfx_samples *samples, uint32_t i,
				 const char **ret_dso)
{
	const struct pfx_profile_function *function;

	if (!samples)
		return NULL;
	function = &samples->profile->functions[i];
	if (ret_dso)
		*ret_dso = function->dso == PFX_NO_ID ? NULL
						      : samples->profile->dsos[function->dso].name;
	return function->name;
}

/* SPDX-License-Identifier: MIT */
/* The recording as a whole: its header, events, threads, and what is missing. */
#include <inttypes.h>
#include <stdio.h>

#include "api/input_internal.h"
#include "base/str.h"

/* --- header --- */

static void add(struct pfx_input *input, const char *name, const char *value)
{
	const struct pfx_input_header_line line = {
		name, value ? pfx_arena_strdup(&input->texts, value) : NULL};

	if (line.value)
		pfx_vec_push(&input->header, line);
}

static void add_number(struct pfx_input *input, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	if (number)
		add(input, name, text);
}

static void add_command(struct pfx_input *input, const struct pfx_env_strings *words)
{
	struct pfx_str text = {0};
	uint32_t i;

	for (i = 0; i < words->nr; i++)
		pfx_str_addf(&text, "%s%s", i ? " " : "", words->at[i]);
	if (words->nr)
		add(input, "command line", text.at);
	pfx_str_fini(&text);
}

static void make_header(struct pfx_input *input)
{
	const struct pfx_env *env = &pfx_recording_meta(input->recording)->env;

	add(input, "hostname", env->hostname);
	add(input, "os release", env->osrelease);
	add(input, "arch", env->arch);
	add(input, "cpu", env->cpudesc);
	add(input, "cpuid", env->cpuid);
	add_number(input, "cpus online", env->nr_cpus_online);
	add_number(input, "cpus available", env->nr_cpus_avail);
	add_number(input, "memory kB", env->total_mem_kb);
	add(input, "perf version", env->version);
	add_command(input, &env->cmdline);
	add_number(input, "clock id", env->clockid);
	add_number(input, "wall clock ns", env->wall_clock_ns);
	add_number(input, "clock ns", env->clockid_ns);
	add_number(input, "first sample ns", env->first_sample_ns);
	add_number(input, "last sample ns", env->last_sample_ns);
}

bool pfx_input_header(struct pfx_input *input, uint32_t i, const char **ret_name,
		      const char **ret_value)
{
	if (!input)
		return false;
	if (!i) { /* streams add to it */
		input->header.nr = 0;
		make_header(input);
	}
	if (i >= input->header.nr)
		return false;
	if (ret_name)
		*ret_name = input->header.at[i].name;
	if (ret_value)
		*ret_value = input->header.at[i].value;
	return true;
}

/* --- events and threads --- */

uint32_t pfx_input_nr_events(const struct pfx_input *input)
{
	return input ? pfx_recording_meta(input->recording)->nr_events : 0;
}

void pfx_input_event_info(const struct pfx_input *input, uint32_t i, struct pfx_event_info *ret)
{
	struct pfx_event_info info = {0};
	const struct pfx_event *event;

	if (!input)
		return;
	event = pfx_recording_meta(input->recording)->events[i];
	info.name = event->name;
	info.type = event->attr.type;
	info.config = event->attr.config;
	info.period_or_freq = event->attr.sample_period;
	info.is_freq = (event->attr.flags & PFX_ATTR_FREQ) != 0;
	info.leader = event->leader;
	pfx_api_give(ret, &info, sizeof(info));
}

uint32_t pfx_input_nr_threads(const struct pfx_input *input)
{
	return input ? pfx_session_nr_threads(pfx_recording_session(input->recording)) : 0;
}

void pfx_input_thread_info(const struct pfx_input *input, uint32_t i, struct pfx_thread_info *ret)
{
	struct pfx_thread_info info = {0};
	const struct pfx_thread *thread;

	if (!input)
		return;
	thread = pfx_session_thread_at(pfx_recording_session(input->recording), i);
	info.pid = (int32_t)thread->pid;
	info.tid = (int32_t)thread->tid;
	info.ppid = (int32_t)thread->ppid;
	info.comm = thread->comm->text;
	info.start = thread->start_time;
	info.has_exited = thread->exited;
	pfx_api_give(ret, &info, sizeof(info));
}

/* --- what is missing --- */

static void count_losses(const struct pfx_input *input, struct pfx_losses *ret)
{
	const struct pfx_recording *recording = input->recording;
	const struct pfx_recording_stats *stats = pfx_recording_stats(recording);
	const struct pfx_session_stats *session =
		pfx_session_stats(pfx_recording_session(recording));
	const struct pfx_reader_damage *damage = pfx_reader_damage(pfx_recording_reader(recording));
	const struct pfx_unwind_stats *unwind = pfx_resolver_unwind_stats(input->resolver);
	*ret = (struct pfx_losses){
		.nr_records = input->nr_records,
		.nr_samples = stats->nr_samples,
		.nr_bad_samples = stats->nr_bad_samples,
		.nr_bad_records = damage->nr_bad + session->nr_bad,
		.lost_records = session->nr_lost,
		.lost_samples = session->nr_lost_samples,
		.damaged_places = damage->nr_places,
		.bytes_skipped = damage->bytes_skipped,
		.nr_unknown = damage->nr_unknown,
		.is_cut_short = damage->cut_short,
		.recorder_was_killed = damage->no_size,
		.nr_chains = unwind->nr_chains,
		.incomplete_chains = unwind->nr_chains - unwind->nr_ends[PFX_UNWIND_COMPLETE],
	};
}

void pfx_input_losses(const struct pfx_input *input, struct pfx_losses *ret)
{
	struct pfx_losses losses;

	if (!input)
		return;
	count_losses(input, &losses);
	pfx_api_give(ret, &losses, sizeof(losses));
}

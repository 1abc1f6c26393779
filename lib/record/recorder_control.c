/* SPDX-License-Identifier: MIT */
/*
 * Enables and disables events while recording: by the clock (-D), and by commands through a
 * descriptor or named pipe (--control). Requests about the output go to the queue's thread.
 */
#include <string.h>

#include "base/ns.h"
#include "record/recorder_internal.h"

#define LOOK_AT_RINGS_MS 50 /* for ring buffers that do not wake the recorder */

static void switch_all(struct pfx_recorder *rec, bool on)
{
	size_t i;

	pfx_recorder_trace_set_off(rec, !on);
	for (i = 0; i < rec->source.counters.list.nr; i++)
		if (rec->source.counters.list.at[i].leader == i)
			rec->source.machine->turn(&rec->source.counters.list.at[i], on);
	rec->loop.control.went_off |= !on;
	PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_SWITCHED, .on = on);
}

/* --- the channel --- */

int pfx_recorder_control_open(struct pfx_recorder *rec, struct pfx_error *err)
{
	const char *words = rec->plan.options->out.control;
	int rc = pfx_control_channel_open(&rec->loop.control.channel, words, err);

	if (rc < 0 || !words)
		return rc;
	return pfx_watch_fd(&rec->loop.watch, rec->loop.control.channel.fd,
			    PFX_RECORDER_WAKE_CONTROL, err);
}

/* --- its commands --- */

/* All events of that name; false if there is none. */
static bool switch_named(struct pfx_recorder *rec, const char *name, bool on)
{
	bool found = false;
	uint32_t i;

	for (i = 0; i < rec->file.meta->nr_events; i++) {
		if (strcmp(rec->file.meta->events[i]->name, name))
			continue;
		if (rec->source.counters.list.at[i].has_aux)
			pfx_recorder_trace_set_off(rec, !on);
		rec->source.machine->turn(&rec->source.counters.list.at[i], on);
		rec->loop.control.went_off |= !on;
		found = true;
	}
	return found;
}

static void enable(struct pfx_recorder *rec, const char *name, bool on)
{
	if (!*name)
		switch_all(rec, on);
	else if (!switch_named(rec, name, on))
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_EVENT_UNKNOWN, .name = name);
	else
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_EVENT_SWITCHED, .name = name,
				    .on = on);
}

/* False if the command is unknown. */
static bool obey(void *context, const char *line)
{
	struct pfx_recorder *rec = context;
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;
	const char *words;

	if ((words = pfx_control_words(line, "enable"))) {
		enable(rec, words, true);
	} else if ((words = pfx_control_words(line, "disable"))) {
		enable(rec, words, false);
	} else if ((words = pfx_control_words(line, "evlist")) && pfx_control_is_list_form(words)) {
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_EVENTS_WANTED, .name = words,
				    .meta = rec->file.meta);
	} else if (strcmp(line, "snapshot") == 0) {
		pfx_recorder_trace_want_snapshot(rec);
		if (o->switches)
			pfx_recorder_ask_switch(rec);
	} else if (strcmp(line, "stop") == 0) {
		rec->loop.control.stops = true;
	} else if (strcmp(line, "ping")) {
		return false;
	}
	return true;
}

static void tell(void *context, enum pfx_control_trouble trouble, const char *line)
{
	const struct pfx_recorder *rec = context;

	PFX_RECORDER_NOTIFY(rec->plan.observer,
			    trouble == PFX_CONTROL_UNKNOWN ? PFX_RECORDER_CONTROL_UNKNOWN
							   : PFX_RECORDER_CONTROL_UNANSWERED,
			    .name = line);
}

static void read_commands(struct pfx_recorder *rec)
{
	const struct pfx_control_listener listener = {obey, tell, rec};
	struct pfx_control_channel *channel = &rec->loop.control.channel;

	/* The other side has closed it: stop polling, which would return at once each time. */
	if (!pfx_control_channel_read(channel, &listener))
		pfx_watch_forget(&rec->loop.watch, channel->fd);
}

/* --- the clock --- */

void pfx_recorder_control_start(struct pfx_recorder *rec)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;

	rec->loop.control.start_ns = rec->source.machine->monotonic();
	if (o->switch_ms)
		rec->loop.control.switch_next_ns =
			rec->loop.control.start_ns + o->switch_ms * PFX_NS_PER_MS;
	if (o->delayed)
		PFX_RECORDER_NOTIFY(rec->plan.observer, PFX_RECORDER_SWITCHED, .on = false);
}

/* When the next range begins or ends; UINT64_MAX: never. */
static uint64_t next_range(const struct pfx_recorder *rec)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;
	const struct pfx_recorder_range *range;
	uint64_t ms;

	if (!o->delayed || rec->loop.control.range >= o->ranges.nr)
		return UINT64_MAX;
	range = &o->ranges.at[rec->loop.control.range];
	ms = rec->loop.control.is_on ? range->to : range->from;
	return ms == UINT64_MAX ? ms : rec->loop.control.start_ns + ms * PFX_NS_PER_MS;
}

int pfx_recorder_control_timeout(const struct pfx_recorder *rec, int longest)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;
	uint64_t next = next_range(rec), now, ms;

	if (rec->loop.control.switch_next_ns && rec->loop.control.switch_next_ns < next)
		next = rec->loop.control.switch_next_ns;
	if (o->switch_bytes && pfx_rings_overwrite(&rec->source.rings))
		longest = LOOK_AT_RINGS_MS;
	if (next == UINT64_MAX)
		return longest;
	now = rec->source.machine->monotonic();
	ms = next > now ? (next - now + PFX_NS_PER_MS - 1) / PFX_NS_PER_MS : 0;
	return ms < (uint64_t)longest ? (int)ms : longest;
}

static void tick(struct pfx_recorder *rec)
{
	struct pfx_recorder_control *control = &rec->loop.control;
	uint64_t now = rec->source.machine->monotonic();

	while (next_range(rec) <= now) {
		control->range += control->is_on;
		control->is_on = !control->is_on;
		switch_all(rec, control->is_on);
	}
	if (!control->switch_next_ns || control->switch_next_ns > now)
		return;
	pfx_recorder_ask_switch(rec);
	control->switch_next_ns += rec->plan.options->out.switch_ms * PFX_NS_PER_MS;
}

bool pfx_recorder_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	const struct pfx_recorder_output_options *o = &rec->plan.options->out;

	if (o->delayed || o->switch_ms)
		tick(rec);
	if (wake->signal == SIGUSR2)
		pfx_recorder_trace_want_snapshot(rec);
	if ((wake->signal == SIGUSR2 && o->switch_on_signal) || pfx_recorder_passed_size(rec) ||
	    pfx_output_is_full(rec->out.to) ||
	    (wake->fds >> PFX_RECORDER_WAKE_TRIGGER & 1 && pfx_recorder_trigger_fired(rec)))
		pfx_recorder_ask_switch(rec);
	if (wake->fds >> PFX_RECORDER_WAKE_CONTROL & 1)
		read_commands(rec);
	return rec->loop.control.stops || pfx_output_ends(rec->out.to);
}

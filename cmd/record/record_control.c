/* SPDX-License-Identifier: MIT */
/*
 * Switching a recording on and off while it runs: by the clock (-D), and by lines that come through
 * a descriptor or named pipe (--control). The output is not touched here; what concerns it is asked
 * of the queue's thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ns.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/control_words.h"
#include "cmd/record/record_internal.h"
#include "event/names.h"
#include "sys/host/clock_now.h"

#define LOOK_AT_RINGS_MS 50 /* those that do not wake us */

static void say(const struct pfx_recorder *rec, const char *text)
{
	if (!rec->options->quiet)
		pfx_print_line("%s", text);
}

static void switch_all(struct pfx_recorder *rec, bool on)
{
	size_t i;

	pfx_record_aux_set_off(rec, !on);
	for (i = 0; i < rec->counters.list.nr; i++)
		if (rec->counters.list.at[i].leader == i)
			pfx_counter_switch(&rec->counters.list.at[i], on);
	rec->control.went_off |= !on;
	say(rec, on ? "Events enabled" : "Events disabled");
}

/* --- the channel --- */

int pfx_record_control_open(struct pfx_recorder *rec, struct pfx_error *err)
{
	const char *words = rec->options->output_side.control;
	int rc = pfx_control_channel_open(&rec->control.channel, words, err);

	if (rc < 0 || !words)
		return rc;
	return pfx_watch_fd(&rec->watch, rec->control.channel.fd, PFX_RECORD_WAKE_CONTROL, err);
}

void pfx_record_control_fini(struct pfx_recorder *rec)
{
	pfx_control_channel_close(&rec->control.channel);
}

/* --- its commands --- */

/* All events of that name; false when there is none. */
static bool switch_named(struct pfx_recorder *rec, const char *name, bool on)
{
	bool found = false;
	uint32_t i;

	for (i = 0; i < rec->meta->nr_events; i++) {
		if (strcmp(rec->meta->events[i]->name, name))
			continue;
		if (rec->counters.list.at[i].has_aux)
			pfx_record_aux_set_off(rec, !on);
		pfx_counter_switch(&rec->counters.list.at[i], on);
		rec->control.went_off |= !on;
		found = true;
	}
	return found;
}

static void enable(struct pfx_recorder *rec, const char *name, bool on)
{
	char shown[128];

	if (!*name) {
		switch_all(rec, on);
		return;
	}
	pfx_escape(shown, sizeof(shown), name);
	if (!switch_named(rec, name, on))
		pfx_print_note("record", "--control: there is no event '%s'", shown);
	else if (!rec->options->quiet)
		pfx_print_line("Event %s %s", shown, on ? "enabled" : "disabled");
}

static void add_group(const struct pfx_meta *meta, uint32_t leader, struct pfx_str *to)
{
	bool is_group = meta->events[leader]->nr_members > 1;
	uint32_t i;

	if (is_group)
		pfx_str_addc(to, '{');
	for (i = leader; i < meta->nr_events; i++) {
		const char *name = meta->events[i]->name;

		if (meta->events[i]->leader != leader)
			continue;
		if (i != leader)
			pfx_str_addc(to, ',');
		pfx_str_add_foreign(to, name);
	}
	pfx_str_add(to, is_group ? "}\n" : "\n");
}

static void add_event(const struct pfx_event *event, char how, struct pfx_str *to)
{
	pfx_str_add_foreign(to, event->name);
	if (how == 'v') {
		pfx_str_add(to, ": ");
		pfx_attr_text(&event->attr, to);
	} else if (how == 'F') {
		pfx_str_addf(to, ": sample_%s=%llu",
			     event->attr.flags & PFX_ATTR_FREQ ? "freq" : "period",
			     (unsigned long long)event->attr.sample_period);
	}
	pfx_str_addc(to, '\n');
}

/* The events, as evlist shows those of a file: names, or more with -v, -g or -F. */
static void list_events(const struct pfx_recorder *rec, const char *how)
{
	struct pfx_str text = {0};
	uint32_t i;

	for (i = 0; i < rec->meta->nr_events; i++) {
		if (strcmp(how, "-g") == 0) {
			if (rec->meta->events[i]->leader == i)
				add_group(rec->meta, i, &text);
		} else {
			add_event(rec->meta->events[i], *how ? how[1] : 0, &text);
		}
	}
	pfx_print_line("%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* False when there is no such command. */
static bool obey(void *context, const char *line)
{
	struct pfx_recorder *rec = context;
	const struct pfx_record_output_options *o = &rec->options->output_side;
	const char *words;

	if ((words = pfx_control_words(line, "enable"))) {
		enable(rec, words, true);
	} else if ((words = pfx_control_words(line, "disable"))) {
		enable(rec, words, false);
	} else if ((words = pfx_control_words(line, "evlist")) && pfx_control_is_list_form(words)) {
		list_events(rec, words);
	} else if (strcmp(line, "snapshot") == 0) {
		pfx_record_aux_want_snapshot(rec);
		if (o->switches)
			pfx_record_ask_switch(rec);
	} else if (strcmp(line, "stop") == 0) {
		rec->control.stops = true;
	} else if (strcmp(line, "ping")) {
		return false;
	}
	return true;
}

static void tell(void *context, enum pfx_control_trouble trouble, const char *line)
{
	(void)context;
	pfx_control_say("record", trouble, line);
}

static void read_commands(struct pfx_recorder *rec)
{
	const struct pfx_control_listener listener = {obey, tell, rec};
	struct pfx_control_channel *channel = &rec->control.channel;

	/* The other side closed it: nothing more will come, and polling it would never end. */
	if (!pfx_control_channel_read(channel, &listener))
		pfx_watch_forget(&rec->watch, channel->fd);
}

/* --- the clock --- */

void pfx_record_control_start(struct pfx_recorder *rec)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;

	rec->control.start_ns = pfx_clock_monotonic();
	if (o->switch_ms)
		rec->control.switch_next_ns = rec->control.start_ns + o->switch_ms * PFX_NS_PER_MS;
	if (o->delayed)
		say(rec, "Events disabled");
}

/* When a range begins or ends next; UINT64_MAX: never. */
static uint64_t next_range(const struct pfx_recorder *rec)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	const struct pfx_record_range *range;
	uint64_t ms;

	if (!o->delayed || rec->control.range >= o->ranges.nr)
		return UINT64_MAX;
	range = &o->ranges.at[rec->control.range];
	ms = rec->control.is_on ? range->to : range->from;
	return ms == UINT64_MAX ? ms : rec->control.start_ns + ms * PFX_NS_PER_MS;
}

int pfx_record_control_timeout(const struct pfx_recorder *rec, int longest)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	uint64_t next = next_range(rec), now, ms;

	if (rec->control.switch_next_ns && rec->control.switch_next_ns < next)
		next = rec->control.switch_next_ns;
	if (o->switch_bytes && pfx_rings_overwrite(&rec->rings))
		longest = LOOK_AT_RINGS_MS;
	if (next == UINT64_MAX)
		return longest;
	now = pfx_clock_monotonic();
	ms = next > now ? (next - now + PFX_NS_PER_MS - 1) / PFX_NS_PER_MS : 0;
	return ms < (uint64_t)longest ? (int)ms : longest;
}

static void tick(struct pfx_recorder *rec)
{
	struct pfx_record_control *control = &rec->control;
	uint64_t now = pfx_clock_monotonic();

	while (next_range(rec) <= now) {
		control->range += control->is_on;
		control->is_on = !control->is_on;
		switch_all(rec, control->is_on);
	}
	if (!control->switch_next_ns || control->switch_next_ns > now)
		return;
	pfx_record_ask_switch(rec);
	control->switch_next_ns += rec->options->output_side.switch_ms * PFX_NS_PER_MS;
}

bool pfx_record_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;

	if (o->delayed || o->switch_ms)
		tick(rec);
	if (wake->signal == SIGUSR2)
		pfx_record_aux_want_snapshot(rec);
	if ((wake->signal == SIGUSR2 && o->switch_on_signal) || pfx_record_passed_size(rec) ||
	    pfx_output_is_full(rec->out.to) ||
	    (wake->fds >> PFX_RECORD_WAKE_TRIGGER & 1 && pfx_record_trigger_fired(rec)))
		pfx_record_ask_switch(rec);
	if (wake->fds >> PFX_RECORD_WAKE_CONTROL & 1)
		read_commands(rec);
	return rec->control.stops || pfx_output_ends(rec->out.to);
}

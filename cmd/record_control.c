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
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"
#include "event/names.h"

/* What is said back once a command was done; perf sends the NUL too. */
static const char ack[] = "ack\n";

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void say(const struct pfx_recorder *rec, const char *text)
{
	if (!rec->options->quiet)
		fprintf(stderr, "%s\n", text);
}

static void switch_all(struct pfx_recorder *rec, bool on)
{
	size_t i;

	for (i = 0; i < rec->counters.list.nr; i++)
		if (rec->counters.list.at[i].leader == i)
			pfx_counter_switch(&rec->counters.list.at[i], on);
	say(rec, on ? "Events enabled" : "Events disabled");
}

/* --- the channel --- */

static int open_fifo(const char *path, int *ret_fd, struct pfx_error *err)
{
	char shown[256];

	*ret_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	pfx_error_sys(err, errno, "cannot open '%s' for --control",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "make it with mkfifo");
	return -err->code;
}

static int open_fifos(struct pfx_record_control *control, const char *words, struct pfx_error *err)
{
	const char *comma = strchr(words, ',');
	char *first = comma ? pfx_strndup(words, (size_t)(comma - words)) : pfx_strdup(words);
	int rc = open_fifo(first, &control->fd, err);

	control->own_fds = true;
	free(first);
	return rc < 0 || !comma ? rc : open_fifo(comma + 1, &control->ack_fd, err);
}

static int take_fds(struct pfx_record_control *control, const char *words, struct pfx_error *err)
{
	const char *comma = strchr(words, ',');
	int flags;

	control->fd = atoi(words);
	control->ack_fd = comma ? atoi(comma + 1) : -1;
	flags = fcntl(control->fd, F_GETFL);
	if (flags < 0 || (comma && fcntl(control->ack_fd, F_GETFL) < 0))
		return pfx_error_set(err, EBADF, "--control: descriptor %d is not open",
				     flags < 0 ? control->fd : control->ack_fd);
	fcntl(control->fd, F_SETFL, flags | O_NONBLOCK);
	return 0;
}

int pfx_record_control_open(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_record_control *control = &rec->control;
	const char *words = rec->options->output_side.control;
	int rc;

	control->fd = control->ack_fd = -1;
	if (!words)
		return 0;
	if (strncmp(words, "fd:", 3) == 0)
		rc = take_fds(control, words + 3, err);
	else
		rc = open_fifos(control, words + 5, err);
	return rc < 0 ? rc : pfx_watch_fd(&rec->watch, control->fd, PFX_RECORD_WAKE_CONTROL, err);
}

void pfx_record_control_fini(struct pfx_recorder *rec)
{
	if (!rec->control.own_fds)
		return;
	if (rec->control.fd >= 0)
		close(rec->control.fd);
	if (rec->control.ack_fd >= 0)
		close(rec->control.ack_fd);
	rec->control.own_fds = false;
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
		pfx_counter_switch(&rec->counters.list.at[i], on);
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
		fprintf(stderr, "Event %s %s\n", shown, on ? "enabled" : "disabled");
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
		pfx_str_add_escaped(to, name, strlen(name));
	}
	pfx_str_add(to, is_group ? "}\n" : "\n");
}

static void add_event(const struct pfx_event *event, char how, struct pfx_str *to)
{
	pfx_str_add_escaped(to, event->name, strlen(event->name));
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
	fputs(pfx_str_get(&text), stderr);
	pfx_str_fini(&text);
}

/* The words behind a command, NULL when the line is another one. */
static const char *words_of(const char *line, const char *command)
{
	size_t len = strlen(command);

	if (strncmp(line, command, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + strspn(line + len, " ");
}

static bool is_list_form(const char *words)
{
	return !*words || (words[0] == '-' && words[1] && strchr("vgF", words[1]) && !words[2]);
}

/* False when there is no such command. */
static bool obey(struct pfx_recorder *rec, const char *line)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;
	const char *words;

	if ((words = words_of(line, "enable"))) {
		enable(rec, words, true);
	} else if ((words = words_of(line, "disable"))) {
		enable(rec, words, false);
	} else if ((words = words_of(line, "evlist")) && is_list_form(words)) {
		list_events(rec, words);
	} else if (strcmp(line, "snapshot") == 0) {
		if (o->switch_on_signal)
			pfx_queue_ask(rec->out.queue, PFX_RECORD_ASK_SWITCH, NULL);
	} else if (strcmp(line, "stop") == 0) {
		rec->control.stops = true;
	} else if (strcmp(line, "ping")) {
		return false;
	}
	return true;
}

static void take_line(struct pfx_recorder *rec, char *line)
{
	size_t len = strlen(line);
	char shown[128];

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		line[--len] = '\0';
	if (!len)
		return;
	if (!obey(rec, line))
		pfx_print_note("record", "--control: '%s' is no command",
			       pfx_escape(shown, sizeof(shown), line));
	else if (rec->control.ack_fd >= 0 &&
		 write(rec->control.ack_fd, ack, sizeof(ack)) != (ssize_t)sizeof(ack))
		pfx_print_note("record", "--control: nobody takes the answers");
}

/* What came, cut into lines; a line too long to be a command is forgotten. */
static void take_bytes(struct pfx_recorder *rec, const char *bytes, size_t size)
{
	struct pfx_record_control *control = &rec->control;
	size_t i;

	for (i = 0; i < size; i++) {
		if (bytes[i] && bytes[i] != '\n') {
			control->line[control->len] = bytes[i];
			control->len += control->len + 1 < sizeof(control->line);
			continue;
		}
		control->line[control->len] = '\0';
		control->len = 0;
		take_line(rec, control->line);
	}
}

static void read_commands(struct pfx_recorder *rec)
{
	struct pfx_record_control *control = &rec->control;
	char bytes[512];
	ssize_t size;

	while ((size = read(control->fd, bytes, sizeof(bytes))) > 0)
		take_bytes(rec, bytes, (size_t)size);
	/* The other side closed it: nothing more will come, and polling it would never end. */
	if (size == 0) {
		pfx_watch_forget(&rec->watch, control->fd);
		take_bytes(rec, "\n", 1);
	}
}

/* --- the clock --- */

void pfx_record_control_start(struct pfx_recorder *rec)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;

	rec->control.start_ns = now_ns();
	if (o->switch_ms)
		rec->control.switch_next_ns = rec->control.start_ns + o->switch_ms * 1000000;
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
	return ms == UINT64_MAX ? ms : rec->control.start_ns + ms * 1000000;
}

int pfx_record_control_timeout(const struct pfx_recorder *rec, int longest)
{
	uint64_t next = next_range(rec), now, ms;

	if (rec->control.switch_next_ns && rec->control.switch_next_ns < next)
		next = rec->control.switch_next_ns;
	if (next == UINT64_MAX)
		return longest;
	now = now_ns();
	ms = next > now ? (next - now + 999999) / 1000000 : 0;
	return ms < (uint64_t)longest ? (int)ms : longest;
}

static void tick(struct pfx_recorder *rec)
{
	struct pfx_record_control *control = &rec->control;
	uint64_t now = now_ns();

	while (next_range(rec) <= now) {
		control->range += control->is_on;
		control->is_on = !control->is_on;
		switch_all(rec, control->is_on);
	}
	if (!control->switch_next_ns || control->switch_next_ns > now)
		return;
	pfx_queue_ask(rec->out.queue, PFX_RECORD_ASK_SWITCH, NULL);
	control->switch_next_ns += rec->options->output_side.switch_ms * 1000000;
}

bool pfx_record_control_tick(struct pfx_recorder *rec, const struct pfx_wake *wake)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;

	if (o->delayed || o->switch_ms)
		tick(rec);
	if (wake->signal == SIGUSR2 && o->switch_on_signal)
		pfx_queue_ask(rec->out.queue, PFX_RECORD_ASK_SWITCH, NULL);
	if (wake->fds >> PFX_RECORD_WAKE_CONTROL & 1)
		read_commands(rec);
	return rec->control.stops || __atomic_load_n(&rec->out.ends, __ATOMIC_ACQUIRE);
}

/* SPDX-License-Identifier: MIT */
/* Counting switched on and off while it goes on, by lines that come through --control. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/control_words.h"
#include "cmd/stat/stat_internal.h"
#include "event/names.h"

int pfx_stat_control_open(struct pfx_stat_view *view, struct pfx_error *err)
{
	int rc = pfx_control_channel_open(&view->control, view->options->control, err);

	if (rc < 0 || !view->options->control)
		return rc;
	return pfx_watch_fd(&view->run->watch, view->control.fd, 0, err);
}

void pfx_stat_control_close(struct pfx_stat_view *view)
{
	pfx_control_channel_close(&view->control);
}

static const char *name_of(const struct pfx_counter *counter, char *made, size_t size)
{
	if (counter->name)
		return counter->name;
	pfx_attr_name(&counter->attr, made, size);
	return made;
}

/* All events of that name; false when there is none. */
static bool switch_named(const struct pfx_counters *set, const char *name, bool on)
{
	bool found = false;
	char made[128];
	size_t i;

	for (i = 0; i < set->list.nr; i++) {
		if (strcmp(name_of(&set->list.at[i], made, sizeof(made)), name))
			continue;
		pfx_counter_switch(&set->list.at[i], on);
		found = true;
	}
	return found;
}

static void enable(struct pfx_stat_view *view, const char *name, bool on)
{
	bool found;
	char shown[128];

	if (!*name) {
		pfx_stat_switch(view->run, on);
		return;
	}
	pfx_escape(shown, sizeof(shown), name);
	found = switch_named(&view->run->counters, name, on);
	found |= switch_named(&view->run->latency.counters, name, on);
	if (!found)
		pfx_print_note("stat", "--control: there is no event '%s'", shown);
	else if (!view->options->quiet)
		pfx_print_line("Event %s %s", shown, on ? "enabled" : "disabled");
}

/* A leader with its members, as they are written behind -e. */
static void add_group(const struct pfx_counters *set, size_t leader, struct pfx_str *to)
{
	size_t i, nr = 0;
	char made[128];

	for (i = leader; i < set->list.nr; i++)
		nr += set->list.at[i].leader == leader;
	pfx_str_add(to, nr > 1 ? "{" : "");
	for (i = leader; i < set->list.nr; i++) {
		const char *name = name_of(&set->list.at[i], made, sizeof(made));

		if (set->list.at[i].leader != leader)
			continue;
		if (i != leader)
			pfx_str_addc(to, ',');
		pfx_str_add_foreign(to, name);
	}
	pfx_str_add(to, nr > 1 ? "}\n" : "\n");
}

static void add_event(const struct pfx_counter *counter, char how, struct pfx_str *to)
{
	char made[128];
	const char *name = name_of(counter, made, sizeof(made));

	pfx_str_add_foreign(to, name);
	if (how)
		pfx_str_add(to, ": ");
	if (how == 'v')
		pfx_attr_text(&counter->attr, to);
	else if (how == 'F')
		pfx_str_add(to, "sample_period=0");
	pfx_str_addc(to, '\n');
}

/* The events: names, or more with -v, -g or -F. */
static void list_events(const struct pfx_stat_view *view, const char *how)
{
	const struct pfx_counters *set = &view->run->counters;
	struct pfx_str text = {0};
	size_t i;

	for (i = 0; i < set->list.nr; i++) {
		if (strcmp(how, "-g") != 0)
			add_event(&set->list.at[i], *how ? how[1] : 0, &text);
		else if (set->list.at[i].leader == i)
			add_group(set, i, &text);
	}
	pfx_print_line("%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* False when there is no such command. */
static bool obey(void *context, const char *line)
{
	struct pfx_stat_view *view = context;
	const char *words;

	if ((words = pfx_control_words(line, "enable")))
		enable(view, words, true);
	else if ((words = pfx_control_words(line, "disable")))
		enable(view, words, false);
	else if ((words = pfx_control_words(line, "evlist")) && pfx_control_is_list_form(words))
		list_events(view, words);
	else if (!strcmp(line, "stop"))
		view->run->stops = true;
	else if (strcmp(line, "ping") != 0)
		return false;
	return true;
}

static void tell(void *context, enum pfx_control_trouble trouble, const char *line)
{
	(void)context;
	pfx_control_say("stat", trouble, line);
}

void pfx_stat_control_read(struct pfx_stat_view *view)
{
	const struct pfx_control_listener listener = {obey, tell, view};

	/* The other end is closed: nothing comes any more. */
	if (!pfx_control_channel_read(&view->control, &listener))
		pfx_watch_forget(&view->run->watch, view->control.fd);
}

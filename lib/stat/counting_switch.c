/* SPDX-License-Identifier: MIT */
/* Enabling and disabling events by name during counting, and listing them. */
#include <string.h>

#include "event/names.h"
#include "stat/counting.h"

static const char *name_of(const struct pfx_counter *counter, char *made, size_t size)
{
	if (counter->name)
		return counter->name;
	pfx_attr_name(&counter->attr, made, size);
	return made;
}

/* Switch all events of that name; false if there is none. */
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

bool pfx_stat_switch_event(struct pfx_stat_runner *run, const char *name, bool on)
{
	bool found = switch_named(&run->counters, name, on);

	return switch_named(&run->latency.counters, name, on) || found;
}

/* A leader with its members, in the syntax of -e. */
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

void pfx_stat_events_text(const struct pfx_stat_runner *run, const char *form, struct pfx_str *to)
{
	const struct pfx_counters *set = &run->counters;
	size_t i;

	for (i = 0; i < set->list.nr; i++) {
		if (strcmp(form, "-g") != 0)
			add_event(&set->list.at[i], *form ? form[1] : 0, to);
		else if (set->list.at[i].leader == i)
			add_group(set, i, to);
	}
}

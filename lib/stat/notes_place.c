/* SPDX-License-Identifier: MIT */
/*
 * Finds counts related to the current one: of the same group, cgroup and privilege level, by kind
 * or by name. Clocks tick at any level.
 */
#include <stdio.h>
#include <string.h>

#include "stat/notes_internal.h"

#define LEVELS                                                                   \
	(PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV | \
	 PFX_ATTR_EXCLUDE_HOST | PFX_ATTR_EXCLUDE_IDLE)

static const struct pfx_note_kind cycles = {PFX_TYPE_HARDWARE, PFX_HW_CPU_CYCLES};

/* The upper half of config is the PMU type of a core type, 0: all cores. */
static uint32_t cores_of(const struct pfx_attr *attr)
{
	bool has = attr->type == PFX_TYPE_HARDWARE || attr->type == PFX_TYPE_HW_CACHE;

	return has ? (uint32_t)(attr->config >> 32) : 0;
}

bool pfx_note_is_kind(const struct pfx_stat_event *event, const struct pfx_note_kind *kind)
{
	uint64_t config = event->attr.config - ((uint64_t)cores_of(&event->attr) << 32);

	return event->attr.type == kind->type && config == kind->config &&
	       event->tool == PFX_STAT_COUNTER;
}

/* Whether @a counts what @b is to be compared with. */
static bool same_context(const struct pfx_stat_event *a, const struct pfx_stat_event *b)
{
	if (!pfx_attr_is_clock(&a->attr) && (a->attr.flags & LEVELS) != (b->attr.flags & LEVELS))
		return false;
	if (cores_of(&a->attr) && cores_of(&b->attr) && cores_of(&a->attr) != cores_of(&b->attr))
		return false;
	if (!a->cgroup || !b->cgroup)
		return a->cgroup == b->cgroup;
	return !strcmp(a->cgroup, b->cgroup);
}

bool pfx_note_is_named(const struct pfx_stat_event *event, const char *name)
{
	const char *slash = strchr(event->name, '/'), *at = slash ? slash + 1 : event->name;
	size_t len = strlen(name);

	return !strncasecmp(at, name, len) && (!at[len] || strchr(":/,", at[len]));
}

static bool usable(const struct pfx_note_place *p, size_t event)
{
	const struct pfx_stat_event *other = &p->stat->events.at[event];

	return other->merged_into < 0 && same_context(other, p->event) &&
	       pfx_stat_was_counted(pfx_stat_cell(p->stat, event, p->group));
}

/* The mean of all related events of this kind, or of this name; 0: none. Kinds are plain counts;
 * named events may have a scale. */
static double beside(const struct pfx_note_place *p, const struct pfx_note_kind *kind,
		     const char *name)
{
	struct pfx_moments mean = {0};
	size_t i;

	for (i = 0; i < p->stat->events.nr; i++) {
		const struct pfx_stat_event *other = &p->stat->events.at[i];

		if (kind ? !pfx_note_is_kind(other, kind) : !pfx_note_is_named(other, name))
			continue;
		if (usable(p, i))
			pfx_moments_add(&mean, pfx_stat_cell(p->stat, i, p->group)->value.mean *
						       (kind ? 1 : other->scale));
	}
	return mean.mean;
}

double pfx_note_beside_kind(const struct pfx_note_place *p, const struct pfx_note_kind *kind)
{
	return beside(p, kind, NULL);
}

double pfx_note_beside(const struct pfx_note_place *p, const char *name)
{
	return beside(p, NULL, name);
}

bool pfx_note_is_cycles(const struct pfx_stat_event *event)
{
	return pfx_note_is_kind(event, &cycles);
}

double pfx_note_cycles(const struct pfx_note_place *p)
{
	return beside(p, &cycles, NULL);
}

void pfx_note_add(struct pfx_note_place *p, const char *format, const char *unit, double value,
		  bool has)
{
	struct pfx_stat_note *note;

	if (p->nr == PFX_STAT_NOTES_MAX)
		return;
	note = &p->notes[p->nr++];
	*note = (struct pfx_stat_note){.has_value = has, .value = value, .format = format};
	snprintf(note->unit, sizeof(note->unit), "%s", unit);
}

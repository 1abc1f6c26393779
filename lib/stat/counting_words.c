/* SPDX-License-Identifier: MIT */
/* Text of the counting: parsing events, and messages for the observer. */
#include <stdarg.h>
#include <stdio.h>

#include "stat/counting_internal.h"

enum pfx_stat_tool pfx_stat_tool_of(const char *name, const struct pfx_attr *attr)
{
	/* The numbers are in the order of the names. */
	return (enum pfx_stat_tool)(pfx_tool_find(name, attr) + 1);
}

int pfx_stat_parse_events(struct pfx_event_list *list, const char *words,
			  const struct pfx_pmu_roots *roots, struct pfx_error *err)
{
	struct pfx_pmu_roots counting = *roots;

	counting.counts_only = true;
	return pfx_events_parse(list, words, &counting, err);
}

static void __attribute__((format(printf, 3, 0)))
say(void (*to)(void *context, const char *text), void *context, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	to(context, text);
}

void pfx_stat_tell(const struct pfx_stat_runner *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(run->observer->tell, run->observer->context, fmt, ap);
	va_end(ap);
}

void pfx_counting_note(const struct pfx_stat_runner *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(run->observer->note, run->observer->context, fmt, ap);
	va_end(ap);
}

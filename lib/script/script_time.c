/* SPDX-License-Identifier: MIT */
/*
 * Times in the lines of `pfx script`: as recorded, since the first line, since the line before, and
 * as the time of day if the recording has clock data.
 */
#include <errno.h>
#include <time.h>

#include "base/ns.h"
#include "script/script_internal.h"

/* The printed value of a time with --reltime and --deltatime. */
static uint64_t shown_time(struct pfx_script *s, uint64_t time)
{
	uint64_t before = s->last_time;

	if (!s->first_time)
		s->first_time = time;
	s->last_time = time;
	if (s->how.reltime)
		return time - s->first_time;
	if (s->how.deltatime)
		return before ? time - before : 0;
	return time;
}

/* Caches the formatted second: most times are in the same second as the previous one. */
static void begin_second(struct pfx_script *s, uint64_t time)
{
	s->second_start = time - time % PFX_NS_PER_SECOND;
	pfx_str_clear(&s->second);
	pfx_str_u64(&s->second, s->second_start / PFX_NS_PER_SECOND, 5);
	pfx_str_addc(&s->second, '.');
}

/* Seconds in at least 5 columns, six or nine digits after the point, and ": ". */
void pfx_script_text_time(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	uint64_t time = shown_time(s, line->sample->time), rest;

	if (time - s->second_start >= PFX_NS_PER_SECOND || !s->second.len)
		begin_second(s, time);
	rest = time - s->second_start;
	pfx_str_addn(&s->out, s->second.at, s->second.len);
	if (s->how.ns)
		pfx_str_u64_zeros(&s->out, rest, 9);
	else
		pfx_str_u64_zeros(&s->out, rest / 1000, 6);
	pfx_str_addn(&s->out, ": ", 2);
}

int pfx_script_check_tod(struct pfx_script *s, const struct pfx_event *event, struct pfx_error *err)
{
	const struct pfx_env *env = &s->view.meta->env;

	if (pfx_env_has(env, PFX_FEAT_CLOCK_DATA) && event->attr.clockid == (int32_t)env->clockid)
		return 0;
	pfx_error_set(err, EINVAL,
		      "field 'tod': the recording does not tell the time of day of its clock");
	pfx_error_hint(err, "record with -k CLOCK_MONOTONIC");
	return -EINVAL;
}

/* "2026-11-21 15:10:42.728714 " */
void pfx_script_text_tod(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	const struct pfx_env *env = &s->view.meta->env;
	uint64_t ns = env->wall_clock_ns + (line->sample->time - env->clockid_ns);
	time_t seconds = (time_t)(ns / PFX_NS_PER_SECOND);
	uint64_t rest = ns % PFX_NS_PER_SECOND;
	char text[64];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm)) {
		pfx_str_add(&s->out, "<wrong time> ");
		return;
	}
	pfx_str_add(&s->out, text);
	if (s->how.ns)
		pfx_str_addf(&s->out, ".%09llu ", (unsigned long long)rest);
	else
		pfx_str_addf(&s->out, ".%06llu ", (unsigned long long)(rest / 1000));
}

/* SPDX-License-Identifier: MIT */
/* Text of a screen: names, numbers, messages. Names are as in the recording; the grid escapes. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/names/fitting_name.h"
#include "screen/screen_internal.h"

uint64_t pfx_screen_key_of_function(const char *name, const char *dso, bool is_inlined)
{
	return pfx_hash_u64(pfx_hash_bytes(name, strlen(name)) ^
			    pfx_hash_u64(pfx_hash_bytes(dso, strlen(dso)) + is_inlined)) |
	       1;
}

const char *pfx_screen_intern(struct pfx_screen *s, const char *text)
{
	return text ? pfx_intern_get(&s->texts, pfx_intern_str(&s->texts, text)) : NULL;
}

void pfx_screen_sayf(struct pfx_screen *s, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pfx_screen_say(s, text);
}

void pfx_screen_say(struct pfx_screen *s, const char *text)
{
	pfx_str_clear(&s->message);
	pfx_str_add(&s->message, text);
}

void pfx_screen_add_short(struct pfx_str *to, uint64_t value)
{
	static const char units[] = " KMGTPE";
	double shown = (double)value;
	unsigned unit = 0;

	for (; shown >= 999.5; shown /= 1000)
		unit++;
	if (!unit)
		pfx_str_addf(to, "%" PRIu64, value);
	else
		pfx_str_addf(to, shown < 9.95 ? "%.1f%c" : "%.0f%c", shown, units[unit]);
}

static void add_thread(const struct pfx_profile *profile, uint32_t id, struct pfx_str *to)
{
	const struct pfx_profile_thread *thread = &profile->threads[id];

	pfx_str_addf(to, "%s (%d)", thread->comm, (int)thread->tid);
}

static void add_line(const struct pfx_profile *profile, uint32_t id, struct pfx_str *to)
{
	const struct pfx_profile_frame *frame = &profile->frames[id];

	if (frame->file)
		pfx_str_addf(to, "%s:%u", frame->file, frame->line);
	else
		pfx_str_add(to, profile->functions[frame->function].name);
}

void pfx_screen_add_id(struct pfx_screen *s, enum pfx_view_by by, uint32_t id, struct pfx_str *to)
{
	const struct pfx_profile *profile = s->profile;

	if (id >= pfx_view_nr_ids(profile, by)) {
		pfx_str_add(to, "[unknown]");
		return;
	}
	switch (by) {
	case PFX_VIEW_FUNCTION:
		pfx_str_add(to, profile->functions[id].name);
		break;
	case PFX_VIEW_DSO:
		pfx_str_add(to, profile->dsos[id].short_name);
		break;
	case PFX_VIEW_LINE:
		add_line(profile, id, to);
		break;
	case PFX_VIEW_PROCESS:
		pfx_str_addf(to, "%s (%d)", profile->processes[id].comm,
			     (int)profile->processes[id].pid);
		break;
	case PFX_VIEW_THREAD:
		add_thread(profile, id, to);
		break;
	case PFX_VIEW_COMM:
		pfx_str_add(to, profile->comms[id]);
		break;
	case PFX_VIEW_CPU:
		if (profile->cpus[id] == UINT32_MAX)
			pfx_str_add(to, "[unknown]");
		else
			pfx_str_addf(to, "%u", profile->cpus[id]);
		break;
	default:
		pfx_str_add(to, profile->events[id].name);
	}
}

static bool has_upper(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

bool pfx_screen_offers(const struct pfx_screen *s, enum pfx_screen_action action)
{
	const struct pfx_screen_host *host = &s->options.host;

	switch (action) {
	case PFX_ACT_HEADER:
		return s->options.header != NULL;
	case PFX_ACT_SCRIPTS:
		return host->script != NULL;
	case PFX_ACT_RECORDINGS:
		return host->recording != NULL;
	default:
		return true;
	}
}

bool pfx_screen_has_text(const char *text, const char *part)
{
	return has_upper(part) ? strstr(text, part) != NULL : strcasestr(text, part) != NULL;
}

double pfx_screen_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#define LEAST_ROOM 8 /* columns for a name, though it be cut at the end of the line */

void pfx_screen_add_fitting(const struct pfx_screen *s, const char *name, unsigned room,
			    struct pfx_str *to)
{
	size_t len = strlen(PFX_ELLIPSIS);

	pfx_fitting_name(to, name, room);
	if (!s->options.ascii || to->len < len || memcmp(to->at + to->len - len, PFX_ELLIPSIS, len))
		return;
	to->len -= len;
	to->at[to->len] = '\0';
	pfx_str_addc(to, '~');
}

void pfx_screen_add_function(const struct pfx_screen *s, uint32_t id, const char *name,
			     unsigned room, struct pfx_str *to)
{
	static const char inlined[] = " (inlined)";
	bool is_inlined = id < s->profile->nr_functions && s->profile->functions[id].is_inlined;
	unsigned after = is_inlined ? (unsigned)strlen(inlined) : 0;

	if (s->place.left || room < LEAST_ROOM + after || room > s->width)
		pfx_str_add(to, name);
	else
		pfx_screen_add_fitting(s, name, room - after, to);
	if (is_inlined)
		pfx_str_add(to, inlined);
}

void pfx_screen_add_place(const struct pfx_screen *s, uint32_t function, struct pfx_str *to)
{
	const struct pfx_profile_function *of = &s->profile->functions[function];
	char symbols = of->dso == PFX_NO_ID ? '\0' : s->profile->dsos[of->dso].symbols;

	if (s->verbose)
		pfx_str_addf(to, "0x%-16" PRIx64 " %c ", of->start, symbols ? symbols : '!');
	pfx_str_addf(to, "[%c] ", of->level);
}

enum pfx_style pfx_screen_heat(double percent)
{
	return percent >= 5 ? PFX_STYLE_HOT : percent >= 0.5 ? PFX_STYLE_WARM : PFX_STYLE_NORMAL;
}

bool pfx_screen_shows_sheet(const struct pfx_screen *s)
{
	return pfx_screen_has_sheet(s) && !s->place.sheet_keys && !s->place.nr_zooms;
}

/* SPDX-License-Identifier: MIT */
/*
 * Lines of source code between the lines of `pfx script` (field srccode). Each file is read once; a
 * thread that stays on a line shows it once.
 */
#include <string.h>

#include "script/script_internal.h"

/* Escapes untrusted text, except tabs. */
static void add_text(struct pfx_str *to, const char *text, size_t len)
{
	const char *tab;

	while ((tab = memchr(text, '\t', len))) {
		pfx_str_add_escaped(to, text, (size_t)(tab - text));
		pfx_str_addc(to, '\t');
		len -= (size_t)(tab + 1 - text);
		text = tab + 1;
	}
	pfx_str_add_escaped(to, text, len);
}

void pfx_script_add_srccode(struct pfx_script *s, struct pfx_thread *thread, uint64_t addr)
{
	struct pfx_place *place = pfx_resolve(s->view.resolver, thread, PFX_MODE_UNKNOWN, addr);
	struct pfx_source *last, at;
	const char *line;
	size_t len;

	if (!pfx_place_source(s->view.resolver, place, &at))
		return;
	while (s->shown_sources.nr <= thread->id)
		*pfx_vec_add(&s->shown_sources) = (struct pfx_source){0};
	last = &s->shown_sources.at[thread->id];
	if (last->file && last->line == at.line && !strcmp(last->file, at.file))
		return;
	if (!s->sources) {
		s->sources = pfx_sources_new();
		pfx_sources_archived(s->sources, pfx_recording_sources(s->recording));
		pfx_sources_fetch(s->sources, pfx_resolver_fetch(s->view.resolver));
	}
	pfx_sources_named_by(s->sources, at.file, place->dso);
	line = pfx_sources_line(s->sources, at.file, at.line, &len);
	if (!line)
		return;
	*last = at;
	pfx_str_addf(&s->out, "|%-8u ", at.line);
	add_text(&s->out, line, len);
	pfx_str_addc(&s->out, '\n');
}

void pfx_script_text_srccode(const struct pfx_form_record *line)
{
	pfx_script_add_srccode(line->script, line->thread, line->sample->ip);
}

void pfx_script_source_fini(struct pfx_script *s)
{
	pfx_sources_free(s->sources);
	pfx_vec_free(&s->shown_sources);
}

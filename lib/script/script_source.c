/* SPDX-License-Identifier: MIT */
/*
 * Lines of source code between the lines of `pfx script` (field srccode). Each file is read once; a
 * thread that stays on a line shows it once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "script/script_internal.h"

#define FILE_MAX (16u << 20) /* bytes of a source file */

static const struct pfx_script_source *open_source(struct pfx_script *s, const char *path)
{
	struct pfx_script_source *source;
	uint32_t id = pfx_intern_str(&s->source_names, path);

	while (s->sources.nr <= id)
		*pfx_vec_add(&s->sources) = (struct pfx_script_source){0};
	source = &s->sources.at[id];
	if (!source->tried) {
		source->tried = true;
		if (pfx_read_plain_file(path, FILE_MAX, &source->text, &source->size, NULL) < 0)
			source->text = NULL;
	}
	return source->text ? source : NULL;
}

/* Line @line of a file, without its newline; NULL if there is none. */
static const char *find_line(const struct pfx_script_source *source, uint32_t line, size_t *ret_len)
{
	const char *at = source->text, *end = at + source->size, *stop;

	while (at < end) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			stop = end;
		if (!--line) {
			*ret_len = (size_t)(stop - at);
			return at;
		}
		at = stop + 1;
	}
	return NULL;
}

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
	const struct pfx_script_source *source;
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
	source = open_source(s, at.file);
	line = source ? find_line(source, at.line, &len) : NULL;
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
	size_t i;

	for (i = 0; i < s->sources.nr; i++)
		free(s->sources.at[i].text);
	pfx_vec_free(&s->sources);
	pfx_vec_free(&s->shown_sources);
	pfx_intern_fini(&s->source_names);
}

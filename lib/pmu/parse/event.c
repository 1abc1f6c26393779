/* SPDX-License-Identifier: MIT */
/*
 * One event:
 *
 *	event := definition [":"] [modifiers]
 *	definition := NAME | NAME "/" terms "/" | SYSTEM ":" EVENT
 *		| "r" HEX | TYPE ":" CONFIG ["/" terms "/"] | "mem:" ADDRESS ...
 *		| "uprobe:" FILE ":" PLACE | "kprobe:" PLACE ...
 *
 * A bare name of the hardware becomes one event for each kind of core; a name of PMUs one for each
 * PMU that matches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

static int add_symbol(struct pfx_parser *p, const struct pfx_event_symbol *symbol,
		      const struct pfx_terms *terms)
{
	size_t i, first = p->list->specs.nr;
	int err = 0;

	pfx_event_add_symbol(p, symbol);
	for (i = first; !err && terms && i < p->list->specs.nr; i++)
		err = pfx_terms_apply_plain(p, terms, &p->list->specs.at[i]);
	return err;
}

static bool has_alias(struct pfx_parser *p, struct pfx_pmu *pmu, const char *word)
{
	if (pmu->is_core && p->pmus.nr_core > 1 && !pfx_event_is_on_core(p, pmu))
		return false;
	return pfx_pmu_alias_text(&p->pmus, pmu, word) != NULL;
}

/* Whether any PMU matches @word, or (@alias) has an event of this name. */
static bool is_pmu_word(struct pfx_parser *p, const char *word, bool alias)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i;

	for (i = 0; i < set->pmus.nr; i++)
		if (alias ? has_alias(p, &set->pmus.at[i], word)
			  : pfx_pmu_matches(&set->pmus.at[i], word))
			return true;
	return false;
}

/* The term that is a pattern for event names, NULL if none. */
static const struct pfx_term *find_pattern(const struct pfx_terms *terms)
{
	const struct pfx_token *name;
	size_t i, j;

	for (i = 0; i < terms->terms.nr; i++) {
		name = &terms->terms.at[i].name;
		for (j = 0; terms->terms.at[i].value.kind == PFX_TOKEN_END && j < name->len; j++)
			if (strchr("*?[", name->at[j]))
				return &terms->terms.at[i];
	}
	return NULL;
}

/* Add all events that match a pattern between the slashes, of each matching PMU. */
static int add_pattern(struct pfx_parser *p, const char *word, const struct pfx_terms *terms,
		       const struct pfx_term *pattern)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	char *text = pfx_strndup(pattern->name.at, pattern->name.len), shown[PFX_SHOWN_SIZE];
	struct pfx_terms others = {0};
	struct pfx_glob glob = {text, pattern->where, &others, true};
	size_t i, first = p->list->specs.nr;

	for (i = 0; i < terms->terms.nr; i++)
		if (&terms->terms.at[i] != pattern)
			pfx_vec_push(&others.terms, terms->terms.at[i]);
	for (i = 0; i < set->pmus.nr; i++)
		if (pfx_pmu_matches(&set->pmus.at[i], word))
			pfx_glob_add_pmu(p, &set->pmus.at[i], &glob);
	pfx_terms_fini(&others);
	free(text);
	if (p->list->specs.nr > first)
		return 0;
	return pfx_parse_fail(p, &pattern->where, "no event of this PMU matches '%s'",
			      pfx_parse_show(shown, &pattern->where));
}

/* Add an event of each PMU that matches the word, or (@alias) that has an event of this name. If
 * several match, PMUs that do not support the terms are skipped. */
static int add_pmu_events(struct pfx_parser *p, const char *word, const struct pfx_token *alias,
			  const struct pfx_terms *terms)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i, first = p->list->specs.nr;
	struct pfx_pmu *pmu;
	int ret, err = 0;

	for (i = 0; i < set->pmus.nr; i++) {
		pmu = &set->pmus.at[i];
		if (alias ? !has_alias(p, pmu, word) : !pfx_pmu_matches(pmu, word))
			continue;
		ret = pfx_terms_apply_pmu(p, terms, alias, pmu, pfx_event_add_for_pmu(p, pmu));
		if (ret) {
			err = ret;
			pfx_event_drop_last(p);
		} else if (alias && pmu->is_core && set->nr_core > 1) {
			p->is_expanded = true;
		}
	}
	return p->list->specs.nr > first ? 0 : err;
}

static int unknown_pmu(struct pfx_parser *p, const struct pfx_token *tok, const char *word)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	struct pfx_name_list names = {0};
	char shown[PFX_SHOWN_SIZE];
	size_t i;

	pfx_parse_fail(p, tok, "no PMU is called '%s'", pfx_parse_show(shown, tok));
	pfx_parse_reason(p, tok, "Cannot find PMU `%s'. Missing kernel support?", shown);
	for (i = 0; i < set->pmus.nr; i++)
		pfx_vec_push(&names.names, set->pmus.at[i].name);
	if (!pfx_parse_near(p, word, &names))
		pfx_parse_list(p, "PMUs of this machine are", &names);
	pfx_vec_free(&names.names);
	return -EINVAL;
}

static int bad_op(struct pfx_parser *p, const struct pfx_token *tok)
{
	char shown[PFX_SHOWN_SIZE];

	return pfx_parse_fail(p, tok,
			      "the kernel does not count '%s': this cache has no such "
			      "operation",
			      pfx_parse_show(shown, tok));
}

/* NAME "/" terms "/": the current token is the slash. */
static int parse_with_terms(struct pfx_parser *p, const char *word)
{
	struct pfx_token tok = p->word;
	struct pfx_event_symbol symbol;
	struct pfx_terms terms = {0};
	enum pfx_symbol_result found = pfx_symbol_find(word, &symbol);
	bool is_alias = false;
	int ret;

	if (found == PFX_SYMBOL_BAD_OP)
		return bad_op(p, &tok);
	if (pfx_tool_is_pmu(p, word))
		return pfx_tool_parse(p);
	if (pfx_sensor_is_pmu(p, word))
		return pfx_sensor_parse(p, word);
	if (found == PFX_SYMBOL_NONE && !is_pmu_word(p, word, false)) {
		is_alias = is_pmu_word(p, word, true);
		if (!is_alias)
			return unknown_pmu(p, &tok, word);
	}
	ret = pfx_terms_parse(p, &terms);
	if (!ret && found == PFX_SYMBOL_FOUND)
		ret = add_symbol(p, &symbol, &terms);
	else if (!ret && !is_alias && find_pattern(&terms))
		ret = add_pattern(p, word, &terms, find_pattern(&terms));
	else if (!ret)
		ret = add_pmu_events(p, word, is_alias ? &tok : NULL, &terms);
	pfx_terms_fini(&terms);
	return ret;
}

/* Applies terms to an event: pfx_terms_apply_plain(), pfx_terms_apply_tracepoint(). */
typedef int (*apply_fn)(struct pfx_parser *p, const struct pfx_terms *terms,
			struct pfx_event_spec *spec);

/* Parse terms after events without a PMU, if any, and apply them to all from @first on. */
static int parse_terms_behind(struct pfx_parser *p, size_t first, apply_fn apply)
{
	struct pfx_terms terms = {0};
	size_t i;
	int ret;

	if (p->scan.tok.kind != PFX_TOKEN_SLASH)
		return 0;
	ret = pfx_terms_parse(p, &terms);
	for (i = first; !ret && i < p->list->specs.nr; i++)
		ret = apply(p, &terms, &p->list->specs.at[i]);
	pfx_terms_fini(&terms);
	return ret;
}

/* TYPE ":" CONFIG: the current token is the colon. */
static int parse_numbers(struct pfx_parser *p)
{
	struct pfx_scanner *s = &p->scan;
	size_t first = p->list->specs.nr;
	struct pfx_event_symbol symbol;
	char shown[PFX_SHOWN_SIZE];
	uint64_t type;
	int ret;

	if (!pfx_token_number(&p->word, &type) || type > UINT32_MAX)
		return pfx_parse_fail(p, &p->word, "'%s' is not an event type",
				      pfx_parse_show(shown, &p->word));
	pfx_token_next(s);
	if (s->tok.kind != PFX_TOKEN_WORD)
		return pfx_parse_unexpected(p, "a number");
	if (!pfx_token_number(&s->tok, &symbol.config))
		return pfx_parse_fail(p, &s->tok, "'%s' is not a 64-bit number",
				      pfx_parse_show(shown, &s->tok));
	symbol.type = (uint32_t)type;
	p->word.len = s->tok.end - p->word.col;
	pfx_token_next(s);
	ret = add_symbol(p, &symbol, NULL);
	return ret ? ret : parse_terms_behind(p, first, pfx_terms_apply_plain);
}

/* A tracepoint, or an event of a PMU with modifiers: the current token is the colon. */
static int parse_colon(struct pfx_parser *p, const char *word)
{
	struct pfx_scanner *s = &p->scan, colon = *s;
	struct pfx_token event;
	size_t first;
	int ret;

	pfx_token_next(s);
	event = s->tok;
	if (event.kind != PFX_TOKEN_WORD || pfx_modifiers_plausible(&event)) {
		if (is_pmu_word(p, word, true)) {
			*s = colon;
			return add_pmu_events(p, word, &p->word, &(struct pfx_terms){0});
		}
		if (event.kind != PFX_TOKEN_WORD)
			return pfx_parse_unexpected(p, "the name of a tracepoint");
		if (!pfx_tracepoint_exists(p, &p->word, &event) && pfx_glob_is(word)) {
			*s = colon;
			return pfx_glob_add(p, word);
		}
		if (!pfx_tracepoint_exists(p, &p->word, &event))
			return pfx_parse_unknown_event(p, &p->word);
	}
	if (!strcmp(word, "%")) /* the mark of an SDT event, without its system */
		return pfx_parse_unknown_event(p, &p->word);
	first = p->list->specs.nr;
	ret = pfx_tracepoint_add(p, &p->word, &event);
	pfx_token_next(s);
	return ret ? ret : parse_terms_behind(p, first, pfx_terms_apply_tracepoint);
}

static int parse_name(struct pfx_parser *p, const char *word)
{
	struct pfx_event_symbol symbol;

	switch (pfx_symbol_find(word, &symbol)) {
	case PFX_SYMBOL_FOUND:
		return add_symbol(p, &symbol, NULL);
	case PFX_SYMBOL_BAD_OP:
		return bad_op(p, &p->word);
	case PFX_SYMBOL_NONE:
		break;
	}
	if (pfx_tool_add(p, word) || pfx_sensor_add(p, word))
		return 0;
	if (p->scan.tok.kind == PFX_TOKEN_COLON)
		return parse_colon(p, word);
	if (is_pmu_word(p, word, true))
		return add_pmu_events(p, word, &p->word, &(struct pfx_terms){0});
	if (pfx_tool_add_last(p, word))
		return 0;
	if (pfx_glob_is(word))
		return pfx_glob_add(p, word);
	return pfx_parse_unknown_event(p, &p->word);
}

static bool is_number(const char *word)
{
	return word[strspn(word, "0123456789")] == '\0' || !strncmp(word, "0x", 2);
}

static int parse_definition(struct pfx_parser *p, const char *word)
{
	enum pfx_token_kind next = p->scan.tok.kind;
	size_t first = p->list->specs.nr;
	int ret;

	if (next == PFX_TOKEN_COLON && is_number(word))
		return parse_numbers(p);
	if (next == PFX_TOKEN_COLON && !strcmp(word, "mem")) {
		ret = pfx_breakpoint_parse(p);
		return ret ? ret : parse_terms_behind(p, first, pfx_terms_apply_plain);
	}
	if (next == PFX_TOKEN_COLON && pfx_probe_is_word(word)) {
		ret = pfx_probe_parse(p, word);
		return ret ? ret : parse_terms_behind(p, first, pfx_terms_apply_tracepoint);
	}
	if (next == PFX_TOKEN_SLASH)
		return parse_with_terms(p, word);
	return parse_name(p, word);
}

/* Letters after a colon, or directly after the closing slash. */
static int parse_modifiers(struct pfx_parser *p, size_t first)
{
	struct pfx_scanner *s = &p->scan;
	bool behind_slash =
		s->last_end && s->text[s->last_end - 1] == '/' && s->tok.col == s->last_end;
	int ret;

	if (s->tok.kind == PFX_TOKEN_COLON)
		pfx_token_next(s);
	else if (!behind_slash)
		return 0;
	if (s->tok.kind != PFX_TOKEN_WORD)
		return 0;
	p->modifiers = s->tok;
	ret = pfx_modifiers_apply(p, &s->tok, first, false);
	pfx_token_next(s);
	return ret;
}

/* "cpu_core/cycles,period=5/u" for "cycles/period=5/u". */
static char *expanded_name(const struct pfx_parser *p, const char *pmu)
{
	int terms = (int)(p->terms_end - p->terms_at);

	return pfx_strfmt("%s/%.*s%s%.*s/%.*s", pmu, (int)p->word.len, p->word.at, terms ? "," : "",
			  terms, p->scan.text + p->terms_at, (int)p->modifiers.len,
			  p->modifiers.len ? p->modifiers.at : "");
}

/* For events of a pattern: "cpu/name/u", "name:u". */
static void add_modifiers(const struct pfx_parser *p, struct pfx_event_spec *spec)
{
	size_t len = strlen(spec->name);
	char *name;

	if (!p->modifiers.len)
		return;
	name = pfx_strfmt("%s%s%.*s", spec->name, spec->name[len - 1] == '/' ? "" : ":",
			  (int)p->modifiers.len, p->modifiers.at);
	free(spec->name);
	spec->name = name;
}

static void name_events(struct pfx_parser *p, size_t first)
{
	size_t len = p->scan.last_end - p->word.col, i;
	struct pfx_event_spec *spec;

	for (i = first; i < p->list->specs.nr; i++) {
		spec = &p->list->specs.at[i];
		if (spec->name) {
			if (p->is_glob)
				add_modifiers(p, spec);
			if (p->is_expanded && spec->pmu)
				spec->bare_name = pfx_strdup(spec->name);
			continue;
		}
		spec->name = pfx_strndup(p->word.at, len);
		if (!p->is_expanded || !spec->pmu)
			continue;
		spec->bare_name = spec->name;
		spec->name = expanded_name(p, spec->pmu);
	}
}

int pfx_event_parse(struct pfx_parser *p)
{
	struct pfx_scanner *s = &p->scan;
	size_t first = p->list->specs.nr;
	char *word;
	int ret;

	if (s->tok.kind != PFX_TOKEN_WORD)
		return pfx_parse_unexpected(p, "an event");
	p->word = s->tok;
	p->modifiers = (struct pfx_token){0};
	p->terms_at = p->terms_end = 0;
	p->is_expanded = p->is_glob = false;
	pfx_str_clear(&p->cpus);
	word = pfx_strndup(s->tok.at, s->tok.len);
	pfx_token_next(s);
	ret = parse_definition(p, word);
	free(word);
	if (!ret)
		ret = pfx_term_cpu_finish(p, first);
	if (!ret)
		ret = parse_modifiers(p, first);
	if (!ret)
		name_events(p, first);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/*
 * Terms to attrs: the names that are valid for every event, and those of the PMU's formats.
 *
 * config, config1, ... fill whole words first. Then each term fills the bits of its format: a later
 * term for the same bits replaces an earlier one, so that the user's values override those of the
 * named event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "pmu/parse/parse_internal.h"

enum keyword {
	KEY_NONE,
	KEY_CONFIG,
	KEY_CONFIG1,
	KEY_CONFIG2,
	KEY_CONFIG3,
	KEY_CONFIG4,
	KEY_PERIOD,
	KEY_FREQ,
	KEY_NAME,
	KEY_CPU,
	KEY_HARDWARE, /* the config of a symbolic event */
	KEY_CACHE,
	KEY_SAMPLING, /* handled by sampling_term.c */
	KEY_COUNTING, /* the same, but not about samples */
	KEY_RATIO,
	KEY_METRIC_ID,
	KEY_REFUSED, /* a term of perf without a counterpart in pfx */
};

static const struct {
	const char *name;
	enum keyword key;
} keywords[] = {
	{"config", KEY_CONFIG},
	{"config1", KEY_CONFIG1},
	{"config2", KEY_CONFIG2},
	{"config3", KEY_CONFIG3},
	{"config4", KEY_CONFIG4},
	{"period", KEY_PERIOD},
	{"freq", KEY_FREQ},
	{"name", KEY_NAME},
	{"cpu", KEY_CPU},
	{"legacy-hardware-config", KEY_HARDWARE},
	{"legacy-cache-config", KEY_CACHE},
	{"branch_type", KEY_SAMPLING},
	{"time", KEY_SAMPLING},
	{"call-graph", KEY_SAMPLING},
	{"stack-size", KEY_SAMPLING},
	{"max-stack", KEY_SAMPLING},
	{"nr", KEY_SAMPLING},
	{"inherit", KEY_COUNTING},
	{"no-inherit", KEY_COUNTING},
	{"overwrite", KEY_SAMPLING},
	{"no-overwrite", KEY_SAMPLING},
	{"percore", KEY_COUNTING},
	{"driver-config", KEY_REFUSED},
	{"aux-output", KEY_SAMPLING},
	{"aux-action", KEY_SAMPLING},
	{"aux-sample-size", KEY_SAMPLING},
	{"metric-id", KEY_METRIC_ID},
	{"ratio-to-prev", KEY_RATIO},
};

static enum keyword find_keyword(const struct pfx_token *name)
{
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (pfx_token_is(name, keywords[i].name))
			return keywords[i].key;
	return KEY_NONE;
}

static int set_name(struct pfx_parser *p, const struct pfx_term *term, struct pfx_event_spec *spec)
{
	if (term->value.kind == PFX_TOKEN_END || !term->value.len)
		return pfx_parse_fail(p, &term->where, "term 'name' needs a text");
	free(spec->name);
	spec->name = pfx_strndup(term->value.at, term->value.len);
	return 0;
}

static int set_metric_id(struct pfx_parser *p, const struct pfx_term *term,
			 struct pfx_event_spec *spec)
{
	if (term->value.kind == PFX_TOKEN_END || !term->value.len)
		return pfx_parse_fail(p, &term->where, "term 'metric-id' needs a text");
	free(spec->metric_id);
	spec->metric_id = pfx_strndup(term->value.at, term->value.len);
	return 0;
}

/* Sampling terms are not valid when counting. */
static int check_counting(struct pfx_parser *p, const struct pfx_term *term, enum keyword key)
{
	char shown[PFX_SHOWN_SIZE];

	if (!p->roots || !p->roots->counts_only || term->is_of_event)
		return 0;
	if (key != KEY_SAMPLING && key != KEY_FREQ && key != KEY_RATIO)
		return 0;
	pfx_parse_fail(p, &term->where, "term '%s' is about samples, and here is only counted",
		       pfx_parse_show(shown, &term->name));
	return -EINVAL;
}

/* A rate of the user overrides the one of the named event. */
static void set_rate(const struct pfx_term *term, bool is_period, uint64_t number,
		     struct pfx_event_spec *spec)
{
	if (term->is_of_event && (spec->has_period || spec->has_freq))
		return;
	spec->attr.sample_period = number;
	spec->has_period = is_period;
	spec->has_freq = !is_period;
	spec->is_rate_proposed = term->is_of_event;
}

/* A generic event by number, on the cores of the event's PMU. */
static void set_symbol(struct pfx_parser *p, enum keyword key, uint64_t number,
		       struct pfx_event_spec *spec)
{
	uint64_t pmu = (uint64_t)spec->attr.type << 32;

	if (spec->pmu && pfx_pmu_is_hybrid(&p->pmus, p->sysfs))
		number |= pmu;
	spec->attr.type = key == KEY_CACHE ? PFX_TYPE_HW_CACHE : PFX_TYPE_HARDWARE;
	spec->attr.config = number;
}

static int apply_keyword(struct pfx_parser *p, const struct pfx_term *term, enum keyword key,
			 struct pfx_event_spec *spec)
{
	char shown[PFX_SHOWN_SIZE];
	uint64_t number;
	int err;

	if (key == KEY_REFUSED)
		return pfx_parse_fail(p, &term->where, "term '%s' is not supported",
				      pfx_parse_show(shown, &term->name));
	err = check_counting(p, term, key);
	if (err)
		return err;
	switch (key) {
	case KEY_NAME:
		return set_name(p, term, spec);
	case KEY_SAMPLING:
	case KEY_COUNTING:
		return pfx_term_sampling(p, term, &spec->sampling);
	case KEY_CPU:
		return pfx_term_cpu(p, term);
	case KEY_RATIO:
		return pfx_term_ratio(p, term, spec);
	case KEY_METRIC_ID:
		return set_metric_id(p, term, spec);
	default:
		break;
	}
	err = pfx_term_number(p, term, &number);
	if (err)
		return err;
	if (key == KEY_PERIOD || key == KEY_FREQ) {
		set_rate(term, key == KEY_PERIOD, number, spec);
	} else if (key == KEY_HARDWARE || key == KEY_CACHE) {
		set_symbol(p, key, number, spec);
	} else {
		*pfx_config_word(&spec->attr, key - KEY_CONFIG) = number;
		spec->config_said |= key == KEY_CONFIG ? UINT64_MAX : 0;
	}
	return 0;
}

static void add_keywords(struct pfx_name_list *to)
{
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (keywords[i].key != KEY_REFUSED)
			pfx_vec_push(&to->names, keywords[i].name);
}

static void add_pmu_names(struct pfx_parser *p, struct pfx_pmu *pmu, struct pfx_name_list *to)
{
	size_t i;

	for (i = 0; i < pmu->formats.nr; i++)
		pfx_vec_push(&to->names, pmu->formats.at[i].name);
	pfx_pmu_event_names(to, &p->pmus, pmu);
}

static int unknown_term(struct pfx_parser *p, const struct pfx_term *term, struct pfx_pmu *pmu)
{
	char shown[PFX_SHOWN_SIZE], pmu_shown[PFX_SHOWN_SIZE];
	char *word = pfx_strndup(term->name.at, term->name.len);
	struct pfx_name_list names = {0};

	pfx_parse_show(shown, &term->name);
	if (pmu) {
		pfx_parse_fail(p, &term->where, "PMU '%s' has no event or term '%s'",
			       pfx_escape(pmu_shown, sizeof(pmu_shown), pmu->name), shown);
		add_pmu_names(p, pmu, &names);
	} else {
		pfx_parse_fail(p, &term->where, "unknown term '%s'", shown);
	}
	add_keywords(&names);
	if (!pfx_parse_near(p, word, &names))
		pfx_parse_list(p, "terms are", &names);
	pfx_vec_free(&names.names);
	free(word);
	return -EINVAL;
}

/* Whether the term is valid for tracepoints, whose config is from tracefs. */
static bool is_for_tracepoints(enum keyword key)
{
	return key == KEY_SAMPLING || key == KEY_COUNTING || key == KEY_PERIOD || key == KEY_FREQ ||
	       key == KEY_NAME || key == KEY_CPU;
}

int pfx_terms_apply_tracepoint(struct pfx_parser *p, const struct pfx_terms *terms,
			       struct pfx_event_spec *spec)
{
	char shown[PFX_SHOWN_SIZE];
	enum keyword key;
	size_t i;

	for (i = 0; i < terms->terms.nr; i++) {
		key = find_keyword(&terms->terms.at[i].name);
		if (key && !is_for_tracepoints(key))
			return pfx_parse_fail(p, &terms->terms.at[i].where,
					      "a tracepoint takes no term '%s'",
					      pfx_parse_show(shown, &terms->terms.at[i].name));
	}
	return pfx_terms_apply_plain(p, terms, spec);
}

int pfx_terms_apply_plain(struct pfx_parser *p, const struct pfx_terms *terms,
			  struct pfx_event_spec *spec)
{
	enum keyword key;
	size_t i;
	int err;

	for (i = 0; i < terms->terms.nr; i++) {
		key = find_keyword(&terms->terms.at[i].name);
		if (!key)
			return unknown_term(p, &terms->terms.at[i], NULL);
		err = apply_keyword(p, &terms->terms.at[i], key, spec);
		if (err)
			return err;
	}
	return 0;
}

void pfx_config_symbol(struct pfx_parser *p, const struct pfx_event_symbol *symbol,
		       const struct pfx_pmu *pmu, struct pfx_event_spec *spec)
{
	bool hybrid = pfx_pmu_is_hybrid(&p->pmus, p->sysfs);

	spec->attr.type = symbol->type;
	spec->attr.config = symbol->config;
	if (symbol->type == PFX_TYPE_RAW)
		spec->attr.type = pmu->type;
	else if (hybrid)
		spec->attr.config |= (uint64_t)pmu->type << 32;
}

/* State for resolving the terms of one event of one PMU. */
struct resolve {
	struct pfx_parser *p;
	struct pfx_pmu *pmu;
	struct pfx_event_spec *spec;
	const struct pfx_terms *user;
	struct pfx_terms all; /* the user's terms, with named events replaced by their terms */
	bool has_alias;
	bool is_symbol; /* a symbolic event: no format applies */
};

/* Replace the name of an event by its terms. Returns 1 if it was one. */
static int expand_alias(struct resolve *r, const struct pfx_token *name)
{
	char *word = pfx_strndup(name->at, name->len);
	char shown[PFX_SHOWN_SIZE];
	struct pfx_pmu_alias event;
	bool found = pfx_pmu_find_alias(&r->p->pmus, r->pmu, word, &event);
	int err;

	free(word);
	if (!found)
		return 0;
	if (r->has_alias)
		return pfx_parse_fail(r->p, name, "'%s' is a second event between these slashes",
				      pfx_parse_show(shown, name));
	r->has_alias = true;
	r->spec->scale = event.scale;
	r->spec->unit = event.unit ? pfx_strdup(event.unit) : NULL;
	r->spec->is_per_package = event.is_per_package;
	r->spec->latency = event.latency;
	err = pfx_terms_parse_alias(r->p, event.terms, name, &r->all);
	return err ? err : 1;
}

/* The name of an event has no value as a term, or the value 1. */
static bool may_be_alias(const struct pfx_term *term)
{
	uint64_t number;

	return term->value.kind == PFX_TOKEN_END ||
	       (pfx_token_number(&term->value, &number) && number == 1);
}

static int collect_terms(struct resolve *r, const struct pfx_token *alias)
{
	const struct pfx_term *term;
	size_t i;
	int ret;

	ret = alias ? expand_alias(r, alias) : 0;
	for (i = 0; ret >= 0 && i < r->user->terms.nr; i++) {
		term = &r->user->terms.at[i];
		ret = may_be_alias(term) ? expand_alias(r, &term->name) : 0;
		if (!ret)
			pfx_vec_push(&r->all.terms, *term);
	}
	return ret < 0 ? ret : 0;
}

/* "rHEX" or "r0xHEX". */
static bool raw_term(const struct pfx_term *term, uint64_t *ret)
{
	const char *at = term->name.at + 1;
	size_t len = term->name.len - 1;

	if (term->value.kind != PFX_TOKEN_END || term->name.at[0] != 'r')
		return false;
	if (len > 2 && at[0] == '0' && at[1] == 'x') {
		at += 2;
		len -= 2;
	}
	return pfx_token_hex(at, len, ret);
}

static const struct pfx_pmu_format *term_format(struct resolve *r, const struct pfx_term *term)
{
	char *word = pfx_strndup(term->name.at, term->name.len);
	const struct pfx_pmu_format *format = pfx_pmu_find_format(&r->p->pmus, r->pmu, word);

	free(word);
	return format;
}

/* The generic events of a PMU: those of hardware of the cores', software events of the kernel's. */
static bool is_of_pmu(const struct pfx_pmu *pmu, uint32_t type)
{
	if (type == PFX_TYPE_SOFTWARE)
		return pmu->type == PFX_TYPE_SOFTWARE;
	return pmu->is_core && (type == PFX_TYPE_HARDWARE || type == PFX_TYPE_HW_CACHE);
}

static bool symbol_term(struct resolve *r, const struct pfx_term *term)
{
	char *word = pfx_strndup(term->name.at, term->name.len);
	struct pfx_event_symbol symbol;
	bool found;

	found = term->value.kind == PFX_TOKEN_END &&
		pfx_symbol_find(word, &symbol) == PFX_SYMBOL_FOUND &&
		is_of_pmu(r->pmu, symbol.type);
	if (found)
		pfx_config_symbol(r->p, &symbol, r->pmu, r->spec);
	free(word);
	return found;
}

/* "@tmc_etr0": the destination of CoreSight's trace, by the number that the kernel derives from the
 * name. */
static int apply_sink(struct resolve *r, const struct pfx_term *term)
{
	char shown[PFX_SHOWN_SIZE], path[512], line[64];
	uint64_t sink;

	snprintf(path, sizeof(path), "%s/sinks/%.*s", r->pmu->dir, (int)term->name.len - 1,
		 term->name.at + 1);
	if (memchr(term->name.at, '.', term->name.len) ||
	    pfx_read_line(path, line, sizeof(line)) < 0 || strncmp(line, "0x", 2) ||
	    !pfx_token_hex(line + 2, strspn(line + 2, "0123456789abcdef"), &sink))
		return pfx_parse_fail(r->p, &term->where, "there is no sink '%s'",
				      pfx_parse_show(shown, &term->name));
	r->spec->attr.config2 = (r->spec->attr.config2 & ~(uint64_t)UINT32_MAX) | sink;
	return 0;
}

/* Apply terms that fill whole words of the attr; 1 if it was another term. */
static int apply_whole(struct resolve *r, const struct pfx_term *term)
{
	enum keyword key = find_keyword(&term->name);
	uint64_t raw;

	if (term_format(r, term))
		return 1;
	if (key)
		return apply_keyword(r->p, term, key, r->spec);
	if (raw_term(term, &raw)) {
		r->spec->attr.config = raw;
		return 0;
	}
	if (symbol_term(r, term)) {
		r->is_symbol = true;
		return 0;
	}
	if (term->name.at[0] == '@')
		return apply_sink(r, term);
	return unknown_term(r->p, term, r->pmu);
}

/* A value "?" in a named event is required from the user. */
static bool is_open(const struct pfx_term *term)
{
	return pfx_token_is(&term->value, "?");
}

static bool user_gives(const struct resolve *r, const struct pfx_token *name)
{
	size_t i;

	for (i = 0; i < r->user->terms.nr; i++)
		if (r->user->terms.at[i].name.len == name->len &&
		    !memcmp(r->user->terms.at[i].name.at, name->at, name->len))
			return true;
	return false;
}

static int missing_value(struct resolve *r, const struct pfx_term *term)
{
	char event[PFX_SHOWN_SIZE], name[PFX_SHOWN_SIZE];

	if (user_gives(r, &term->name))
		return 0;
	pfx_parse_show(name, &term->name);
	return pfx_parse_fail(r->p, &term->where, "event '%s' needs a value for '%s': add '%s=N'",
			      pfx_parse_show(event, &term->where), name, name);
}

static int apply_format(struct resolve *r, const struct pfx_term *term)
{
	const struct pfx_pmu_format *format = term_format(r, term);
	char shown[PFX_SHOWN_SIZE];
	uint64_t number, max, *word;
	int err;

	if (!format)
		return 0;
	if (is_open(term))
		return missing_value(r, term);
	pfx_parse_show(shown, &term->name);
	if (r->is_symbol)
		return pfx_parse_fail(r->p, &term->where,
				      "term '%s' does not go with an event of the kernel's own "
				      "names",
				      shown);
	err = pfx_term_number(r->p, term, &number);
	if (err)
		return err;
	max = ~0ull >> (64 - __builtin_popcountll(format->mask));
	if (number > max)
		return pfx_parse_fail(r->p, &term->value,
				      "value of term '%s' is above %llu, the most it holds", shown,
				      (unsigned long long)max);
	word = pfx_config_word(&r->spec->attr, format->word);
	if (format->word == 0)
		r->spec->config_said |= format->mask;
	*word = (*word & ~format->mask) | pfx_pmu_scatter(number, format->mask);
	return 0;
}

static int apply_all(struct resolve *r)
{
	size_t i;
	int ret;

	for (i = 0; i < r->all.terms.nr; i++) {
		ret = apply_whole(r, &r->all.terms.at[i]);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < r->all.terms.nr; i++) {
		ret = apply_format(r, &r->all.terms.at[i]);
		if (ret)
			return ret;
	}
	return 0;
}

int pfx_terms_apply_pmu(struct pfx_parser *p, const struct pfx_terms *terms,
			const struct pfx_token *alias, struct pfx_pmu *pmu,
			struct pfx_event_spec *spec)
{
	struct resolve r = {.p = p, .pmu = pmu, .spec = spec, .user = terms};
	int ret;

	pfx_pmu_default_config(&p->pmus, pmu, &spec->attr);
	ret = collect_terms(&r, alias);
	if (!ret)
		ret = apply_all(&r);
	pfx_terms_fini(&r.all);
	return ret;
}

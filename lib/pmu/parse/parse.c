/* SPDX-License-Identifier: MIT */
/*
 * The outer grammar of `-e`:
 *
 *	spec  := item ("," item)*
 *	item  := group | event
 *	group := [NAME] "{" event ("," event)* "}" [":" modifiers]
 *
 * A group with events of several PMUs becomes one group for each PMU.
 */
#include "pmu/parse/parse.h"

#include <errno.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

#define PRECISE_MAX 3

/* The PMU that determines an event's group: one that counts only on some CPUs. */
static const char *group_key(const struct pfx_event_spec *spec)
{
	return spec->cpus ? spec->pmu : NULL;
}

/* Move the events with @key to @at, keeping their order; returns the index after them. Events
 * without a key stay with the first. */
static size_t gather(struct pfx_event_list *list, size_t at, const char *key, bool with_keyless)
{
	struct pfx_event_spec moved;
	const char *other;
	size_t i;

	for (i = at; i < list->specs.nr; i++) {
		other = group_key(&list->specs.at[i]);
		if (other ? !key || strcmp(other, key) : !with_keyless)
			continue;
		moved = list->specs.at[i];
		memmove(&list->specs.at[at + 1], &list->specs.at[at],
			(i - at) * sizeof(*list->specs.at));
		list->specs.at[at++] = moved;
	}
	return at;
}

static const char *first_key(const struct pfx_event_list *list, size_t at)
{
	for (; at < list->specs.nr; at++)
		if (group_key(&list->specs.at[at]))
			return group_key(&list->specs.at[at]);
	return NULL;
}

/* Number the groups of the events from @first on. A single event is not a group. */
static void make_groups(struct pfx_event_list *list, size_t first, const struct pfx_token *name)
{
	size_t at = first, end;

	while (at < list->specs.nr) {
		if (list->specs.at[at].is_as_written)
			end = list->specs.nr;
		else
			end = gather(list, at, first_key(list, at), at == first);
		if (end - at > 1) {
			list->nr_groups++;
			if (name)
				list->specs.at[at].group_name = pfx_strndup(name->at, name->len);
			for (; at < end; at++)
				list->specs.at[at].group = list->nr_groups;
		}
		at = end;
	}
}

static int parse_members(struct pfx_parser *p)
{
	struct pfx_scanner *s = &p->scan;
	struct pfx_token open = s->tok;
	int ret;

	do {
		pfx_token_next(s);
		if (s->tok.kind == PFX_TOKEN_OPEN)
			return pfx_parse_fail(p, &s->tok, "a group cannot hold a group");
		ret = pfx_event_parse(p);
		if (ret)
			return ret;
	} while (s->tok.kind == PFX_TOKEN_COMMA);
	if (s->tok.kind == PFX_TOKEN_END)
		return pfx_parse_fail(p, &open, "no '}' that ends the group");
	if (s->tok.kind != PFX_TOKEN_CLOSE)
		return pfx_parse_unexpected(p, "',' or '}'");
	pfx_token_next(s);
	return 0;
}

/* The current token is the opening brace. */
static int parse_group(struct pfx_parser *p, const struct pfx_token *name)
{
	struct pfx_scanner *s = &p->scan;
	size_t first = p->list->specs.nr;
	int ret;

	ret = parse_members(p);
	if (ret)
		return ret;
	if (s->tok.kind == PFX_TOKEN_COLON) {
		pfx_token_next(s);
		if (s->tok.kind != PFX_TOKEN_WORD)
			return pfx_parse_unexpected(p, "a modifier");
		ret = pfx_modifiers_apply(p, &s->tok, first, true);
		if (ret)
			return ret;
		pfx_token_next(s);
	}
	make_groups(p->list, first, name);
	return 0;
}

static int parse_item(struct pfx_parser *p)
{
	struct pfx_scanner *s = &p->scan;
	struct pfx_token name = s->tok;

	if (name.kind == PFX_TOKEN_OPEN)
		return parse_group(p, NULL);
	if (name.kind == PFX_TOKEN_WORD && s->text[name.end] == '{') {
		pfx_token_next(s);
		return parse_group(p, &name);
	}
	return pfx_event_parse(p);
}

static int parse_items(struct pfx_parser *p)
{
	struct pfx_scanner *s = &p->scan;
	int ret;

	pfx_token_next(s);
	if (s->tok.kind == PFX_TOKEN_END)
		return pfx_error_set(p->err, EINVAL, "no event is named");
	for (;; pfx_token_next(s)) {
		ret = parse_item(p);
		if (ret)
			return ret;
		if (s->tok.kind == PFX_TOKEN_END)
			return 0;
		if (s->tok.kind != PFX_TOKEN_COMMA)
			return pfx_parse_unexpected(p, "','");
	}
}

/* Steps that require all modifiers to be known. */
static void finish(struct pfx_event_spec *spec)
{
	struct pfx_attr *attr = &spec->attr;

	if (spec->precise_max)
		pfx_attr_set_precise(attr, PRECISE_MAX);
	attr->size = PFX_ATTR_SIZE_VER7;
	if (attr->config3)
		attr->size = PFX_ATTR_SIZE_VER8;
	if (attr->config4)
		attr->size = PFX_ATTR_SIZE_VER9;
}

int pfx_events_parse(struct pfx_event_list *list, const char *words,
		     const struct pfx_pmu_roots *roots, struct pfx_error *err)
{
	struct pfx_error unwanted;
	struct pfx_parser p = {
		.scan.text = words,
		.list = list,
		.roots = roots,
		.sysfs = roots && roots->sysfs ? roots->sysfs : "/sys",
		.pmus.vendor = pfx_pmu_vendor(roots),
		.err = err ? err : &unwanted,
	};
	size_t first = list->specs.nr, i;
	uint32_t nr_groups = list->nr_groups;
	int ret;

	ret = parse_items(&p);
	if (!ret)
		ret = pfx_ratio_finish(&p, first);
	for (i = first; i < list->specs.nr; i++) {
		if (ret)
			pfx_event_spec_fini(&list->specs.at[i]);
		else
			finish(&list->specs.at[i]);
	}
	if (ret) {
		list->specs.nr = first;
		list->nr_groups = nr_groups;
	}
	pfx_str_fini(&p.cpus);
	pfx_pmu_set_fini(&p.pmus);
	pfx_sensors_fini(&p.sensors);
	return ret;
}

/* SPDX-License-Identifier: MIT */
/*
 * The parser of -F: the fields for each kind of event, and the check that an event has them. Based
 * on the rows of script_rows.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "script/script_internal.h"

#define TYPE_SYNTH 0x80000000u /* attr.type of synthesized events of trace decoders */

static const char *const type_names[PFX_SCRIPT_NR_TYPES] = {
	[PFX_SCRIPT_TYPE_HW] = "hw",       [PFX_SCRIPT_TYPE_SW] = "sw",
	[PFX_SCRIPT_TYPE_TRACE] = "trace", [PFX_SCRIPT_TYPE_CACHE] = "cache",
	[PFX_SCRIPT_TYPE_RAW] = "raw",     [PFX_SCRIPT_TYPE_BREAK] = "break",
	[PFX_SCRIPT_TYPE_SYNTH] = "synth", [PFX_SCRIPT_TYPE_OTHER] = "other",
};

/* Fields without meaning for a kind of event: dropped if chosen for all kinds. */
static uint64_t invalid_fields(enum pfx_script_type type)
{
	uint64_t fields = 0;
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++)
		if (pfx_script_rows[i].kinds && !(pfx_script_rows[i].kinds >> type & 1))
			fields |= pfx_script_rows[i].bit;
	return fields;
}

enum pfx_script_type pfx_script_type_of(const struct pfx_attr *attr)
{
	static const enum pfx_script_type types[] = {
		[PFX_TYPE_HARDWARE] = PFX_SCRIPT_TYPE_HW,
		[PFX_TYPE_SOFTWARE] = PFX_SCRIPT_TYPE_SW,
		[PFX_TYPE_TRACEPOINT] = PFX_SCRIPT_TYPE_TRACE,
		[PFX_TYPE_HW_CACHE] = PFX_SCRIPT_TYPE_CACHE,
		[PFX_TYPE_RAW] = PFX_SCRIPT_TYPE_RAW,
		[PFX_TYPE_BREAKPOINT] = PFX_SCRIPT_TYPE_BREAK,
	};

	if (attr->type == TYPE_SYNTH)
		return PFX_SCRIPT_TYPE_SYNTH;
	return attr->type < PFX_TYPE_FIRST_DYNAMIC ? types[attr->type] : PFX_SCRIPT_TYPE_OTHER;
}

const char *pfx_script_field_name(uint64_t bit)
{
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++)
		if (pfx_script_rows[i].bit == bit)
			return pfx_script_rows[i].name;
	return "?";
}

void pfx_script_add_fields(struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++)
		pfx_str_addf(to, " %s", pfx_script_rows[i].name);
}

const char *pfx_script_type_name(enum pfx_script_type type)
{
	return type_names[type];
}

void pfx_script_fields_init(struct pfx_script_fields *fields)
{
	const struct pfx_script_field *row;
	unsigned kind;
	size_t i;

	*fields = (struct pfx_script_fields){0};
	for (i = 0; i < pfx_script_nr_rows; i++) {
		row = &pfx_script_rows[i];
		for (kind = 0; kind < PFX_SCRIPT_NR_TYPES; kind++)
			fields->by_type[kind] |= row->usual >> kind & 1 ? row->bit : 0;
	}
}

/* The fields that JSON includes in this way. */
static uint64_t json_fields(enum pfx_script_json how)
{
	uint64_t fields = 0;
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++)
		if (pfx_script_rows[i].json == how)
			fields |= pfx_script_rows[i].bit;
	return fields;
}

int pfx_script_fields_for_json(struct pfx_script_fields *fields, struct pfx_error *err)
{
	const uint64_t usual = json_fields(PFX_SCRIPT_JSON_USUAL);
	const uint64_t known = usual | json_fields(PFX_SCRIPT_JSON_ASKED);
	uint64_t other;
	size_t i;

	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++) {
		other = fields->asked[i] & ~known;
		if (other)
			return pfx_error_set(err, EINVAL, "field '%s' is not part of --json",
					     pfx_script_field_name(other & -other));
		if (!fields->is_listed[i])
			fields->by_type[i] = ((usual & ~invalid_fields((enum pfx_script_type)i)) |
					      fields->asked[i]) &
					     ~fields->removed[i];
		fields->is_set[i] = true;
	}
	return 0;
}

/* The argument of one -F, and a copy that is modified. */
struct reading {
	const char *words, *copy;
	struct pfx_error *err;
};

/* Append the argument with a caret below position @at of the copy. */
static int point(const struct reading *r, const char *at, const char *more)
{
	pfx_error_point(r->err, r->words, (size_t)(at - r->copy), more);
	return -EINVAL;
}

static int point_near(const struct reading *r, const char *at, const char *near, const char *more)
{
	char text[64];

	snprintf(text, sizeof(text), "did you mean '%s'?", near ? near : "");
	return point(r, at, near ? text : more);
}

static const struct pfx_script_field *find_field(const struct reading *r, const char *word)
{
	const char *names[PFX_SCRIPT_COLUMNS_MAX];
	char shown[64];
	size_t i;

	for (i = 0; i < pfx_script_nr_rows; i++) {
		if (!strcmp(pfx_script_rows[i].name, word))
			return &pfx_script_rows[i];
		names[i] = pfx_script_rows[i].name;
	}
	pfx_error_set(r->err, EINVAL, "'%s' is not a field",
		      pfx_escape(shown, sizeof(shown), word));
	point_near(r, word, pfx_nearest(word, names, pfx_script_nr_rows),
		   "'pfx script -h' lists the fields");
	return NULL;
}

static int find_type(const struct reading *r, const char *word)
{
	char shown[64];
	int i;

	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
		if (!strcmp(type_names[i], word))
			return i;
	pfx_error_set(r->err, EINVAL, "'%s' is not a kind of event",
		      pfx_escape(shown, sizeof(shown), word));
	return point_near(r, word, pfx_nearest(word, type_names, PFX_SCRIPT_NR_TYPES),
			  "kinds: hw sw trace cache raw break synth other");
}

/* Add or remove a field for one kind; @sign 0: add to a list that began empty. */
static void change(struct pfx_script_fields *fields, int type, char sign, uint64_t bit, bool global)
{
	uint64_t valid = global ? ~invalid_fields((enum pfx_script_type)type) : ~0ull;

	fields->is_set[type] = true;
	if (sign == '-') {
		fields->by_type[type] &= ~bit;
		fields->asked[type] &= ~bit;
		fields->required[type] &= ~bit;
		fields->removed[type] |= bit;
		return;
	}
	fields->removed[type] &= ~bit;
	if (!sign)
		fields->is_listed[type] = true;
	fields->by_type[type] |= bit & valid;
	fields->asked[type] |= bit & valid;
	fields->required[type] |= global ? bit & valid : 0;
}

static void clear(struct pfx_script_fields *fields, int type)
{
	fields->by_type[type] = fields->asked[type] = fields->required[type] = 0;
}

static int mixed(const struct reading *r, const char *at)
{
	pfx_error_set(r->err, EINVAL, "fields are either listed or changed with + and -, not both");
	return point(r, at,
		     "'-F comm,ip' prints only these, '-F +pid,-time' changes the usual ones");
}

static int no_such_samples(const struct reading *r, const char *at, const char *type)
{
	pfx_error_set(r->err, EINVAL, "samples of kind '%s' have no field '%s'", type, at);
	return point(r, at, "it is only for other kinds");
}

/* "a,b" or "+a,-b" for the kinds first..last. */
static int parse_list(struct pfx_script_fields *fields, const struct reading *r, char *words,
		      int first, int last)
{
	bool global = first != last, any = false, listed = false;
	const struct pfx_script_field *field;
	char *word, sign;
	int type;

	while ((word = strsep(&words, ","))) {
		if (!*word)
			continue;
		sign = *word == '+' || *word == '-' ? *word++ : 0;
		if (any && listed != !sign)
			return mixed(r, sign ? word - 1 : word);
		field = find_field(r, word);
		if (!field)
			return -EINVAL;
		listed = !sign;
		if (!global && (field->bit & invalid_fields((enum pfx_script_type)first)))
			return no_such_samples(r, word, type_names[first]);
		for (type = first; type <= last; type++) {
			if (!any && listed)
				clear(fields, type);
			change(fields, type, sign, field->bit, global);
		}
		any = true;
	}
	for (type = first; !any && type <= last; type++) {
		clear(fields, type);
		fields->is_set[type] = fields->is_listed[type] = true;
	}
	if (!any && global)
		return pfx_error_set(r->err, EINVAL, "-F names no field");
	return 0;
}

int pfx_script_fields_parse(struct pfx_script_fields *fields, const char *words,
			    struct pfx_error *err)
{
	char *copy = pfx_strdup(words);
	const struct reading r = {words, copy, err};
	char *colon = strchr(copy, ':');
	int type = 0, rc;

	if (colon) {
		*colon = '\0';
		type = find_type(&r, copy);
		rc = type < 0 ? type : parse_list(fields, &r, colon + 1, type, type);
		if (!rc)
			fields->is_named[type] = true;
	} else {
		rc = parse_list(fields, &r, copy, 0, PFX_SCRIPT_NR_TYPES - 1);
	}
	free(copy);
	return rc;
}

static int not_recorded(const struct pfx_script_field *field, const struct pfx_event *event,
			struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL,
		      "the samples of event '%s' were recorded without %s, which field "
		      "'%s' needs",
		      pfx_escape(shown, sizeof(shown), event->name), field->recorded, field->name);
	pfx_error_known(err,
			"Samples for '%s' event do not have %s attribute set. "
			"Cannot print '%s' field.",
			event->name, field->recorded, field->name);
	if (field->needs == PFX_SAMPLE_BRANCH_STACK)
		pfx_error_hint(err, "record with -b");
	else
		pfx_error_hint(err, "'-F -%s' leaves the field out", field->name);
	return -EINVAL;
}

static int needs_field(const char *field, const char *other, struct pfx_error *err)
{
	return pfx_error_set(err, EINVAL, "field '%s' needs field '%s'", field, other);
}

/* Checks fields that require other fields, or certain recordings. */
static int check_company(const struct pfx_script_field *field, uint64_t asked,
			 const struct pfx_event *event, uint64_t *ret, struct pfx_error *err)
{
	if (!(*ret & field->bit))
		return 0;
	if (field->with && !(*ret & field->with)) {
		if (asked & field->bit)
			return needs_field(field->name, pfx_script_field_name(field->with), err);
		*ret &= ~field->bit;
		return 0;
	}
	return field->check_event ? field->check_event(event, err) : 0;
}

int pfx_script_fields_for(const struct pfx_script_fields *fields, const struct pfx_event *event,
			  uint64_t *ret, uint64_t *ret_lacking, struct pfx_error *err)
{
	enum pfx_script_type type = pfx_script_type_of(&event->attr);
	size_t i;
	int rc = 0;

	*ret = fields->by_type[type];
	*ret_lacking = 0;
	for (i = 0; i < pfx_script_nr_rows; i++) {
		const struct pfx_script_field *field = &pfx_script_rows[i];

		if (!(*ret & field->bit) || !field->needs ||
		    (event->attr.sample_type & field->needs))
			continue;
		*ret_lacking |= field->bit;
		if (!(fields->required[type] & field->bit))
			*ret &= ~field->bit;
		else if (!(field->bit & PFX_SCRIPT_BRANCHES))
			return not_recorded(field, event, err);
	}
	for (i = 0; i < pfx_script_nr_rows && !rc; i++)
		rc = check_company(&pfx_script_rows[i], fields->asked[type], event, ret, err);
	return rc;
}

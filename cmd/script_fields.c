/* SPDX-License-Identifier: MIT */
/*
 * The fields of a script line: their names, which of them a kind of event prints unless told, the
 * words of -F, and what an event must have recorded to print them. Knows nothing of printing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/script_fields.h"

struct field {
	const char *name;
	uint32_t bit;
	uint64_t needs;       /* one of these PFX_SAMPLE_* bits; 0: nothing */
	const char *recorded; /* what the user must have recorded */
};

static const struct field fields_table[] = {
	{"comm", SCRIPT_COMM, 0, NULL},
	{"tid", SCRIPT_TID, PFX_SAMPLE_TID, "TID"},
	{"pid", SCRIPT_PID, PFX_SAMPLE_TID, "TID"},
	{"time", SCRIPT_TIME, PFX_SAMPLE_TIME, "TIME"},
	{"cpu", SCRIPT_CPU, PFX_SAMPLE_CPU, "CPU"},
	{"event", SCRIPT_EVENT, 0, NULL},
	{"trace", SCRIPT_TRACE, PFX_SAMPLE_RAW, "RAW"},
	{"ip", SCRIPT_IP, PFX_SAMPLE_IP, "IP"},
	{"sym", SCRIPT_SYM, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"dso", SCRIPT_DSO, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"dsoff", SCRIPT_DSOFF, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"addr", SCRIPT_ADDR, PFX_SAMPLE_ADDR, "ADDR"},
	{"symoff", SCRIPT_SYMOFF, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"period", SCRIPT_PERIOD, 0, NULL},
	{"misc", SCRIPT_MISC, 0, NULL},
	{"weight", SCRIPT_WEIGHT, PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT"},
	{"ins_lat", SCRIPT_INS_LAT, PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{"phys_addr", SCRIPT_PHYS_ADDR, PFX_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{"data_page_size", SCRIPT_DATA_PAGE_SIZE, PFX_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{"code_page_size", SCRIPT_CODE_PAGE_SIZE, PFX_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{"bpf-output", SCRIPT_BPF_OUTPUT, 0, NULL},
	{"cgroup", SCRIPT_CGROUP, PFX_SAMPLE_CGROUP, "CGROUP"},
};

#define NR_FIELDS (sizeof(fields_table) / sizeof(*fields_table))

static const char *const type_names[SCRIPT_NR_TYPES] = {
	[SCRIPT_TYPE_HW] = "hw",       [SCRIPT_TYPE_SW] = "sw",   [SCRIPT_TYPE_TRACE] = "trace",
	[SCRIPT_TYPE_CACHE] = "cache", [SCRIPT_TYPE_RAW] = "raw", [SCRIPT_TYPE_BREAK] = "break",
	[SCRIPT_TYPE_OTHER] = "other",
};

#define BASIC_FIELDS                                                                      \
	(SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT | SCRIPT_IP | \
	 SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO | SCRIPT_PERIOD)

static const uint32_t default_fields[SCRIPT_NR_TYPES] = {
	[SCRIPT_TYPE_HW] = BASIC_FIELDS,
	[SCRIPT_TYPE_SW] = BASIC_FIELDS | SCRIPT_BPF_OUTPUT,
	[SCRIPT_TYPE_TRACE] =
		SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT | SCRIPT_TRACE,
	[SCRIPT_TYPE_CACHE] = BASIC_FIELDS,
	[SCRIPT_TYPE_RAW] = BASIC_FIELDS | SCRIPT_ADDR | SCRIPT_WEIGHT | SCRIPT_PHYS_ADDR |
			    SCRIPT_DATA_PAGE_SIZE | SCRIPT_CODE_PAGE_SIZE | SCRIPT_INS_LAT,
	[SCRIPT_TYPE_BREAK] = BASIC_FIELDS,
	[SCRIPT_TYPE_OTHER] = BASIC_FIELDS,
};

/* Fields that mean nothing for a kind of event: they are dropped when asked for all kinds. */
static uint32_t invalid_fields(enum script_type type)
{
	return (type == SCRIPT_TYPE_TRACE ? 0 : SCRIPT_TRACE) |
	       (type == SCRIPT_TYPE_SW ? 0 : SCRIPT_BPF_OUTPUT);
}

enum script_type script_type_of(const struct pfx_attr *attr)
{
	static const enum script_type types[] = {
		[PFX_TYPE_HARDWARE] = SCRIPT_TYPE_HW,
		[PFX_TYPE_SOFTWARE] = SCRIPT_TYPE_SW,
		[PFX_TYPE_TRACEPOINT] = SCRIPT_TYPE_TRACE,
		[PFX_TYPE_HW_CACHE] = SCRIPT_TYPE_CACHE,
		[PFX_TYPE_RAW] = SCRIPT_TYPE_RAW,
		[PFX_TYPE_BREAKPOINT] = SCRIPT_TYPE_BREAK,
	};

	return attr->type < PFX_TYPE_FIRST_DYNAMIC ? types[attr->type] : SCRIPT_TYPE_OTHER;
}

const char *script_field_name(uint32_t bit)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		if (fields_table[i].bit == bit)
			return fields_table[i].name;
	return "?";
}

void script_fields_init(struct script_fields *fields)
{
	size_t i;

	*fields = (struct script_fields){0};
	for (i = 0; i < SCRIPT_NR_TYPES; i++)
		fields->by_type[i] = default_fields[i];
}

static const struct field *find_field(const char *word, struct pfx_error *err)
{
	const char *names[NR_FIELDS], *near;
	char shown[64];
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		if (!strcmp(fields_table[i].name, word))
			return &fields_table[i];
		names[i] = fields_table[i].name;
	}
	pfx_error_set(err, EINVAL, "there is no field '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	near = pfx_nearest(word, names, NR_FIELDS);
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
	else
		pfx_error_hint(err, "fields: comm tid pid time cpu event trace ip sym symoff dso "
				    "dsoff addr period misc weight ins_lat phys_addr "
				    "data_page_size code_page_size bpf-output cgroup");
	return NULL;
}

static int find_type(const char *word, struct pfx_error *err)
{
	const char *near;
	char shown[64];
	int i;

	for (i = 0; i < SCRIPT_NR_TYPES; i++)
		if (!strcmp(type_names[i], word))
			return i;
	near = pfx_nearest(word, type_names, SCRIPT_NR_TYPES);
	pfx_error_set(err, EINVAL, "there is no kind of event '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
	else
		pfx_error_hint(err, "kinds: hw sw trace cache raw break other");
	return -EINVAL;
}

/* Add or remove a field (or, with @sign 0, take it into a list that began empty) for one kind. */
static void change(struct script_fields *fields, int type, char sign, uint32_t bit, bool global)
{
	uint32_t valid = global ? ~invalid_fields((enum script_type)type) : ~0u;

	if (sign == '-') {
		fields->by_type[type] &= ~bit;
		fields->asked[type] &= ~bit;
		return;
	}
	fields->by_type[type] |= bit & valid;
	fields->asked[type] |= bit & valid;
	fields->is_set[type] = true;
}

static int mixed(struct pfx_error *err)
{
	pfx_error_set(err, EINVAL, "fields are either listed or changed with + and -, not both");
	pfx_error_hint(err,
		       "'-F comm,ip' prints only these, '-F +pid,-time' changes the usual ones");
	return -EINVAL;
}

/* "a,b" or "+a,-b" for the kinds first..last. */
static int parse_list(struct script_fields *fields, char *words, int first, int last,
		      struct pfx_error *err)
{
	bool global = first != last, any = false, listed = false;
	const struct field *field;
	char *word, sign;
	int type;

	while ((word = strsep(&words, ","))) {
		if (!*word)
			continue;
		sign = *word == '+' || *word == '-' ? *word++ : 0;
		if (any && listed != !sign)
			return mixed(err);
		field = find_field(word, err);
		if (!field)
			return -EINVAL;
		listed = !sign;
		for (type = first; type <= last; type++) {
			if (!any && listed)
				fields->by_type[type] = fields->asked[type] = 0;
			change(fields, type, sign, field->bit, global);
		}
		any = true;
	}
	for (type = first; !any && type <= last; type++) {
		fields->by_type[type] = fields->asked[type] = 0;
		fields->is_set[type] = true;
	}
	if (!any && global)
		return pfx_error_set(err, EINVAL, "-F names no field");
	return 0;
}

int script_fields_parse(struct script_fields *fields, const char *words, struct pfx_error *err)
{
	char *copy = pfx_strdup(words);
	char *colon = strchr(copy, ':');
	int type = 0, rc;

	if (colon) {
		*colon = '\0';
		type = find_type(copy, err);
		rc = type < 0 ? type : parse_list(fields, colon + 1, type, type, err);
	} else {
		rc = parse_list(fields, copy, 0, SCRIPT_NR_TYPES - 1, err);
	}
	free(copy);
	return rc;
}

static int not_recorded(const struct field *field, const struct pfx_event *event,
			struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL,
		      "the samples of event '%s' were recorded without %s, which field "
		      "'%s' needs",
		      pfx_escape(shown, sizeof(shown), event->name), field->recorded, field->name);
	pfx_error_hint(err, "'-F -%s' leaves the field out", field->name);
	return -EINVAL;
}

int script_fields_for(const struct script_fields *fields, const struct pfx_event *event,
		      uint32_t *ret, uint32_t *ret_lacking, struct pfx_error *err)
{
	enum script_type type = script_type_of(&event->attr);
	size_t i;

	*ret = fields->by_type[type];
	*ret_lacking = 0;
	for (i = 0; i < NR_FIELDS; i++) {
		const struct field *field = &fields_table[i];

		if (!(*ret & field->bit) || !field->needs ||
		    (event->attr.sample_type & field->needs))
			continue;
		if (fields->asked[type] & field->bit)
			return not_recorded(field, event, err);
		*ret &= ~field->bit;
		*ret_lacking |= field->bit;
	}
	if ((*ret & SCRIPT_SYMOFF) && !(*ret & SCRIPT_SYM)) {
		if (fields->asked[type] & SCRIPT_SYMOFF) {
			pfx_error_set(err, EINVAL, "field 'symoff' needs field 'sym'");
			return -EINVAL;
		}
		*ret &= ~SCRIPT_SYMOFF;
	}
	return 0;
}

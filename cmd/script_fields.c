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
	{"comm", PFX_SCRIPT_COMM, 0, NULL},
	{"tid", PFX_SCRIPT_TID, PFX_SAMPLE_TID, "TID"},
	{"pid", PFX_SCRIPT_PID, PFX_SAMPLE_TID, "TID"},
	{"time", PFX_SCRIPT_TIME, PFX_SAMPLE_TIME, "TIME"},
	{"cpu", PFX_SCRIPT_CPU, PFX_SAMPLE_CPU, "CPU"},
	{"event", PFX_SCRIPT_EVENT, 0, NULL},
	{"trace", PFX_SCRIPT_TRACE, PFX_SAMPLE_RAW, "RAW"},
	{"ip", PFX_SCRIPT_IP, PFX_SAMPLE_IP, "IP"},
	{"sym", PFX_SCRIPT_SYM, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"dso", PFX_SCRIPT_DSO, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"dsoff", PFX_SCRIPT_DSOFF, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"addr", PFX_SCRIPT_ADDR, PFX_SAMPLE_ADDR, "ADDR"},
	{"symoff", PFX_SCRIPT_SYMOFF, PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, "IP or ADDR"},
	{"period", PFX_SCRIPT_PERIOD, 0, NULL},
	{"misc", PFX_SCRIPT_MISC, 0, NULL},
	{"weight", PFX_SCRIPT_WEIGHT, PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT"},
	{"ins_lat", PFX_SCRIPT_INS_LAT, PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{"phys_addr", PFX_SCRIPT_PHYS_ADDR, PFX_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{"data_page_size", PFX_SCRIPT_DATA_PAGE_SIZE, PFX_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{"code_page_size", PFX_SCRIPT_CODE_PAGE_SIZE, PFX_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{"bpf-output", PFX_SCRIPT_BPF_OUTPUT, 0, NULL},
	{"cgroup", PFX_SCRIPT_CGROUP, PFX_SAMPLE_CGROUP, "CGROUP"},
};

#define NR_FIELDS (sizeof(fields_table) / sizeof(*fields_table))

static const char *const type_names[PFX_SCRIPT_NR_TYPES] = {
	[PFX_SCRIPT_TYPE_HW] = "hw",       [PFX_SCRIPT_TYPE_SW] = "sw",
	[PFX_SCRIPT_TYPE_TRACE] = "trace", [PFX_SCRIPT_TYPE_CACHE] = "cache",
	[PFX_SCRIPT_TYPE_RAW] = "raw",     [PFX_SCRIPT_TYPE_BREAK] = "break",
	[PFX_SCRIPT_TYPE_OTHER] = "other",
};

#define BASIC_FIELDS                                                                              \
	(PFX_SCRIPT_COMM | PFX_SCRIPT_TID | PFX_SCRIPT_CPU | PFX_SCRIPT_TIME | PFX_SCRIPT_EVENT | \
	 PFX_SCRIPT_IP | PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO | PFX_SCRIPT_PERIOD)

static const uint32_t default_fields[PFX_SCRIPT_NR_TYPES] = {
	[PFX_SCRIPT_TYPE_HW] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_SW] = BASIC_FIELDS | PFX_SCRIPT_BPF_OUTPUT,
	[PFX_SCRIPT_TYPE_TRACE] = PFX_SCRIPT_COMM | PFX_SCRIPT_TID | PFX_SCRIPT_CPU |
				  PFX_SCRIPT_TIME | PFX_SCRIPT_EVENT | PFX_SCRIPT_TRACE,
	[PFX_SCRIPT_TYPE_CACHE] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_RAW] = BASIC_FIELDS | PFX_SCRIPT_ADDR | PFX_SCRIPT_WEIGHT |
				PFX_SCRIPT_PHYS_ADDR | PFX_SCRIPT_DATA_PAGE_SIZE |
				PFX_SCRIPT_CODE_PAGE_SIZE | PFX_SCRIPT_INS_LAT,
	[PFX_SCRIPT_TYPE_BREAK] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_OTHER] = BASIC_FIELDS,
};

/* Fields that mean nothing for a kind of event: they are dropped when asked for all kinds. */
static uint32_t invalid_fields(enum pfx_script_type type)
{
	return (type == PFX_SCRIPT_TYPE_TRACE ? 0 : PFX_SCRIPT_TRACE) |
	       (type == PFX_SCRIPT_TYPE_SW ? 0 : PFX_SCRIPT_BPF_OUTPUT);
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

	return attr->type < PFX_TYPE_FIRST_DYNAMIC ? types[attr->type] : PFX_SCRIPT_TYPE_OTHER;
}

const char *pfx_script_field_name(uint32_t bit)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		if (fields_table[i].bit == bit)
			return fields_table[i].name;
	return "?";
}

void pfx_script_fields_init(struct pfx_script_fields *fields)
{
	size_t i;

	*fields = (struct pfx_script_fields){0};
	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
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

	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
		if (!strcmp(type_names[i], word))
			return i;
	near = pfx_nearest(word, type_names, PFX_SCRIPT_NR_TYPES);
	pfx_error_set(err, EINVAL, "there is no kind of event '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
	else
		pfx_error_hint(err, "kinds: hw sw trace cache raw break other");
	return -EINVAL;
}

/* Add or remove a field (or, with @sign 0, take it into a list that began empty) for one kind. */
static void change(struct pfx_script_fields *fields, int type, char sign, uint32_t bit, bool global)
{
	uint32_t valid = global ? ~invalid_fields((enum pfx_script_type)type) : ~0u;

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
static int parse_list(struct pfx_script_fields *fields, char *words, int first, int last,
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

int pfx_script_fields_parse(struct pfx_script_fields *fields, const char *words,
			    struct pfx_error *err)
{
	char *copy = pfx_strdup(words);
	char *colon = strchr(copy, ':');
	int type = 0, rc;

	if (colon) {
		*colon = '\0';
		type = find_type(copy, err);
		rc = type < 0 ? type : parse_list(fields, colon + 1, type, type, err);
	} else {
		rc = parse_list(fields, copy, 0, PFX_SCRIPT_NR_TYPES - 1, err);
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

int pfx_script_fields_for(const struct pfx_script_fields *fields, const struct pfx_event *event,
			  uint32_t *ret, uint32_t *ret_lacking, struct pfx_error *err)
{
	enum pfx_script_type type = pfx_script_type_of(&event->attr);
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
	if ((*ret & PFX_SCRIPT_SYMOFF) && !(*ret & PFX_SCRIPT_SYM)) {
		if (fields->asked[type] & PFX_SCRIPT_SYMOFF) {
			pfx_error_set(err, EINVAL, "field 'symoff' needs field 'sym'");
			return -EINVAL;
		}
		*ret &= ~PFX_SCRIPT_SYMOFF;
	}
	return 0;
}

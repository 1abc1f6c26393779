/* SPDX-License-Identifier: MIT */
/*
 * The fields of a script line: their names, which of them a kind of event prints unless told, the
 * words of -F, and what an event must have recorded to print them. Knows nothing of printing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "script/script_fields.h"

#define TYPE_SYNTH 0x80000000u /* attr.type of events that decoders of traces make */

struct field {
	const char *name;
	uint64_t bit;
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
	{"srcline", PFX_SCRIPT_SRCLINE, PFX_SAMPLE_IP, "IP"},
	{"period", PFX_SCRIPT_PERIOD, 0, NULL},
	{"misc", PFX_SCRIPT_MISC, 0, NULL},
	{"weight", PFX_SCRIPT_WEIGHT, PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT"},
	{"ins_lat", PFX_SCRIPT_INS_LAT, PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{"phys_addr", PFX_SCRIPT_PHYS_ADDR, PFX_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{"data_page_size", PFX_SCRIPT_DATA_PAGE_SIZE, PFX_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{"code_page_size", PFX_SCRIPT_CODE_PAGE_SIZE, PFX_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{"bpf-output", PFX_SCRIPT_BPF_OUTPUT, 0, NULL},
	{"cgroup", PFX_SCRIPT_CGROUP, PFX_SAMPLE_CGROUP, "CGROUP"},
	{"iregs", PFX_SCRIPT_IREGS, PFX_SAMPLE_REGS_INTR, "REGS_INTR"},
	{"uregs", PFX_SCRIPT_UREGS, PFX_SAMPLE_REGS_USER, "REGS_USER"},
	{"brstack", PFX_SCRIPT_BRSTACK, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brstacksym", PFX_SCRIPT_BRSTACKSYM, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brstackoff", PFX_SCRIPT_BRSTACKOFF, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brstackinsn", PFX_SCRIPT_BRSTACKINSN, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brstackinsnlen", PFX_SCRIPT_BRSTACKINSNLEN, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brstackdisasm", PFX_SCRIPT_BRSTACKDISASM, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"brcntr", PFX_SCRIPT_BRCNTR, PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{"flags", PFX_SCRIPT_FLAGS, 0, NULL},
	{"data_src", PFX_SCRIPT_DATA_SRC, PFX_SAMPLE_DATA_SRC, "DATA_SRC"},
	{"callindent", PFX_SCRIPT_CALLINDENT, 0, NULL},
	{"insn", PFX_SCRIPT_INSN, PFX_SAMPLE_IP, "IP"},
	{"insnlen", PFX_SCRIPT_INSNLEN, PFX_SAMPLE_IP, "IP"},
	{"disasm", PFX_SCRIPT_DISASM, PFX_SAMPLE_IP, "IP"},
	{"synth", PFX_SCRIPT_SYNTH, 0, NULL},
	{"srccode", PFX_SCRIPT_SRCCODE, PFX_SAMPLE_IP, "IP"},
	{"ipc", PFX_SCRIPT_IPC, 0, NULL},
	{"tod", PFX_SCRIPT_TOD, PFX_SAMPLE_TIME, "TIME"},
	{"machine_pid", PFX_SCRIPT_MACHINE_PID, 0, NULL},
	{"vcpu", PFX_SCRIPT_VCPU, 0, NULL},
	{"metric", PFX_SCRIPT_METRIC, 0, NULL},
	{"retire_lat", PFX_SCRIPT_RETIRE_LAT, PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
};

#define NR_FIELDS (sizeof(fields_table) / sizeof(*fields_table))

static const char *const type_names[PFX_SCRIPT_NR_TYPES] = {
	[PFX_SCRIPT_TYPE_HW] = "hw",       [PFX_SCRIPT_TYPE_SW] = "sw",
	[PFX_SCRIPT_TYPE_TRACE] = "trace", [PFX_SCRIPT_TYPE_CACHE] = "cache",
	[PFX_SCRIPT_TYPE_RAW] = "raw",     [PFX_SCRIPT_TYPE_BREAK] = "break",
	[PFX_SCRIPT_TYPE_SYNTH] = "synth", [PFX_SCRIPT_TYPE_OTHER] = "other",
};

#define BASIC_FIELDS                                                                              \
	(PFX_SCRIPT_COMM | PFX_SCRIPT_TID | PFX_SCRIPT_CPU | PFX_SCRIPT_TIME | PFX_SCRIPT_EVENT | \
	 PFX_SCRIPT_IP | PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO | PFX_SCRIPT_PERIOD)

static const uint64_t default_fields[PFX_SCRIPT_NR_TYPES] = {
	[PFX_SCRIPT_TYPE_HW] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_SW] = BASIC_FIELDS | PFX_SCRIPT_BPF_OUTPUT,
	[PFX_SCRIPT_TYPE_TRACE] = PFX_SCRIPT_COMM | PFX_SCRIPT_TID | PFX_SCRIPT_CPU |
				  PFX_SCRIPT_TIME | PFX_SCRIPT_EVENT | PFX_SCRIPT_TRACE,
	[PFX_SCRIPT_TYPE_CACHE] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_RAW] = BASIC_FIELDS | PFX_SCRIPT_ADDR | PFX_SCRIPT_DATA_SRC |
				PFX_SCRIPT_WEIGHT | PFX_SCRIPT_PHYS_ADDR |
				PFX_SCRIPT_DATA_PAGE_SIZE | PFX_SCRIPT_CODE_PAGE_SIZE |
				PFX_SCRIPT_INS_LAT,
	[PFX_SCRIPT_TYPE_BREAK] = BASIC_FIELDS,
	[PFX_SCRIPT_TYPE_SYNTH] = (BASIC_FIELDS & ~PFX_SCRIPT_PERIOD) | PFX_SCRIPT_SYNTH,
	[PFX_SCRIPT_TYPE_OTHER] = BASIC_FIELDS,
};

/* Fields that mean nothing for a kind of event: they are dropped when asked for all kinds. */
static uint64_t invalid_fields(enum pfx_script_type type)
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

	if (attr->type == TYPE_SYNTH)
		return PFX_SCRIPT_TYPE_SYNTH;
	return attr->type < PFX_TYPE_FIRST_DYNAMIC ? types[attr->type] : PFX_SCRIPT_TYPE_OTHER;
}

const char *pfx_script_field_name(uint64_t bit)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		if (fields_table[i].bit == bit)
			return fields_table[i].name;
	return "?";
}

void pfx_script_add_fields(struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		pfx_str_addf(to, " %s", fields_table[i].name);
}

const char *pfx_script_type_name(enum pfx_script_type type)
{
	return type_names[type];
}

void pfx_script_fields_init(struct pfx_script_fields *fields)
{
	size_t i;

	*fields = (struct pfx_script_fields){0};
	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
		fields->by_type[i] = default_fields[i];
}

/* All that a sample holds; what would have to be looked up elsewhere is only there when asked for.
 */
#define JSON_FIELDS                                                                              \
	(BASIC_FIELDS | PFX_SCRIPT_PID | PFX_SCRIPT_TRACE | PFX_SCRIPT_ADDR | PFX_SCRIPT_MISC |  \
	 PFX_SCRIPT_WEIGHT | PFX_SCRIPT_INS_LAT | PFX_SCRIPT_RETIRE_LAT | PFX_SCRIPT_PHYS_ADDR | \
	 PFX_SCRIPT_DATA_PAGE_SIZE | PFX_SCRIPT_CODE_PAGE_SIZE | PFX_SCRIPT_CGROUP |             \
	 PFX_SCRIPT_DATA_SRC | PFX_SCRIPT_BRSTACK | PFX_SCRIPT_IREGS | PFX_SCRIPT_UREGS |        \
	 PFX_SCRIPT_DSOFF | PFX_SCRIPT_BPF_OUTPUT | PFX_SCRIPT_MACHINE_PID | PFX_SCRIPT_VCPU)

int pfx_script_fields_for_json(struct pfx_script_fields *fields, struct pfx_error *err)
{
	const uint64_t known = JSON_FIELDS | PFX_SCRIPT_SRCLINE | PFX_SCRIPT_INSN |
			       PFX_SCRIPT_INSNLEN | PFX_SCRIPT_DISASM;
	uint64_t other;
	size_t i;

	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++) {
		other = fields->asked[i] & ~known;
		if (other)
			return pfx_error_set(err, EINVAL, "field '%s' is not part of --json",
					     pfx_script_field_name(other & -other));
		if (!fields->is_listed[i])
			fields->by_type[i] =
				((JSON_FIELDS & ~invalid_fields((enum pfx_script_type)i)) |
				 fields->asked[i]) &
				~fields->removed[i];
		fields->is_set[i] = true;
	}
	return 0;
}

/* The words of one -F, and the copy of them that is taken apart. */
struct reading {
	const char *words, *copy;
	struct pfx_error *err;
};

/* Show the words with a caret below what is at @at in the copy. */
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

static const struct field *find_field(const struct reading *r, const char *word)
{
	const char *names[NR_FIELDS];
	char shown[64];
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		if (!strcmp(fields_table[i].name, word))
			return &fields_table[i];
		names[i] = fields_table[i].name;
	}
	pfx_error_set(r->err, EINVAL, "there is no field '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	point_near(r, word, pfx_nearest(word, names, NR_FIELDS),
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
	pfx_error_set(r->err, EINVAL, "there is no kind of event '%s'",
		      pfx_escape(shown, sizeof(shown), word));
	return point_near(r, word, pfx_nearest(word, type_names, PFX_SCRIPT_NR_TYPES),
			  "kinds: hw sw trace cache raw break synth other");
}

/* Add or remove a field (or, with @sign 0, take it into a list that began empty) for one kind. */
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
	const struct field *field;
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

static int not_recorded(const struct field *field, const struct pfx_event *event,
			struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL,
		      "the samples of event '%s' were recorded without %s, which field "
		      "'%s' needs",
		      pfx_escape(shown, sizeof(shown), event->name), field->recorded, field->name);
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

/* Fields that mean something only beside others, or for some recordings. */
static int check_company(uint64_t asked, const struct pfx_event *event, uint64_t *ret,
			 struct pfx_error *err)
{
	if ((*ret & PFX_SCRIPT_SYMOFF) && !(*ret & PFX_SCRIPT_SYM)) {
		if (asked & PFX_SCRIPT_SYMOFF)
			return needs_field("symoff", "sym", err);
		*ret &= ~PFX_SCRIPT_SYMOFF;
	}
	if ((*ret & (PFX_SCRIPT_SRCLINE | PFX_SCRIPT_SRCCODE)) && !(*ret & PFX_SCRIPT_IP))
		return needs_field(*ret & PFX_SCRIPT_SRCLINE ? "srcline" : "srccode", "ip", err);
	if ((*ret & PFX_SCRIPT_BRANCH_CODE) && !(event->attr.branch_sample_type & PFX_BRANCH_ANY)) {
		pfx_error_set(err, EINVAL,
			      "the code between branches is known only where all of them were "
			      "recorded");
		pfx_error_hint(err, "record with -b");
		return -EINVAL;
	}
	if ((*ret & PFX_SCRIPT_BRCNTR) && !(event->attr.branch_sample_type & PFX_BRANCH_COUNTERS)) {
		pfx_error_set(err, EINVAL, "field 'brcntr': nothing was counted between branches");
		pfx_error_hint(err, "record with -j any,counter");
		return -EINVAL;
	}
	return 0;
}

int pfx_script_fields_for(const struct pfx_script_fields *fields, const struct pfx_event *event,
			  uint64_t *ret, uint64_t *ret_lacking, struct pfx_error *err)
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
		*ret_lacking |= field->bit;
		if (!(fields->required[type] & field->bit))
			*ret &= ~field->bit;
		else if (!(field->bit & PFX_SCRIPT_BRANCHES))
			return not_recorded(field, event, err);
	}
	return check_company(fields->asked[type], event, ret, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Converts one object of a vendor's JSON file to an event or a metric. The same rules as in
 * scripts/gen_pmu_events, which generates the built-in table.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "pmu/metric/metric.h"
#include "pmu/vendor/vendor_internal.h"

struct words {
	const char *from, *to;
};

/* "Unit" to the name of the PMU, if it is not "uncore_" plus the unit in lower case. */
static const struct words pmus[] = {
	{"CBO", "uncore_cbox"},
	{"QPI LL", "uncore_qpi"},
	{"SBO", "uncore_sbox"},
	{"iMPH-U", "uncore_arb"},
	{"NCU", "uncore_cbox_0"},
	{"UPI LL", "uncore_upi"},
	{"ARB", "uncore_arb"},
	{"hisi_sicl,cpa", "hisi_sicl,cpa"},
	{"hisi_sccl,ddrc", "hisi_sccl,ddrc"},
	{"hisi_sccl,hha", "hisi_sccl,hha"},
	{"hisi_sccl,l3c", "hisi_sccl,l3c"},
	{"imx8_ddr", "imx8_ddr"},
	{"imx9_ddr", "imx9_ddr"},
	{"L3PMC", "amd_l3"},
	{"DFPMC", "amd_df"},
	{"UMCPMC", "amd_umc"},
	{"CPU-M-CF", "cpum_cf"},
	{"CPU-M-SF", "cpum_sf"},
	{"PAI-CRYPTO", "pai_crypto"},
	{"PAI-EXT", "pai_ext"},
	{"ali_drw", "ali_drw"},
	{"arm_cmn", "arm_cmn"},
	{"default_core", ""},
	{"software", "software"},
	{"tool", "tool"},
	{"hisi_sccl", "hisi_sccl"},
	{"arm_smmuv3_pmcg", "arm_smmuv3_pmcg"},
	{"smmuv3_pmcg", "smmuv3_pmcg"},
};

/* Fixed counters: the kernel uses other numbers than the vendor's files. */
static const struct words fixed[] = {
	{"inst_retired.any", "event=0xc0"},
	{"inst_retired.any_p", "event=0xc0"},
	{"cpu_clk_unhalted.ref", "event=0x0,umask=0x03"},
	{"cpu_clk_unhalted.thread", "event=0x3c"},
	{"cpu_clk_unhalted.core", "event=0x3c"},
	{"cpu_clk_unhalted.thread_any", "event=0x3c,any=1"},
};

/* Keys that replace the event's number. */
static const struct words code_keys[] = {
	{"ConfigCode", "config"},
	{"LegacyConfigCode", "legacy-hardware-config"},
	{"EventidCode", "eventid"},
};

/* In the order of the terms. */
static const struct words term_keys[] = {
	{"AnyThread", "any"},           {"PortMask", "ch_mask"},
	{"CounterMask", "cmask"},       {"EdgeDetect", "edge"},
	{"FCMask", "fc_mask"},          {"Invert", "inv"},
	{"SampleAfterValue", "period"}, {"UMask", "umask"},
	{"NodeType", "type"},           {"RdWrMask", "rdwrmask"},
	{"EnAllCores", "enallcores"},   {"EnAllSlices", "enallslices"},
	{"SliceId", "sliceid"},         {"ThreadMask", "threadmask"},
};

static const struct {
	uint64_t msr;
	const char *term;
} msrs[] = {{0x3f6, "ldlat"},
	    {0x1a6, "offcore_rsp"},
	    {0x1a7, "offcore_rsp"},
	    {0x3f7, "frontend"},
	    {0x3e0, "offcore_rsp"}};

#define COUNTERS_MAX 4096 /* of all PMUs */

#define NR(table) (sizeof(table) / sizeof((table)[0]))

/* The value of a key, or NULL. */
static const char *value_at(const struct pfx_vendor_object *object, const char *key)
{
	size_t i;

	for (i = 0; i < object->nr; i++)
		if (!strcmp(object->pairs[i].key, key))
			return object->pairs[i].value;
	return NULL;
}

static const char *find(const struct words *table, size_t nr, const char *word)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(table[i].from, word))
			return table[i].to;
	return NULL;
}

static bool is_space(char c)
{
	return c && strchr(" \t\r\n", c);
}

/* The trimmed value of a key; *@ret_len 0 if empty. */
static const char *trimmed(const struct pfx_vendor_object *object, const char *key, size_t *ret_len)
{
	const char *text = value_at(object, key);

	*ret_len = 0;
	if (!text)
		return "";
	while (is_space(*text))
		text++;
	*ret_len = strlen(text);
	while (*ret_len && is_space(text[*ret_len - 1]))
		(*ret_len)--;
	return text;
}

/* The same, but "0", "na" and "null" count as empty. */
static const char *said(const struct pfx_vendor_object *object, const char *key, size_t *ret_len)
{
	static const char *const nothing[] = {"0", "na", "null"};
	const char *text = trimmed(object, key, ret_len);
	size_t i;

	for (i = 0; i < NR(nothing); i++)
		if (*ret_len == strlen(nothing[i]) && !strncasecmp(text, nothing[i], *ret_len))
			*ret_len = 0;
	return text;
}

static bool is_said(const struct pfx_vendor_object *object, const char *key)
{
	size_t len;

	said(object, key, &len);
	return len > 0;
}

/* A number of the object: the first of "0xb7, 0xbb", with its spelling. */
struct number {
	const char *text;
	size_t len; /* 0: empty */
	uint64_t value;
};

/* False if the text is not a number. @base: for numbers without 0x. */
static bool read_number(const struct pfx_vendor_object *object, const char *key, int base,
			struct number *ret)
{
	const char *text = trimmed(object, key, &ret->len), *digits = text;
	size_t room = ret->len;
	char *end;

	ret->text = text;
	ret->value = 0;
	ret->len = strcspn(text, ",") < room ? strcspn(text, ",") : room;
	while (ret->len && is_space(text[ret->len - 1]))
		ret->len--;
	if (!ret->len)
		return true;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		digits += 2;
	}
	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	ret->value = strtoull(digits, &end, base);
	return !errno && end == text + ret->len;
}

static bool add_code(struct pfx_str *to, const struct pfx_vendor_object *object)
{
	struct number code, more;
	size_t i;

	for (i = 0; i < NR(code_keys); i++) {
		if (!value_at(object, code_keys[i].from))
			continue;
		if (!read_number(object, code_keys[i].from, 10, &code))
			return false;
		pfx_str_addf(to, "%s=0x%" PRIx64, code_keys[i].to, code.value);
		return true;
	}
	if (!read_number(object, "EventCode", 10, &code) ||
	    !read_number(object, "ExtSel", 16, &more))
		return false;
	pfx_str_addf(to, "event=0x%" PRIx64, code.value | more.value << 8);
	return true;
}

static bool add_numbers(struct pfx_str *to, const struct pfx_vendor_object *object, bool period)
{
	struct number number, more = {0};
	size_t i;

	for (i = 0; i < NR(term_keys); i++) {
		if (period && strcmp(term_keys[i].to, "period") != 0)
			continue;
		if (!read_number(object, term_keys[i].from, 10, &number))
			return false;
		if (!strcmp(term_keys[i].to, "umask") &&
		    !read_number(object, "UMaskExt", 10, &more))
			return false;
		if (more.value)
			pfx_str_addf(to, ",umask=0x%" PRIx64, more.value << 8 | number.value);
		else if (number.value)
			pfx_str_addf(to, ",%s=%.*s", term_keys[i].to, (int)number.len, number.text);
		more.value = 0;
	}
	return true;
}

/* Terms that are copied unchanged. */
static bool add_filter(struct pfx_str *to, const struct pfx_vendor_object *object)
{
	size_t len;
	const char *text = trimmed(object, "Filter", &len);

	if (!len || (len == 2 && !strncasecmp(text, "na", 2)))
		return true;
	if (!memchr(text, '=', len))
		return false;
	pfx_str_addf(to, ",%.*s", (int)len, text);
	return true;
}

/* False if the register has no corresponding term. */
static bool add_register(struct pfx_str *to, const struct pfx_vendor_object *object)
{
	struct number msr, value;
	size_t i;

	if (!read_number(object, "MSRIndex", 10, &msr))
		return false;
	for (i = 0; msr.value && i < NR(msrs); i++) {
		if (msrs[i].msr != msr.value)
			continue;
		if (!read_number(object, "MSRValue", 10, &value))
			return false;
		pfx_str_addf(to, ",%s=%.*s", msrs[i].term, value.len ? (int)value.len : 1,
			     value.len ? value.text : "0");
		return true;
	}
	return !msr.value;
}

/* The terms in the arena; NULL if they cannot be determined. */
static const char *make_terms(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			      const char *name)
{
	const char *known = find(fixed, NR(fixed), name);
	struct pfx_str text = {0};
	const char *terms = NULL;
	bool good;

	if (known) {
		pfx_str_add(&text, known);
		good = add_numbers(&text, object, true);
	} else {
		good = add_code(&text, object) && add_numbers(&text, object, false) &&
		       add_filter(&text, object) && add_register(&text, object);
	}
	if (good)
		terms = pfx_arena_strdup(&load->arena, text.at);
	pfx_str_fini(&text);
	return terms;
}

static const char *make_pmu(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			    const char *unsaid)
{
	const char *unit = value_at(object, "Unit"), *known;
	char name[128];
	size_t i;

	if (!unit || !*unit)
		return unsaid;
	known = find(pmus, NR(pmus), unit);
	if (known)
		return known;
	if (!strncmp(unit, "uncore_", 7) || !strncmp(unit, "cpu_", 4))
		return unit;
	snprintf(name, sizeof(name), "uncore_%s", unit);
	for (i = 0; name[i]; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	return pfx_arena_strdup(&load->arena, name);
}

static const char *value_or(const struct pfx_vendor_object *object, const char *key,
			    const char *other)
{
	const char *value = value_at(object, key);

	return value ? value : other;
}

static const char *small_letters(struct pfx_vendor_load *load, const char *text)
{
	char *copy = pfx_arena_strdup(&load->arena, text), *at;

	for (at = copy; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return copy;
}

/* The precision of an event's samples, appended to its description. */
static void add_exactness(struct pfx_str *to, const struct pfx_vendor_object *object)
{
	size_t len;
	const char *text;

	if (is_said(object, "Data_LA"))
		pfx_str_add(to, ". Supports address when precise");
	text = said(object, "Errata", &len);
	if (len)
		pfx_str_addf(to, ". Spec update: %.*s", (int)len, text);
	text = said(object, "PEBS", &len);
	if (len && !strcasestr(value_or(object, "BriefDescription", ""), "(precise event)"))
		pfx_str_add(to,
			    len == 1 && *text == '2' ? " (Must be precise)" : " (Precise event)");
}

/* The short description of an event, or the long one if it differs. */
static const char *text_of(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			   const char *key)
{
	size_t len, other;
	const char *text = trimmed(object, key, &len);
	const char *line = trimmed(object, "BriefDescription", &other);
	bool is_line = !strcmp(key, "BriefDescription");
	struct pfx_str whole = {0};

	if (!is_line && (len == other || (len == other + 1 && text[other] == '.')) &&
	    !strncmp(text, line, other))
		len = 0;
	if (!len)
		return "";
	while (len && text[len - 1] == '.' &&
	       (is_said(object, "Data_LA") || is_said(object, "Errata")))
		len--;
	pfx_str_addf(&whole, "%.*s", (int)len, text);
	add_exactness(&whole, object);
	text = pfx_arena_strdup(&load->arena, whole.at);
	pfx_str_fini(&whole);
	return text;
}

static void left_out(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
		     const char *why)
{
	const char *name = value_at(object, "EventName"), *metric = value_at(object, "MetricName");
	const char *standard = value_at(object, "ArchStdEvent");
	char shown[128], what[512];

	snprintf(what, sizeof(what), "%s '%s': %s", name || !metric ? "event" : "metric",
		 pfx_escape(shown, sizeof(shown),
			    name     ? name
			    : metric ? metric
				     : standard),
		 why);
	pfx_vendor_mistake(load, object->line, what);
}

/* Whether the number of a key cannot be read; then *@ret_why says so. */
static bool is_wrong_number(const struct pfx_vendor_object *object, const char *key, char why[192])
{
	struct number number;
	char shown[128];

	if (!value_at(object, key) ||
	    read_number(object, key, strcmp(key, "ExtSel") ? 10 : 16, &number))
		return false;
	snprintf(why, 192, "'%s' of '%s' is not a number",
		 pfx_escape(shown, sizeof(shown), value_at(object, key)), key);
	return true;
}

/* Why an event has no terms, in the words of scripts/vendor/terms.py. */
static void explain(struct pfx_vendor_load *load, const struct pfx_vendor_object *object)
{
	static const char *const more[] = {"EventCode", "ExtSel", "UMaskExt", "MSRIndex",
					   "MSRValue"};
	char why[192], shown[128];
	size_t i;
	bool is_known = false;

	for (i = 0; i < NR(more) && !is_known; i++)
		is_known = is_wrong_number(object, more[i], why);
	for (i = 0; i < NR(code_keys) && !is_known; i++)
		is_known = is_wrong_number(object, code_keys[i].from, why);
	for (i = 0; i < NR(term_keys) && !is_known; i++)
		is_known = is_wrong_number(object, term_keys[i].from, why);
	if (!is_known && is_said(object, "Filter") && !strchr(value_at(object, "Filter"), '='))
		snprintf(why, sizeof(why), "the filter '%s' is not a term",
			 pfx_escape(shown, sizeof(shown), value_at(object, "Filter")));
	else if (!is_known)
		snprintf(why, sizeof(why), "register '%s' of 'MSRIndex' has no term",
			 pfx_escape(shown, sizeof(shown), value_or(object, "MSRIndex", "")));
	left_out(load, object, why);
}

/* Whether what names things has control characters, which no name of a vendor has. */
static bool has_controls(struct pfx_vendor_load *load, const struct pfx_vendor_object *object)
{
	static const char *const names[] = {"EventName",   "MetricName", "Unit",
					    "MetricGroup", "ScaleUnit",  "Compat"};
	char why[64];
	size_t i;

	for (i = 0; i < NR(names); i++) {
		const char *at = value_or(object, names[i], "");

		while (*at && !iscntrl((unsigned char)*at))
			at++;
		if (!*at)
			continue;
		snprintf(why, sizeof(why), "control characters in '%s'", names[i]);
		left_out(load, object, why);
		return true;
	}
	return false;
}

static void add_event(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
		      const char *topic, const char *pmu)
{
	const char *name = small_letters(load, value_at(object, "EventName"));
	const char *terms = make_terms(load, object, name);

	if (!terms)
		return explain(load, object);
	if (!*name)
		return left_out(load, object, "it has no name");
	*pfx_vec_add(&load->rows.events) = (struct pfx_vendor_event){
		.name = name,
		.pmu = make_pmu(load, object, pmu),
		.terms = terms,
		.text = text_of(load, object, "BriefDescription"),
		.details = text_of(load, object, "PublicDescription"),
		.topic = topic,
		.scale_unit = value_or(object, "ScaleUnit", ""),
		.compat = value_or(object, "Compat", ""),
		.counters = value_or(object, "Counter", ""),
		.latency = value_or(object, "RetirementLatencyMean", ""),
		.is_experimental = is_said(object, "Experimental"),
		.is_deprecated = is_said(object, "Deprecated"),
		.is_per_package = is_said(object, "PerPkg"),
	};
}

static void add_metric(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
		       const char *topic, const char *pmu)
{
	const char *name = value_at(object, "MetricName"), *expr = value_at(object, "MetricExpr");
	struct pfx_metric *formula;
	struct pfx_error err = {0};

	if (!*name || !expr)
		return left_out(load, object, *name ? "it has no formula" : "it has no name");
	if (!strchr(expr, '?')) { /* which is a number only where it is counted */
		if (pfx_metric_parse(&formula, expr, &err) < 0)
			return left_out(load, object, err.text);
		pfx_metric_free(formula);
	}
	*pfx_vec_add(&load->rows.metrics) = (struct pfx_vendor_metric){
		.name = name,
		.pmu = make_pmu(load, object, pmu),
		.expr = expr,
		.threshold = value_or(object, "MetricThreshold", ""),
		.groups = value_or(object, "MetricGroup", ""),
		.constraint = value_or(object, "MetricConstraint", ""),
		.no_group = value_or(object, "MetricgroupNoGroup", ""),
		.default_group = value_or(object, "DefaultMetricgroupName", ""),
		.text = text_of(load, object, "BriefDescription"),
		.details = text_of(load, object, "PublicDescription"),
		.topic = topic,
		.scale_unit = value_or(object, "ScaleUnit", ""),
		.compat = value_or(object, "Compat", ""),
	};
}

static const struct pfx_vendor_object *find_standard(const struct pfx_vendor_load *load,
						     const char *name)
{
	const char *other;
	size_t i;

	for (i = 0; i < load->standard.list.nr; i++) {
		other = value_at(&load->standard.list.at[i], "EventName");
		if (!other)
			other = value_at(&load->standard.list.at[i], "MetricName");
		if (other && !strcasecmp(other, name))
			return &load->standard.list.at[i];
	}
	return NULL;
}

/* The object's own pairs first, so that they override the standard's. */
static struct pfx_vendor_object joined(struct pfx_vendor_load *load,
				       const struct pfx_vendor_object *a,
				       const struct pfx_vendor_object *b)
{
	struct pfx_vendor_pair *pairs =
		pfx_arena_array(&load->arena, struct pfx_vendor_pair, a->nr + b->nr + 1);

	memcpy(pairs, a->pairs, a->nr * sizeof(*pairs));
	memcpy(pairs + a->nr, b->pairs, b->nr * sizeof(*pairs));
	return (struct pfx_vendor_object){pairs, a->nr + b->nr, a->line};
}

/* Whether one of the words in "Models" is the one that is read. */
static bool is_of_model(const struct pfx_vendor_load *load, const struct pfx_vendor_object *object)
{
	const char *at = value_at(object, "Models");
	size_t len, wanted = load->model ? strlen(load->model) : 0;

	if (!load->model)
		return true;
	for (; at && *at; at += len) {
		at += strspn(at, " ");
		len = strcspn(at, " ");
		if (len == wanted && !strncmp(at, load->model, len))
			return true;
	}
	return false;
}

/* The numbers of counters of a PMU: "=4,3;cpu_atom=8,3". */
static void add_counters(struct pfx_vendor_load *load, const struct pfx_vendor_object *object)
{
	const char *pmu = make_pmu(load, object, "");
	struct pfx_str text = {0};

	pfx_str_addf(&text, "%s%s%s=%s,%s", load->rows.counters ? load->rows.counters : "",
		     load->rows.counters ? ";" : "", strcmp(pmu, "uncore_core") ? pmu : "",
		     value_or(object, "CountersNumGeneric", "0"),
		     value_or(object, "CountersNumFixed", "0"));
	if (text.len < COUNTERS_MAX)
		load->rows.counters = pfx_arena_strdup(&load->arena, text.at);
	pfx_str_fini(&text);
}

void pfx_vendor_add_object(struct pfx_vendor_load *load, const struct pfx_vendor_object *object,
			   const char *topic, const char *pmu)
{
	const char *standard = value_at(object, "ArchStdEvent");
	const struct pfx_vendor_object *base = standard ? find_standard(load, standard) : NULL;
	struct pfx_vendor_object both;

	if (load->rows.events.nr + load->rows.metrics.nr >= PFX_VENDOR_ROWS_MAX)
		return;
	if (!is_of_model(load, object))
		return;
	if (standard && !base)
		return left_out(load, object, "no file beside mapfile.csv has this 'ArchStdEvent'");
	if (base) {
		both = joined(load, object, base);
		object = &both;
	}
	if (has_controls(load, object))
		return;
	if (value_at(object, "EventName"))
		add_event(load, object, topic, pmu);
	if (value_at(object, "MetricName"))
		add_metric(load, object, topic, pmu);
	if (value_at(object, "CountersNumGeneric") || value_at(object, "CountersNumFixed"))
		add_counters(load, object);
}

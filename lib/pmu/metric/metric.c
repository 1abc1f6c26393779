/* SPDX-License-Identifier: MIT */
/*
 * Metric expressions: parsing them to a tree. A recursive-descent parser; depth, length and names
 * are bounded because expressions are untrusted.
 */
#include "pmu/metric/metric.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "pmu/metric/metric_internal.h"

#define DEPTH_MAX 200

struct parser {
	const char *text, *at;
	struct pfx_metric *metric;
	unsigned depth;
	struct pfx_error *err;
	bool failed;
};

static const char *const facts[PFX_FACT_COUNT] = {
	"smt_on",       "core_wide",       "num_cpus", "num_cpus_online", "num_cores",  "num_dies",
	"num_packages", "system_tsc_freq", "slots",    "has_pmem",        "target_cpu",
};

static uint32_t if_else(struct parser *p);

static uint32_t fail(struct parser *p, const char *what)
{
	char shown[256];

	if (!p->failed)
		pfx_error_set(p->err, EINVAL, "formula '%s': %s at character %zu",
			      pfx_escape(shown, sizeof(shown), p->text), what,
			      (size_t)(p->at - p->text) + 1);
	p->failed = true;
	return 0;
}

static uint32_t add(struct parser *p, enum pfx_metric_op op, double number, const uint32_t args[3])
{
	struct pfx_metric_node node = {.op = op, .number = number};

	if (p->metric->nodes.nr >= PFX_METRIC_NODES_MAX)
		return fail(p, "it is too long");
	if (args) {
		node.a = args[0];
		node.b = args[1];
		node.c = args[2];
	}
	pfx_vec_push(&p->metric->nodes, node);
	return (uint32_t)p->metric->nodes.nr - 1;
}

static uint32_t pair(struct parser *p, enum pfx_metric_op op, uint32_t a, uint32_t b)
{
	return add(p, op, 0, (uint32_t[3]){a, b, 0});
}

static void skip(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct parser *p, char c)
{
	skip(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* Characters of a name; escaped characters always belong to it. */
static bool is_name(const char *at)
{
	return *at && (isalnum((unsigned char)*at) || strchr("_.:@?\\", *at));
}

/* Inside @...@, which means the slashes of a PMU, terms may have commas and equals signs. */
static size_t name_length(const char *at)
{
	bool in_terms = false;
	size_t len = 0;

	for (; at[len]; len++) {
		if (at[len] == '\\' && at[len + 1])
			len++;
		else if (at[len] == '@')
			in_terms = !in_terms;
		else if (!is_name(at + len) && !(in_terms && strchr("=,-", at[len])))
			break;
	}
	return len;
}

static char *plain_name(const char *at, size_t len)
{
	struct pfx_str name = {0};
	size_t i;

	for (i = 0; i < len; i++) {
		if (at[i] == '\\' && i + 1 < len)
			pfx_str_addc(&name, at[++i]);
		else
			pfx_str_addc(&name, at[i] == '@' ? '/' : at[i]);
	}
	return name.at ? name.at : pfx_strdup("");
}

static size_t add_id(struct pfx_metric *metric, const char *name)
{
	size_t i;

	for (i = 0; i < metric->ids.nr; i++)
		if (!strcmp(metric->ids.at[i], name))
			return i;
	pfx_vec_push(&metric->ids, pfx_strdup(name));
	return metric->ids.nr - 1;
}

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(at, word, len);
}

/* Vendors write facts in any case: #SMT_on, #smt_on. */
static uint32_t fact(struct parser *p)
{
	size_t len = 0, i;

	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_')
		len++;
	for (i = 0; i < PFX_FACT_COUNT; i++) {
		if (strlen(facts[i]) != len || strncasecmp(p->at, facts[i], len) != 0)
			continue;
		p->at += len;
		return add(p, PFX_METRIC_FACT, (double)i, NULL);
	}
	return fail(p, "there is no such fact");
}

/* strcmp_cpuid_str(TEXT): parsed like a name. */
static uint32_t cpuid_call(struct parser *p)
{
	size_t len;

	skip(p);
	len = strcspn(p->at, ")");
	pfx_vec_push(&p->metric->texts, pfx_strndup(p->at, len));
	p->at += len;
	if (!take(p, ')'))
		return fail(p, "')' is missing");
	return add(p, PFX_METRIC_CPUID, (double)(p->metric->texts.nr - 1), NULL);
}

static uint32_t call(struct parser *p, enum pfx_metric_op op, unsigned nr)
{
	uint32_t args[3] = {0};
	unsigned i;

	if (op == PFX_METRIC_CPUID)
		return cpuid_call(p);
	for (i = 0; i < nr && !p->failed; i++) {
		if (i && !take(p, ','))
			return fail(p, "',' is missing");
		args[i] = if_else(p);
	}
	if (p->failed || !take(p, ')'))
		return fail(p, "')' is missing");
	if ((op == PFX_METRIC_SOURCES || op == PFX_METRIC_HAS) &&
	    p->metric->nodes.at[args[0]].op != PFX_METRIC_ID)
		return fail(p, "the name of an event must stand in the brackets");
	return add(p, op, 0, args);
}

static uint32_t name_or_call(struct parser *p)
{
	static const struct {
		const char *name;
		enum pfx_metric_op op;
		unsigned nr;
	} calls[] = {
		{"min", PFX_METRIC_MIN, 2},       {"max", PFX_METRIC_MAX, 2},
		{"d_ratio", PFX_METRIC_RATIO, 2}, {"source_count", PFX_METRIC_SOURCES, 1},
		{"has_event", PFX_METRIC_HAS, 1}, {"strcmp_cpuid_str", PFX_METRIC_CPUID, 1},
	};
	size_t len = name_length(p->at), i, id;
	const char *start = p->at;
	char *name;

	p->at += len;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (is_word(start, len, calls[i].name) && take(p, '('))
			return call(p, calls[i].op, calls[i].nr);
	name = plain_name(start, len);
	id = add_id(p->metric, name);
	free(name);
	if (id >= PFX_METRIC_IDS_MAX)
		return fail(p, "it has too many names");
	return add(p, PFX_METRIC_ID, (double)id, NULL);
}

/* Names of events may begin with digits ("4KiB"): a letter after the digits makes it a name. */
static uint32_t number(struct parser *p)
{
	char *end;
	double value = strtod(p->at, &end);

	if (is_name(end) && !isspace((unsigned char)*end))
		return name_or_call(p);
	p->at = end;
	return add(p, PFX_METRIC_NUMBER, value, NULL);
}

static uint32_t primary(struct parser *p)
{
	uint32_t node;

	if (p->depth >= DEPTH_MAX)
		return fail(p, "it is nested too deeply");
	skip(p);
	if (take(p, '-')) {
		p->depth++;
		node = primary(p);
		p->depth--;
		return pair(p, PFX_METRIC_NEG, node, 0);
	}
	if (take(p, '(')) {
		node = if_else(p);
		return !p->failed && take(p, ')') ? node : fail(p, "')' is missing");
	}
	if (take(p, '#'))
		return fact(p);
	if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
		return number(p);
	if (is_name(p->at))
		return name_or_call(p);
	return fail(p, *p->at ? "something unexpected" : "something is missing");
}

/* The levels of precedence from the lowest up, with their operators. */
static const struct level {
	const char *chars;
	enum pfx_metric_op ops[3];
} levels[] = {
	{"|", {PFX_METRIC_OR}},
	{"^", {PFX_METRIC_XOR}},
	{"&", {PFX_METRIC_AND}},
	{"<>", {PFX_METRIC_LESS, PFX_METRIC_MORE}},
	{"+-", {PFX_METRIC_ADD, PFX_METRIC_SUB}},
	{"*/%", {PFX_METRIC_MUL, PFX_METRIC_DIV, PFX_METRIC_MOD}},
};
#define NR_LEVELS (sizeof(levels) / sizeof(levels[0]))

static uint32_t binary(struct parser *p, size_t level)
{
	const char *op;
	uint32_t left;

	if (level == NR_LEVELS)
		return primary(p);
	left = binary(p, level + 1);
	for (skip(p); !p->failed && *p->at; skip(p)) {
		op = strchr(levels[level].chars, *p->at);
		if (!op)
			break;
		p->at++;
		left = pair(p, levels[level].ops[op - levels[level].chars], left,
			    binary(p, level + 1));
	}
	return left;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip(p);
	if (strncmp(p->at, word, len) != 0 || is_name(p->at + len))
		return false;
	p->at += len;
	return true;
}

static uint32_t if_else(struct parser *p)
{
	uint32_t args[3];

	if (p->depth >= DEPTH_MAX)
		return fail(p, "it is nested too deeply");
	p->depth++;
	args[0] = binary(p, 0);
	if (!p->failed && take_word(p, "if")) {
		args[1] = binary(p, 0);
		if (!take_word(p, "else"))
			return fail(p, "'else' is missing");
		args[2] = if_else(p);
		args[0] = add(p, PFX_METRIC_IF, 0, args);
	}
	p->depth--;
	return args[0];
}

int pfx_metric_parse(struct pfx_metric **ret, const char *text, struct pfx_error *err)
{
	struct parser p = {.text = text, .at = text, .err = err};

	p.metric = pfx_calloc(1, sizeof(*p.metric));
	p.metric->root = if_else(&p);
	skip(&p);
	if (!p.failed && *p.at)
		fail(&p, "something unexpected");
	if (p.failed) {
		pfx_metric_free(p.metric);
		return -EINVAL;
	}
	*ret = p.metric;
	return 0;
}

void pfx_metric_free(struct pfx_metric *metric)
{
	size_t i;

	if (!metric)
		return;
	for (i = 0; i < metric->ids.nr; i++)
		free(metric->ids.at[i]);
	for (i = 0; i < metric->texts.nr; i++)
		free(metric->texts.at[i]);
	pfx_vec_free(&metric->ids);
	pfx_vec_free(&metric->texts);
	pfx_vec_free(&metric->nodes);
	free(metric);
}

struct pfx_metric *pfx_metric_copy(const struct pfx_metric *metric)
{
	struct pfx_metric *copy = pfx_calloc(1, sizeof(*copy));
	size_t i;

	for (i = 0; i < metric->ids.nr; i++)
		pfx_vec_push(&copy->ids, pfx_strdup(metric->ids.at[i]));
	for (i = 0; i < metric->texts.nr; i++)
		pfx_vec_push(&copy->texts, pfx_strdup(metric->texts.at[i]));
	for (i = 0; i < metric->nodes.nr; i++)
		pfx_vec_push(&copy->nodes, metric->nodes.at[i]);
	copy->root = metric->root;
	return copy;
}

size_t pfx_metric_nr_ids(const struct pfx_metric *metric)
{
	return metric->ids.nr;
}

const char *pfx_metric_id(const struct pfx_metric *metric, size_t i)
{
	return metric->ids.at[i];
}

size_t pfx_metric_nr_nodes(const struct pfx_metric *metric)
{
	return metric->nodes.nr;
}

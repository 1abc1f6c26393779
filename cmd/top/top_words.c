/* SPDX-License-Identifier: MIT */
/* Options of `pfx top` with parsers of their own, and checks of combinations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern/pattern.h"
#include "base/words.h"
#include "cmd/app/commands.h"
#include "cmd/app/graph_config.h"
#include "cmd/app/sampling/key_words.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/top/top_internal.h"

/* The modes in which call chains are recorded; other words are about how they are shown. */
static bool is_mode(const char *word, size_t len)
{
	enum pfx_callgraph_mode mode;

	return pfx_callgraph_mode_parse(word, len, &mode);
}

/* The length of the words at the start of @text that record call chains: a mode, and what belongs
 * to it. */
static size_t record_part(const char *text)
{
	size_t len = strcspn(text, ","), next;

	if (!is_mode(text, len) || !text[len])
		return is_mode(text, len) ? len : 0;
	next = strcspn(text + len + 1, ",");
	if (strspn(text + len + 1, "0123456789") == next || !strncmp(text + len + 1, "defer", next))
		len += 1 + next;
	return len;
}

int pfx_top_on_graph(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_top_options *o = options;
	size_t len = arg ? record_part(arg) : 0;
	char *mode = len ? pfx_strndup(arg, len) : NULL;
	int rc = pfx_record_opt_callgraph(options, mode, unset, err);

	free(mode);
	if (rc < 0 || unset || !arg || !arg[len])
		return rc;
	return pfx_callgraph_parse(&o->graph, arg + len + (arg[len] == ','), err);
}

void pfx_top_add_graph_words(struct pfx_str *to)
{
	pfx_str_add(to, " fp dwarf lbr");
	pfx_words_add_graph_words(to);
}

static int set_percent_limit(struct pfx_top_options *o, const char *arg, struct pfx_error *err)
{
	char shown[64];

	if (!pfx_parse_percent(arg, &o->percent_limit))
		return pfx_error_set(err, EINVAL, "'%s' is not a percentage",
				     pfx_escape(shown, sizeof(shown), arg));
	o->graph.min_percent = o->percent_limit;
	o->graph.min_given = true;
	return 0;
}

int pfx_top_on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return set_percent_limit(options, unset ? "0" : arg, err);
}

int pfx_top_on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_top_options *o = options;
	char shown[64];

	o->relative = !unset && !strcmp(arg, "relative");
	if (unset || o->relative || !strcmp(arg, "absolute"))
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is neither absolute nor relative",
			     pfx_escape(shown, sizeof(shown), arg));
}

int pfx_top_on_delay(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_top_options *o = options;
	char shown[64];

	o->delay = 0;
	if (unset || (pfx_parse_u64(arg, &o->delay) && o->delay && o->delay <= PFX_TOP_DELAY_MAX))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a number of seconds between refreshes",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "give a number from 1 to %d", PFX_TOP_DELAY_MAX);
	return -EINVAL;
}

int pfx_top_take_config(struct pfx_top_options *o, struct pfx_error *err)
{
	const char *value;
	int rc = 0;

	pfx_config_get_bool("top.children", &o->children);
	if ((value = pfx_config_get("top.call-graph")))
		rc = pfx_config_check("top.call-graph", pfx_top_on_graph(o, value, false, err),
				      err);
	if (!rc && (value = pfx_config_get("hist.percentage")))
		rc = pfx_config_check("hist.percentage",
				      pfx_top_on_percentage(o, value, false, err), err);
	return rc ? rc : pfx_config_take_graph(&o->graph, err);
}

static int exclude(struct pfx_error *err, const char *a, const char *b)
{
	return pfx_error_set(err, EINVAL, "%s and %s exclude each other", a, b);
}

static int check_pattern(struct pfx_top *top, struct pfx_error *err)
{
	const char *pattern = top->options->ignore_callees;
	char why[128], shown[128];

	if (!pattern)
		return 0;
	top->has_ignore_callees =
		pfx_pattern_compile(&top->ignore_callees, pattern, 0, why, sizeof(why));
	if (top->has_ignore_callees)
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is not a valid pattern for --ignore-callees: %s",
			     pfx_escape(shown, sizeof(shown), pattern), why);
}

int pfx_top_check(struct pfx_top *top, struct pfx_error *err)
{
	struct pfx_top_options *o = top->options;
	const struct pfx_recorder_options *rec = &o->record.rec;
	int rc;

	if (rec->freq && rec->period)
		return pfx_error_set(err, EINVAL,
				     "a frequency (-F) and a count (-c) exclude each other");
	if (o->hide_kernel && o->hide_user)
		return exclude(err, "-K", "-U");
	if (o->stdio && o->tui)
		return exclude(err, "--stdio", "--tui");
	if (o->json && (o->stdio || o->tui))
		return exclude(err, "--json", o->stdio ? "--stdio" : "--tui");
	if (o->hierarchy && o->fields)
		return pfx_error_set(err, EINVAL,
				     "--hierarchy makes a level of each key: it "
				     "does not go with --fields");
	if (o->sym_annotate && (o->stdio || o->json))
		return pfx_error_set(
			err, EINVAL,
			"--sym-annotate shows code on the screen: it does not go with %s",
			o->stdio ? "--stdio" : "--json");
	rc = check_pattern(top, err);
	if (!rc)
		rc = pfx_symbol_options_parse(&o->symbols, err);
	return rc ? rc : pfx_top_build_columns(top, false, err);
}

bool pfx_top_needs_sheet(const struct pfx_top *top)
{
	const struct pfx_top_options *o = top->options;
	struct pfx_screen_rows rows;

	return pfx_screen_rows_of(o->sort, &rows, NULL) < 0 || o->record.rec.branch_type ||
	       o->fields || o->hierarchy || o->widths || o->total_period || o->ignore_callees ||
	       o->group_sort_idx || o->relative || o->raw_trace ||
	       (top->has_chains && !pfx_callgraph_is_plain(&o->graph));
}

/* SPDX-License-Identifier: MIT */
/* One row per key: how its value is applied. */
#include "cmd/app/graph_config.h"

#include <errno.h>

#include "base/str.h"
#include "base/words.h"
#include "cmd/app/commands.h"

static int set_threshold(struct pfx_callgraph *graph, const char *word, struct pfx_error *err)
{
	char shown[64];

	graph->min_given = true;
	if (pfx_parse_percent(word, &graph->min_percent))
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is not a percentage",
			     pfx_escape(shown, sizeof(shown), word));
}

static int set_limit(struct pfx_callgraph *graph, const char *word, struct pfx_error *err)
{
	char shown[64];
	uint64_t limit;

	if (!pfx_parse_u64(word, &limit) || limit > UINT32_MAX)
		return pfx_error_set(err, EINVAL, "'%s' is not a number of entries",
				     pfx_escape(shown, sizeof(shown), word));
	graph->print_limit = (uint32_t)limit;
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct pfx_callgraph *graph, const char *word, struct pfx_error *err);
} rows[] = {
	{"call-graph.print-type", pfx_callgraph_set_mode},
	{"call-graph.order", pfx_callgraph_set_order},
	{"call-graph.sort-key", pfx_callgraph_set_key},
	{"call-graph.threshold", set_threshold},
	{"call-graph.print-limit", set_limit},
};

int pfx_config_take_graph(struct pfx_callgraph *graph, struct pfx_error *err)
{
	const char *value;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < sizeof(rows) / sizeof(*rows); i++)
		if ((value = pfx_config_get(rows[i].key)))
			rc = pfx_config_check(rows[i].key, rows[i].set(graph, value, err), err);
	return rc;
}

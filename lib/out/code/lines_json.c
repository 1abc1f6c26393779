/* SPDX-License-Identifier: MIT */
/* The model of lib/code/line_costs.h, member by member; lines without cost have no costs. */
#include "out/code/lines_json.h"

#include <string.h>

#include "out/code/code_json_internal.h"

void pfx_lines_json_begin(struct pfx_lines_json *json, const struct pfx_meta *meta,
			  const struct pfx_cost *wholes, struct pfx_str *to)
{
	json->nr_files = 0;
	json->nr_events = meta->nr_events;
	pfx_str_add(to, "{\n\"schema\": \"" PFX_LINES_SCHEMA "\",\n");
	pfx_code_json_events(to, meta, wholes);
	pfx_str_add(to, ",\n\"files\": [");
}

static void add_line(const struct pfx_lines_json *json, const struct pfx_line_walk *walk,
		     struct pfx_str *to)
{
	const char *text;
	size_t len;

	pfx_str_addf(to, "{\"line\": %u", walk->line);
	text = pfx_sources_line(json->sources, walk->file->name, walk->line, &len);
	if (text) {
		pfx_str_add(to, ", ");
		pfx_code_json_text(to, "text", text, len);
	}
	if (walk->cost) {
		pfx_str_add(to, ", ");
		pfx_code_json_cost_list(to, "self", &walk->cost->self, json->nr_events);
		pfx_str_add(to, ", ");
		pfx_code_json_cost_list(to, "inclusive", &walk->cost->inclusive, json->nr_events);
	}
	pfx_str_addc(to, '}');
}

void pfx_lines_json_add(struct pfx_lines_json *json, const struct pfx_file_cost *file,
			struct pfx_str *to)
{
	struct pfx_line_walk walk = {.file = file,
				     .nr_lines = pfx_sources_nr_lines(json->sources, file->name),
				     .context = json->context};
	uint32_t nr = 0;

	pfx_str_add(to, json->nr_files++ ? ",\n{\n\t" : "\n{\n\t");
	pfx_code_json_text(to, "file", file->name, strlen(file->name));
	pfx_str_add(to, ",\n\t");
	pfx_code_json_cost_list(to, "self", &file->self, json->nr_events);
	pfx_str_add(to, ",\n\t");
	pfx_code_json_cost_list(to, "inclusive", &file->inclusive, json->nr_events);
	pfx_str_add(to, ",\n\t\"lines\": [");
	while (pfx_line_walk_next(&walk)) {
		pfx_str_add(to, nr++ ? ",\n\t\t" : "\n\t\t");
		add_line(json, &walk, to);
	}
	pfx_str_add(to, "]\n}");
}

void pfx_lines_json_end(struct pfx_lines_json *json, struct pfx_str *to)
{
	(void)json;
	pfx_str_add(to, "\n]\n}\n");
}

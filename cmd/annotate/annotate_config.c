/* SPDX-License-Identifier: MIT */
/*
 * Defaults of `pfx annotate` from the configuration. perf's keys that concern its screen are not
 * used.
 */
#include "cmd/annotate/annotate_run.h"
#include "cmd/app/commands.h"

int pfx_annotate_take_config(struct pfx_annotate_options *o, struct pfx_error *err)
{
	const char *mapping;
	size_t i;
	int rc = 0;

	pfx_config_get_bool("annotate.hide_src_code", &o->hides_source);
	o->source = !o->hides_source;
	for (i = 0; !rc && (mapping = pfx_config_get_nth("annotate.source-path", i)); i++)
		rc = pfx_config_check("annotate.source-path",
				      pfx_sources_map_word(o->sources, mapping, err), err);
	return rc;
}

void pfx_annotate_settle_config(struct pfx_annotate_options *o)
{
	if (!o->nr_samples && !o->total_period) {
		pfx_config_get_bool("annotate.show_total_period", &o->total_period);
		if (!o->total_period)
			pfx_config_get_bool("annotate.show_nr_samples", &o->nr_samples);
	}
	if (!o->syntax)
		o->syntax = pfx_config_get_valid("annotate.disassembler_style");
}

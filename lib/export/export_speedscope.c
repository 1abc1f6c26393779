/* SPDX-License-Identifier: MIT */
/*
 * speedscope's own JSON, in its sampled form: for each event a profile of all threads, whose stacks
 * are merged, then one of each thread in the order of time. Weights are ns for clock events, else
 * numbers.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "export/export_internal.h"
#include "export/samples/export_rows.h"
#include "out/json_parts.h"

struct speedscope {
	const struct pfx_export_input *in;
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to; /* out->text */
	bool several;
	uint32_t nr_profiles;
	PFX_VEC(uint32_t) path;
};

static void add_frame(struct speedscope *s, uint32_t i)
{
	const struct pfx_profile_frame *frame = &s->profile->frames[i];

	pfx_json_add_comma(s->to, i);
	pfx_str_addc(s->to, '{');
	pfx_json_add_text(s->to, "name", s->profile->functions[frame->function].name);
	if (frame->file)
		pfx_json_add_text(s->to, "file", frame->file);
	else if (frame->dso != PFX_NO_ID)
		pfx_json_add_text(s->to, "file", s->profile->dsos[frame->dso].name);
	if (frame->line)
		pfx_json_add_number(s->to, "line", frame->line);
	pfx_str_addc(s->to, '}');
}

static void add_frames(struct speedscope *s)
{
	uint32_t i;

	pfx_str_add(s->to, "\"shared\":{\"frames\":[");
	for (i = 0; i < s->profile->nr_frames && !pfx_export_flush(s->out); i++)
		add_frame(s, i);
	pfx_str_add(s->to, "]}");
}

/* Root first. */
static void add_stack(struct speedscope *s, uint32_t node)
{
	const struct pfx_nodes *nodes = &s->selection->nodes;
	size_t i;

	s->path.nr = 0;
	for (; node; node = nodes->parent[node])
		pfx_vec_push(&s->path, nodes->frame[node]);
	pfx_str_addc(s->to, '[');
	for (i = s->path.nr; i--;) {
		pfx_str_u64(s->to, s->path.at[i], 0);
		if (i)
			pfx_str_addc(s->to, ',');
	}
	pfx_str_addc(s->to, ']');
}

static void begin_profile(struct speedscope *s, const char *name, uint32_t column, uint64_t total)
{
	bool ns = s->in->measure == PFX_MEASURE_PERIOD && pfx_export_counts_ns(s->in, column);
	const char *event = s->profile->events[s->selection->events[column]].name;
	char *with_event = pfx_strfmt("%s (%s)", name, event);

	pfx_json_add_comma(s->to, s->nr_profiles++);
	pfx_str_add(s->to, "{\"type\":\"sampled\"");
	pfx_json_add_text(s->to, "name", s->several ? with_event : name);
	pfx_json_add_text(s->to, "unit", ns ? "nanoseconds" : "none");
	pfx_json_add_number(s->to, "startValue", 0);
	pfx_json_add_number(s->to, "endValue", total);
	free(with_event);
}

static void add_merged(struct speedscope *s, uint32_t column)
{
	const uint64_t *weights = pfx_selection_weights(s->selection, column, s->in->measure);
	const uint64_t *samples = pfx_selection_weights(s->selection, column, PFX_MEASURE_SAMPLES);
	uint32_t i, nr = 0;

	begin_profile(s, "all threads", column,
		      pfx_selection_total(s->selection, column, s->in->measure));
	pfx_str_add(s->to, ",\"samples\":[");
	for (i = 0; i < s->selection->nr_stacks && !pfx_export_flush(s->out); i++) {
		if (!samples[i])
			continue;
		pfx_json_add_comma(s->to, nr++);
		add_stack(s, s->selection->stack_node[i]);
	}
	pfx_str_add(s->to, "],\"weights\":[");
	for (i = nr = 0; i < s->selection->nr_stacks && !pfx_export_flush(s->out); i++) {
		if (!samples[i])
			continue;
		pfx_json_add_comma(s->to, nr++);
		pfx_str_u64(s->to, weights[i], 0);
	}
	pfx_str_add(s->to, "]}");
}

static void add_thread(struct speedscope *s, const struct pfx_export_group *group,
		       const uint32_t *rows)
{
	const struct pfx_profile_thread *thread = &s->profile->threads[group->thread];
	char *name = pfx_strfmt("%s %u", thread->comm, thread->tid);
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < group->nr; i++)
		total += pfx_row_weight(s->profile, s->in->measure, rows[i]);
	begin_profile(s, name, group->column, total);
	free(name);
	pfx_str_add(s->to, ",\"samples\":[");
	for (i = 0; i < group->nr && !pfx_export_flush(s->out); i++) {
		pfx_json_add_comma(s->to, i);
		add_stack(s, pfx_selection_node(s->selection, rows[i]));
	}
	pfx_str_add(s->to, "],\"weights\":[");
	for (i = 0; i < group->nr && !pfx_export_flush(s->out); i++) {
		pfx_json_add_comma(s->to, i);
		pfx_str_u64(s->to, pfx_row_weight(s->profile, s->in->measure, rows[i]), 0);
	}
	pfx_str_add(s->to, "]}");
}

static void add_profiles(struct speedscope *s)
{
	struct pfx_export_rows rows;
	uint32_t i, *columns, nr = pfx_export_columns(s->selection, &columns);

	pfx_export_rows_make(&rows, s->selection);
	for (i = 0; i < nr; i++)
		add_merged(s, columns[i]);
	for (i = 0; i < rows.nr_groups && !pfx_export_flush(s->out); i++)
		add_thread(s, &rows.groups[i], rows.at + rows.groups[i].first);
	pfx_export_rows_fini(&rows);
	free(columns);
}

void pfx_export_speedscope(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct speedscope s = {
		.in = in,
		.selection = in->selection,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
		.several = pfx_export_has_several(in->selection),
	};

	pfx_str_add(s.to, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			  "\"exporter\":\"pfx\"");
	pfx_json_add_text(s.to, "name",
			  s.profile->nr_processes ? s.profile->processes[0].comm : "");
	pfx_str_add(s.to, ",\"activeProfileIndex\":0,");
	add_frames(&s);
	pfx_str_add(s.to, ",\"profiles\":[");
	add_profiles(&s);
	pfx_str_add(s.to, "]}\n");
	pfx_vec_free(&s.path);
}

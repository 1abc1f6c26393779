/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace events: in each thread, a function is a slice from the first sample with it on the
 * stack to the next sample without it. A slice also ends when no sample follows within two sampling
 * intervals. The number of samples in the function itself and their periods are arguments of the
 * slice's end. With several events, those after a thread's first one are threads of their own,
 * whose names end in the event. Times are us of the recording's clock.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/ns.h"
#include "export/export_internal.h"
#include "export/samples/export_rows.h"
#include "out/json_parts.h"

#define OTHER_TIDS 1000000000u /* the first tid of additional threads: above all real ones */

struct slice {
	uint32_t frame;
	uint64_t samples, period; /* of the function itself */
};

struct chrome {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to; /* out->text */
	bool several, is_next;
	uint32_t pid, tid;
	PFX_VEC(struct slice) open;
	PFX_VEC(uint32_t) path; /* frames of a sample, leaf first */
};

static void begin_event(struct chrome *c, char phase)
{
	pfx_json_add_comma(c->to, c->is_next);
	c->is_next = true;
	pfx_str_add(c->to, "\n{\"ph\":\"");
	pfx_str_addc(c->to, phase);
	pfx_str_add(c->to, "\",\"pid\":");
	pfx_str_u64(c->to, c->pid, 0);
	pfx_str_add(c->to, ",\"tid\":");
	pfx_str_u64(c->to, c->tid, 0);
}

static void add_time(struct chrome *c, uint64_t ns)
{
	pfx_str_add(c->to, ",\"ts\":");
	pfx_str_u64(c->to, ns / 1000, 0);
	pfx_str_addc(c->to, '.');
	pfx_str_u64_zeros(c->to, ns, 3);
}

static void add_name(struct chrome *c, uint32_t frame)
{
	uint32_t function = c->profile->frames[frame].function;

	pfx_json_add_text(c->to, "name", c->profile->functions[function].name);
}

static void open_slice(struct chrome *c, uint32_t frame, uint64_t time)
{
	const struct pfx_profile_frame *of = &c->profile->frames[frame];

	begin_event(c, 'B');
	add_time(c, time);
	add_name(c, frame);
	pfx_json_add_text(c->to, "cat",
			  of->dso == PFX_NO_ID ? "unknown" : c->profile->dsos[of->dso].short_name);
	pfx_str_addc(c->to, '}');
	pfx_vec_push(&c->open, ((struct slice){.frame = frame}));
}

static void close_slices(struct chrome *c, size_t keep, uint64_t time)
{
	const struct slice *slice;

	while (c->open.nr > keep) {
		slice = &c->open.at[--c->open.nr];
		begin_event(c, 'E');
		add_time(c, time);
		add_name(c, slice->frame);
		if (slice->samples)
			pfx_str_addf(c->to,
				     ",\"args\":{\"samples\":%" PRIu64 ",\"period\":%" PRIu64 "}",
				     slice->samples, slice->period);
		pfx_str_addc(c->to, '}');
	}
}

static void make_path(struct chrome *c, uint32_t row)
{
	const struct pfx_selection *selection = c->in->selection;
	uint32_t node = pfx_selection_node(selection, row);

	c->path.nr = 0;
	for (; node; node = selection->nodes.parent[node])
		pfx_vec_push(&c->path, selection->nodes.frame[node]);
}

static void add_sample(struct chrome *c, uint32_t row, uint64_t time)
{
	size_t same = 0;
	struct slice *leaf;

	make_path(c, row);
	while (same < c->open.nr && same < c->path.nr &&
	       c->open.at[same].frame == c->path.at[c->path.nr - 1 - same])
		same++;
	close_slices(c, same, time);
	for (; same < c->path.nr; same++)
		open_slice(c, c->path.at[c->path.nr - 1 - same], time);
	if (!c->open.nr)
		return;
	leaf = &c->open.at[c->open.nr - 1];
	leaf->samples++;
	leaf->period += c->profile->row_period[row];
}

static void name_thread(struct chrome *c, const struct pfx_profile_thread *thread, uint32_t column)
{
	const struct pfx_profile_process *process = &c->profile->processes[thread->process];
	const char *event = c->profile->events[c->in->selection->events[column]].name;
	char *name =
		c->several ? pfx_strfmt("%s (%s)", thread->comm, event) : pfx_strdup(thread->comm);

	begin_event(c, 'M');
	pfx_str_add(c->to, ",\"name\":\"process_name\",\"args\":{");
	pfx_json_add_text(c->to, "name", process->comm);
	pfx_str_add(c->to, "}}");
	begin_event(c, 'M');
	pfx_str_add(c->to, ",\"name\":\"thread_name\",\"args\":{");
	pfx_json_add_text(c->to, "name", name);
	pfx_str_add(c->to, "}}");
	free(name);
}

/* How long a sample lasts at most, in ns. */
static uint64_t lasts(const struct chrome *c, uint32_t column)
{
	uint64_t interval = pfx_export_interval(c->in, column);

	return interval ? 2 * interval : UINT64_MAX;
}

static void add_group(struct chrome *c, const struct pfx_export_group *group, const uint32_t *rows)
{
	const uint64_t *times = c->profile->row_time, most = lasts(c, group->column);
	uint64_t last = 0, time;
	uint32_t i;

	name_thread(c, &c->profile->threads[group->thread], group->column);
	for (i = 0; i < group->nr && !pfx_export_flush(c->out); i++) {
		time = times[rows[i]] > last ? times[rows[i]] : last;
		if (i && time - last > most)
			close_slices(c, 0, last + most);
		add_sample(c, rows[i], time);
		last = time;
	}
	close_slices(c, 0, most == UINT64_MAX ? last : last + most / 2);
}

static void add_groups(struct chrome *c)
{
	const struct pfx_profile_thread *thread;
	struct pfx_export_rows rows;
	uint32_t i;

	pfx_export_rows_make(&rows, c->in->selection);
	for (i = 0; i < rows.nr_groups && !pfx_export_flush(c->out); i++) {
		thread = &c->profile->threads[rows.groups[i].thread];
		c->pid = c->profile->processes[thread->process].pid;
		c->tid = i && rows.groups[i - 1].thread == rows.groups[i].thread ? OTHER_TIDS + i
										 : thread->tid;
		add_group(c, &rows.groups[i], rows.at + rows.groups[i].first);
	}
	pfx_export_rows_fini(&rows);
}

void pfx_export_chrome(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct chrome c = {
		.in = in,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
		.several = pfx_export_has_several(in->selection),
	};
	uint64_t wall;

	pfx_str_add(c.to, "{\"displayTimeUnit\":\"ns\"");
	if (pfx_export_wall_time(in->meta, c.profile->first_time, &wall))
		pfx_str_addf(c.to,
			     ",\"otherData\":{\"first_sample_ns\":\"%" PRIu64
			     "\",\"first_sample_wall_ns\":\"%" PRIu64 "\"}",
			     c.profile->first_time, wall);
	pfx_str_add(c.to, ",\"traceEvents\":[");
	add_groups(&c);
	pfx_str_add(c.to, "\n]}\n");
	pfx_vec_free(&c.open);
	pfx_vec_free(&c.path);
}

/* SPDX-License-Identifier: MIT */
/*
 * A line for each sample, as RFC 4180 has it: fields with commas, quotes or line breaks are quoted.
 * The function is the sampled one, as pfx report counts it; the stack is in one field, root first,
 * separated by semicolons.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "export/export_internal.h"
#include "out/folded_names.h"

struct csv {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to, field; /* to: out->text */
	PFX_VEC(uint32_t) path;
};

/* Spreadsheets take a text that begins with one of these characters for a formula. */
static void add_field(struct csv *csv, const struct pfx_str *field)
{
	const char *text = pfx_str_get(field);
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	pfx_str_addc(csv->to, ',');
	pfx_str_add(csv->to, quote);
	if (*text && strchr("=+-@", *text))
		pfx_str_addf(csv->to, "\\x%02x", (unsigned)*text++);
	for (; *text; text++) {
		if (*text == '"')
			pfx_str_addc(csv->to, '"');
		pfx_str_addc(csv->to, *text);
	}
	pfx_str_add(csv->to, quote);
}

/* An escaped name; NULL: an empty field. */
static void add_name(struct csv *csv, const char *name)
{
	pfx_str_clear(&csv->field);
	if (name)
		pfx_str_add_foreign(&csv->field, name);
	add_field(csv, &csv->field);
}

static void add_number(struct csv *csv, uint64_t number, bool is_known)
{
	pfx_str_addc(csv->to, ',');
	if (is_known)
		pfx_str_u64(csv->to, number, 0);
}

static void add_stack(struct csv *csv, uint32_t node)
{
	const struct pfx_nodes *nodes = &csv->in->selection->nodes;
	const struct pfx_profile *profile = csv->profile;
	size_t i;

	csv->path.nr = 0;
	for (; node; node = nodes->parent[node])
		pfx_vec_push(&csv->path, profile->frames[nodes->frame[node]].function);
	pfx_str_clear(&csv->field);
	for (i = csv->path.nr; i--;) {
		pfx_folded_add_name(&csv->field, profile->functions[csv->path.at[i]].name);
		if (i)
			pfx_str_addc(&csv->field, ';');
	}
	add_field(csv, &csv->field);
}

static void add_place(struct csv *csv, const struct pfx_profile_frame *frame)
{
	const struct pfx_profile *profile = csv->profile;
	bool has_dso = frame->dso != PFX_NO_ID;

	add_name(csv, has_dso ? profile->dsos[frame->dso].name : NULL);
	add_name(csv, profile->functions[frame->function].name);
	pfx_str_addf(csv->to, ",0x%" PRIx64, frame->address);
	add_name(csv, frame->file);
	add_number(csv, frame->line, frame->line);
}

static void add_row(struct csv *csv, uint32_t row)
{
	const struct pfx_selection *selection = csv->in->selection;
	const struct pfx_profile *profile = csv->profile;
	const struct pfx_profile_task *task = &profile->tasks[profile->row_task[row]];
	const struct pfx_profile_thread *thread = &profile->threads[task->thread];
	const struct pfx_profile_process *process = &profile->processes[thread->process];
	uint32_t stack = selection->stack_at[profile->row_stack[row]];
	uint32_t cpu = profile->cpus[profile->row_cpu[row]];
	uint64_t wall = 0;
	bool has_wall = pfx_export_wall_time(csv->in->meta, profile->row_time[row], &wall);

	pfx_profile_pass(profile, row);
	pfx_str_u64(csv->to, profile->row_time[row], 0);
	add_number(csv, wall, has_wall);
	add_name(csv, profile->events[profile->row_event[row]].name);
	add_number(csv, profile->row_period[row], true);
	add_number(csv, process->pid, true);
	add_number(csv, thread->tid, true);
	add_name(csv, process->comm);
	add_name(csv, profile->comms[task->comm]);
	add_number(csv, cpu, cpu != UINT32_MAX);
	add_place(csv, &profile->frames[selection->stack_own[stack]]);
	add_stack(csv, pfx_selection_node(selection, row));
	pfx_str_add(csv->to, "\r\n");
}

void pfx_export_csv(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct csv csv = {
		.in = in,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
	};
	uint32_t i;

	pfx_str_add(csv.to, "time_ns,wall_ns,event,period,pid,tid,process,thread,cpu,dso,function,"
			    "address,file,line,stack\r\n");
	for (i = 0; i < in->selection->nr_rows && !pfx_export_flush(out); i++)
		add_row(&csv, in->selection->rows[i]);
	pfx_str_fini(&csv.field);
	pfx_vec_free(&csv.path);
}

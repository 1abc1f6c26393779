/* SPDX-License-Identifier: MIT */
/*
 * One HTML page with the profile in it. The page is in lib/export/page; its data is a JSON object,
 * which page/columns.js and page/profile.js read: names as JSON, long columns of numbers as text in
 * base-64 digits. Names are untrusted: no character of the data can end its element. Large data is
 * packed with gzip, in base64.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ns.h"
#include "export/export_internal.h"
#include "export/output/pack_internal.h"
#include "export/page_bytes_internal.h"
#include "export/page_data_internal.h"
#include "export/samples/export_frames.h"
#include "out/json_parts.h"

#define PACK_ABOVE (1u << 20) /* bytes of JSON; smaller pages can be read without a browser */
#define MOST_NOTES 6
#define NS_PER_US  1000
#define NO_SYMBOL  3 /* kinds of functions, see page/profile.js */

/* --- what the recording is --- */

static void add_fact(struct pfx_page_data *h, uint32_t *nr, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	pfx_json_add_comma(h->to, (*nr)++);
	pfx_str_addc(h->to, '[');
	pfx_json_add_string(h->to, name);
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, value);
	pfx_str_addc(h->to, ']');
}

static void add_facts(struct pfx_page_data *h)
{
	const struct pfx_env *env = &h->in->meta->env;
	const struct pfx_profile *profile = h->profile;
	struct pfx_str text = {0};
	uint32_t nr = 0;

	pfx_page_begin(h, "facts", '[');
	pfx_export_add_words(&text, &env->cmdline, 0);
	add_fact(h, &nr, "Command", pfx_str_get(&text));
	add_fact(h, &nr, "Host", env->hostname);
	pfx_str_clear(&text);
	pfx_str_addf(&text, "%s %s", env->osrelease ? env->osrelease : "",
		     env->arch ? env->arch : "");
	add_fact(h, &nr, "System", env->osrelease ? pfx_str_get(&text) : NULL);
	add_fact(h, &nr, "CPU", env->cpudesc);
	pfx_str_clear(&text);
	pfx_str_addf(&text, "%.3f s",
		     (double)(profile->last_time - profile->first_time) / PFX_NS_PER_SECOND);
	add_fact(h, &nr, "Time", profile->row_time ? pfx_str_get(&text) : NULL);
	pfx_str_fini(&text);
	pfx_page_end(h, ']');
}

static void add_note(struct pfx_page_data *h, uint32_t *nr, const char *text, const char *mend)
{
	pfx_page_element(h, (*nr)++);
	pfx_json_add_text(h->to, "text", text);
	pfx_json_add_text(h->to, "mend", mend);
	pfx_page_end(h, '}');
}

/* Samples at addresses without a symbol, by dso; the caller frees it. */
static uint64_t *count_unnamed(const struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint64_t *counts = pfx_calloc(profile->nr_dsos + 1ul, sizeof(*counts));
	const struct pfx_profile_frame *frame;
	uint32_t i, row;

	for (i = 0; i < h->selection->nr_rows; i++) {
		row = h->selection->rows[i];
		frame = &profile->frames[profile->stack_own[profile->row_stack[row]]];
		if (!profile->functions[frame->function].is_named)
			counts[frame->dso == PFX_NO_ID ? profile->nr_dsos : frame->dso] +=
				pfx_profile_count(profile, row);
	}
	return counts;
}

static void add_unnamed(struct pfx_page_data *h, uint32_t *nr)
{
	uint64_t *counts = count_unnamed(h);
	const char *name;
	char *text;
	uint32_t i, most;

	while (*nr < MOST_NOTES) {
		for (most = 0, i = 1; i <= h->profile->nr_dsos; i++)
			if (counts[i] > counts[most])
				most = i;
		if (!counts[most])
			break;
		name = most < h->profile->nr_dsos ? h->profile->dsos[most].short_name
						  : "unknown code";
		text = pfx_strfmt(counts[most] == 1 ? "%llu sample in %s has no symbol"
						    : "%llu samples in %s have no symbol",
				  (unsigned long long)counts[most], name);
		add_note(h, nr, text,
			 "install its debug symbols, or export on the machine that has the binary");
		free(text);
		counts[most] = 0;
	}
	free(counts);
}

static bool has_chains(const struct pfx_page_data *h)
{
	uint32_t i;

	for (i = 0; i < h->profile->nr_stacks; i++)
		if (h->profile->nodes.parent[h->profile->stack_node[i]])
			return true;
	return false;
}

/* Nearly every recording has some such chains: fewer than 1 % are not worth a note. */
static void add_incomplete(struct pfx_page_data *h, uint32_t *nr)
{
	char *text;

	if (h->in->nr_chains_incomplete * 100 <= h->in->nr_chains)
		return;
	text = pfx_strfmt("%llu of %llu call chains do not reach the start of their thread",
			  (unsigned long long)h->in->nr_chains_incomplete,
			  (unsigned long long)h->in->nr_chains);
	add_note(h, nr, text,
		 "record with --call-graph dwarf, or build with -fno-omit-frame-pointer");
	free(text);
}

static void add_notes(struct pfx_page_data *h)
{
	uint32_t nr = 0;
	char *text;

	pfx_page_begin(h, "notes", '[');
	if (h->profile->nr_lost) {
		text = pfx_strfmt("%llu samples or records were lost while recording",
				  (unsigned long long)h->profile->nr_lost);
		add_note(h, &nr, text, "record with a larger buffer (-m) or a lower rate (-F)");
		free(text);
	}
	if (!has_chains(h))
		add_note(h, &nr, "there are no call chains: each stack is one function",
			 "record with -g or --call-graph dwarf");
	add_incomplete(h, &nr);
	add_unnamed(h, &nr);
	pfx_page_end(h, ']');
}

/* --- names --- */

static void add_events(struct pfx_page_data *h)
{
	const struct pfx_selection *selection = h->selection;
	uint32_t i;

	pfx_page_begin(h, "events", '[');
	for (i = 0; i < selection->nr_events; i++) {
		pfx_page_element(h, i);
		pfx_json_add_text(h->to, "name", h->profile->events[selection->events[i]].name);
		pfx_json_add_text(h->to, "unit", pfx_export_counts_ns(h->in, i) ? "ns" : "");
		pfx_json_add_number(h->to, "samples", selection->total_samples[i]);
		pfx_json_add_number(h->to, "period", selection->total_period[i]);
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
}

static void add_tasks(struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint32_t i;

	pfx_page_begin(h, "processes", '[');
	for (i = 0; i < profile->nr_processes; i++) {
		pfx_page_element(h, i);
		pfx_json_add_number(h->to, "pid", profile->processes[i].pid);
		pfx_json_add_text(h->to, "name", profile->processes[i].comm);
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
	pfx_page_begin(h, "threads", '[');
	for (i = 0; i < profile->nr_threads; i++) {
		pfx_page_element(h, i);
		pfx_json_add_number(h->to, "tid", profile->threads[i].tid);
		pfx_json_add_number(h->to, "process", profile->threads[i].process);
		pfx_json_add_text(h->to, "name", profile->threads[i].comm);
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
	pfx_page_begin(h, "tasks", '[');
	for (i = 0; i < profile->nr_tasks; i++) {
		pfx_page_element(h, i);
		pfx_json_add_number(h->to, "thread", profile->tasks[i].thread);
		pfx_json_add_text(h->to, "name", profile->comms[profile->tasks[i].comm]);
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
}

static void add_places(struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint32_t i;

	pfx_page_begin(h, "cpus", '[');
	for (i = 0; i < profile->nr_cpus; i++) {
		pfx_json_add_comma(h->to, i);
		pfx_str_addf(h->to, "%d", (int)profile->cpus[i]);
	}
	pfx_page_end(h, ']');
	pfx_page_begin(h, "libraries", '[');
	for (i = 0; i < profile->nr_dsos; i++) {
		pfx_page_element(h, i);
		pfx_json_add_text(h->to, "name", profile->dsos[i].short_name);
		pfx_json_add_text(h->to, "path", profile->dsos[i].name);
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
}

static unsigned kind_of(const struct pfx_page_data *h, const struct pfx_profile_function *function)
{
	enum { USER, KERNEL, JIT, INLINED = NO_SYMBOL + 1 };

	if (function->level == 'k' || function->level == 'g')
		return KERNEL;
	if (function->is_inlined)
		return INLINED;
	if (!function->is_named)
		return NO_SYMBOL;
	return function->dso != PFX_NO_ID && pfx_export_is_jit(&h->profile->dsos[function->dso])
		       ? JIT
		       : USER;
}

/* Texts of functions: their names, then the files that they are in. */
static uint32_t *add_strings(struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint32_t *files = pfx_calloc(profile->nr_functions + 1ul, sizeof(*files));
	struct pfx_intern seen = {0};
	uint32_t i, nr;

	pfx_page_begin(h, "strings", '[');
	pfx_json_add_string(h->to, "");
	for (i = 0; i < profile->nr_functions; i++) {
		pfx_str_addc(h->to, ',');
		pfx_json_add_string(h->to, profile->functions[i].name);
	}
	for (i = 0; i < profile->nr_functions; i++) {
		if (!profile->functions[i].file)
			continue;
		nr = seen.nr;
		files[i] = profile->nr_functions + 1 +
			   pfx_intern_str(&seen, profile->functions[i].file);
		if (seen.nr == nr)
			continue;
		pfx_str_addc(h->to, ',');
		pfx_json_add_string(h->to, profile->functions[i].file);
	}
	pfx_page_end(h, ']');
	pfx_intern_fini(&seen);
	return files;
}

static void add_functions(struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint32_t *files = add_strings(h), i;

	pfx_page_begin(h, "functions", '{');
	pfx_json_add_number(h->to, "count", profile->nr_functions);
	for (i = 0; i < profile->nr_functions; i++)
		pfx_vec_push(&h->column, i + 1);
	pfx_page_column(h, "name");
	for (i = 0; i < profile->nr_functions; i++)
		pfx_vec_push(&h->column, (uint32_t)(profile->functions[i].dso + 1));
	pfx_page_column(h, "library");
	for (i = 0; i < profile->nr_functions; i++)
		pfx_vec_push(&h->column, kind_of(h, &profile->functions[i]));
	pfx_page_column(h, "kind");
	for (i = 0; i < profile->nr_functions; i++)
		pfx_vec_push(&h->column, files[i]);
	pfx_page_column(h, "file");
	for (i = 0; i < profile->nr_functions; i++)
		pfx_vec_push(&h->column, profile->functions[i].line);
	pfx_page_column(h, "line");
	pfx_page_end(h, '}');
	free(files);
}

/* --- stacks and samples --- */

static void add_nodes(struct pfx_page_data *h)
{
	const struct pfx_nodes *nodes = &h->selection->nodes;
	uint32_t *depths = pfx_calloc(nodes->nr + 1ul, sizeof(*depths)), i;

	pfx_page_begin(h, "frames", '{');
	pfx_json_add_number(h->to, "count", h->profile->nr_frames);
	for (i = 0; i < h->profile->nr_frames; i++)
		pfx_vec_push(&h->column, h->profile->frames[i].function);
	pfx_page_column(h, "function");
	pfx_page_end(h, '}');
	pfx_page_begin(h, "nodes", '{');
	pfx_json_add_number(h->to, "count", nodes->nr);
	for (i = 0; i < nodes->nr; i++) {
		depths[i] = i ? depths[nodes->parent[i]] + 1 : 0;
		pfx_vec_push(&h->column, i ? depths[i - 1] + 1 - depths[i] : 0);
	}
	pfx_page_column(h, "up");
	for (i = 0; i < nodes->nr; i++)
		pfx_vec_push(&h->column, i ? nodes->frame[i] : 0);
	pfx_page_column(h, "frame");
	pfx_page_end(h, '}');
	free(depths);
}

/* Levels of the stacks of the selection, which the profile has; the caller frees it. */
static uint8_t *kernel_stacks(const struct pfx_page_data *h)
{
	const struct pfx_profile *profile = h->profile;
	uint8_t *kernel = pfx_calloc(h->selection->nr_stacks + 1ul, 1);
	uint32_t i, at;

	for (i = 0; i < profile->nr_stacks; i++) {
		at = h->selection->stack_at[i];
		if (at != PFX_NO_ID)
			kernel[at] =
				profile->stack_level[i] == 'k' || profile->stack_level[i] == 'g';
	}
	return kernel;
}

static void add_stacks(struct pfx_page_data *h)
{
	const struct pfx_selection *selection = h->selection;
	uint8_t *kernel = kernel_stacks(h);
	uint32_t i;

	pfx_page_begin(h, "stacks", '{');
	pfx_json_add_number(h->to, "count", selection->nr_stacks);
	for (i = 0; i < selection->nr_stacks; i++)
		pfx_vec_push(&h->column, selection->stack_node[i]);
	pfx_page_column(h, "node");
	for (i = 0; i < selection->nr_stacks; i++)
		pfx_vec_push(&h->column,
			     1ul + h->profile->frames[selection->stack_own[i]].function);
	pfx_page_column(h, "own");
	for (i = 0; i < selection->nr_stacks; i++)
		pfx_vec_push(&h->column, kernel[i]);
	pfx_page_column(h, "kernel");
	pfx_page_end(h, '}');
	free(kernel);
}

/* Whole microseconds, so that a range of time has the same samples in the page as in pfx. */
static void add_times(struct pfx_page_data *h)
{
	uint64_t last = h->profile->first_time / NS_PER_US, now;
	uint32_t i;

	for (i = 0; i < h->selection->nr_rows; i++) {
		now = h->profile->row_time[h->selection->rows[i]] / NS_PER_US;
		pfx_vec_push(&h->column, now > last ? now - last : 0);
		last = now > last ? now : last;
	}
	pfx_page_column(h, "time");
}

static void add_ids(struct pfx_page_data *h, const char *name, const uint32_t *ids,
		    const uint32_t *mapped)
{
	uint32_t i, id;

	for (i = 0; i < h->selection->nr_rows; i++) {
		id = ids[h->selection->rows[i]];
		pfx_vec_push(&h->column, mapped ? mapped[id] : id);
	}
	pfx_page_column(h, name);
}

static void add_samples(struct pfx_page_data *h)
{
	const struct pfx_selection *selection = h->selection;
	const struct pfx_profile *profile = h->profile;
	uint32_t i;

	pfx_page_begin(h, "samples", '{');
	pfx_json_add_number(h->to, "count", selection->nr_rows);
	if (profile->row_time)
		add_times(h);
	for (i = 0; i < selection->nr_rows; i++)
		pfx_vec_push(
			&h->column,
			pfx_selection_column(selection, profile->row_event[selection->rows[i]]));
	pfx_page_column(h, "event");
	add_ids(h, "task", profile->row_task, NULL);
	add_ids(h, "cpu", profile->row_cpu, NULL);
	add_ids(h, "stack", profile->row_stack, selection->stack_at);
	for (i = 0; i < selection->nr_rows; i++)
		pfx_vec_push(&h->column, pfx_profile_count(profile, selection->rows[i]));
	pfx_page_column(h, "times");
	for (i = 0; i < selection->nr_rows; i++)
		pfx_vec_push(&h->column, profile->row_period[selection->rows[i]]);
	pfx_page_column(h, "period");
	pfx_page_end(h, '}');
}

/* --- the page --- */

static void add_title(struct pfx_page_data *h)
{
	struct pfx_str text = {0};

	pfx_export_add_title(h->in->meta, &text);
	pfx_json_add_text(h->to, "title", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* What a reader should know before handing the page on. */
static void add_holds(struct pfx_page_data *h)
{
	pfx_page_begin(h, "holds", '[');
	pfx_json_add_string(h->to, "the command line");
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, "names of the host, of programs, threads and functions");
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, h->in->costs ? "paths of binaries and source files"
						: "paths of binaries");
	if (h->in->costs)
		pfx_str_add(h->to, ",\"instructions of the functions with the highest cost\"");
	if (h->in->sources)
		pfx_str_add(h->to, ",\"the text of their source lines\"");
	pfx_page_end(h, ']');
}

static void add_data(struct pfx_page_data *h)
{
	pfx_str_addc(h->to, '{');
	pfx_json_add_text(h->to, "schema", "pfx.page/1");
	add_title(h);
	add_facts(h);
	add_notes(h);
	add_holds(h);
	pfx_str_addf(h->to, ",\"timed\":%s", h->profile->row_time ? "true" : "false");
	add_events(h);
	add_tasks(h);
	add_places(h);
	add_functions(h);
	add_nodes(h);
	add_stacks(h);
	add_samples(h);
	pfx_page_add_code(h);
	pfx_str_addc(h->to, '}');
}

/* In JSON, < occurs in texts only; written as \u003c it cannot begin the tag that ends the element.
 */
static void add_json(struct pfx_export_output *out, const struct pfx_str *json)
{
	const char *at = json->at, *last = json->at + json->len, *next;

	while ((next = memchr(at, '<', (size_t)(last - at)))) {
		pfx_str_addn(&out->text, at, (size_t)(next - at));
		pfx_str_add(&out->text, "\\u003c");
		at = next + 1;
	}
	pfx_str_addn(&out->text, at, (size_t)(last - at));
}

static void add_base64(struct pfx_export_output *out, const struct pfx_str *bytes)
{
	const unsigned char *at = (const unsigned char *)bytes->at;
	size_t i, j, nr;
	uint32_t word;

	for (i = 0; i < bytes->len && !pfx_export_flush(out); i += 3) {
		nr = bytes->len - i < 3 ? bytes->len - i : 3;
		for (word = 0, j = 0; j < 3; j++)
			word = word << 8 | (j < nr ? at[i + j] : 0);
		for (j = 0; j < 4; j++)
			pfx_str_addc(&out->text,
				     j <= nr ? pfx_page_digits[word >> (18 - 6 * j) & 63] : '=');
	}
}

static void write_data(struct pfx_export_output *out, const struct pfx_str *json)
{
	struct pfx_export_pack *pack = json->len > PACK_ABOVE ? pfx_export_pack_new() : NULL;
	struct pfx_str packed = {0};

	if (pack) {
		pfx_export_pack_add(pack, json, true, &packed);
		pfx_str_add(&out->text, " data-packed=\"gzip\">");
		add_base64(out, &packed);
	} else {
		pfx_str_addc(&out->text, '>');
		add_json(out, json);
	}
	pfx_export_pack_free(pack);
	pfx_str_fini(&packed);
}

void pfx_export_html(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_str json = {0};
	struct pfx_page_data h = {.in = in,
				  .selection = in->selection,
				  .profile = in->selection->profile,
				  .to = &json};

	add_data(&h);
	pfx_str_addn(&out->text, (const char *)pfx_page_before, pfx_page_before_size);
	write_data(out, &json);
	pfx_str_addn(&out->text, (const char *)pfx_page_after, pfx_page_after_size);
	pfx_vec_free(&h.column);
	pfx_str_fini(&json);
}

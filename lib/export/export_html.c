/* SPDX-License-Identifier: MIT */
/*
 * One HTML page with the profile in it. The page is in lib/export/page; its data is a JSON object,
 * which page/columns.js and page/profile.js read: names as JSON, long columns of numbers as text in
 * base-64 digits. Names are untrusted: no character of the data can end its element. Large data is
 * packed with gzip, in base64.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "export/export_internal.h"
#include "export/export_pair.h"
#include "export/output/pack_internal.h"
#include "export/page_bytes_internal.h"
#include "export/page_data_internal.h"
#include "export/samples/export_frames.h"
#include "out/json_parts.h"
#include "view/read_profile.h"

#define PACK_PIECE ((size_t)1 << 20)
#define PACK_ABOVE (1u << 20) /* bytes of JSON; smaller pages can be read without a browser */
#define NS_PER_US  1000
#define NO_SYMBOL  3 /* kinds of functions, see page/profile.js */

/* --- names --- */

static const struct pfx_event *event_of(const struct pfx_page_data *h, uint32_t event)
{
	return event < h->nr_new_events ? h->in->meta->events[event]
					: h->in->old->meta->events[event - h->nr_new_events];
}

/* A column of events that an event is shown beside; PFX_NO_ID: none. */
static uint32_t other_column(const struct pfx_page_data *h, uint32_t event)
{
	uint32_t i;

	if (h->joined)
		return event < h->nr_new_events && h->joined->old_of[event] != PFX_NO_ID
			       ? pfx_selection_column(h->selection, h->joined->old_of[event])
			       : PFX_NO_ID;
	if (pfx_export_is_offcpu(event_of(h, event)) ||
	    !pfx_export_event_counts_ns(event_of(h, event)))
		return PFX_NO_ID;
	for (i = 0; i < h->selection->nr_events; i++)
		if (pfx_export_is_offcpu(event_of(h, h->selection->events[i])))
			return i;
	return PFX_NO_ID;
}

static void add_events(struct pfx_page_data *h)
{
	const struct pfx_selection *selection = h->selection;
	uint32_t i, event, other;

	pfx_page_begin(h, "events", '[');
	for (i = 0; i < selection->nr_events; i++) {
		event = selection->events[i];
		other = other_column(h, event);
		pfx_page_element(h, i);
		pfx_json_add_text(h->to, "name", h->profile->events[event].name);
		pfx_json_add_text(h->to, "unit",
				  pfx_export_event_counts_ns(event_of(h, event)) ? "ns" : "");
		pfx_json_add_number(h->to, "samples", selection->total_samples[i]);
		pfx_json_add_number(h->to, "period", selection->total_period[i]);
		if (other != PFX_NO_ID)
			pfx_json_add_number(h->to, "other", other);
		if (event >= h->nr_new_events)
			pfx_json_add_text(h->to, "role", "old");
		else if (pfx_export_is_offcpu(event_of(h, event)))
			pfx_json_add_text(h->to, "role", "off");
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
	enum { USER, KERNEL, JIT, INLINED = NO_SYMBOL + 1, BROKEN };

	if (function->level == 'k' || function->level == 'g')
		return KERNEL;
	if (function->is_inlined)
		return INLINED;
	if (!function->is_named)
		return strcmp(function->name, PFX_BROKEN_CHAIN) == 0 ? BROKEN : NO_SYMBOL;
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

/* What the samples of a stack add up to, by event: the first picture needs nothing else. */
static void add_sums(struct pfx_page_data *h)
{
	static const struct {
		const char *name;
		enum pfx_measure measure;
	} columns[] = {{"period", PFX_MEASURE_PERIOD}, {"times", PFX_MEASURE_SAMPLES}};
	const uint64_t *weights;
	uint32_t event, i;
	size_t k;

	pfx_page_begin(h, "sums", '[');
	for (event = 0; event < h->selection->nr_events; event++) {
		pfx_page_element(h, event);
		for (k = 0; k < sizeof(columns) / sizeof(*columns); k++) {
			weights = pfx_selection_weights(h->selection, event, columns[k].measure);
			for (i = 0; i < h->selection->nr_stacks; i++)
				pfx_vec_push(&h->column, weights[i]);
			pfx_page_column(h, columns[k].name);
		}
		pfx_page_end(h, '}');
	}
	pfx_page_end(h, ']');
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
	add_sums(h);
	pfx_page_end(h, '}');
	free(kernel);
}

/* Whole microseconds after the row before, so that a range of time has the same samples in the page
 * as in pfx. */
static uint64_t time_of_row(struct pfx_page_data *h, uint32_t row)
{
	uint64_t now = h->profile->row_time[row] / NS_PER_US, before;

	if (row == h->selection->rows[0])
		h->last_us = h->profile->first_time / NS_PER_US;
	before = h->last_us;
	if (now <= before)
		return 0;
	h->last_us = now;
	return now - before;
}

static uint64_t event_of_row(struct pfx_page_data *h, uint32_t row)
{
	return pfx_selection_column(h->selection, h->profile->row_event[row]);
}

static uint64_t task_of_row(struct pfx_page_data *h, uint32_t row)
{
	return h->profile->row_task[row];
}

static uint64_t cpu_of_row(struct pfx_page_data *h, uint32_t row)
{
	return h->profile->row_cpu[row];
}

static uint64_t stack_of_row(struct pfx_page_data *h, uint32_t row)
{
	return h->selection->stack_at[h->profile->row_stack[row]];
}

static uint64_t count_of_row(struct pfx_page_data *h, uint32_t row)
{
	return pfx_profile_count(h->profile, row);
}

static uint64_t period_of_row(struct pfx_page_data *h, uint32_t row)
{
	return h->profile->row_period[row];
}

static void add_samples(struct pfx_page_data *h)
{
	pfx_page_begin(h, "samples", '{');
	pfx_json_add_number(h->to, "count", h->selection->nr_rows);
	if (h->profile->row_time)
		pfx_page_row_column(h, "time", time_of_row);
	pfx_page_row_column(h, "event", event_of_row);
	pfx_page_row_column(h, "task", task_of_row);
	pfx_page_row_column(h, "cpu", cpu_of_row);
	pfx_page_row_column(h, "stack", stack_of_row);
	pfx_page_row_column(h, "times", count_of_row);
	pfx_page_row_column(h, "period", period_of_row);
	pfx_page_end(h, '}');
}

/* --- the page --- */

/* What a reader should know before handing the page on; last, when it is known. */
static void add_holds(struct pfx_page_data *h)
{
	pfx_page_begin(h, "holds", '[');
	if (h->in->is_redacted) {
		pfx_json_add_string(h->to, "names of functions and events");
		pfx_str_addc(h->to, ',');
		pfx_json_add_string(h->to,
				    "words instead of names of hosts, commands, binaries and "
				    "folders");
		pfx_page_end(h, ']');
		return;
	}
	pfx_json_add_string(h->to, "the command line");
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, "names of the host, of programs, threads and functions");
	pfx_str_addc(h->to, ',');
	pfx_json_add_string(h->to, h->in->costs ? "paths of binaries and source files"
						: "paths of binaries");
	if (h->has_code)
		pfx_str_add(h->to, ",\"instructions of the functions with the highest cost\"");
	if (h->has_code && h->in->sources)
		pfx_str_add(h->to, ",\"the text of their source lines\"");
	if (h->has_tables)
		pfx_str_add(h->to, ",\"names and addresses of data, or of branches\"");
	pfx_page_end(h, ']');
}

static void add_data(struct pfx_page_data *h)
{
	pfx_str_addc(h->to, '{');
	pfx_json_add_text(h->to, "schema", "pfx.page/1");
	pfx_page_add_about(h);
	pfx_str_addf(h->to, ",\"timed\":%s", h->profile->row_time ? "true" : "false");
	add_events(h);
	add_tasks(h);
	add_places(h);
	add_functions(h);
	add_nodes(h);
	add_stacks(h);
	add_samples(h);
	pfx_page_add_code(h);
	pfx_page_add_tables(h);
	add_holds(h);
	if (h->noise)
		pfx_page_add_noise(h);
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

/* As many whole groups of three bytes as there are, or all. What is left stays. */
static void add_base64(struct pfx_export_output *out, struct pfx_str *bytes, bool is_last)
{
	const unsigned char *at = (const unsigned char *)bytes->at;
	size_t end = is_last ? bytes->len : bytes->len / 3 * 3, i, j, nr;
	uint32_t word;

	for (i = 0; i < end && !pfx_export_flush(out); i += 3) {
		nr = end - i < 3 ? end - i : 3;
		for (word = 0, j = 0; j < 3; j++)
			word = word << 8 | (j < nr ? at[i + j] : 0);
		for (j = 0; j < 4; j++)
			pfx_str_addc(&out->text,
				     j <= nr ? pfx_page_digits[word >> (18 - 6 * j) & 63] : '=');
	}
	nr = bytes->len - end;
	if (nr)
		memmove(bytes->at, bytes->at + end, nr);
	bytes->len = nr;
}

/* Data that will be large has its columns as bytes: pages/columns.js. */
static bool will_be_large(const struct pfx_page_data *h)
{
	return h->selection->nr_rows * 8ull + h->selection->nodes.nr * 4ull > PACK_ABOVE;
}

struct packing {
	struct pfx_export_output *out;
	struct pfx_export_pack *pack;
	struct pfx_str packed; /* what is not written yet */
};

/* A piece at a time, so that little is in memory. */
static void pack_bytes(struct packing *packing, const char *at, size_t nr)
{
	struct pfx_str piece;
	size_t len;

	for (; nr; at += len, nr -= len) {
		len = nr < PACK_PIECE ? nr : PACK_PIECE;
		piece = (struct pfx_str){.at = (char *)at, .len = len};
		pfx_export_pack_add(packing->pack, &piece, false, &packing->packed);
		add_base64(packing->out, &packing->packed, false);
	}
}

static void pack_data(struct packing *packing, const struct pfx_page_data *h)
{
	static const struct pfx_str none;
	size_t at, len;
	char length[4];
	unsigned i;

	for (i = 0; i < 4; i++)
		length[i] = (char)(h->to->len >> (8 * i));
	pack_bytes(packing, length, sizeof(length));
	pack_bytes(packing, h->to->at, h->to->len);
	for (at = 0; at < h->nr_bytes; at += len) {
		len = h->nr_bytes - at < PACK_PIECE ? h->nr_bytes - at : PACK_PIECE;
		pack_bytes(packing, (const char *)h->bytes.at + at, len);
		pfx_paged_drop(&h->bytes);
	}
	pfx_export_pack_add(packing->pack, &none, true, &packing->packed);
	add_base64(packing->out, &packing->packed, true);
}

static void write_data(struct pfx_export_output *out, struct pfx_export_pack *pack,
		       const struct pfx_page_data *h)
{
	struct packing packing = {.out = out, .pack = pack};

	if (pack) {
		pfx_str_add(&out->text, " data-packed=\"gzip\">");
		pack_data(&packing, h);
	} else {
		pfx_str_addc(&out->text, '>');
		add_json(out, h->to);
	}
	pfx_export_pack_free(pack);
	pfx_str_fini(&packing.packed);
}

static void write_page(struct pfx_page_data *h, struct pfx_export_output *out)
{
	struct pfx_export_pack *pack = will_be_large(h) ? pfx_export_pack_new() : NULL;
	struct pfx_str json = {0};

	h->to = &json;
	h->is_packed = pack != NULL;
	add_data(h);
	if (!pack && json.len > PACK_ABOVE)
		pack = pfx_export_pack_new();
	pfx_str_addn(&out->text, (const char *)pfx_page_before, pfx_page_before_size);
	write_data(out, pack, h);
	pfx_str_addn(&out->text, (const char *)pfx_page_after, pfx_page_after_size);
	pfx_vec_free(&h->column);
	pfx_paged_free(&h->bytes);
	pfx_str_fini(&json);
}

static void export_both(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_export_pair pair;
	struct pfx_error err = {0};
	int rc = pfx_export_pair_make(&pair, in, &err);
	struct pfx_page_data h = {.in = in,
				  .selection = &pair.selection,
				  .joined = &pair.joined,
				  .profile = pair.joined.profile,
				  .nr_new_events = pair.joined.nr_new_events};

	if (rc) {
		pfx_export_fail(out, rc, &err);
	} else {
		h.noise = pfx_export_pair_noise(&pair, in, false);
		write_page(&h, out);
		pfx_pair_noise_free(h.noise);
	}
	pfx_export_pair_fini(&pair);
}

void pfx_export_html(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_page_data h = {.in = in,
				  .selection = in->selection,
				  .profile = in->selection->profile,
				  .nr_new_events = in->selection->profile->nr_events};

	if (in->old)
		export_both(in, out);
	else
		write_page(&h, out);
}

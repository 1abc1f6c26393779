/* SPDX-License-Identifier: MIT */
/*
 * The model of lib/code, member by member. Costs are arrays with an element for each event, in the
 * order of the recording; addresses are strings, since JSON numbers lose digits.
 */
#include "out/code/code_json.h"

#include <inttypes.h>
#include <string.h>

#include "base/bisect.h"
#include "event/mem_text.h"
#include "out/code/code_json_internal.h"

void pfx_code_json_text(struct pfx_str *to, const char *key, const char *text, size_t len)
{
	pfx_str_addf(to, "\"%s\": \"", key);
	pfx_str_add_json(to, text, len);
	pfx_str_addc(to, '"');
}

static void add_cost(struct pfx_str *to, const struct pfx_cost *cost)
{
	pfx_str_addf(to, "{\"period\": %" PRIu64 ", \"samples\": %" PRIu64 "}", cost->period,
		     cost->nr_samples);
}

void pfx_code_json_costs(struct pfx_str *to, const char *key, const struct pfx_cost *costs,
			 uint32_t nr)
{
	uint32_t i;

	pfx_str_addf(to, "\"%s\": [", key);
	for (i = 0; i < nr; i++) {
		pfx_str_add(to, i ? ", " : "");
		add_cost(to, &costs[i]);
	}
	pfx_str_addc(to, ']');
}

void pfx_code_json_cost_list(struct pfx_str *to, const char *key, const struct pfx_cost_list *list,
			     uint32_t nr_events)
{
	const struct pfx_cost none = {0};
	uint32_t i, at = 0;

	pfx_str_addf(to, "\"%s\": [", key);
	for (i = 0; i < nr_events; i++) {
		pfx_str_add(to, i ? ", " : "");
		if (at < list->nr && list->at[at].event == i)
			add_cost(to, &list->at[at++].cost);
		else
			add_cost(to, &none);
	}
	pfx_str_addc(to, ']');
}

bool pfx_code_json_is_free(const struct pfx_cost *costs, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (costs[i].nr_samples)
			return false;
	return true;
}

void pfx_code_json_events(struct pfx_str *to, const struct pfx_meta *meta,
			  const struct pfx_cost *wholes)
{
	uint32_t i;

	pfx_str_add(to, "\"events\": [");
	for (i = 0; i < meta->nr_events; i++) {
		pfx_str_add(to, i ? ",\n\t{" : "\n\t{");
		pfx_code_json_text(to, "name", meta->events[i]->name,
				   strlen(meta->events[i]->name));
		pfx_str_add(to, ", \"total\": ");
		add_cost(to, &wholes[i]);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

void pfx_code_json_begin(struct pfx_code_json *json, const struct pfx_meta *meta,
			 const struct pfx_cost *wholes, struct pfx_str *to)
{
	*json = (struct pfx_code_json){0};
	pfx_str_add(to, "{\n\"schema\": \"" PFX_ANNOTATE_SCHEMA "\",\n");
	pfx_code_json_events(to, meta, wholes);
	pfx_str_add(to, ",\n\"functions\": [");
}

static void add_speed(struct pfx_str *to, const struct pfx_code_speed *speed)
{
	if (speed->ipc > 0)
		pfx_str_addf(to, ", \"ipc\": %.4f", (double)speed->ipc);
	if (speed->cycles)
		pfx_str_addf(to, ", \"cycles\": %" PRIu64, speed->cycles);
}

static const char *const weight_keys[PFX_NR_WEIGHT_PARTS] = {"weight", "ins_lat", "p_stage_cyc"};

static bool has_weights(const struct pfx_code *code, uint32_t i)
{
	uint32_t event;

	for (event = 0; code->weights && event < code->nr_events; event++)
		if (pfx_code_weights(code, i, event)->nr_samples)
			return true;
	return false;
}

static void add_weights(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	const struct pfx_weights *weights;
	uint32_t event;
	unsigned k;

	pfx_str_add(to, ", \"weights\": [");
	for (event = 0; event < code->nr_events; event++) {
		weights = pfx_code_weights(code, i, event);
		pfx_str_addf(to, "%s{\"samples\": %" PRIu64, event ? ", " : "",
			     weights->nr_samples);
		for (k = 0; weights->nr_samples && k < code->nr_weight_parts; k++)
			pfx_str_addf(to, ", \"%s\": {\"sum\": %" PRIu64 ", \"mean\": %.4f}",
				     weight_keys[k], weights->sums[k],
				     pfx_weights_mean(weights, k));
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

static void add_data(struct pfx_str *to, const struct pfx_data *data)
{
	const char *name = pfx_data_name(data);

	pfx_str_add(to, ", \"data_type\": {");
	pfx_code_json_text(to, "type", name, strlen(name));
	if (data->kind == PFX_DATA_TYPE) {
		pfx_str_addf(to, ", \"offset\": %" PRIu64 ", ", data->offset);
		pfx_code_json_text(to, "member", data->member, strlen(data->member));
	}
	pfx_str_addc(to, '}');
}

static void add_access(struct pfx_str *to, const struct pfx_memory_count *count,
		       struct pfx_str *text)
{
	pfx_str_addf(to, "{\"event\": %" PRIu32 ", ", count->event);
	pfx_str_clear(text);
	pfx_mem_op_text(count->data_src, text);
	pfx_code_json_text(to, "access", text->at, text->len);
	pfx_str_add(to, ", ");
	pfx_str_clear(text);
	pfx_mem_level_text(count->data_src, text);
	pfx_code_json_text(to, "level", text->at, text->len);
	pfx_str_addf(to, ", \"samples\": %" PRIu64 ", \"weight\": %" PRIu64 "}", count->nr_samples,
		     count->weight);
}

static void add_memory(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	uint32_t first = (uint32_t)pfx_bisect(k, code->nr_memory, code->memory[k].insn < i), at;
	struct pfx_str text = {0};

	for (at = first; at < code->nr_memory && code->memory[at].insn == i; at++) {
		pfx_str_add(to, at == first ? ", \"memory\": [" : ", ");
		add_access(to, &code->memory[at].count, &text);
	}
	if (at > first)
		pfx_str_addc(to, ']');
	pfx_str_fini(&text);
}

static void add_insn(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	static const char *const flows[] = {"", "branch", "jump", "call", "return"};
	const struct pfx_code_insn *insn = &code->insns[i];
	const struct pfx_cost *costs = pfx_code_cost(code, i, 0);
	unsigned k;

	pfx_str_addf(to, "{\"address\": \"0x%" PRIx64 "\", \"bytes\": \"", insn->addr);
	for (k = 0; k < insn->len; k++)
		pfx_str_hex0(to, insn->bytes[k], 2);
	pfx_str_add(to, "\", ");
	pfx_code_json_text(to, "text", insn->text, strlen(insn->text));
	if (insn->is_bytes)
		pfx_str_add(to, ", \"unknown\": true");
	if (insn->is_unlinked)
		pfx_str_add(to, ", \"unlinked\": true");
	if (insn->flow)
		pfx_str_addf(to, ", \"flow\": \"%s\"", flows[insn->flow]);
	if (insn->has_target)
		pfx_str_addf(to, ", \"%s\": \"0x%" PRIx64 "\"", insn->is_data ? "data" : "target",
			     insn->target);
	if (insn->name) {
		pfx_str_add(to, ", ");
		pfx_code_json_text(to, "name", insn->name, strlen(insn->name));
		pfx_str_addf(to, ", \"offset\": %" PRIu64, insn->name_offset);
	}
	if (insn->string) {
		pfx_str_add(to, ", ");
		pfx_code_json_text(to, "string", insn->string, strlen(insn->string));
	}
	if (insn->value) {
		pfx_str_add(to, ", ");
		pfx_code_json_text(to, "value", insn->value, strlen(insn->value));
	}
	if (insn->target_insn != PFX_CODE_NONE)
		pfx_str_addf(to, ", \"to\": %" PRIu32, insn->target_insn);
	if (insn->line != PFX_CODE_NONE)
		pfx_str_addf(to, ", \"line\": %" PRIu32, insn->line);
	if (insn->inlined != PFX_CODE_NONE)
		pfx_str_addf(to, ", \"inlined\": %" PRIu32, insn->inlined);
	if (!pfx_code_json_is_free(costs, code->nr_events)) {
		pfx_str_add(to, ", ");
		pfx_code_json_costs(to, "costs", costs, code->nr_events);
	}
	if (code->data && code->data[i].kind != PFX_DATA_UNKNOWN)
		add_data(to, &code->data[i]);
	if (has_weights(code, i))
		add_weights(to, code, i);
	add_memory(to, code, i);
	if (code->speeds)
		add_speed(to, &code->speeds[i]);
	pfx_str_addc(to, '}');
}

static void add_block(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	const struct pfx_code_block *block = &code->blocks[i];

	pfx_str_addf(to, "{\"first\": %" PRIu32 ", \"last\": %" PRIu32, block->first, block->last);
	if (!pfx_code_json_is_free(block->costs, code->nr_events)) {
		pfx_str_add(to, ", ");
		pfx_code_json_costs(to, "costs", block->costs, code->nr_events);
	}
	if (block->executions)
		pfx_str_addf(to, ", \"executions\": %" PRIu64, block->executions);
	if (block->ipc > 0)
		pfx_str_addf(to, ", \"cycles\": %" PRIu64 ", \"ipc\": %.4f", block->cycles,
			     block->ipc);
	pfx_str_addc(to, '}');
}

static void add_line(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	const struct pfx_code_line *line = &code->lines[i];

	pfx_str_addc(to, '{');
	pfx_code_json_text(to, "file", line->file, strlen(line->file));
	pfx_str_addf(to, ", \"line\": %" PRIu32, line->line);
	if (line->text) {
		pfx_str_add(to, ", ");
		pfx_code_json_text(to, "text", line->text, line->len);
	}
	if (!pfx_code_json_is_free(line->inclusive, code->nr_events)) {
		pfx_str_add(to, ", ");
		pfx_code_json_costs(to, "self", line->self, code->nr_events);
		pfx_str_add(to, ", ");
		pfx_code_json_costs(to, "inclusive", line->inclusive, code->nr_events);
	}
	pfx_str_addc(to, '}');
}

static void add_inlined(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	const struct pfx_code_inlined *inlined = &code->inlined[i];

	pfx_str_addc(to, '{');
	pfx_code_json_text(to, "name", inlined->name, strlen(inlined->name));
	pfx_str_addf(to, ", \"first\": %" PRIu32 ", \"last\": %" PRIu32, inlined->first,
		     inlined->last);
	if (inlined->parent != PFX_CODE_NONE)
		pfx_str_addf(to, ", \"parent\": %" PRIu32, inlined->parent);
	if (inlined->call_line != PFX_CODE_NONE)
		pfx_str_addf(to, ", \"line\": %" PRIu32, inlined->call_line);
	pfx_str_addc(to, '}');
}

static void add_jump(struct pfx_str *to, const struct pfx_code *code, uint32_t i)
{
	pfx_str_addf(to, "{\"from\": %" PRIu32 ", \"to\": %" PRIu32 ", \"lane\": %" PRIu32 "}",
		     code->jumps[i].from, code->jumps[i].to, code->jumps[i].lane);
}

typedef void (*add_element_fn)(struct pfx_str *to, const struct pfx_code *code, uint32_t i);

/* An array of the function's members. */
struct array {
	const char *key;
	uint32_t nr;
	add_element_fn add;
};

static int add_array(const struct pfx_code_output *output, const struct pfx_code *code,
		     const struct array *array)
{
	struct pfx_str *to = output->text;
	uint32_t i;
	int rc = 0;

	pfx_str_addf(to, ",\n\t\"%s\": [", array->key);
	for (i = 0; i < array->nr && !rc; i++) {
		pfx_str_add(to, i ? ",\n\t\t" : "\n\t\t");
		array->add(to, code, i);
		rc = pfx_code_output_step(output);
	}
	pfx_str_addc(to, ']');
	return rc;
}

static void add_head(struct pfx_str *to, const struct pfx_code *code)
{
	const struct pfx_dso *dso = code->dso;
	uint8_t i;

	pfx_code_json_text(to, "symbol", code->symbol->name, strlen(code->symbol->name));
	pfx_str_add(to, ",\n\t");
	pfx_code_json_text(to, "dso", dso->name, strlen(dso->name));
	if (dso->build_id_size) {
		pfx_str_add(to, ",\n\t\"build_id\": \"");
		for (i = 0; i < dso->build_id_size; i++)
			pfx_str_hex0(to, dso->build_id[i], 2);
		pfx_str_addc(to, '"');
	}
	pfx_str_add(to, ",\n\t");
	pfx_code_json_costs(to, "totals", code->totals, code->nr_events);
	if (code->speeds)
		pfx_str_addf(to, ",\n\t\"ipc\": %.4f,\n\t\"ipc_coverage\": %.4f", code->ipc.ipc,
			     code->ipc.coverage);
}

int pfx_code_json_add(struct pfx_code_json *json, const struct pfx_code *code,
		      const struct pfx_code_output *output)
{
	const struct array arrays[] = {
		{"instructions", code->nr_insns, add_insn}, {"jumps", code->nr_jumps, add_jump},
		{"blocks", code->nr_blocks, add_block},     {"lines", code->nr_lines, add_line},
		{"inlined", code->nr_inlined, add_inlined},
	};
	size_t i;
	int rc = 0;

	pfx_str_add(output->text, json->nr_functions++ ? ",\n{\n\t" : "\n{\n\t");
	add_head(output->text, code);
	for (i = 0; i < sizeof(arrays) / sizeof(arrays[0]) && !rc; i++)
		rc = add_array(output, code, &arrays[i]);
	pfx_str_add(output->text, "\n}");
	return rc;
}

void pfx_code_json_end_functions(struct pfx_code_json *json, struct pfx_str *to)
{
	if (!json->has_all_functions)
		pfx_str_add(to, "\n]");
	json->has_all_functions = true;
}

void pfx_code_json_end(struct pfx_code_json *json, struct pfx_str *to)
{
	pfx_code_json_end_functions(json, to);
	pfx_str_add(to, "\n}\n");
}

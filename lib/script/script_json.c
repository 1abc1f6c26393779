/* SPDX-License-Identifier: MIT */
/*
 * `pfx script --json`: the same samples as objects, one a line, as Documentation/script-schema.json
 * describes them. Addresses are text in hex, since many JSON parsers keep only 53 bits of a number;
 * times are nanoseconds. Untrusted text is escaped for JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "event/mem_text.h"
#include "script/script_internal.h"

#define SCHEMA "pfx.script/1"

/* "key": preceded by a comma unless it is the first of its object. */
static void key(struct pfx_str *to, const char *name)
{
	char last = to->len ? to->at[to->len - 1] : '{';

	if (last != '{' && last != '[')
		pfx_str_addc(to, ',');
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, name, strlen(name));
	pfx_str_add(to, "\":");
}

static void add_text(struct pfx_str *to, const char *name, const char *text)
{
	key(to, name);
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
}

static void add_number(struct pfx_str *to, const char *name, uint64_t value)
{
	key(to, name);
	pfx_str_u64(to, value, 0);
}

static void add_id(struct pfx_str *to, const char *name, uint32_t value)
{
	key(to, name);
	pfx_str_addf(to, "%d", (int)value);
}

static void add_hex(struct pfx_str *to, const char *name, uint64_t value)
{
	key(to, name);
	pfx_str_add(to, "\"0x");
	pfx_str_hex(to, value, 0);
	pfx_str_addc(to, '"');
}

static void open_object(struct pfx_str *to, const char *name)
{
	key(to, name);
	pfx_str_addc(to, '{');
}

static void open_element(struct pfx_str *to)
{
	pfx_str_add(to, to->at[to->len - 1] == '[' ? "{" : ",{");
}

/* Symbol, offset, dso and source line, as far as known. */
static void add_place(struct pfx_script *s, struct pfx_place *place, uint64_t fields)
{
	const struct pfx_symbol *sym = NULL;
	const char *line = NULL;

	if (fields & (PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF))
		sym = pfx_place_symbol(s->view.resolver, place);
	if (sym) {
		add_text(&s->out, "symbol", sym->name);
		if (sym->is_nameless)
			add_text(&s->out, "bounds_from", PFX_BOUNDS_FROM);
		if ((fields & PFX_SCRIPT_SYMOFF) && !sym->is_inlined)
			add_number(&s->out, "offset", place->addr - sym->start);
	}
	if (place->dso && (fields & PFX_SCRIPT_DSO))
		add_text(&s->out, "dso", place->dso->script_name);
	if (place->dso && (fields & PFX_SCRIPT_DSOFF))
		add_hex(&s->out, "dso_offset", place->shown);
	if (fields & PFX_SCRIPT_SRCLINE)
		line = pfx_place_srcline(s->view.resolver, place);
	if (line && strcmp(line, "??:0") != 0)
		add_text(&s->out, "srcline", line);
	if (sym && sym->is_inlined) {
		key(&s->out, "inlined");
		pfx_str_add(&s->out, "true");
	}
}

static void add_address(struct pfx_script *s, const char *name, struct pfx_thread *thread,
			uint64_t addr, uint64_t fields)
{
	open_object(&s->out, name);
	add_hex(&s->out, "ip", addr);
	add_place(s, pfx_resolve(s->view.resolver, thread, PFX_MODE_UNKNOWN, addr),
		  fields & ~PFX_SCRIPT_SRCLINE);
	pfx_str_addc(&s->out, '}');
}

static void add_chain(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;
	struct pfx_script *s = line->script;
	uint32_t chain = pfx_script_chain_of(s, event->event, line->thread, line->sample);
	struct pfx_place **places = NULL;
	uint32_t i, nr = s->how.max_stack ? pfx_chain_frames(s->view.resolver, chain, &places) : 0;

	nr = pfx_script_filters_cut(&s->filters, s->view.resolver, places, nr);
	key(&s->out, "callchain");
	pfx_str_addc(&s->out, '[');
	for (i = 0; i < nr; i++) {
		open_element(&s->out);
		add_hex(&s->out, "ip", places[i]->ip);
		add_place(s, places[i], event->fields);
		pfx_str_addc(&s->out, '}');
	}
	pfx_str_addc(&s->out, ']');
}

static void add_flag(struct pfx_str *to, const char *name, bool is_set)
{
	if (!is_set)
		return;
	key(to, name);
	pfx_str_add(to, "true");
}

/* The counts of the group's events before this branch. */
static void add_counters(struct pfx_script *s, const struct pfx_event *event, uint64_t word)
{
	struct pfx_script_counter at = {.word = word, .width = pfx_script_counter_width(s)};

	if (!at.width)
		return;
	open_object(&s->out, "counters");
	while (pfx_script_next_counter(s, event, &at))
		add_number(&s->out, at.event->name, at.value);
	pfx_str_addc(&s->out, '}');
}

void pfx_script_json_branches(const struct pfx_form_record *line)
{
	const struct pfx_branch_stack *stack = &line->sample->branch;
	const struct pfx_script_event *event = line->event;
	struct pfx_thread *thread = line->thread;
	struct pfx_script *s = line->script;
	uint64_t i;

	key(&s->out, "branches");
	pfx_str_addc(&s->out, '[');
	for (i = 0; i < stack->nr; i++) {
		struct pfx_branch b = pfx_branch_at(stack, i);

		open_element(&s->out);
		add_address(s, "from", thread, b.from, event->fields);
		add_address(s, "to", thread, b.to, event->fields);
		add_flag(&s->out, "predicted", pfx_branch_predicted(&b));
		add_flag(&s->out, "mispredicted", pfx_branch_mispred(&b));
		add_flag(&s->out, "in_transaction", pfx_branch_in_tx(&b));
		add_flag(&s->out, "abort", pfx_branch_abort(&b));
		add_number(&s->out, "cycles", pfx_branch_cycles(&b));
		if (*pfx_branch_type_name(&b))
			add_text(&s->out, "kind", pfx_branch_type_name(&b));
		if (i < stack->counters.nr)
			add_counters(s, event->event, pfx_word(&stack->counters, i));
		pfx_str_addc(&s->out, '}');
	}
	pfx_str_addc(&s->out, ']');
}

static void add_regs(struct pfx_script *s, const char *name, const struct pfx_regs *regs)
{
	const char *machine = s->view.meta->env.arch;
	uint64_t i = 0;
	unsigned bit;

	if (!regs->abi)
		return;
	open_object(&s->out, name);
	for (bit = 0; bit < 64 && i < regs->values.nr; bit++) {
		const char *known = machine ? pfx_arch_reg_name(machine, bit) : NULL;
		char number[16];

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "#%u", bit);
		add_hex(&s->out, known ? known : number, pfx_word(&regs->values, i++));
	}
	pfx_str_addc(&s->out, '}');
}

void pfx_script_json_data_src(const struct pfx_form_record *line)
{
	static const struct {
		const char *name;
		void (*add)(uint64_t src, struct pfx_str *to);
	} parts[] = {
		{"op", pfx_mem_op_text},       {"level", pfx_mem_level_text},
		{"snoop", pfx_mem_snoop_text}, {"tlb", pfx_mem_tlb_text},
		{"lock", pfx_mem_lock_text},
	};
	struct pfx_str *to = &line->script->out;
	uint64_t src = line->sample->data_src;
	size_t i;

	open_object(to, "data_src");
	add_hex(to, "value", src);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		key(to, parts[i].name);
		pfx_str_addc(to, '"');
		parts[i].add(src, to);
		pfx_str_addc(to, '"');
	}
	pfx_str_addc(to, '}');
}

void pfx_script_json_trace(const struct pfx_form_record *line)
{
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;
	struct pfx_trace *trace;
	size_t start = s->out.len;

	if (!line->event->is_trace)
		return;
	trace = pfx_sample_trace_formats(&s->trace);
	open_object(&s->out, "fields");
	if (trace && pfx_trace_json(trace, line->rec->event->attr.config, sample->raw.at,
				    (size_t)sample->raw.size, &s->out)) {
		pfx_str_addc(&s->out, '}');
		return;
	}
	s->out.len = start; /* no format for it */
	s->out.at[start] = '\0';
}

void pfx_script_json_comm(const struct pfx_form_record *line)
{
	const struct pfx_comm_ref *comm = line->thread->comm;

	add_text(&line->script->out, "comm", comm ? comm->text : ":-1");
}

void pfx_script_json_pid(const struct pfx_form_record *line)
{
	add_id(&line->script->out, "pid", line->sample->pid);
}

void pfx_script_json_tid(const struct pfx_form_record *line)
{
	add_id(&line->script->out, "tid", line->sample->tid);
}

void pfx_script_json_cpu(const struct pfx_form_record *line)
{
	add_id(&line->script->out, "cpu", line->sample->cpu);
}

void pfx_script_json_time(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "time", line->sample->time);
}

void pfx_script_json_event(const struct pfx_form_record *line)
{
	add_text(&line->script->out, "event", line->rec->event->name);
}

void pfx_script_json_period(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "period", line->sample->period);
}

void pfx_script_json_addr(const struct pfx_form_record *line)
{
	add_address(line->script, "addr", line->thread, line->sample->addr, line->event->fields);
}

void pfx_script_json_weight(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "weight", line->sample->weight);
}

void pfx_script_json_ins_lat(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "ins_lat", line->sample->weight2);
}

void pfx_script_json_retire_lat(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "retire_lat", line->sample->weight3);
}

void pfx_script_json_phys_addr(const struct pfx_form_record *line)
{
	add_hex(&line->script->out, "phys_addr", line->sample->phys_addr);
}

void pfx_script_json_data_page_size(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "data_page_size", line->sample->data_page_size);
}

void pfx_script_json_code_page_size(const struct pfx_form_record *line)
{
	add_number(&line->script->out, "code_page_size", line->sample->code_page_size);
}

void pfx_script_json_cgroup(const struct pfx_form_record *line)
{
	const char *cgroup = pfx_session_cgroup(line->script->view.session, line->sample->cgroup);

	if (cgroup)
		add_text(&line->script->out, "cgroup", cgroup);
}

/* The output bytes of a BPF program. */
void pfx_script_json_bpf_output(const struct pfx_form_record *line)
{
	const struct pfx_bytes *raw = &line->sample->raw;
	struct pfx_str *to = &line->script->out;
	uint64_t i;

	if (!raw->size || line->rec->event->attr.config != PFX_SW_BPF_OUTPUT)
		return;
	key(to, "bpf_output");
	pfx_str_addc(to, '"');
	for (i = 0; i < raw->size; i++)
		pfx_str_hex0(to, raw->at[i], 2);
	pfx_str_addc(to, '"');
}

/* The sampled instruction. */
void pfx_script_json_insn(const struct pfx_form_record *line)
{
	uint64_t fields = line->event->fields;
	struct pfx_script *s = line->script;
	struct pfx_script_insn insn;
	unsigned i;

	if (!pfx_script_insn_at(s, line->thread, line->sample, &insn))
		return;
	if (fields & PFX_SCRIPT_INSN) {
		key(&s->out, "insn");
		pfx_str_addc(&s->out, '"');
		for (i = 0; i < insn.len; i++)
			pfx_str_hex0(&s->out, insn.code[i], 2);
		pfx_str_addc(&s->out, '"');
	}
	if (fields & PFX_SCRIPT_INSNLEN)
		add_number(&s->out, "insn_len", insn.len);
	if (fields & PFX_SCRIPT_DISASM)
		add_text(&s->out, "disasm", pfx_str_get(&insn.text));
	pfx_str_fini(&insn.text);
}

void pfx_script_json_guest(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	uint32_t pid, vcpu;

	if (!pfx_session_guest(s->view.session, line->sample->id, &pid, &vcpu))
		return;
	add_number(&s->out, "machine_pid", pid);
	add_number(&s->out, "vcpu", vcpu);
}

void pfx_script_json_level(const struct pfx_form_record *line)
{
	static const char *const levels[8] = {NULL,         "kernel",       "user",
					      "hypervisor", "guest kernel", "guest user"};
	const char *level = levels[line->sample->cpumode & 7];

	if (level)
		add_text(&line->script->out, "level", level);
}

void pfx_script_json_ip(const struct pfx_form_record *line)
{
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;

	add_hex(&s->out, "ip", sample->ip);
	add_place(s, pfx_resolve(s->view.resolver, line->thread, sample->cpumode, sample->ip),
		  line->event->fields);
	if (line->event->has_chain)
		add_chain(line);
}

void pfx_script_json_iregs(const struct pfx_form_record *line)
{
	add_regs(line->script, "iregs", &line->sample->regs_intr);
}

void pfx_script_json_uregs(const struct pfx_form_record *line)
{
	add_regs(line->script, "uregs", &line->sample->regs_user);
}

/* Members in another order than the rows: first the event, then the task of the record. */
const struct pfx_script_place pfx_script_json_places[] = {
	{PFX_SCRIPT_EVENT, PFX_SCRIPT_PART_TITLE},
	{PFX_SCRIPT_COMM, PFX_SCRIPT_PART_WHO},
	{PFX_SCRIPT_PID, PFX_SCRIPT_PART_WHO},
	{PFX_SCRIPT_TID, PFX_SCRIPT_PART_WHO},
	{PFX_SCRIPT_CPU, PFX_SCRIPT_PART_WHO},
	{PFX_SCRIPT_TIME, PFX_SCRIPT_PART_WHO},
	{PFX_SCRIPT_MACHINE_PID, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_VCPU, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_PERIOD, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_MISC, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_IP, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_ADDR, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_DATA_SRC, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_WEIGHT, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_INS_LAT, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_RETIRE_LAT, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_PHYS_ADDR, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_DATA_PAGE_SIZE, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_CODE_PAGE_SIZE, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_CGROUP, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_TRACE, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_BPF_OUTPUT, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_INSN, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_INSNLEN, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_DISASM, PFX_SCRIPT_PART_WHAT},
	{PFX_SCRIPT_BRSTACK, PFX_SCRIPT_PART_WHAT},
	{0},
};

/* The members of one part. */
static void add_part(const struct pfx_form_record *line, enum pfx_script_part part)
{
	const struct pfx_script_event *event = line->event;
	unsigned i;

	for (i = event->parts[part]; i < event->parts[part + 1]; i++)
		event->columns[i](line);
}

static void add_sample(const struct pfx_form_record *line)
{
	struct pfx_str *to = &line->script->out;

	pfx_str_add(to, "{\"kind\":\"sample\"");
	add_part(line, PFX_SCRIPT_PART_TITLE);
	add_part(line, PFX_SCRIPT_PART_WHO);
	add_part(line, PFX_SCRIPT_PART_WHAT);
	pfx_str_add(to, "}\n");
}

static void add_record(const struct pfx_form_record *line)
{
	struct pfx_str *to = &line->script->out;
	size_t len = strlen(line->text);

	if (len && line->text[len - 1] == '\n')
		len--;
	pfx_str_add(to, "{\"kind\":\"record\"");
	if (line->event)
		add_part(line, PFX_SCRIPT_PART_WHO);
	key(to, "text");
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, line->text, len);
	pfx_str_add(to, "\"}\n");
}

static void add_count(const struct pfx_script_count *row, struct pfx_str *to)
{
	pfx_str_add(to, "{\"kind\":\"count\"");
	add_text(to, "event", row->event->name);
	if (row->cpu >= 0)
		add_number(to, "cpu", (uint64_t)row->cpu);
	if (row->tid >= 0)
		add_number(to, "tid", (uint64_t)row->tid);
	add_number(to, "time", row->time);
	add_number(to, "value", row->count.value);
	add_number(to, "enabled", row->count.enabled);
	add_number(to, "running", row->count.running);
	if (!row->event->nr_ids)
		pfx_str_add(to, ",\"supported\":false");
	pfx_str_add(to, "}\n");
}

static void add_header(const struct pfx_env *env, struct pfx_str *to)
{
	pfx_str_add(to, "{\"kind\":\"header\",\"schema\":\"" SCHEMA "\"");
	if (env->hostname)
		add_text(to, "hostname", env->hostname);
	if (env->osrelease)
		add_text(to, "os_release", env->osrelease);
	if (env->arch)
		add_text(to, "arch", env->arch);
	pfx_str_add(to, "}\n");
}

int pfx_script_form_json(struct pfx_form_record *line, struct pfx_str *to)
{
	switch (line->kind) {
	case PFX_FORM_RECORD_HEADER:
		add_header(&line->script->view.meta->env, to);
		break;
	case PFX_FORM_RECORD_SAMPLE:
		add_sample(line);
		break;
	case PFX_FORM_RECORD_OTHER:
		add_record(line);
		break;
	case PFX_FORM_RECORD_COUNT:
		add_count(line->count, to);
		break;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * `pfx script --json`: the same samples as objects, one a line, as Documentation/script-schema.json
 * describes them. Addresses are text in hex, as many readers of JSON keep only 53 bits of a number;
 * times are nanoseconds. Foreign text is escaped as JSON has it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "event/mem_text.h"
#include "script/script_internal.h"

#define SCHEMA "pfx.script/1"

/* "key": with a comma in front unless it is the first of its object. */
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

/* Symbol, offset, binary and source line of a place, as far as they are known. */
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

static void add_chain(struct pfx_script *s, const struct pfx_script_event *event,
		      struct pfx_thread *thread, const struct pfx_sample *sample)
{
	uint32_t chain = pfx_script_chain_of(s, event->event, thread, sample);
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

/* What the events of the group counted before this branch. */
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

static void add_branches(struct pfx_script *s, const struct pfx_script_event *event,
			 struct pfx_thread *thread, const struct pfx_branch_stack *stack)
{
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

static void add_data_src(struct pfx_str *to, uint64_t src)
{
	static const struct {
		const char *name;
		void (*add)(uint64_t src, struct pfx_str *to);
	} parts[] = {
		{"op", pfx_mem_op_text},       {"level", pfx_mem_level_text},
		{"snoop", pfx_mem_snoop_text}, {"tlb", pfx_mem_tlb_text},
		{"lock", pfx_mem_lock_text},
	};
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

static void add_trace(struct pfx_script *s, const struct pfx_record *rec,
		      const struct pfx_sample *sample)
{
	struct pfx_trace *trace = pfx_sample_trace_formats(&s->trace);
	size_t start = s->out.len;

	open_object(&s->out, "fields");
	if (trace && pfx_trace_json(trace, rec->event->attr.config, sample->raw.at,
				    (size_t)sample->raw.size, &s->out)) {
		pfx_str_addc(&s->out, '}');
		return;
	}
	s->out.len = start; /* the format is not there */
	s->out.at[start] = '\0';
}

static void add_task(struct pfx_script *s, uint64_t fields, const struct pfx_thread *thread,
		     const struct pfx_sample *sample)
{
	if (fields & PFX_SCRIPT_COMM)
		add_text(&s->out, "comm", thread->comm ? thread->comm->text : ":-1");
	if (fields & PFX_SCRIPT_PID)
		add_id(&s->out, "pid", sample->pid);
	if (fields & PFX_SCRIPT_TID)
		add_id(&s->out, "tid", sample->tid);
	if (fields & PFX_SCRIPT_CPU)
		add_id(&s->out, "cpu", sample->cpu);
	if (fields & PFX_SCRIPT_TIME)
		add_number(&s->out, "time", sample->time);
}

static void add_memory(struct pfx_script *s, uint64_t fields, struct pfx_thread *thread,
		       const struct pfx_sample *sample)
{
	const char *cgroup;

	if (fields & PFX_SCRIPT_ADDR)
		add_address(s, "addr", thread, sample->addr, fields);
	if (fields & PFX_SCRIPT_DATA_SRC)
		add_data_src(&s->out, sample->data_src);
	if (fields & PFX_SCRIPT_WEIGHT)
		add_number(&s->out, "weight", sample->weight);
	if (fields & PFX_SCRIPT_INS_LAT)
		add_number(&s->out, "ins_lat", sample->weight2);
	if (fields & PFX_SCRIPT_RETIRE_LAT)
		add_number(&s->out, "retire_lat", sample->weight3);
	if (fields & PFX_SCRIPT_PHYS_ADDR)
		add_hex(&s->out, "phys_addr", sample->phys_addr);
	if (fields & PFX_SCRIPT_DATA_PAGE_SIZE)
		add_number(&s->out, "data_page_size", sample->data_page_size);
	if (fields & PFX_SCRIPT_CODE_PAGE_SIZE)
		add_number(&s->out, "code_page_size", sample->code_page_size);
	if (!(fields & PFX_SCRIPT_CGROUP))
		return;
	cgroup = pfx_session_cgroup(s->view.session, sample->cgroup);
	if (cgroup)
		add_text(&s->out, "cgroup", cgroup);
}

/* The bytes that a BPF program put out. */
static void add_bpf_output(struct pfx_str *to, const struct pfx_bytes *raw)
{
	uint64_t i;

	key(to, "bpf_output");
	pfx_str_addc(to, '"');
	for (i = 0; i < raw->size; i++)
		pfx_str_hex0(to, raw->at[i], 2);
	pfx_str_addc(to, '"');
}

/* The sampled instruction. */
static void add_insn(struct pfx_script *s, uint64_t fields, struct pfx_thread *thread,
		     const struct pfx_sample *sample)
{
	struct pfx_script_insn insn;
	unsigned i;

	if (!pfx_script_insn_at(s, thread, sample, &insn))
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

static void add_guest(struct pfx_script *s, uint64_t id)
{
	uint32_t pid, vcpu;

	if (!pfx_session_guest(s->view.session, id, &pid, &vcpu))
		return;
	add_number(&s->out, "machine_pid", pid);
	add_number(&s->out, "vcpu", vcpu);
}

static void add_level(struct pfx_str *to, enum pfx_cpumode mode)
{
	static const char *const levels[8] = {NULL,         "kernel",       "user",
					      "hypervisor", "guest kernel", "guest user"};

	if (levels[mode & 7])
		add_text(to, "level", levels[mode & 7]);
}

void pfx_script_json_sample(struct pfx_script *s, const struct pfx_script_event *event,
			    const struct pfx_record *rec, struct pfx_thread *thread,
			    const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	pfx_str_add(&s->out, "{\"kind\":\"sample\"");
	if (fields & PFX_SCRIPT_EVENT)
		add_text(&s->out, "event", rec->event->name);
	add_task(s, fields, thread, sample);
	if (fields & (PFX_SCRIPT_MACHINE_PID | PFX_SCRIPT_VCPU))
		add_guest(s, sample->id);
	if (fields & PFX_SCRIPT_PERIOD)
		add_number(&s->out, "period", sample->period);
	if (fields & PFX_SCRIPT_MISC)
		add_level(&s->out, sample->cpumode);
	if (fields & PFX_SCRIPT_IP) {
		add_hex(&s->out, "ip", sample->ip);
		add_place(s, pfx_resolve(s->view.resolver, thread, sample->cpumode, sample->ip),
			  fields);
	}
	if ((fields & PFX_SCRIPT_IP) && event->has_chain)
		add_chain(s, event, thread, sample);
	add_memory(s, fields, thread, sample);
	if ((fields & PFX_SCRIPT_TRACE) && event->is_trace)
		add_trace(s, rec, sample);
	if ((fields & PFX_SCRIPT_BPF_OUTPUT) && sample->raw.size &&
	    rec->event->attr.config == PFX_SW_BPF_OUTPUT)
		add_bpf_output(&s->out, &sample->raw);
	if (fields & (PFX_SCRIPT_INSN | PFX_SCRIPT_INSNLEN | PFX_SCRIPT_DISASM))
		add_insn(s, fields, thread, sample);
	if (fields & PFX_SCRIPT_BRSTACK)
		add_branches(s, event, thread, &sample->branch);
	if (fields & PFX_SCRIPT_IREGS)
		add_regs(s, "iregs", &sample->regs_intr);
	if (fields & PFX_SCRIPT_UREGS)
		add_regs(s, "uregs", &sample->regs_user);
	pfx_str_add(&s->out, "}\n");
}

void pfx_script_json_record(struct pfx_script *s, const struct pfx_script_event *event,
			    const struct pfx_thread *thread, const struct pfx_sample *start,
			    const char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == '\n')
		len--;
	pfx_str_add(&s->out, "{\"kind\":\"record\"");
	add_task(s, event->fields, thread, start);
	key(&s->out, "text");
	pfx_str_addc(&s->out, '"');
	pfx_str_add_json(&s->out, text, len);
	pfx_str_add(&s->out, "\"}\n");
}

void pfx_script_json_count(struct pfx_script *s, const struct pfx_script_count *row)
{
	pfx_str_add(&s->out, "{\"kind\":\"count\"");
	add_text(&s->out, "event", row->event->name);
	if (row->cpu >= 0)
		add_number(&s->out, "cpu", (uint64_t)row->cpu);
	if (row->tid >= 0)
		add_number(&s->out, "tid", (uint64_t)row->tid);
	add_number(&s->out, "time", row->time);
	add_number(&s->out, "value", row->count.value);
	add_number(&s->out, "enabled", row->count.enabled);
	add_number(&s->out, "running", row->count.running);
	if (!row->event->nr_ids)
		pfx_str_add(&s->out, ",\"supported\":false");
	pfx_str_add(&s->out, "}\n");
}

void pfx_script_json_header(struct pfx_script *s)
{
	const struct pfx_env *env = &s->view.meta->env;

	pfx_str_add(&s->out, "{\"kind\":\"header\",\"schema\":\"" SCHEMA "\"");
	if (env->hostname)
		add_text(&s->out, "hostname", env->hostname);
	if (env->osrelease)
		add_text(&s->out, "os_release", env->osrelease);
	if (env->arch)
		add_text(&s->out, "arch", env->arch);
	pfx_str_add(&s->out, "}\n");
}

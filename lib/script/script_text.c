/* SPDX-License-Identifier: MIT */
/*
 * Samples as lines, field by field; nothing is allocated per sample. Knows the fields that an event
 * prints, not where they come from.
 */
#include <stdio.h>

#include "event/mem_text.h"
#include "read/deferred.h"
#include "script/script_internal.h"

#define MISC_WIDTH 6

/* A signed 32-bit id in @width columns, on the left or on the right. */
static void add_id(struct pfx_script *s, uint32_t id, unsigned width, bool left)
{
	int value = (int)id;
	size_t start = s->out.len, len;

	if (value < 0) {
		pfx_str_addf(&s->out, left ? "%-*d" : "%*d", (int)width, value);
		return;
	}
	pfx_str_u64(&s->out, id, left ? 0 : width);
	len = s->out.len - start;
	if (len < width)
		pfx_str_pad(&s->out, ' ', width - len);
}

static void add_ids(struct pfx_script *s, uint64_t fields, const struct pfx_sample *sample)
{
	if ((fields & PFX_SCRIPT_PID) && (fields & PFX_SCRIPT_TID)) {
		add_id(s, sample->pid, 5, false);
		pfx_str_addc(&s->out, '/');
		add_id(s, sample->tid, 5, true);
	} else if (fields & PFX_SCRIPT_PID) {
		add_id(s, sample->pid, 5, false);
	} else if (fields & PFX_SCRIPT_TID) {
		add_id(s, sample->tid, 5, false);
	} else {
		return;
	}
	pfx_str_addc(&s->out, ' ');
}

static void add_cpu(struct pfx_script *s, uint32_t cpu)
{
	if (s->how.latency) {
		pfx_str_addf(&s->out, "%3d ", (int)cpu);
		return;
	}
	if (cpu > 999) {
		pfx_str_addf(&s->out, "[%03d] ", (int)cpu);
		return;
	}
	char text[] = {'[',
		       (char)('0' + cpu / 100),
		       (char)('0' + cpu / 10 % 10),
		       (char)('0' + cpu % 10),
		       ']',
		       ' '};

	pfx_str_addn(&s->out, text, sizeof(text));
}

static void add_misc(struct pfx_script *s, const struct pfx_record *rec)
{
	static const char levels[] = " KUHGg  ";
	size_t start = s->out.len;
	char level = levels[rec->misc & PFX_MISC_CPUMODE_MASK];

	if (level != ' ')
		pfx_str_addc(&s->out, level);
	switch (rec->type) {
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		if (rec->misc & PFX_MISC_MMAP_DATA)
			pfx_str_addc(&s->out, 'M');
		break;
	case PFX_RECORD_COMM:
		if (rec->misc & PFX_MISC_COMM_EXEC)
			pfx_str_addc(&s->out, 'E');
		break;
	case PFX_RECORD_SWITCH:
	case PFX_RECORD_SWITCH_CPU_WIDE:
		if (rec->misc & PFX_MISC_SWITCH_OUT)
			pfx_str_add(&s->out, rec->misc & PFX_MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S");
		break;
	default:
		break;
	}
	pfx_str_pad(&s->out, ' ', MISC_WIDTH - (s->out.len - start));
}

/* For samples that were taken in a guest. */
static void add_guest(struct pfx_script *s, uint64_t fields, uint64_t id)
{
	uint32_t pid, vcpu;

	if (!pfx_session_guest(s->view.session, id, &pid, &vcpu))
		return;
	if (fields & PFX_SCRIPT_MACHINE_PID)
		pfx_str_addf(&s->out, "VM:%5u ", pid);
	if (fields & PFX_SCRIPT_VCPU)
		pfx_str_addf(&s->out, "VCPU:%03u ", vcpu);
}

/* What says who and where. */
static void add_who(struct pfx_script *s, const struct pfx_script_event *event,
		    const struct pfx_thread *thread, const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	if (fields & PFX_SCRIPT_COMM)
		pfx_script_add_comm(s, thread, !(event->has_chain && (fields & PFX_SCRIPT_IP)));
	add_ids(s, fields, sample);
	if (fields & PFX_SCRIPT_CPU)
		add_cpu(s, sample->cpu);
}

/* The same, copied from what an earlier line began with. */
static void add_who_again(struct pfx_script *s, const struct pfx_script_event *event,
			  const struct pfx_thread *thread, const struct pfx_sample *sample)
{
	const struct pfx_comm_ref *comm = thread ? thread->comm : NULL;
	struct pfx_script_start *last = &s->starts[sample->tid % PFX_SCRIPT_STARTS];
	size_t start = s->out.len;

	if (last->event == event->event && last->thread == thread && last->comm == comm &&
	    last->tid == sample->tid && last->pid == sample->pid && last->cpu == sample->cpu) {
		pfx_str_addn(&s->out, pfx_str_get(&last->text), last->text.len);
		return;
	}
	add_who(s, event, thread, sample);
	last->event = event->event;
	last->thread = thread;
	last->comm = comm;
	last->tid = sample->tid;
	last->pid = sample->pid;
	last->cpu = sample->cpu;
	pfx_str_clear(&last->text);
	pfx_str_addn(&last->text, pfx_str_get(&s->out) + start, s->out.len - start);
}

void pfx_script_print_start(struct pfx_script *s, const struct pfx_script_event *event,
			    const struct pfx_thread *thread, const struct pfx_sample *sample,
			    const struct pfx_record *rec)
{
	uint64_t fields = event->fields;

	if (fields & (PFX_SCRIPT_MACHINE_PID | PFX_SCRIPT_VCPU))
		add_guest(s, fields, sample->id);
	add_who_again(s, event, thread, sample);
	if (fields & PFX_SCRIPT_MISC)
		add_misc(s, rec);
	if (fields & PFX_SCRIPT_TOD)
		pfx_script_add_tod(s, sample->time);
	if (fields & PFX_SCRIPT_TIME)
		pfx_script_add_time(s, sample->time);
}

static void add_addr(struct pfx_script *s, const struct pfx_script_event *event,
		     struct pfx_thread *thread, const struct pfx_sample *sample)
{
	pfx_str_hex(&s->out, sample->addr, 16);
	if (event->addr_is_data && (event->fields & PFX_SCRIPT_PLACE))
		pfx_script_add_place(
			s, pfx_resolve(s->view.resolver, thread, PFX_MODE_UNKNOWN, sample->addr),
			event->fields & ~PFX_SCRIPT_SRCLINE);
}

/* The frames that are in a record of their own. */
static void add_cookie(struct pfx_script *s, const struct pfx_script_event *event,
		       const struct pfx_words *chain)
{
	uint64_t cookie;

	if (!pfx_deferred_cookie(chain, &cookie))
		return;
	pfx_str_addc(&s->out, '\t');
	pfx_str_hex(&s->out, cookie, 16);
	pfx_str_add(&s->out, event->fields & PFX_SCRIPT_SYM ? " (cookie)" : "");
	pfx_str_add(&s->out, event->fields & PFX_SCRIPT_DSO ? " ([unknown])\n" : "\n");
}

void pfx_script_print_chain(struct pfx_script *s, const struct pfx_script_event *event,
			    struct pfx_thread *thread, const struct pfx_sample *sample)
{
	pfx_str_addc(&s->out, '\n');
	if (!s->how.max_stack)
		return;
	pfx_script_add_frames(s, pfx_script_chain_of(s, event->event, thread, sample),
			      event->fields);
	add_cookie(s, event, &sample->chain);
}

static void add_ip(struct pfx_script *s, const struct pfx_script_event *event,
		   struct pfx_thread *thread, const struct pfx_sample *sample)
{
	if (event->has_chain) {
		pfx_script_print_chain(s, event, thread, sample);
		return;
	}
	if (event->fields & PFX_SCRIPT_PLACE) {
		pfx_script_add_address(
			s, pfx_resolve(s->view.resolver, thread, sample->cpumode, sample->ip),
			event->fields);
		return;
	}
	pfx_str_addc(&s->out, ' ');
	pfx_str_hex(&s->out, sample->ip, 16);
}

static void add_page_size(struct pfx_str *to, uint64_t size)
{
	pfx_str_addc(to, ' ');
	pfx_mem_page_text(size, to);
}

#define BPF_WIDTH 8

static bool is_shown(uint8_t byte)
{
	return byte >= ' ' && byte < 127;
}

/* Printable bytes and then zeros, one at least. */
static bool is_text(const struct pfx_bytes *raw)
{
	uint64_t i = 0, len;

	while (i < raw->size && is_shown(raw->at[i]))
		i++;
	for (len = i; i < raw->size && !raw->at[i]; i++)
		;
	return i == raw->size && len < i;
}

/* The bytes that a BPF program put out, eight a line, and as a text if they are one. */
static void add_bpf_output(struct pfx_str *to, const struct pfx_bytes *raw)
{
	uint64_t i, j;

	pfx_str_addc(to, '\n');
	for (i = 0; i < raw->size; i += BPF_WIDTH) {
		pfx_str_add(to, i ? "                  " : "      BPF output: ");
		pfx_str_hex0(to, i, 4);
		pfx_str_addc(to, ':');
		for (j = i; j < i + BPF_WIDTH; j++) {
			pfx_str_addc(to, ' ');
			if (j < raw->size)
				pfx_str_hex0(to, raw->at[j], 2);
			else
				pfx_str_add(to, "  ");
		}
		pfx_str_add(to, "  ");
		for (j = i; j < i + BPF_WIDTH && j < raw->size; j++)
			pfx_str_addc(to, is_shown(raw->at[j]) ? (char)raw->at[j] : '.');
		pfx_str_pad(to, ' ', i + BPF_WIDTH - j);
		pfx_str_addc(to, '\n');
	}
	if (is_text(raw))
		pfx_str_addf(to, "      BPF string: \"%s\"\n", (const char *)raw->at);
}

static void add_rare_before_ip(struct pfx_script *s, uint64_t fields,
			       const struct pfx_sample *sample)
{
	if (fields & PFX_SCRIPT_DATA_SRC)
		pfx_script_add_data_src(s, sample->data_src);
	if (fields & PFX_SCRIPT_WEIGHT)
		pfx_str_u64(&s->out, sample->weight, 16);
	if (fields & PFX_SCRIPT_INS_LAT)
		pfx_str_u64(&s->out, sample->weight2, 16);
	if (fields & PFX_SCRIPT_RETIRE_LAT)
		pfx_str_u64(&s->out, sample->weight3, 16);
}

static void add_rare_after_ip(struct pfx_script *s, uint64_t fields,
			      const struct pfx_sample *sample)
{
	const char *cgroup;

	if (fields & PFX_SCRIPT_PHYS_ADDR)
		pfx_str_hex(&s->out, sample->phys_addr, 16);
	if (fields & PFX_SCRIPT_DATA_PAGE_SIZE)
		add_page_size(&s->out, sample->data_page_size);
	if (fields & PFX_SCRIPT_CODE_PAGE_SIZE)
		add_page_size(&s->out, sample->code_page_size);
	if (fields & PFX_SCRIPT_CGROUP) {
		cgroup = pfx_session_cgroup(s->view.session, sample->cgroup);
		pfx_str_addc(&s->out, ' ');
		if (cgroup)
			pfx_str_add_foreign(&s->out, cgroup);
		else
			pfx_str_addf(&s->out, "unknown:%llu", (unsigned long long)sample->cgroup);
	}
}

#define RARE_BEFORE_IP \
	(PFX_SCRIPT_DATA_SRC | PFX_SCRIPT_WEIGHT | PFX_SCRIPT_INS_LAT | PFX_SCRIPT_RETIRE_LAT)
#define RARE_BEHIND_IP                                                                      \
	(PFX_SCRIPT_IREGS | PFX_SCRIPT_UREGS | PFX_SCRIPT_BRSTACK | PFX_SCRIPT_BRSTACKSYM | \
	 PFX_SCRIPT_BRSTACKOFF)
#define FLAGS_WIDTH 24 /* of flags, which only decoded traces have */
#define RARE_AFTER_IP                                                                   \
	(PFX_SCRIPT_PHYS_ADDR | PFX_SCRIPT_DATA_PAGE_SIZE | PFX_SCRIPT_CODE_PAGE_SIZE | \
	 PFX_SCRIPT_CGROUP)

static void add_code(struct pfx_script *s, const struct pfx_script_event *event,
		     struct pfx_thread *thread, const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	if (fields & (PFX_SCRIPT_INSN | PFX_SCRIPT_INSNLEN | PFX_SCRIPT_DISASM))
		pfx_script_add_insn(s, fields, thread, sample);
	if (fields & PFX_SCRIPT_BRANCH_CODE)
		pfx_script_add_branch_code(s, event, thread, sample);
}

/* A sample that stands for one branch: where it came from and where it went. */
static void add_branch_sample(struct pfx_script *s, const struct pfx_script_event *event,
			      struct pfx_thread *thread, const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	if (fields & PFX_SCRIPT_IP)
		add_ip(s, event, thread, sample);
	if ((fields & PFX_SCRIPT_ADDR) || event->adds_target) {
		pfx_str_add(&s->out, " => ");
		pfx_str_hex(&s->out, sample->addr, 16);
		pfx_script_add_place(
			s, pfx_resolve(s->view.resolver, thread, PFX_MODE_UNKNOWN, sample->addr),
			fields & ~PFX_SCRIPT_SRCLINE);
	}
	if (fields & PFX_SCRIPT_CODE)
		add_code(s, event, thread, sample);
}

/* What follows the event's name. */
static void add_what(struct pfx_script *s, const struct pfx_script_event *event,
		     const struct pfx_record *rec, struct pfx_thread *thread,
		     const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	if ((fields & PFX_SCRIPT_TRACE) && event->is_trace)
		pfx_sample_trace_print(&s->trace, rec->event, sample, &s->out);
	if ((fields & PFX_SCRIPT_SYNTH) &&
	    pfx_script_type_of(&rec->event->attr) == PFX_SCRIPT_TYPE_SYNTH)
		pfx_script_add_synth(&s->out, rec->event->attr.config, &sample->raw);
	if (fields & PFX_SCRIPT_ADDR)
		add_addr(s, event, thread, sample);
	if (fields & RARE_BEFORE_IP)
		add_rare_before_ip(s, fields, sample);
	if (fields & PFX_SCRIPT_IP)
		add_ip(s, event, thread, sample);
	if (fields & RARE_BEHIND_IP) {
		pfx_script_add_regs(s, fields, sample);
		pfx_script_add_branches(s, fields, thread, sample);
	}
	if ((fields & PFX_SCRIPT_BPF_OUTPUT) && rec->event->attr.type == PFX_TYPE_SOFTWARE &&
	    rec->event->attr.config == PFX_SW_BPF_OUTPUT && sample->raw.size)
		add_bpf_output(&s->out, &sample->raw);
	if (fields & PFX_SCRIPT_CODE)
		add_code(s, event, thread, sample);
	if (fields & RARE_AFTER_IP)
		add_rare_after_ip(s, fields, sample);
}

/* Period and event. Most samples of an event have the period of the one before. */
static void add_title(struct pfx_script *s, struct pfx_script_event *event, uint64_t period)
{
	if (!event->title_text.len || event->title_period != period) {
		pfx_str_clear(&event->title_text);
		if (event->fields & PFX_SCRIPT_PERIOD) {
			pfx_str_u64(&event->title_text, period, 10);
			pfx_str_addc(&event->title_text, ' ');
		}
		if (event->fields & PFX_SCRIPT_EVENT)
			pfx_str_add(&event->title_text, event->title);
		event->title_period = period;
	}
	pfx_str_addn(&s->out, pfx_str_get(&event->title_text), event->title_text.len);
}

void pfx_script_print_line(struct pfx_script *s, struct pfx_script_event *event,
			   const struct pfx_record *rec, struct pfx_thread *thread,
			   const struct pfx_sample *sample)
{
	uint64_t fields = event->fields;

	pfx_script_print_start(s, event, thread, sample, rec);
	add_title(s, event, sample->period);
	if (fields & PFX_SCRIPT_FLAGS)
		pfx_str_pad(&s->out, ' ', FLAGS_WIDTH);
	if (event->is_branch)
		add_branch_sample(s, event, thread, sample);
	else
		add_what(s, event, rec, thread, sample);
	pfx_str_addc(&s->out, '\n');
	if (fields & PFX_SCRIPT_SRCCODE)
		pfx_script_add_srccode(s, thread, sample->ip);
}

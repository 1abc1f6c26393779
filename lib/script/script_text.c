/* SPDX-License-Identifier: MIT */
/*
 * The default form of `pfx script`: samples as lines, field by field, and the records between them.
 * Nothing is allocated per sample.
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

void pfx_script_text_comm(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;

	pfx_script_add_comm(line->script, line->thread,
			    !(event->has_chain && (event->fields & PFX_SCRIPT_IP)));
}

void pfx_script_text_ids(const struct pfx_form_record *line)
{
	const struct pfx_sample *sample = line->sample;
	uint64_t fields = line->event->fields;
	struct pfx_script *s = line->script;

	if ((fields & PFX_SCRIPT_PID) && (fields & PFX_SCRIPT_TID)) {
		add_id(s, sample->pid, 5, false);
		pfx_str_addc(&s->out, '/');
		add_id(s, sample->tid, 5, true);
	} else if (fields & PFX_SCRIPT_PID) {
		add_id(s, sample->pid, 5, false);
	} else {
		add_id(s, sample->tid, 5, false);
	}
	pfx_str_addc(&s->out, ' ');
}

void pfx_script_text_cpu(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	uint32_t cpu = line->sample->cpu;

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

void pfx_script_text_misc(const struct pfx_form_record *line)
{
	static const char levels[] = " KUHGg  ";
	const struct pfx_record *rec = line->rec;
	struct pfx_script *s = line->script;
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

/* For samples taken in a guest. */
void pfx_script_text_guest(const struct pfx_form_record *line)
{
	uint64_t fields = line->event->fields;
	struct pfx_script *s = line->script;
	uint32_t pid, vcpu;

	if (!pfx_session_guest(s->view.session, line->sample->id, &pid, &vcpu))
		return;
	if (fields & PFX_SCRIPT_MACHINE_PID)
		pfx_str_addf(&s->out, "VM:%5u ", pid);
	if (fields & PFX_SCRIPT_VCPU)
		pfx_str_addf(&s->out, "VCPU:%03u ", vcpu);
}

/* The columns of one part of the line. */
static inline void add_part(const struct pfx_form_record *line, enum pfx_script_part part)
{
	const struct pfx_script_event *event = line->event;
	unsigned i;

	for (i = event->parts[part]; i < event->parts[part + 1]; i++)
		event->columns[i](line);
}

/* The task's part, copied from an earlier line. */
static void add_who(const struct pfx_form_record *line)
{
	const struct pfx_sample *sample = line->sample;
	const struct pfx_thread *thread = line->thread;
	const struct pfx_event *event = line->event->event;
	const struct pfx_comm_ref *comm = thread ? thread->comm : NULL;
	struct pfx_script *s = line->script;
	struct pfx_script_start *last = &s->starts[sample->tid % PFX_SCRIPT_STARTS];
	size_t start = s->out.len;

	if (last->event == event && last->thread == thread && last->comm == comm &&
	    last->tid == sample->tid && last->pid == sample->pid && last->cpu == sample->cpu) {
		pfx_str_addn(&s->out, pfx_str_get(&last->text), last->text.len);
		return;
	}
	add_part(line, PFX_SCRIPT_PART_WHO);
	last->event = event;
	last->thread = thread;
	last->comm = comm;
	last->tid = sample->tid;
	last->pid = sample->pid;
	last->cpu = sample->cpu;
	pfx_str_clear(&last->text);
	pfx_str_addn(&last->text, pfx_str_get(&s->out) + start, s->out.len - start);
}

void pfx_script_print_start(const struct pfx_form_record *line)
{
	add_part(line, PFX_SCRIPT_PART_GUEST);
	add_who(line);
	add_part(line, PFX_SCRIPT_PART_WHEN);
}

void pfx_script_text_addr(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;

	pfx_str_hex(&s->out, sample->addr, 16);
	if (event->addr_has_symbol && (event->fields & PFX_SCRIPT_PLACE))
		pfx_script_add_place(
			s,
			pfx_resolve(s->view.resolver, line->thread, PFX_MODE_UNKNOWN, sample->addr),
			event->fields & ~PFX_SCRIPT_SRCLINE);
}

/* The cookie of frames in a CALLCHAIN_DEFERRED record. */
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

void pfx_script_print_chain(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;

	pfx_str_addc(&s->out, '\n');
	if (!s->how.max_stack)
		return;
	pfx_script_add_frames(s, pfx_script_chain_of(s, event->event, line->thread, sample),
			      event->fields);
	add_cookie(s, event, &sample->chain);
}

void pfx_script_text_ip(const struct pfx_form_record *line)
{
	const struct pfx_script_event *event = line->event;
	const struct pfx_sample *sample = line->sample;
	struct pfx_script *s = line->script;

	if (event->has_chain) {
		pfx_script_print_chain(line);
		return;
	}
	if (event->fields & PFX_SCRIPT_PLACE) {
		pfx_script_add_address(
			s, pfx_resolve(s->view.resolver, line->thread, sample->cpumode, sample->ip),
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

/* Printable bytes followed by at least one zero. */
static bool is_text(const struct pfx_bytes *raw)
{
	uint64_t i = 0, len;

	while (i < raw->size && is_shown(raw->at[i]))
		i++;
	for (len = i; i < raw->size && !raw->at[i]; i++)
		;
	return i == raw->size && len < i;
}

/* The output of a BPF program, eight bytes per line, and as text if printable. */
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

void pfx_script_text_bpf_output(const struct pfx_form_record *line)
{
	const struct pfx_attr *attr = &line->rec->event->attr;

	if (attr->type == PFX_TYPE_SOFTWARE && attr->config == PFX_SW_BPF_OUTPUT &&
	    line->sample->raw.size)
		add_bpf_output(&line->script->out, &line->sample->raw);
}

void pfx_script_text_trace(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;

	if (line->event->is_trace)
		pfx_sample_trace_print(&s->trace, line->rec->event, line->sample, &s->out);
}

void pfx_script_text_weight(const struct pfx_form_record *line)
{
	pfx_str_u64(&line->script->out, line->sample->weight, 16);
}

void pfx_script_text_ins_lat(const struct pfx_form_record *line)
{
	pfx_str_u64(&line->script->out, line->sample->weight2, 16);
}

void pfx_script_text_retire_lat(const struct pfx_form_record *line)
{
	pfx_str_u64(&line->script->out, line->sample->weight3, 16);
}

void pfx_script_text_phys_addr(const struct pfx_form_record *line)
{
	pfx_str_hex(&line->script->out, line->sample->phys_addr, 16);
}

void pfx_script_text_data_page_size(const struct pfx_form_record *line)
{
	add_page_size(&line->script->out, line->sample->data_page_size);
}

void pfx_script_text_code_page_size(const struct pfx_form_record *line)
{
	add_page_size(&line->script->out, line->sample->code_page_size);
}

void pfx_script_text_cgroup(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	uint64_t id = line->sample->cgroup;
	const char *cgroup = pfx_session_cgroup(s->view.session, id);

	pfx_str_addc(&s->out, ' ');
	if (cgroup)
		pfx_str_add_foreign(&s->out, cgroup);
	else
		pfx_str_addf(&s->out, "unknown:%llu", (unsigned long long)id);
}

/* For a sample of a single branch: its target, after its origin. */
void pfx_script_text_target(const struct pfx_form_record *line)
{
	struct pfx_script *s = line->script;
	uint64_t addr = line->sample->addr;

	pfx_str_add(&s->out, " => ");
	pfx_str_hex(&s->out, addr, 16);
	pfx_script_add_place(s, pfx_resolve(s->view.resolver, line->thread, PFX_MODE_UNKNOWN, addr),
			     line->event->fields & ~PFX_SCRIPT_SRCLINE);
}

#define FLAGS_WIDTH 24 /* of flags, which only decoded traces have */

void pfx_script_text_flags(const struct pfx_form_record *line)
{
	pfx_str_pad(&line->script->out, ' ', FLAGS_WIDTH);
}

void pfx_script_text_period(const struct pfx_form_record *line)
{
	pfx_str_u64(&line->script->out, line->sample->period, 10);
	pfx_str_addc(&line->script->out, ' ');
}

void pfx_script_text_event(const struct pfx_form_record *line)
{
	pfx_str_add(&line->script->out, line->event->title);
}

/* Period and event. Most samples have the same period as the previous one of their event. */
static void add_title(const struct pfx_form_record *line)
{
	struct pfx_script_event *event = line->event;
	struct pfx_str *out = &line->script->out, *text = &event->title_text;
	size_t start = out->len;

	if (text->len && event->title_period == line->sample->period) {
		pfx_str_addn(out, text->at, text->len);
		return;
	}
	add_part(line, PFX_SCRIPT_PART_TITLE);
	event->title_period = line->sample->period;
	pfx_str_clear(text);
	pfx_str_addn(text, pfx_str_get(out) + start, out->len - start);
}

static void add_sample(const struct pfx_form_record *line)
{
	pfx_script_print_start(line);
	add_title(line);
	add_part(line, PFX_SCRIPT_PART_WHAT);
	pfx_str_addc(&line->script->out, '\n');
	add_part(line, PFX_SCRIPT_PART_BELOW);
}

static void add_count(const struct pfx_form_record *line, struct pfx_str *to)
{
	const struct pfx_script_count *row = line->count;

	if (!line->script->has_stat_heading)
		pfx_str_add(to, "CPU   THREAD             VAL             ENA             RUN"
				"            TIME EVENT\n");
	line->script->has_stat_heading = true;
	pfx_str_addf(to, "%3d %8d %15llu %15llu %15llu %15llu ", row->cpu, row->tid,
		     (unsigned long long)row->count.value, (unsigned long long)row->count.enabled,
		     (unsigned long long)row->count.running, (unsigned long long)row->time);
	pfx_str_add_foreign(to, row->event->name);
	pfx_str_addc(to, '\n');
}

int pfx_script_form_text(struct pfx_form_record *line, struct pfx_str *to)
{
	switch (line->kind) {
	case PFX_FORM_RECORD_SAMPLE:
		add_sample(line);
		break;
	case PFX_FORM_RECORD_OTHER:
		if (line->event)
			pfx_script_print_start(line);
		pfx_str_add(to, line->text);
		break;
	case PFX_FORM_RECORD_COUNT:
		add_count(line, to);
		break;
	case PFX_FORM_RECORD_HEADER:
		break;
	}
	return 0;
}

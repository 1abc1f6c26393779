/* SPDX-License-Identifier: MIT */
/*
 * Samples as lines. Every distinct place and every name is rendered once and copied from then on;
 * nothing is allocated per sample. Knows the fields that an event prints, not where they come from.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/script_internal.h"

#define COMM_WIDTH 16
#define MISC_WIDTH 6

/* A frame is rendered in one of 16 styles: which of sym, symoff, dso, dsoff are shown. */
static uint32_t frame_style(uint32_t fields)
{
	return (fields & PFX_SCRIPT_SYM ? 1u : 0) | (fields & PFX_SCRIPT_SYMOFF ? 2u : 0) |
	       (fields & PFX_SCRIPT_DSO ? 4u : 0) | (fields & PFX_SCRIPT_DSOFF ? 8u : 0);
}

#define FRAME_IP 17 /* a tab and 16 digits, then what the style shows */

/* The piece at @index, made room for; its len is 0 when it has to be rendered. */
#define piece_at(vec, index)                                                              \
	({                                                                                \
		size_t need_ = (size_t)(index) + 1, had_ = (vec)->nr;                     \
		if (need_ > had_) {                                                       \
			pfx_vec_reserve(vec, need_);                                      \
			memset((vec)->at + had_, 0, (need_ - had_) * sizeof(*(vec)->at)); \
			(vec)->nr = need_;                                                \
		}                                                                         \
		&(vec)->at[index];                                                        \
	})

static void add_piece(struct pfx_script *s, const struct pfx_script_piece *piece)
{
	pfx_str_addn(&s->out, s->texts.at + piece->offset, piece->len);
}

static void render_symbol(struct pfx_str *to, const struct pfx_place *place, uint32_t fields)
{
	uint64_t offset;

	if (!place->sym) {
		pfx_str_add(to, " [unknown]");
		return;
	}
	pfx_str_addc(to, ' ');
	pfx_str_add_escaped(to, place->sym->name, strlen(place->sym->name));
	if (!(fields & PFX_SCRIPT_SYMOFF))
		return;
	offset = place->addr - place->sym->start;
	pfx_str_add(to, "+0x");
	pfx_str_hex(to, offset, 0);
}

static void render_dso(struct pfx_str *to, const struct pfx_place *place, uint32_t fields)
{
	const char *name = place->dso ? place->dso->script_name : "[unknown]";

	pfx_str_add(to, " (");
	pfx_str_add_escaped(to, name, strlen(name));
	if ((fields & PFX_SCRIPT_DSOFF) && place->dso) {
		pfx_str_add(to, "+0x");
		pfx_str_hex(to, place->shown, 0);
	}
	pfx_str_addc(to, ')');
}

/* The line of a place as call chains show it, without its newline. */
static const struct pfx_script_piece *frame_of(struct pfx_script *s, struct pfx_place *place,
					       uint32_t fields)
{
	struct pfx_script_piece *piece = piece_at(&s->frames[frame_style(fields)], place->id);

	if (piece->len)
		return piece;
	if (fields & PFX_SCRIPT_SYM)
		pfx_place_symbol(s->resolver, place);
	piece->offset = (uint32_t)s->texts.len;
	pfx_str_addc(&s->texts, '\t');
	pfx_str_hex(&s->texts, place->map && !place->map->is_kernel ? place->addr : place->ip, 16);
	if (fields & PFX_SCRIPT_SYM)
		render_symbol(&s->texts, place, fields);
	if (fields & (PFX_SCRIPT_DSO | PFX_SCRIPT_DSOFF))
		render_dso(&s->texts, place, fields);
	piece->len = (uint32_t)s->texts.len - piece->offset;
	return piece;
}

/* What follows an address on the line of its sample. */
static void add_place(struct pfx_script *s, struct pfx_place *place, uint32_t fields)
{
	const struct pfx_script_piece *piece;

	if (!(fields & PFX_SCRIPT_PLACE))
		return;
	piece = frame_of(s, place, fields);
	pfx_str_addn(&s->out, s->texts.at + piece->offset + FRAME_IP, piece->len - FRAME_IP);
}

/* "            demo " or, in front of a call chain, "demo ". */
static void add_comm(struct pfx_script *s, const struct pfx_thread *thread, bool padded)
{
	const struct pfx_comm_ref *comm = thread ? thread->comm : NULL;
	struct pfx_script_piece *piece;
	size_t start;

	if (!comm) {
		pfx_str_add(&s->out, padded ? "             :-1 " : ":-1 ");
		return;
	}
	piece = piece_at(&s->comms, (size_t)comm->id * 2 + padded);
	if (!piece->len) {
		size_t width;

		start = s->texts.len;
		pfx_str_pad(&s->texts, ' ', COMM_WIDTH);
		pfx_str_add_escaped(&s->texts, comm->text, strlen(comm->text));
		width = s->texts.len - start - COMM_WIDTH;
		pfx_str_addc(&s->texts, ' ');
		piece->offset =
			(uint32_t)(start + (!padded || width > COMM_WIDTH ? COMM_WIDTH : width));
		piece->len = (uint32_t)(s->texts.len - piece->offset);
	}
	add_piece(s, piece);
}

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

static void add_ids(struct pfx_script *s, uint32_t fields, const struct pfx_sample *sample)
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

/* What is shown for a time under --reltime and --deltatime. */
static uint64_t shown_time(struct pfx_script *s, uint64_t time)
{
	uint64_t before = s->last_time;

	if (!s->first_time)
		s->first_time = time;
	s->last_time = time;
	if (s->reltime)
		return time - s->first_time;
	if (s->deltatime)
		return before ? time - before : 0;
	return time;
}

/* Seconds in at least 5 columns, six or nine digits behind the point, and ": ". */
static void add_time(struct pfx_script *s, uint64_t time)
{
	uint64_t seconds = time / 1000000000, rest = time % 1000000000;
	unsigned digits = s->ns ? 9 : 6, i;
	char text[12];

	pfx_str_u64(&s->out, seconds, 5);
	if (!s->ns)
		rest /= 1000;
	text[0] = '.';
	for (i = digits; i; i--, rest /= 10)
		text[i] = (char)('0' + rest % 10);
	text[digits + 1] = ':';
	text[digits + 2] = ' ';
	pfx_str_addn(&s->out, text, digits + 3);
}

void pfx_script_print_start(struct pfx_script *s, const struct pfx_script_event *event,
			    const struct pfx_thread *thread, const struct pfx_sample *sample,
			    const struct pfx_record *rec)
{
	uint32_t fields = event->fields;

	if (fields & PFX_SCRIPT_COMM)
		add_comm(s, thread, !(event->has_chain && (fields & PFX_SCRIPT_IP)));
	add_ids(s, fields, sample);
	if (fields & PFX_SCRIPT_CPU)
		add_cpu(s, sample->cpu);
	if (fields & PFX_SCRIPT_MISC)
		add_misc(s, rec);
	if (fields & PFX_SCRIPT_TIME)
		add_time(s, shown_time(s, sample->time));
}

static void add_addr(struct pfx_script *s, const struct pfx_script_event *event,
		     struct pfx_thread *thread, const struct pfx_sample *sample)
{
	pfx_str_hex(&s->out, sample->addr, 16);
	if (event->addr_is_data && (event->fields & PFX_SCRIPT_PLACE))
		add_place(s, pfx_resolve(s->resolver, thread, PFX_MODE_UNKNOWN, sample->addr),
			  event->fields);
}

static void add_chain(struct pfx_script *s, const struct pfx_script_event *event,
		      struct pfx_thread *thread, const struct pfx_sample *sample)
{
	const struct pfx_chain *chain;
	uint32_t i;

	pfx_str_addc(&s->out, '\n');
	if (!s->max_stack)
		return;
	chain = pfx_resolve_chain_id(s->resolver, thread, sample);
	for (i = 0; i < chain->nr; i++) {
		add_piece(s, frame_of(s, chain->places[i], event->fields));
		pfx_str_addc(&s->out, '\n');
	}
}

static void add_ip(struct pfx_script *s, const struct pfx_script_event *event,
		   struct pfx_thread *thread, const struct pfx_sample *sample)
{
	if (event->has_chain) {
		add_chain(s, event, thread, sample);
		return;
	}
	pfx_str_addc(&s->out, ' ');
	pfx_str_hex(&s->out, sample->ip, 16);
	if (event->fields & PFX_SCRIPT_PLACE)
		add_place(s, pfx_resolve(s->resolver, thread, sample->cpumode, sample->ip),
			  event->fields);
}

/* 4096 as "4K"; a unit is used from two of it on, so 1 GiB is "1024M" as perf has it. */
static void add_page_size(struct pfx_str *to, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	while (size / 1024 > 1) {
		size /= 1024;
		unit++;
	}
	if (!size) {
		pfx_str_add(to, " N/A");
		return;
	}
	pfx_str_addc(to, ' ');
	pfx_str_u64(to, size, 0);
	pfx_str_addc(to, units[unit]);
}

/* The bytes that a BPF program put out, 16 a line. */
static void add_bpf_output(struct pfx_str *to, const struct pfx_bytes *raw)
{
	uint64_t i, j;

	pfx_str_addc(to, '\n');
	for (i = 0; i < raw->size; i += 16) {
		pfx_str_pad(to, ' ', 17);
		pfx_str_add(to, i ? "              " : "BPF output:   ");
		pfx_str_hex0(to, i, 4);
		pfx_str_addc(to, ':');
		for (j = i; j < i + 16; j++) {
			pfx_str_addc(to, ' ');
			if (j < raw->size)
				pfx_str_hex0(to, raw->at[j], 2);
			else
				pfx_str_add(to, "  ");
		}
		pfx_str_add(to, "  ");
		for (j = i; j < i + 16 && j < raw->size; j++)
			pfx_str_addc(to,
				     raw->at[j] >= 32 && raw->at[j] < 127 ? (char)raw->at[j] : '.');
		pfx_str_addc(to, '\n');
	}
}

static void add_rare_before_ip(struct pfx_script *s, uint32_t fields,
			       const struct pfx_sample *sample)
{
	if (fields & PFX_SCRIPT_WEIGHT)
		pfx_str_u64(&s->out, sample->weight, 16);
	if (fields & PFX_SCRIPT_INS_LAT)
		pfx_str_u64(&s->out, sample->weight2, 16);
}

static void add_rare_after_ip(struct pfx_script *s, uint32_t fields,
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
		cgroup = pfx_session_cgroup(s->session, sample->cgroup);
		pfx_str_addc(&s->out, ' ');
		if (cgroup)
			pfx_str_add_escaped(&s->out, cgroup, strlen(cgroup));
		else
			pfx_str_addf(&s->out, "unknown:%llu", (unsigned long long)sample->cgroup);
	}
}

#define RARE_BEFORE_IP (PFX_SCRIPT_WEIGHT | PFX_SCRIPT_INS_LAT)
#define RARE_AFTER_IP                                                                   \
	(PFX_SCRIPT_PHYS_ADDR | PFX_SCRIPT_DATA_PAGE_SIZE | PFX_SCRIPT_CODE_PAGE_SIZE | \
	 PFX_SCRIPT_CGROUP)

static void print_line(struct pfx_script *s, const struct pfx_script_event *event,
		       const struct pfx_record *rec, struct pfx_thread *thread,
		       const struct pfx_sample *sample)
{
	uint32_t fields = event->fields;

	pfx_script_print_start(s, event, thread, sample, rec);
	if (fields & PFX_SCRIPT_PERIOD) {
		pfx_str_u64(&s->out, sample->period, 10);
		pfx_str_addc(&s->out, ' ');
	}
	if (fields & PFX_SCRIPT_EVENT)
		pfx_str_add(&s->out, event->title);
	if ((fields & PFX_SCRIPT_TRACE) && event->is_trace)
		pfx_sample_trace_print(&s->trace, rec->event, sample, &s->out);
	if (fields & PFX_SCRIPT_ADDR)
		add_addr(s, event, thread, sample);
	if (fields & RARE_BEFORE_IP)
		add_rare_before_ip(s, fields, sample);
	if (fields & PFX_SCRIPT_IP)
		add_ip(s, event, thread, sample);
	if ((fields & PFX_SCRIPT_BPF_OUTPUT) && rec->event->attr.type == PFX_TYPE_SOFTWARE &&
	    rec->event->attr.config == PFX_SW_BPF_OUTPUT && sample->raw.size)
		add_bpf_output(&s->out, &sample->raw);
	if (fields & RARE_AFTER_IP)
		add_rare_after_ip(s, fields, sample);
	pfx_str_addc(&s->out, '\n');
}

/* The address that an event records belongs to the program's data or code. */
static bool address_has_symbol(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE &&
	       (attr->config == PFX_SW_PAGE_FAULTS || attr->config == PFX_SW_MINOR_FAULTS ||
		attr->config == PFX_SW_MAJOR_FAULTS);
}

static void widen_titles(struct pfx_script *s)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (strlen(meta->events[i]->name) > s->title_width)
			s->title_width = (unsigned)strlen(meta->events[i]->name);
}

static char *make_title(const struct pfx_script *s, const char *name)
{
	struct pfx_str text = {0};
	size_t len = strlen(name);

	pfx_str_pad(&text, ' ', s->title_width > len ? s->title_width - len : 0);
	pfx_str_add_escaped(&text, name, len);
	pfx_str_add(&text, ": ");
	return text.at;
}

/* Tracepoints show a place only together with call chains, unless -F said something else. */
static bool any_tracepoint_has_chain(const struct pfx_script *s)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.type == PFX_TYPE_TRACEPOINT &&
		    (meta->events[i]->attr.sample_type & PFX_SAMPLE_CALLCHAIN))
			return true;
	return false;
}

int pfx_script_event_of(struct pfx_script *s, const struct pfx_event *event,
			struct pfx_script_event **ret, struct pfx_error *err)
{
	struct pfx_script_event *entry;
	struct pfx_script_fields fields;
	int rc;

	while (s->events.nr <= event->idx)
		pfx_vec_push(&s->events, ((struct pfx_script_event){0}));
	entry = *ret = &s->events.at[event->idx];
	if (entry->is_ready)
		return 0;
	fields = s->fields;
	if (!fields.is_set[PFX_SCRIPT_TYPE_TRACE] && !s->hide_chains && any_tracepoint_has_chain(s))
		fields.by_type[PFX_SCRIPT_TYPE_TRACE] |=
			PFX_SCRIPT_IP | PFX_SCRIPT_SYM | PFX_SCRIPT_SYMOFF | PFX_SCRIPT_DSO;
	rc = pfx_script_fields_for(&fields, event, &entry->fields, &entry->lacking, err);
	if (rc < 0)
		return rc;
	if (!s->title_width)
		widen_titles(s);
	entry->has_chain = !s->hide_chains && (event->attr.sample_type & PFX_SAMPLE_CALLCHAIN);
	entry->is_trace = event->attr.type == PFX_TYPE_TRACEPOINT;
	entry->addr_is_data = address_has_symbol(&event->attr);
	entry->title = make_title(s, event->name);
	entry->is_ready = true;
	return 0;
}

static int print_sample(struct pfx_script *s, const struct pfx_record *rec,
			const struct pfx_sample *sample, struct pfx_error *err)
{
	struct pfx_script_event *event;
	struct pfx_thread *thread;
	int rc;

	rc = pfx_script_event_of(s, rec->event, &event, err);
	if (rc < 0 || !event->fields)
		return rc;
	thread = pfx_session_thread(s->session, sample->pid, sample->tid);
	if (!pfx_script_filters_take(&s->filters, sample, thread))
		return 0;
	if (s->filters.symbols.nr || s->filters.dsos.nr) {
		struct pfx_place *place =
			pfx_resolve(s->resolver, thread, sample->cpumode, sample->ip);

		pfx_place_symbol(s->resolver, place);
		if (!pfx_script_filters_take_place(&s->filters, place))
			return 0;
	}
	print_line(s, event, rec, thread, sample);
	return 0;
}

int pfx_script_print_sample(struct pfx_script *s, const struct pfx_record *rec,
			    struct pfx_error *err)
{
	struct pfx_record as = *rec;
	struct pfx_sample_part *parts;
	struct pfx_sample sample;
	uint32_t nr, i;
	int rc = 0;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample)) {
		s->nr_bad_samples++;
		return 0;
	}
	nr = pfx_session_split_sample(s->session, rec->event, &sample, &parts);
	for (i = 0; i < nr && rc >= 0; i++) {
		as.event = parts[i].event;
		sample.id = parts[i].id;
		sample.period = parts[i].period;
		rc = print_sample(s, &as, &sample, err);
	}
	return rc;
}

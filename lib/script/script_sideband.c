/* SPDX-License-Identifier: MIT */
/*
 * Sideband records as lines between the samples: --show-task-events and similar options. The text
 * of a record is that of event/dump.h.
 */
#include <errno.h>
#include <string.h>

#include "event/dump.h"
#include "script/script_internal.h"

#define ROUND "PERF_RECORD_FINISHED_ROUND"

static uint32_t show_bit(uint32_t type)
{
	switch (type) {
	case PFX_RECORD_COMM:
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
		return PFX_SCRIPT_SHOW_TASK;
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		return PFX_SCRIPT_SHOW_MMAP;
	case PFX_RECORD_SWITCH:
	case PFX_RECORD_SWITCH_CPU_WIDE:
		return PFX_SCRIPT_SHOW_SWITCH;
	case PFX_RECORD_NAMESPACES:
		return PFX_SCRIPT_SHOW_NAMESPACE;
	case PFX_RECORD_CGROUP:
		return PFX_SCRIPT_SHOW_CGROUP;
	case PFX_RECORD_LOST:
		return PFX_SCRIPT_SHOW_LOST;
	case PFX_RECORD_FINISHED_ROUND:
		return PFX_SCRIPT_SHOW_ROUND;
	case PFX_RECORD_KSYMBOL:
	case PFX_RECORD_BPF_EVENT:
		return PFX_SCRIPT_SHOW_BPF;
	case PFX_RECORD_TEXT_POKE:
		return PFX_SCRIPT_SHOW_TEXT_POKE;
	default:
		return 0;
	}
}

/* The task of the record, if it has one. */
static bool subject_of(const struct pfx_body *body, uint32_t *pid, uint32_t *tid)
{
	switch (body->type) {
	case PFX_RECORD_COMM:
		*pid = body->comm.pid;
		*tid = body->comm.tid;
		return true;
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
		*pid = body->task.pid;
		*tid = body->task.tid;
		return true;
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		*pid = body->mmap.pid;
		*tid = body->mmap.tid;
		return true;
	case PFX_RECORD_NAMESPACES:
		*pid = body->namespaces.pid;
		*tid = body->namespaces.tid;
		return true;
	default:
		return false;
	}
}

/* The start of the line is from the record's trailer; in files without trailers only the task in
 * the record is available. */
static void start_of(const struct pfx_body *body, uint32_t pid, uint32_t tid,
		     struct pfx_sample *ret)
{
	const struct pfx_sample_id *id = &body->id;

	*ret = (struct pfx_sample){.pid = pid, .tid = tid};
	if (id->has & PFX_SAMPLE_TID) {
		ret->pid = id->pid;
		ret->tid = id->tid;
	}
	ret->id = id->id;
	if (id->has & PFX_SAMPLE_CPU)
		ret->cpu = id->cpu;
	if (id->has & PFX_SAMPLE_TIME)
		ret->time = id->time;
	else if (body->type == PFX_RECORD_FORK || body->type == PFX_RECORD_EXIT)
		ret->time = body->task.time;
}

/* The text of the dump from the record's name on, without the trailer's ids. */
static void add_text(const struct pfx_record *rec, struct pfx_str *to)
{
	struct pfx_str text = {0};
	const char *from, *ids;

	pfx_dump_fields(rec, &text);
	from = strstr(pfx_str_get(&text), "PERF_RECORD_");
	if (from) {
		ids = strstr(from, "\n... ");
		pfx_str_addn(to, from, ids ? (size_t)(ids - from) : strlen(from));
	}
	if (!to->len || to->at[to->len - 1] != '\n')
		pfx_str_addc(to, '\n');
	pfx_str_fini(&text);
}

/* Inserts the symbol of a text poke after the address. */
static void name_poke(struct pfx_script *s, uint64_t addr, struct pfx_thread *thread,
		      struct pfx_str *text)
{
	struct pfx_place *place = pfx_resolve(s->view.resolver, thread, PFX_MODE_KERNEL, addr);
	const struct pfx_symbol *sym = pfx_place_symbol(s->view.resolver, place);
	const char *whole = pfx_str_get(text), *gap = strstr(whole, "  ");
	struct pfx_str named = {0};

	if (!sym || !gap)
		return;
	pfx_str_addn(&named, whole, (size_t)(gap + 1 - whole));
	pfx_str_add_foreign(&named, sym->name);
	pfx_str_addf(&named, "+0x%llx%s", (unsigned long long)(place->addr - sym->start), gap + 1);
	pfx_str_fini(text);
	*text = named;
}

/* The body of a record of an event, and that event: 1, or 0 if unknown. */
static int body_of(struct pfx_script *s, const struct pfx_record *rec, struct pfx_body *ret_body,
		   struct pfx_script_event **ret_event, struct pfx_error *err)
{
	int rc;

	if (!rec->event || pfx_record_decode(rec, &rec->event->attr, ret_body, NULL) < 0)
		return 0;
	rc = pfx_script_event_of(s, rec->event, ret_event, err);
	return rc < 0 ? rc : 1;
}

static int print_record(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_thread *thread;
	struct pfx_script_event *event;
	struct pfx_sample start;
	struct pfx_str text = {0};
	struct pfx_body body;
	uint32_t pid = 0, tid = 0;
	int rc = body_of(s, rec, &body, &event, err);

	if (rc <= 0)
		return rc;
	subject_of(&body, &pid, &tid);
	start_of(&body, pid, tid, &start);
	if (!pfx_script_takes_cpu(s, start.cpu))
		return 0;
	if (!subject_of(&body, &pid, &tid)) {
		pid = start.pid;
		tid = start.tid;
	}
	thread = pfx_session_thread(s->view.session, pid, tid);
	if (rec->type == PFX_RECORD_LOST)
		pfx_str_addf(&text, "PERF_RECORD_LOST lost %llu\n",
			     (unsigned long long)body.lost.lost);
	else
		add_text(rec, &text);
	if (rec->type == PFX_RECORD_TEXT_POKE)
		name_poke(s, body.text_poke.addr, thread, &text);
	rc = pfx_script_put(&(struct pfx_form_record){.kind = PFX_FORM_RECORD_OTHER,
						      .script = s,
						      .event = event,
						      .rec = rec,
						      .thread = thread,
						      .sample = &start,
						      .text = pfx_str_get(&text)});
	pfx_str_fini(&text);
	return rc;
}

int pfx_script_print_deferred(struct pfx_script *s, const struct pfx_record *rec,
			      struct pfx_error *err)
{
	struct pfx_script_event *event;
	struct pfx_form_record line;
	struct pfx_thread *thread;
	struct pfx_sample start;
	struct pfx_body body;
	int rc = body_of(s, rec, &body, &event, err);

	if (rc <= 0)
		return rc;
	start_of(&body, 0, 0, &start);
	thread = pfx_session_thread(s->view.session, start.pid, start.tid);
	if (!event->has_chain || !pfx_script_filters_take(&s->filters, &start, thread))
		return 0;
	start.cpumode = PFX_MODE_USER;
	start.chain = body.callchain_deferred.ips;
	line = (struct pfx_form_record){
		.script = s, .event = event, .rec = rec, .thread = thread, .sample = &start};
	pfx_script_print_start(&line);
	pfx_str_addf(&s->out, "DEFERRED CALLCHAIN [cookie: %llx]",
		     (unsigned long long)body.callchain_deferred.cookie);
	pfx_script_print_chain(&line);
	pfx_str_addc(&s->out, '\n');
	return s->how.per_event ? pfx_script_file_take(s, rec->event, false, err) : 0;
}

int pfx_script_print_sideband(struct pfx_script *s, const struct pfx_record *rec, bool applied,
			      struct pfx_error *err)
{
	int rc = 0;

	/* EXIT is printed before the session removes the thread, for its comm */
	if (!(s->how.show & show_bit(rec->type)) || applied == (rec->type == PFX_RECORD_EXIT))
		return 0;
	if (rec->type == PFX_RECORD_FINISHED_ROUND)
		rc = pfx_script_put(&(struct pfx_form_record){.kind = PFX_FORM_RECORD_OTHER,
							      .script = s,
							      .rec = rec,
							      .text = ROUND "\n"});
	else
		rc = print_record(s, rec, err);
	/* files of events only contain samples, as tools that parse them expect */
	return rc < 0 || !s->how.per_event ? rc : pfx_script_flush(s, 0, err);
}

/* SPDX-License-Identifier: MIT */
#include "read/record_dump.h"

#include "arch/arch.h"
#include "event/dump.h"

static void add_place(const struct pfx_record *rec, struct pfx_session *session,
		      struct pfx_resolver *resolver, struct pfx_str *to)
{
	struct pfx_sample sample;
	struct pfx_thread *thread;
	struct pfx_place *place;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample))
		return;
	thread = pfx_session_thread(session, sample.pid, sample.tid);
	place = pfx_resolve(resolver, thread, sample.cpumode, sample.ip);
	pfx_str_add(to, " ... thread: ");
	pfx_str_add_foreign(to, thread->comm->text);
	pfx_str_addf(to, ":%d\n ...... dso: ", (int)thread->tid);
	pfx_str_add_foreign(to, place->dso ? place->dso->name : "<not found>");
	pfx_str_addc(to, '\n');
}

void pfx_record_dump(const struct pfx_record *rec, struct pfx_reader *reader,
		     struct pfx_session *session, struct pfx_resolver *resolver, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(reader);
	const struct pfx_dump_context context = {
		.path = meta->is_pipe ? "pipe" : pfx_reader_info(reader)->path,
		.attr = meta->nr_events ? &meta->events[0]->attr : NULL,
		.reg_name = pfx_arch_reg_name,
		.machine = meta->env.arch,
	};

	pfx_dump_record(rec, &context, to);
	if (rec->type == PFX_RECORD_SAMPLE)
		add_place(rec, session, resolver, to);
}

/* SPDX-License-Identifier: MIT */
/*
 * Adds JIT code to the session as its records are read. The map of a file jit-PID.dump marks a
 * process that writes a jitdump; the file is read then, and each function becomes a map of the
 * session when the time of the records reaches the time of the function. Tracks addresses over
 * time, not names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"
#include "sym/jit/jitdump.h"
#include "unwind/resolve_internal.h"

#define NANOSECONDS_SHIFT 63

/* The location of a function's code in the file. */
struct function {
	uint64_t offset, size;
};

/* State of reading one jitdump. */
struct reading {
	struct pfx_jit_follower *jit;
	struct pfx_jit_file file;
	struct pfx_jitdump dump;
	struct pfx_hash by_index; /* code index of a function -> 1 + index in functions */
	PFX_VEC(struct function) functions;
	uint32_t mark_id;
	bool timeless; /* its times are of another clock than the recording's */
};

void pfx_jit_follower_fini(struct pfx_jit_follower *jit)
{
	pfx_vec_free(&jit->places);
	pfx_vec_free(&jit->marks);
	pfx_vec_free(&jit->notes);
	pfx_intern_fini(&jit->dumps);
}

/* --- clocks --- */

static bool is_comparable(const struct reading *r, const struct pfx_meta *meta)
{
	const struct pfx_attr *attr = meta->nr_events ? &meta->events[0]->attr : NULL;

	if (r->dump.flags & PFX_JITDUMP_ARCH_TIME)
		return r->jit->conv.time_mult != 0;
	return attr && attr->flags & PFX_ATTR_USE_CLOCKID && attr->clockid == CLOCK_MONOTONIC;
}

/* time = zero + counter * mult / 2^shift, without losing high bits on the way */
static uint64_t convert(const struct reading *r, uint64_t time)
{
	const struct pfx_time_conv *conv = &r->jit->conv;
	unsigned shift = conv->time_shift & NANOSECONDS_SHIFT;
	uint64_t rest = time & ((1ull << shift) - 1);

	if (r->timeless)
		return 0;
	if (!(r->dump.flags & PFX_JITDUMP_ARCH_TIME))
		return time;
	return conv->time_zero + (time >> shift) * conv->time_mult +
	       (rest * conv->time_mult >> shift);
}

/* --- reading a jitdump --- */

static void add_place(struct reading *r, uint64_t time, uint64_t addr, struct function function)
{
	if (addr + function.size < addr)
		return;
	pfx_vec_push(&r->jit->places,
		     ((struct pfx_jit_place){convert(r, time), r->jit->places.nr, addr,
					     function.size, function.offset, r->mark_id}));
}

static void take_load(struct reading *r, const struct pfx_jit_record *record)
{
	const struct pfx_jit_load *load = &record->load;
	struct function function = {(uint64_t)(load->code - r->file.data), load->size};

	if (!load->size)
		return;
	pfx_vec_push(&r->functions, function);
	*pfx_hash_add(&r->by_index, load->index, NULL) = r->functions.nr;
	add_place(r, record->time, load->addr, function);
}

static void take_move(struct reading *r, const struct pfx_jit_record *record)
{
	const uint64_t *at = pfx_hash_get(&r->by_index, record->move.index);

	if (at)
		add_place(r, record->time, record->move.new_addr, r->functions.at[*at - 1]);
}

static void add_note(struct pfx_resolver *resolver, const char *text)
{
	pfx_vec_push(&resolver->jit.notes, pfx_arena_strdup(&resolver->arena, text));
}

static void note_clock(struct pfx_resolver *resolver, const struct reading *r)
{
	struct pfx_str text = {0};

	pfx_str_add(&text, "'");
	pfx_str_add_foreign(&text, r->jit->marks.at[r->mark_id].filename);
	pfx_str_addf(&text,
		     "' has times of %s, which the recording's cannot be compared with: of "
		     "functions at one address the last one is shown (record with -k mono)",
		     r->dump.flags & PFX_JITDUMP_ARCH_TIME ? "the CPU's counter"
							   : "CLOCK_MONOTONIC");
	add_note(resolver, text.at);
	pfx_str_fini(&text);
}

static int compare(const void *a, const void *b)
{
	const struct pfx_jit_place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void read_places(struct pfx_resolver *resolver, struct reading *r)
{
	struct pfx_jit_follower *jit = r->jit;
	struct pfx_jit_record record;
	size_t before = jit->places.nr;

	r->timeless = !is_comparable(r, pfx_session_meta(resolver->session));
	while (pfx_jitdump_next(&r->dump, &record)) {
		if (record.type == PFX_JIT_LOAD)
			take_load(r, &record);
		else if (record.type == PFX_JIT_MOVE)
			take_move(r, &record);
	}
	if (r->timeless && jit->places.nr > before)
		note_clock(resolver, r);
	if (jit->places.nr > jit->next)
		qsort(jit->places.at + jit->next, jit->places.nr - jit->next,
		      sizeof(*jit->places.at), compare);
}

static struct pfx_sym_request request_of(const struct pfx_resolver *resolver,
					 const struct pfx_mmap *mark)
{
	const struct pfx_env *env = &pfx_session_meta(resolver->session)->env;
	struct pfx_sym_request request = {
		.kind = PFX_SYM_JITDUMP, .path = mark->filename, .pid = (int32_t)mark->pid};
	uint32_t i;

	for (i = 0; i < env->nr_build_ids; i++) {
		if (!env->build_ids[i].filename ||
		    strcmp(env->build_ids[i].filename, mark->filename))
			continue;
		request.build_id = env->build_ids[i].id;
		request.build_id_size = env->build_ids[i].size;
	}
	return request;
}

static void read_dump(struct pfx_resolver *resolver, const struct pfx_mmap *mark)
{
	struct reading r = {.jit = &resolver->jit};
	struct pfx_sym_request request = request_of(resolver, mark);
	struct pfx_mmap kept = *mark;
	struct pfx_error err = {0}, why = {0};
	char shown[256];
	int rc = pfx_jit_file_read(&request, &resolver->options.sym, &r.file, &err);

	if (!rc && pfx_jitdump_init(&r.dump, r.file.data, r.file.size, &why))
		rc = pfx_error_set(&err, EBADMSG, "'%s' cannot be used: %s",
				   pfx_escape(shown, sizeof(shown), mark->filename), why.text);
	if (!rc) {
		kept.filename = pfx_arena_strdup(&resolver->arena, mark->filename);
		r.mark_id = (uint32_t)resolver->jit.marks.nr;
		pfx_vec_push(&resolver->jit.marks, kept);
		read_places(resolver, &r);
	} else {
		add_note(resolver, err.text);
	}
	pfx_jit_file_free(&r.file);
	pfx_hash_fini(&r.by_index);
	pfx_vec_free(&r.functions);
}

/* --- following records --- */

static void put_until(struct pfx_resolver *resolver, uint64_t time)
{
	struct pfx_jit_follower *jit = &resolver->jit;
	const struct pfx_jit_place *place;
	struct pfx_mmap map;

	for (; jit->next < jit->places.nr && jit->places.at[jit->next].time <= time; jit->next++) {
		place = &jit->places.at[jit->next];
		map = jit->marks.at[place->mark];
		map.addr = place->addr;
		map.len = place->size;
		map.pgoff = place->offset;
		pfx_session_add_code(resolver->session, &map);
	}
}

/* Only the first map of a jitdump in a process counts; a forked child writes its own file. */
static void take_map(struct pfx_resolver *resolver, const struct pfx_record *rec)
{
	struct pfx_jit_follower *jit = &resolver->jit;
	uint32_t known = jit->dumps.nr;
	struct pfx_body body;
	char *key;

	if (!rec->event || pfx_record_decode(rec, &rec->event->attr, &body, NULL) < 0 ||
	    !pfx_session_is_jitdump(body.mmap.filename))
		return;
	key = pfx_strfmt("%u %s", body.mmap.pid, body.mmap.filename);
	pfx_intern_str(&jit->dumps, key);
	free(key);
	if (jit->dumps.nr > known)
		read_dump(resolver, &body.mmap);
}

void pfx_resolver_follow(struct pfx_resolver *resolver, const struct pfx_record *rec)
{
	struct pfx_jit_follower *jit = &resolver->jit;
	struct pfx_body body;

	if (jit->next < jit->places.nr && rec->time != PFX_NO_TIME)
		put_until(resolver, rec->time);
	if (rec->type == PFX_RECORD_MMAP || rec->type == PFX_RECORD_MMAP2)
		take_map(resolver, rec);
	else if (rec->type == PFX_RECORD_TIME_CONV &&
		 pfx_record_decode(rec, NULL, &body, NULL) >= 0)
		jit->conv = body.time_conv;
}

bool pfx_resolver_expects_code(const struct pfx_resolver *resolver)
{
	return resolver->jit.next < resolver->jit.places.nr;
}

const char *pfx_resolver_jit_note(const struct pfx_resolver *resolver, uint32_t i)
{
	return i < resolver->jit.notes.nr ? resolver->jit.notes.at[i] : NULL;
}

/* SPDX-License-Identifier: MIT */
/* A record of an input as a record of the merged recording. */
#include <string.h>
#include <sys/mman.h>

#include "rewrite/merge_internal.h"

#define UPPER_HALF (1ull << 63)
#define MARKERS    ((uint64_t)-4095) /* context markers of call chains are from here on */

/* --- numbers, addresses, times, ids --- */

static uint32_t new_pid(const struct pfx_merge_source *source, uint32_t pid)
{
	return pid && pid != UINT32_MAX ? pid + source->told.pid_offset : pid;
}

static void change_pids(const struct pfx_merge_source *source, uint32_t *pid, uint32_t *tid)
{
	*pid = new_pid(source, *pid);
	*tid = new_pid(source, *tid);
}

static uint64_t new_address(const struct pfx_merge_source *source, uint64_t addr)
{
	if (addr < UPPER_HALF || addr >= MARKERS)
		return addr;
	if (addr >= source->text_start && addr < source->text_end)
		return addr + source->text_shift;
	return addr + source->kernel_shift;
}

static bool changes_addresses(const struct pfx_merge_source *source)
{
	return source->text_shift || source->kernel_shift;
}

static uint64_t new_time(const struct pfx_merge_source *source, uint64_t time)
{
	return time && time != PFX_NO_TIME ? time + (uint64_t)source->told.time_shift : time;
}

static uint64_t new_id(struct pfx_merge_source *source, uint32_t event, uint64_t id)
{
	const uint64_t *found = pfx_hash_get(&source->new_ids, id);

	return found ? *found : source->first_ids.at[event];
}

/* --- samples --- */

static void change_chain(struct pfx_merge_source *source, struct pfx_words *chain)
{
	uint64_t i;

	source->chain.nr = 0;
	for (i = 0; i < chain->nr; i++)
		pfx_vec_push(&source->chain, new_address(source, pfx_word(chain, i)));
	*chain = (struct pfx_words){(const uint8_t *)source->chain.at, chain->nr, false};
}

static void change_branches(struct pfx_merge_source *source, struct pfx_branch_stack *stack)
{
	struct pfx_branch branch;
	uint64_t i;

	pfx_buffer_clear(&source->branches);
	source->branches.swap = stack->swap;
	for (i = 0; i < stack->nr; i++) {
		branch = pfx_branch_at(stack, i);
		pfx_buffer_u64(&source->branches, new_address(source, branch.from));
		pfx_buffer_u64(&source->branches, new_address(source, branch.to));
		/* the flags as they are: their bits depend on the byte order */
		pfx_buffer_bytes(&source->branches, stack->entries.at + 24 * i + 16, 8);
	}
	stack->entries.at = source->branches.at;
}

/* Counter values that a sample carries have ids, too. */
static void change_read(struct pfx_merge_source *source, const struct pfx_attr *attr,
			uint32_t event, struct pfx_sample *sample)
{
	struct pfx_read read;
	uint64_t i;

	if (!(attr->sample_type & PFX_SAMPLE_READ) || !pfx_sample_read(sample, attr, &read) ||
	    read.nr > PFX_READ_MAX)
		return;
	for (i = 0; i < read.nr; i++)
		read.values[i].id = new_id(source, event, read.values[i].id);
	pfx_buffer_clear(&source->read);
	source->read.swap = sample->swap;
	pfx_read_encode(&read, attr->read_format, &source->read);
	sample->read_bytes = (struct pfx_bytes){source->read.at, source->read.len};
}

static int change_sample(struct pfx_merge_source *source, const struct pfx_item *item,
			 struct pfx_buffer *to)
{
	const struct pfx_event *event = item->rec.event;
	struct pfx_sample sample = *item->sample;

	change_pids(source, &sample.pid, &sample.tid);
	sample.time = new_time(source, sample.time);
	sample.id = new_id(source, event->idx, sample.id);
	if (event->attr.sample_type & PFX_SAMPLE_STREAM_ID)
		sample.stream_id = new_id(source, event->idx, sample.stream_id);
	change_read(source, &event->attr, event->idx, &sample);
	if (changes_addresses(source)) {
		sample.ip = new_address(source, sample.ip);
		sample.addr = new_address(source, sample.addr);
		change_chain(source, &sample.chain);
		change_branches(source, &sample.branch);
	}
	return pfx_sample_encode(&sample, &source->events.at[event->idx]->attr, to);
}

/* --- other records --- */

/* The first of each name counts. */
static void note_build_ids(struct pfx_merge_source *source)
{
	const struct pfx_env *env = &pfx_recording_meta(source->recording)->env;
	uint32_t i, *at;

	for (i = 0; i < env->nr_build_ids; i++) {
		if (env->build_ids[i].pid > 0 || !env->build_ids[i].size)
			continue;
		at = pfx_vec_slot(&source->build_ids,
				  pfx_intern_str(&source->build_names, env->build_ids[i].filename));
		if (!*at)
			*at = i + 1;
	}
}

static const struct pfx_env_build_id *build_id_of(struct pfx_merge_source *source,
						  const char *filename)
{
	uint32_t name, *at;

	if (!source->build_names.nr)
		note_build_ids(source);
	name = pfx_intern_str(&source->build_names, filename);
	at = pfx_vec_slot(&source->build_ids, name);
	return *at ? &pfx_recording_meta(source->recording)->env.build_ids[*at - 1] : NULL;
}

/* A file with the same name may be another build in another recording: its mapping says which. */
static void add_build_id(struct pfx_merge_source *source, struct pfx_body *body)
{
	const struct pfx_env_build_id *id;

	if (body->mmap.build_id_size || body->mmap.pid == UINT32_MAX)
		return;
	id = build_id_of(source, body->mmap.filename);
	if (!id)
		return;
	if (body->type == PFX_RECORD_MMAP) {
		body->type = PFX_RECORD_MMAP2;
		body->mmap.prot =
			body->misc & PFX_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
		body->mmap.flags = MAP_PRIVATE;
	}
	body->misc |= PFX_MISC_MMAP_BUILD_ID;
	body->mmap.build_id_size = id->size;
	memcpy(body->mmap.build_id, id->id, sizeof(body->mmap.build_id));
}

/* The mapping of the kernel is written once; that of another kernel as if it were a module. */
static int change_map(struct pfx_merge_source *source, struct pfx_body *body)
{
	bool is_text =
		body->mmap.pid == UINT32_MAX && pfx_merge_is_kernel_name(body->mmap.filename);

	if (is_text && (source->told.kernel == PFX_MERGE_KERNEL_SAME ||
			source->told.kernel == PFX_MERGE_KERNEL_MOVED))
		return 0;
	if (is_text && source->told.kernel == PFX_MERGE_KERNEL_OTHER)
		body->mmap.filename = "[other-kernel]";
	if (body->mmap.pid == UINT32_MAX) {
		body->mmap.pgoff = new_address(source, body->mmap.pgoff);
		body->mmap.addr = new_address(source, body->mmap.addr);
	}
	add_build_id(source, body);
	change_pids(source, &body->mmap.pid, &body->mmap.tid);
	return 1;
}

static void change_read_record(struct pfx_merge_source *source, uint32_t event,
			       struct pfx_read_record *record)
{
	uint64_t i;

	change_pids(source, &record->pid, &record->tid);
	for (i = 0; i < record->read.nr && i < PFX_READ_MAX; i++)
		record->read.values[i].id = new_id(source, event, record->read.values[i].id);
}

static int change_body(struct pfx_merge_source *source, uint32_t event, struct pfx_body *body)
{
	switch (body->type) {
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		return change_map(source, body);
	case PFX_RECORD_COMM:
		change_pids(source, &body->comm.pid, &body->comm.tid);
		break;
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
		change_pids(source, &body->task.pid, &body->task.tid);
		change_pids(source, &body->task.ppid, &body->task.ptid);
		body->task.time = new_time(source, body->task.time);
		break;
	case PFX_RECORD_LOST:
		body->lost.id = new_id(source, event, body->lost.id);
		break;
	case PFX_RECORD_THROTTLE:
	case PFX_RECORD_UNTHROTTLE:
		body->throttle.time = new_time(source, body->throttle.time);
		body->throttle.id = new_id(source, event, body->throttle.id);
		body->throttle.stream_id = new_id(source, event, body->throttle.stream_id);
		break;
	case PFX_RECORD_READ:
		change_read_record(source, event, &body->read);
		break;
	case PFX_RECORD_SWITCH_CPU_WIDE:
		change_pids(source, &body->next_prev.pid, &body->next_prev.tid);
		break;
	case PFX_RECORD_NAMESPACES:
		change_pids(source, &body->namespaces.pid, &body->namespaces.tid);
		break;
	case PFX_RECORD_KSYMBOL:
		body->ksymbol.addr = new_address(source, body->ksymbol.addr);
		break;
	case PFX_RECORD_TEXT_POKE:
		body->text_poke.addr = new_address(source, body->text_poke.addr);
		break;
	default:
		break;
	}
	return 1;
}

/* What a merged file has of records that are not the kernel's: nothing. They describe the file, a
 * trace or a count. */
static bool is_of_kernel(uint32_t type)
{
	return type < PFX_RECORD_KERNEL_MAX;
}

int pfx_merge_change(struct pfx_merge_source *source, const struct pfx_item *item,
		     struct pfx_buffer *to)
{
	const struct pfx_event *event = item->rec.event;
	struct pfx_error ignored;
	struct pfx_body body;

	if (!is_of_kernel(item->rec.type))
		return 0;
	/* another file than the one that was looked at first */
	if (event && event->idx >= source->events.nr) {
		source->told.nr_dropped++;
		return 0;
	}
	if (item->sample && event) {
		source->told.nr_samples++;
		return change_sample(source, item, to);
	}
	if (item->rec.type == PFX_RECORD_SAMPLE || !event ||
	    pfx_record_decode(&item->rec, &event->attr, &body, &ignored) < 0) {
		source->told.nr_dropped++;
		return 0;
	}
	if (!change_body(source, event->idx, &body))
		return 0;
	change_pids(source, &body.id.pid, &body.id.tid);
	if (!(body.id.has & PFX_SAMPLE_TIME))
		body.id.time = item->rec.time == PFX_NO_TIME ? 0 : item->rec.time;
	body.id.time = new_time(source, body.id.time);
	body.id.id = body.id.identifier =
		new_id(source, event->idx,
		       body.id.has & PFX_SAMPLE_IDENTIFIER ? body.id.identifier : body.id.id);
	body.id.stream_id = new_id(source, event->idx, body.id.stream_id);
	return pfx_record_encode(&body, &source->events.at[event->idx]->attr, to);
}

/* SPDX-License-Identifier: MIT */
/* A table with one entry for each hash. Finding an entry reads nothing else, unless something has
 * changed since. */
#include "live/live_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define ENTRIES (1u << 13)
#define LINE    sizeof(struct pfx_live_memo_entry)

/* Every sample may have another one of these. */
#define OWN_STACK (PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_STACK_USER | PFX_SAMPLE_BRANCH_STACK)

static uint16_t cpu_of(const struct pfx_live_memo *memo, const struct pfx_sample *sample)
{
	return memo->needs_cpu ? (uint16_t)sample->cpu : 0;
}

static struct pfx_live_memo_entry *slot_of(const struct pfx_live_memo *memo,
					   const struct pfx_sample *sample)
{
	uint64_t word =
		sample->ip ^ (uint64_t)sample->tid << 40 ^ (uint64_t)cpu_of(memo, sample) << 56;

	return &memo->entries[pfx_hash_fold(word ^ pfx_hash_secret[0], pfx_hash_secret[1]) %
			      ENTRIES];
}

void pfx_live_memo_void(struct pfx_live_memo *memo)
{
	memo->round++;
	if (!memo->round && memo->entries)
		memset(memo->entries, 0, ENTRIES * LINE);
	if (!memo->round)
		memo->round++;
}

void pfx_live_memo_change(struct pfx_live_memo *memo)
{
	memo->nr_changes++;
}

/* Whether the thread has the name and the maps that it had. */
static bool is_unchanged(const struct pfx_live_memo *memo, const struct pfx_session *session,
			 struct pfx_live_memo_entry *entry)
{
	if (entry->seen == memo->nr_changes)
		return true;
	if (entry->thread->replaced || entry->thread->comm != entry->comm ||
	    entry->stamp != pfx_session_maps_stamp(session, entry->thread))
		return false;
	entry->seen = memo->nr_changes;
	return true;
}

const struct pfx_live_memo_entry *pfx_live_memo_find(struct pfx_live_memo *memo,
						     const struct pfx_session *session,
						     const struct pfx_event *event,
						     const struct pfx_sample *sample)
{
	struct pfx_live_memo_entry *entry;

	if (!memo->entries)
		return NULL;
	entry = slot_of(memo, sample);
	if (entry->round != memo->round || entry->ip != sample->ip || entry->tid != sample->tid ||
	    entry->pid != sample->pid || entry->event != event->idx ||
	    entry->cpumode != sample->cpumode || entry->cpu != cpu_of(memo, sample))
		return NULL;
	return is_unchanged(memo, session, entry) ? entry : NULL;
}

static void begin(struct pfx_live_memo *memo)
{
	uintptr_t at;

	memo->room = pfx_calloc(ENTRIES + 1, LINE);
	at = ((uintptr_t)memo->room + LINE - 1) / LINE * LINE;
	memo->entries = (struct pfx_live_memo_entry *)at;
	pfx_live_memo_void(memo);
}

struct pfx_live_memo_entry *pfx_live_memo_put(struct pfx_live_memo *memo,
					      const struct pfx_session *session,
					      const struct pfx_event *event,
					      const struct pfx_sample *sample,
					      const struct pfx_thread *thread)
{
	struct pfx_live_memo_entry *entry;

	if (event->attr.sample_type & OWN_STACK || pfx_session_splits(event) ||
	    thread->pid == (uint32_t)-1 || event->idx > UINT16_MAX)
		return NULL;
	if (!memo->entries)
		begin(memo);
	entry = slot_of(memo, sample);
	*entry = (struct pfx_live_memo_entry){
		.ip = sample->ip,
		.stamp = pfx_session_maps_stamp(session, thread),
		.pid = sample->pid,
		.tid = sample->tid,
		.seen = memo->nr_changes,
		.cpu = cpu_of(memo, sample),
		.round = memo->round,
		.event = (uint16_t)event->idx,
		.cpumode = (uint8_t)sample->cpumode,
		.thread = thread,
		.comm = thread->comm,
	};
	return entry;
}

void pfx_live_memo_fini(struct pfx_live_memo *memo)
{
	free(memo->room);
	memo->entries = memo->room = NULL;
}

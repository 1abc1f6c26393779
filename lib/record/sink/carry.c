/* SPDX-License-Identifier: MIT */
/*
 * Keeps the bytes of records, one after the other. An ended thread is kept until the end of the
 * next file: its EXIT record may be in another ring buffer than its last samples, and be read
 * before them.
 */
#include "record/sink/carry.h"

#include <string.h>

#include "event/record.h"

#define MOST_AT_FIRST ((size_t)4 << 20)

struct head {
	uint32_t type;
	uint16_t misc, size;
};

static struct head head_of(const uint8_t *record)
{
	struct head head;

	memcpy(&head, record, sizeof(head));
	return head;
}

/* The thread of a record; for maps, the first thread of the process. 0: none, or the kernel. */
static uint32_t owner_of(const uint8_t *record, size_t size)
{
	struct head head = head_of(record);
	uint32_t ids[4]; /* process, and thread or parent; thread, thread of the parent */

	if (size < sizeof(head) + sizeof(ids))
		return 0;
	memcpy(ids, record + sizeof(head), sizeof(ids));
	switch (head.type) {
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		return ids[0] == UINT32_MAX ? 0 : ids[0];
	case PFX_RECORD_COMM:
	case PFX_RECORD_NAMESPACES:
		return ids[1];
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
		return ids[2];
	default:
		return 0;
	}
}

/* @runs: see pfx_carry_switch(); NULL: keep threads that are not known to have ended. */
static bool is_wanted(const struct pfx_carry *carry, uint32_t tid, bool (*runs)(uint32_t tid))
{
	const uint64_t *ended = pfx_hash_get(&carry->ended, tid);

	if (!runs)
		return !ended;
	return ended ? *ended == carry->file : !runs(tid);
}

/* Drop the records of threads that are not wanted. */
static void keep_wanted(struct pfx_carry *carry, bool (*runs)(uint32_t tid))
{
	const uint8_t *at = carry->records.at, *end = at ? at + carry->records.len : NULL;
	struct pfx_buffer kept = {0};
	uint32_t owner, last = 0;
	bool wanted = false;
	size_t size;

	for (; at < end; at += size, last = owner) {
		size = head_of(at).size;
		owner = owner_of(at, size);
		if (owner != last)
			wanted = is_wanted(carry, owner, runs);
		if (wanted)
			pfx_buffer_bytes(&kept, at, size);
	}
	pfx_buffer_fini(&carry->records);
	carry->records = kept;
}

/* Bound the memory: drop the records of ended threads. */
static void drop_dead(struct pfx_carry *carry)
{
	size_t len;

	keep_wanted(carry, NULL);
	len = carry->records.len;
	carry->most = len > MOST_AT_FIRST / 2 ? 2 * len : MOST_AT_FIRST;
	pfx_hash_fini(&carry->ended);
}

void pfx_carry_take(struct pfx_carry *carry, const uint8_t *record, size_t size)
{
	uint32_t owner = owner_of(record, size), type = head_of(record).type;

	if (!owner)
		return;
	if (type == PFX_RECORD_EXIT) {
		*pfx_hash_add(&carry->ended, owner, NULL) = carry->file;
		return;
	}
	if (type == PFX_RECORD_FORK) /* the id was reused */
		pfx_hash_remove(&carry->ended, owner);
	pfx_buffer_bytes(&carry->records, record, size);
	if (carry->records.len > (carry->most ? carry->most : MOST_AT_FIRST))
		drop_dead(carry);
}

/* Drop threads that ended before the file that is over. */
static void forget_ended(struct pfx_carry *carry)
{
	struct pfx_hash recent = {0};
	size_t i;

	for (i = 0; i < carry->ended.cap; i++)
		if (carry->ended.used[i] && carry->ended.slots[i].value == carry->file)
			*pfx_hash_add(&recent, carry->ended.slots[i].key, NULL) = carry->file;
	pfx_hash_fini(&carry->ended);
	carry->ended = recent;
}

void pfx_carry_switch(struct pfx_carry *carry, bool (*runs)(uint32_t tid), struct pfx_buffer *to)
{
	keep_wanted(carry, runs);
	pfx_buffer_bytes(to, carry->records.at, carry->records.len);
	forget_ended(carry);
	carry->file++;
}

void pfx_carry_fini(struct pfx_carry *carry)
{
	pfx_buffer_fini(&carry->records);
	pfx_hash_fini(&carry->ended);
	*carry = (struct pfx_carry){0};
}

/* SPDX-License-Identifier: MIT */
/* `sample` lines. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "kit/kit_internal.h"

/* Markers of a callchain. */
static bool marker(const char *name, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t value;
	} markers[] = {
		{"hv", PFX_CONTEXT_HV},
		{"kernel", PFX_CONTEXT_KERNEL},
		{"user", PFX_CONTEXT_USER},
		{"deferred", PFX_CONTEXT_USER_DEFERRED},
		{"guest", PFX_CONTEXT_GUEST},
		{"guest_kernel", PFX_CONTEXT_GUEST_KERNEL},
		{"guest_user", PFX_CONTEXT_GUEST_USER},
	};
	size_t i;

	for (i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		if (!strcmp(markers[i].name, name)) {
			*ret = markers[i].value;
			return true;
		}
	}
	return false;
}

static int take_numbers(struct kit *kit, struct kit_line *line, struct pfx_sample *s)
{
	uint64_t pid = 0, tid = 0, cpu = 0, weight2 = 0, weight3 = 0;
	struct {
		const char *key;
		uint64_t *ret;
	} numbers[] = {
		{"ip", &s->ip},
		{"pid", &pid},
		{"tid", &tid},
		{"time", &s->time},
		{"addr", &s->addr},
		{"id", &s->id},
		{"stream", &s->stream_id},
		{"cpu", &cpu},
		{"period", &s->period},
		{"weight", &s->weight},
		{"weight2", &weight2},
		{"weight3", &weight3},
		{"data_src", &s->data_src},
		{"transaction", &s->transaction},
		{"phys", &s->phys_addr},
		{"cgroup", &s->cgroup},
		{"data_page", &s->data_page_size},
		{"code_page", &s->code_page_size},
		{"dyn", &s->stack_dyn_size},
		{"hw_idx", &s->branch.hw_idx},
		{"abi", &s->regs_user.abi},
		{"intr_abi", &s->regs_intr.abi},
	};
	int rc = 0;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !rc; i++)
		rc = pfx_kit_u64(kit, line, numbers[i].key, numbers[i].ret);
	s->pid = (uint32_t)pid;
	s->tid = pfx_kit_find(line, "tid") ? (uint32_t)tid : (uint32_t)pid;
	s->cpu = (uint32_t)cpu;
	s->weight2 = (uint16_t)weight2;
	s->weight3 = (uint16_t)weight3;
	return rc;
}

static int take_words(struct kit *kit, struct kit_line *line, const char *key,
		      struct pfx_words *ret)
{
	struct kit_word *word = pfx_kit_find(line, key);

	return word ? pfx_kit_numbers(kit, line, word, marker, ret) : 0;
}

static int take_hex(struct kit *kit, struct kit_line *line, const char *key, struct pfx_bytes *ret)
{
	struct kit_word *word = pfx_kit_find(line, key);

	return word ? pfx_kit_hex(kit, line, word, ret) : 0;
}

/* Converts words to little-endian order, in which flags are spelled; afterwards they may need
 * swapping. */
static bool swap_branches(struct pfx_words words)
{
	uint8_t *at = (uint8_t *)words.at;
	uint64_t i, word;

	for (i = 0; i < words.nr; i++) {
		memcpy(&word, at + 8 * i, 8);
		word = htole64(word);
		memcpy(at + 8 * i, &word, 8);
	}
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* branch=from,to,flags,from,to,flags...: flags in little-endian positions. */
static int take_arrays(struct kit *kit, struct kit_line *line, struct pfx_sample *s)
{
	struct pfx_words branches = {0}, read = {0};
	int rc = take_words(kit, line, "chain", &s->chain);

	rc = rc ? rc : take_words(kit, line, "branch", &branches);
	rc = rc ? rc : take_words(kit, line, "counters", &s->branch.counters);
	rc = rc ? rc : take_words(kit, line, "regs", &s->regs_user.values);
	rc = rc ? rc : take_words(kit, line, "intr_regs", &s->regs_intr.values);
	rc = rc ? rc : take_words(kit, line, "read", &read);
	rc = rc ? rc : take_hex(kit, line, "raw", &s->raw);
	rc = rc ? rc : take_hex(kit, line, "stack", &s->stack);
	rc = rc ? rc : take_hex(kit, line, "aux", &s->aux);
	s->branch.nr = branches.nr / 3;
	s->branch.swap = swap_branches(branches);
	s->branch.entries = (struct pfx_bytes){branches.at, s->branch.nr * 24};
	s->read_bytes = (struct pfx_bytes){read.at, read.nr * 8};
	if (s->regs_user.values.nr && !s->regs_user.abi)
		s->regs_user.abi = 2;
	if (s->regs_intr.values.nr && !s->regs_intr.abi)
		s->regs_intr.abi = 2;
	return rc;
}

int pfx_kit_sample(struct kit *kit, struct kit_line *line)
{
	const struct pfx_event *event = pfx_kit_event_of(kit, line);
	struct kit_word *mode = pfx_kit_find(line, "mode");
	struct pfx_sample s = {.period = 1, .branch = {.hw_idx = (uint64_t)-1}};
	uint64_t misc = PFX_MODE_USER;
	int rc;

	if (!event)
		return pfx_kit_error(kit, line, "a sample wants an event");
	if (mode && !pfx_kit_mode(mode->value, &misc))
		return pfx_kit_error(kit, line, "unknown mode '%s'", mode->value);
	if (event->nr_ids)
		s.id = event->ids[0];
	rc = pfx_kit_u64(kit, line, "misc", &misc);
	rc = rc ? rc : take_numbers(kit, line, &s);
	rc = rc ? rc : take_arrays(kit, line, &s);
	if (rc)
		return rc;
	s.misc = (uint16_t)misc;
	kit->data.swap = kit->swap;
	if (!pfx_sample_encode(&s, &event->attr, &kit->data))
		return pfx_kit_error(kit, line, "the sample is too long");
	return 0;
}

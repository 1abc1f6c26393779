/* SPDX-License-Identifier: MIT */
/* `event` and `group`: the recorded events. */
#include <stdlib.h>
#include <string.h>

#include "kit/kit_internal.h"

/* Names of bits, by position. */
static const char *const sample_names[] = {
	"ip",
	"tid",
	"time",
	"addr",
	"read",
	"callchain",
	"id",
	"cpu",
	"period",
	"stream_id",
	"raw",
	"branch_stack",
	"regs_user",
	"stack_user",
	"weight",
	"data_src",
	"identifier",
	"transaction",
	"regs_intr",
	"phys_addr",
	"aux",
	"cgroup",
	"data_page_size",
	"code_page_size",
	"weight_struct",
};
static const char *const read_names[] = {"enabled", "running", "id", "group", "lost"};
static const char *const branch_names[] = {
	"user",     "kernel",    "hv",        "any",      "any_call",   "any_return", "ind_call",
	"abort_tx", "in_tx",     "no_tx",     "cond",     "call_stack", "ind_jump",   "call",
	"no_flags", "no_cycles", "type_save", "hw_index", "priv_save",  "counters",
};
static const char *const flag_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise1",
	"precise2",
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"no_kernel_chain",
	"no_user_chain",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};
static const char *const type_names[] = {"hw", "sw", "tracepoint", "cache", "raw", "breakpoint"};

struct name_table {
	const char *key;
	const char *const *names;
	size_t nr;
};

#define TABLE(key, names)                                    \
	{                                                    \
		key, names, sizeof(names) / sizeof(names[0]) \
	}

static int find_name(const struct name_table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		if (!strcmp(table->names[i], name))
			return (int)i;
	}
	return -1;
}

/* "a,b,c" to bits; *@ret is unchanged if the key is missing. */
static int take_bits(struct kit *kit, struct kit_line *line, const struct name_table *table,
		     uint64_t *ret)
{
	struct kit_word *word = pfx_kit_find(line, table->key);
	char *copy, *item, *save = NULL;

	if (!word)
		return 0;
	*ret = 0;
	copy = pfx_arena_strdup(&kit->arena, word->value);
	for (item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		int bit = find_name(table, item);
		uint64_t number;

		if (bit >= 0)
			*ret |= 1ull << bit;
		else if (pfx_kit_number(item, &number))
			*ret |= number;
		else
			return pfx_kit_error(kit, line, "%s has no '%s'", table->key, item);
	}
	return 0;
}

static int take_type(struct kit *kit, struct kit_line *line, uint32_t *ret)
{
	const struct name_table table = TABLE("type", type_names);
	struct kit_word *word = pfx_kit_find(line, "type");
	uint64_t number;
	int type;

	if (!word)
		return 0;
	type = find_name(&table, word->value);
	if (type < 0 && !pfx_kit_number(word->value, &number))
		return pfx_kit_error(kit, line, "unknown type '%s'", word->value);
	*ret = type >= 0 ? (uint32_t)type : (uint32_t)number;
	return 0;
}

/* Numeric fields of the attr. */
static int take_numbers(struct kit *kit, struct kit_line *line, struct pfx_attr *attr)
{
	uint64_t size = attr->size, wakeup = 0, bp_type = 0, stack = 0, clockid = 0, precise = 0;
	uint64_t max_stack = 0, freq = 0, aux_sample = 0, aux_watermark = 0, aux_action = 0;
	struct {
		const char *key;
		uint64_t *ret;
	} fields[] = {
		{"size", &size},
		{"config", &attr->config},
		{"config1", &attr->config1},
		{"config2", &attr->config2},
		{"config3", &attr->config3},
		{"config4", &attr->config4},
		{"aux_watermark", &aux_watermark},
		{"aux_sample", &aux_sample},
		{"aux_action", &aux_action},
		{"sig_data", &attr->sig_data},
		{"period", &attr->sample_period},
		{"freq", &freq},
		{"wakeup", &wakeup},
		{"bp_type", &bp_type},
		{"regs_user", &attr->sample_regs_user},
		{"regs_intr", &attr->sample_regs_intr},
		{"stack", &stack},
		{"clockid", &clockid},
		{"precise", &precise},
		{"max_stack", &max_stack},
	};
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && !rc; i++)
		rc = pfx_kit_u64(kit, line, fields[i].key, fields[i].ret);
	attr->size = (uint32_t)size;
	attr->wakeup = (uint32_t)wakeup;
	attr->bp_type = (uint32_t)bp_type;
	attr->sample_stack_user = (uint32_t)stack;
	attr->clockid = (int32_t)clockid;
	attr->sample_max_stack = (uint16_t)max_stack;
	attr->aux_watermark = (uint32_t)aux_watermark;
	attr->aux_sample_size = (uint32_t)aux_sample;
	attr->aux_action = (uint32_t)aux_action;
	pfx_attr_set_precise(attr, (unsigned)precise);
	if (freq) {
		attr->flags |= PFX_ATTR_FREQ;
		attr->sample_period = freq;
	}
	return rc;
}

/* Fields of a newer attr after all known ones. */
static int take_tail(struct kit *kit, struct kit_line *line, struct pfx_attr *attr)
{
	struct kit_word *word = pfx_kit_find(line, "tail");
	struct pfx_bytes tail;

	if (!word)
		return 0;
	if (pfx_kit_hex(kit, line, word, &tail))
		return -1;
	attr->tail = tail.at;
	attr->tail_size = (uint32_t)tail.size;
	attr->size = PFX_ATTR_SIZE_VER9 + attr->tail_size;
	return 0;
}

static int take_ids(struct kit *kit, struct kit_line *line, struct pfx_event *event)
{
	struct kit_word *word = pfx_kit_find(line, "ids");
	struct pfx_words ids = {0};
	uint64_t i;
	int rc;

	if (!word)
		return 0;
	rc = pfx_kit_numbers(kit, line, word, NULL, &ids);
	for (i = 0; i < ids.nr; i++)
		pfx_meta_add_id(kit->meta, event, pfx_word(&ids, i));
	return rc;
}

int pfx_kit_event(struct kit *kit, struct kit_line *line)
{
	const struct name_table tables[] = {
		TABLE("sample", sample_names),
		TABLE("read", read_names),
		TABLE("branch", branch_names),
		TABLE("flags", flag_names),
	};
	struct pfx_attr attr = {
		.size = PFX_ATTR_SIZE_VER7,
		.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_PERIOD,
		.flags = PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_MMAP |
			 PFX_ATTR_MMAP2 | PFX_ATTR_COMM | PFX_ATTR_TASK,
	};
	uint64_t *bits[] = {&attr.sample_type, &attr.read_format, &attr.branch_sample_type,
			    &attr.flags};
	struct kit_word *name = pfx_kit_plain(line);
	int rc = take_type(kit, line, &attr.type);
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]) && !rc; i++)
		rc = take_bits(kit, line, &tables[i], bits[i]);
	if (!rc)
		rc = take_numbers(kit, line, &attr);
	rc = rc ? rc : take_tail(kit, line, &attr);
	if (rc)
		return rc;
	return take_ids(kit, line, pfx_meta_add_event(kit->meta, &attr, name ? name->value : NULL));
}

static struct pfx_event *by_name(struct kit *kit, const char *name)
{
	uint64_t index;
	uint32_t i;

	for (i = 0; i < kit->meta->nr_events; i++) {
		if (!strcmp(kit->meta->events[i]->name, name))
			return kit->meta->events[i];
	}
	if (pfx_kit_number(name, &index) && index < kit->meta->nr_events)
		return kit->meta->events[index];
	return NULL;
}

struct pfx_event *pfx_kit_event_of(struct kit *kit, struct kit_line *line)
{
	struct kit_word *word = pfx_kit_find(line, "event");

	if (word)
		return by_name(kit, word->value);
	return kit->meta->nr_events ? kit->meta->events[0] : NULL;
}

void pfx_kit_event_desc(struct kit *kit, struct pfx_buffer *to)
{
	struct pfx_attr attr;
	uint32_t i, j;

	/* all attrs have the size of the first one */
	pfx_buffer_u32(to, kit->meta->nr_events);
	pfx_buffer_u32(to, kit->meta->nr_events ? kit->meta->events[0]->attr.size : 0);
	for (i = 0; i < kit->meta->nr_events; i++) {
		const struct pfx_event *event = kit->meta->events[i];

		attr = event->attr;
		attr.size = kit->meta->events[0]->attr.size;
		pfx_attr_encode(&attr, to);
		pfx_buffer_u32(to, event->nr_ids);
		pfx_kit_string(to, event->name);
		for (j = 0; j < event->nr_ids; j++)
			pfx_buffer_u64(to, event->ids[j]);
	}
}

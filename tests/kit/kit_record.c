/* SPDX-License-Identifier: MIT */
/* Lines of records, all types but SAMPLE. Most are described by a table: the key of each field. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kit/kit_internal.h"

enum field_kind { F16, F32, F64, FDOUBLE, FTEXT, FWORDS, FHEX };

struct field {
	uint32_t type;
	const char *key; /* NULL: the word without a key */
	enum field_kind kind;
	size_t offset;
};

#define F(type, key, kind, member)                                              \
	{                                                                       \
		PFX_RECORD_##type, key, kind, offsetof(struct pfx_body, member) \
	}
#define MMAP_FIELDS(type)                                                       \
	F(type, "pid", F32, mmap.pid), F(type, "tid", F32, mmap.tid),           \
		F(type, "addr", F64, mmap.addr), F(type, "len", F64, mmap.len), \
		F(type, "pgoff", F64, mmap.pgoff), F(type, NULL, FTEXT, mmap.filename)
#define TASK_FIELDS(type)                                                       \
	F(type, "pid", F32, task.pid), F(type, "ppid", F32, task.ppid),         \
		F(type, "tid", F32, task.tid), F(type, "ptid", F32, task.ptid), \
		F(type, "time", F64, task.time)
#define THROTTLE_FIELDS(type)                                                 \
	F(type, "time", F64, throttle.time), F(type, "id", F64, throttle.id), \
		F(type, "stream", F64, throttle.stream_id)
#define PID_TID_FIELDS(type) \
	F(type, "pid", F32, itrace_start.pid), F(type, "tid", F32, itrace_start.tid)
#define SCHEDSTAT_FIELDS(type)                                                              \
	F(type, "timestamp", F64, schedstat.timestamp), F(type, "cpu", F32, schedstat.cpu), \
		F(type, "version", F16, schedstat.version),                                 \
		F(type, "domain", F16, schedstat.domain)

static const struct field fields[] = {
	MMAP_FIELDS(MMAP),
	MMAP_FIELDS(MMAP2),
	F(MMAP2, "maj", F32, mmap.maj),
	F(MMAP2, "min", F32, mmap.min),
	F(MMAP2, "ino", F64, mmap.ino),
	F(MMAP2, "gen", F64, mmap.ino_generation),
	F(MMAP2, "prot", F32, mmap.prot),
	F(MMAP2, "flags", F32, mmap.flags),
	F(LOST, "id", F64, lost.id),
	F(LOST, "lost", F64, lost.lost),
	F(COMM, "pid", F32, comm.pid),
	F(COMM, "tid", F32, comm.tid),
	F(COMM, NULL, FTEXT, comm.comm),
	TASK_FIELDS(EXIT),
	TASK_FIELDS(FORK),
	THROTTLE_FIELDS(THROTTLE),
	THROTTLE_FIELDS(UNTHROTTLE),
	F(READ, "pid", F32, read.pid),
	F(READ, "tid", F32, read.tid),
	F(AUX, "offset", F64, aux.offset),
	F(AUX, "size", F64, aux.size),
	F(AUX, "flags", F64, aux.flags),
	PID_TID_FIELDS(ITRACE_START),
	F(LOST_SAMPLES, "lost", F64, lost_samples),
	F(SWITCH_CPU_WIDE, "other_pid", F32, next_prev.pid),
	F(SWITCH_CPU_WIDE, "other_tid", F32, next_prev.tid),
	F(NAMESPACES, "pid", F32, namespaces.pid),
	F(NAMESPACES, "tid", F32, namespaces.tid),
	F(NAMESPACES, "links", FWORDS, namespaces.links),
	F(KSYMBOL, "addr", F64, ksymbol.addr),
	F(KSYMBOL, "len", F32, ksymbol.len),
	F(KSYMBOL, "type", F16, ksymbol.ksym_type),
	F(KSYMBOL, "flags", F16, ksymbol.flags),
	F(KSYMBOL, NULL, FTEXT, ksymbol.name),
	F(BPF_EVENT, "type", F16, bpf_event.type),
	F(BPF_EVENT, "flags", F16, bpf_event.flags),
	F(BPF_EVENT, "prog", F32, bpf_event.id),
	F(CGROUP, "cgroup", F64, cgroup.id),
	F(CGROUP, NULL, FTEXT, cgroup.path),
	F(TEXT_POKE, "addr", F64, text_poke.addr),
	F(AUX_OUTPUT_HW_ID, "hw_id", F64, aux_output_hw_id),
	F(CALLCHAIN_DEFERRED, "cookie", F64, callchain_deferred.cookie),
	F(CALLCHAIN_DEFERRED, "ips", FWORDS, callchain_deferred.ips),
	F(HEADER_EVENT_TYPE, "id", F64, header_event_type.event_id),
	F(HEADER_EVENT_TYPE, NULL, FTEXT, header_event_type.name),
	F(HEADER_TRACING_DATA, "size", F32, tracing_data_size),
	F(ID_INDEX, "entries", FWORDS, id_index.entries),
	F(ID_INDEX, "machines", FWORDS, id_index.machines),
	F(AUXTRACE_INFO, "type", F32, auxtrace_info.type),
	F(AUXTRACE_INFO, "priv", FWORDS, auxtrace_info.priv),
	F(AUXTRACE, "size", F64, auxtrace.size),
	F(AUXTRACE, "offset", F64, auxtrace.offset),
	F(AUXTRACE, "ref", F64, auxtrace.reference),
	F(AUXTRACE, "idx", F32, auxtrace.idx),
	F(AUXTRACE, "tid", F32, auxtrace.tid),
	F(AUXTRACE, "cpu", F32, auxtrace.cpu),
	F(AUXTRACE_ERROR, "type", F32, auxtrace_error.type),
	F(AUXTRACE_ERROR, "code", F32, auxtrace_error.code),
	F(AUXTRACE_ERROR, "cpu", F32, auxtrace_error.cpu),
	F(AUXTRACE_ERROR, "pid", F32, auxtrace_error.pid),
	F(AUXTRACE_ERROR, "tid", F32, auxtrace_error.tid),
	F(AUXTRACE_ERROR, "fmt", F32, auxtrace_error.fmt),
	F(AUXTRACE_ERROR, "ip", F64, auxtrace_error.ip),
	F(AUXTRACE_ERROR, "time", F64, auxtrace_error.time),
	F(AUXTRACE_ERROR, "machine_pid", F32, auxtrace_error.machine_pid),
	F(AUXTRACE_ERROR, "vcpu", F32, auxtrace_error.vcpu),
	F(AUXTRACE_ERROR, NULL, FTEXT, auxtrace_error.msg),
	F(STAT_CONFIG, "entries", FWORDS, stat_config.entries),
	F(STAT, "id", F64, stat.id),
	F(STAT, "cpu", F32, stat.cpu),
	F(STAT, "thread", F32, stat.thread),
	F(STAT, "val", F64, stat.val),
	F(STAT, "ena", F64, stat.ena),
	F(STAT, "run", F64, stat.run),
	F(STAT_ROUND, "type", F64, stat_round.type),
	F(STAT_ROUND, "time", F64, stat_round.time),
	F(EVENT_UPDATE, "id", F64, event_update.id),
	F(EVENT_UPDATE, "scale", FDOUBLE, event_update.scale),
	F(TIME_CONV, "shift", F64, time_conv.time_shift),
	F(TIME_CONV, "mult", F64, time_conv.time_mult),
	F(TIME_CONV, "zero", F64, time_conv.time_zero),
	F(TIME_CONV, "cycles", F64, time_conv.time_cycles),
	F(TIME_CONV, "mask", F64, time_conv.time_mask),
	F(COMPRESSED, "bytes", FHEX, compressed.data),
	F(COMPRESSED2, "bytes", FHEX, compressed.data),
	F(BPF_METADATA, NULL, FTEXT, bpf_metadata.prog_name),
	SCHEDSTAT_FIELDS(SCHEDSTAT_CPU),
	SCHEDSTAT_FIELDS(SCHEDSTAT_DOMAIN),
};

static const struct {
	const char *verb;
	uint32_t type;
} verbs[] = {
	{"mmap", PFX_RECORD_MMAP},
	{"lost", PFX_RECORD_LOST},
	{"comm", PFX_RECORD_COMM},
	{"exit", PFX_RECORD_EXIT},
	{"throttle", PFX_RECORD_THROTTLE},
	{"unthrottle", PFX_RECORD_UNTHROTTLE},
	{"fork", PFX_RECORD_FORK},
	{"read", PFX_RECORD_READ},
	{"mmap2", PFX_RECORD_MMAP2},
	{"aux", PFX_RECORD_AUX},
	{"itrace_start", PFX_RECORD_ITRACE_START},
	{"lost_samples", PFX_RECORD_LOST_SAMPLES},
	{"switch", PFX_RECORD_SWITCH},
	{"switch_cpu_wide", PFX_RECORD_SWITCH_CPU_WIDE},
	{"namespaces", PFX_RECORD_NAMESPACES},
	{"ksymbol", PFX_RECORD_KSYMBOL},
	{"bpf_event", PFX_RECORD_BPF_EVENT},
	{"cgroup", PFX_RECORD_CGROUP},
	{"text_poke", PFX_RECORD_TEXT_POKE},
	{"aux_output_hw_id", PFX_RECORD_AUX_OUTPUT_HW_ID},
	{"callchain_deferred", PFX_RECORD_CALLCHAIN_DEFERRED},
	{"header_attr", PFX_RECORD_HEADER_ATTR},
	{"event_type", PFX_RECORD_HEADER_EVENT_TYPE},
	{"tracing_data", PFX_RECORD_HEADER_TRACING_DATA},
	{"round", PFX_RECORD_FINISHED_ROUND},
	{"id_index", PFX_RECORD_ID_INDEX},
	{"auxtrace_info", PFX_RECORD_AUXTRACE_INFO},
	{"auxtrace", PFX_RECORD_AUXTRACE},
	{"auxtrace_error", PFX_RECORD_AUXTRACE_ERROR},
	{"thread_map", PFX_RECORD_THREAD_MAP},
	{"cpu_map", PFX_RECORD_CPU_MAP},
	{"stat_config", PFX_RECORD_STAT_CONFIG},
	{"stat", PFX_RECORD_STAT},
	{"stat_round", PFX_RECORD_STAT_ROUND},
	{"event_update", PFX_RECORD_EVENT_UPDATE},
	{"time_conv", PFX_RECORD_TIME_CONV},
	{"compressed", PFX_RECORD_COMPRESSED},
	{"init", PFX_RECORD_FINISHED_INIT},
	{"compressed2", PFX_RECORD_COMPRESSED2},
	{"bpf_metadata", PFX_RECORD_BPF_METADATA},
	{"schedstat_cpu", PFX_RECORD_SCHEDSTAT_CPU},
	{"schedstat_domain", PFX_RECORD_SCHEDSTAT_DOMAIN},
};

static uint32_t type_of(const char *verb)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].verb, verb))
			return verbs[i].type;
	}
	return 0;
}

bool pfx_kit_is_record(const char *verb)
{
	return type_of(verb) != 0;
}

static void store(void *at, enum field_kind kind, uint64_t v)
{
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	if (kind == F16)
		memcpy(at, &v16, sizeof(v16));
	else if (kind == F32)
		memcpy(at, &v32, sizeof(v32));
	else
		memcpy(at, &v, sizeof(v));
}

static int take_field(struct kit *kit, struct kit_line *line, const struct field *field,
		      struct pfx_body *body)
{
	struct kit_word *word = field->key ? pfx_kit_find(line, field->key) : pfx_kit_plain(line);
	char *at = (char *)body + field->offset;
	uint64_t number;
	double scale;

	if (!word && field->kind == FTEXT)
		return pfx_kit_error(kit, line, "'%s' wants a name", line->verb);
	if (!word)
		return 0;
	switch (field->kind) {
	case FTEXT:
		memcpy(at, &word->value, sizeof(word->value));
		return 0;
	case FDOUBLE:
		scale = strtod(word->value, NULL);
		memcpy(at, &scale, sizeof(scale));
		return 0;
	case FWORDS:
		return pfx_kit_numbers(kit, line, word, NULL, (struct pfx_words *)at);
	case FHEX:
		return pfx_kit_hex(kit, line, word, (struct pfx_bytes *)at);
	default:
		if (!pfx_kit_number(word->value, &number))
			return pfx_kit_error(kit, line, "'%s' is not a number", word->value);
		store(at, field->kind, number);
		return 0;
	}
}

/* The trailer: from its own keys, else from those of the record, as in the kernel. */
static int take_trailer(struct kit *kit, struct kit_line *line, const struct pfx_event *event,
			struct pfx_sample_id *id)
{
	uint64_t pid = 0, tid = 0, cpu = 0;
	int rc;

	if (event && event->nr_ids)
		id->id = event->ids[0];
	rc = pfx_kit_u64(kit, line, "pid", &pid);
	rc = rc ? rc : pfx_kit_u64(kit, line, "tid", &tid);
	rc = rc ? rc : pfx_kit_u64(kit, line, "spid", &pid);
	rc = rc ? rc : pfx_kit_u64(kit, line, "stid", &tid);
	rc = rc ? rc : pfx_kit_u64(kit, line, "cpu", &cpu);
	rc = rc ? rc : pfx_kit_u64(kit, line, "time", &id->time);
	rc = rc ? rc : pfx_kit_u64(kit, line, "sid", &id->id);
	rc = rc ? rc : pfx_kit_u64(kit, line, "stream", &id->stream_id);
	id->pid = (uint32_t)pid;
	id->tid = (uint32_t)tid;
	id->cpu = (uint32_t)cpu;
	id->identifier = id->id;
	return rc;
}

/* misc=N mode=user exec=1 data=1 out=1 preempt=1 */
static int take_misc(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	bool is_map = body->type == PFX_RECORD_MMAP || body->type == PFX_RECORD_MMAP2;
	struct kit_word *mode = pfx_kit_find(line, "mode");
	uint64_t misc = is_map || body->type == PFX_RECORD_COMM ? PFX_MODE_USER : 0;
	static const struct {
		const char *key;
		uint16_t bit;
	} bits[] = {{"exec", PFX_MISC_COMM_EXEC},
		    {"data", PFX_MISC_MMAP_DATA},
		    {"out", PFX_MISC_SWITCH_OUT},
		    {"preempt", PFX_MISC_SWITCH_OUT_PREEMPT}};
	int rc = 0;
	size_t i;

	if (mode && !pfx_kit_mode(mode->value, &misc))
		return pfx_kit_error(kit, line, "unknown mode '%s'", mode->value);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]) && !rc; i++) {
		uint64_t on = 0;

		rc = pfx_kit_u64(kit, line, bits[i].key, &on);
		misc |= on ? bits[i].bit : 0;
	}
	rc = rc ? rc : pfx_kit_u64(kit, line, "misc", &misc);
	body->misc = (uint16_t)misc;
	return rc;
}

static int take_mmap_build_id(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	struct kit_word *word = pfx_kit_find(line, "build_id");
	struct pfx_bytes id;
	int rc;

	if (!word)
		return 0;
	rc = pfx_kit_hex(kit, line, word, &id);
	if (rc || id.size > PFX_BUILD_ID_MAX)
		return pfx_kit_error(kit, line, "a build id has 1 to 20 bytes");
	body->misc |= PFX_MISC_MMAP_BUILD_ID;
	body->mmap.build_id_size = (uint8_t)id.size;
	memcpy(body->mmap.build_id, id.at, id.size);
	return 0;
}

/* values= are the words in the layout of read_format. */
static int take_read(struct kit *kit, struct kit_line *line, const struct pfx_event *event,
		     struct pfx_body *body)
{
	struct kit_word *word = pfx_kit_find(line, "values");
	struct pfx_words values;
	struct pfx_cursor c;

	if (!word || !event)
		return pfx_kit_error(kit, line, "read wants values= and an event");
	if (pfx_kit_numbers(kit, line, word, NULL, &values))
		return -1;
	c = pfx_cursor_make(values.at, values.nr * 8, false);
	if (!pfx_read_decode(&c, event->attr.read_format, &body->read.read))
		return pfx_kit_error(kit, line, "too few values");
	return 0;
}

static int take_text_poke(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	struct kit_word *old_word = pfx_kit_find(line, "old");
	struct kit_word *new_word = pfx_kit_find(line, "new");
	struct pfx_bytes old_bytes = {0}, new_bytes = {0};
	uint8_t *both;

	if ((old_word && pfx_kit_hex(kit, line, old_word, &old_bytes)) ||
	    (new_word && pfx_kit_hex(kit, line, new_word, &new_bytes)))
		return -1;
	both = pfx_arena_alloc(&kit->arena, old_bytes.size + new_bytes.size + 1);
	if (old_bytes.size)
		memcpy(both, old_bytes.at, old_bytes.size);
	if (new_bytes.size)
		memcpy(both + old_bytes.size, new_bytes.at, new_bytes.size);
	body->text_poke.old_len = (uint16_t)old_bytes.size;
	body->text_poke.new_len = (uint16_t)new_bytes.size;
	body->text_poke.bytes = both;
	return 0;
}

static int take_tag(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	struct kit_word *word = pfx_kit_find(line, "tag");
	struct pfx_bytes tag;

	if (!word)
		return 0;
	if (pfx_kit_hex(kit, line, word, &tag) || tag.size != sizeof(body->bpf_event.tag))
		return pfx_kit_error(kit, line, "a tag has 8 bytes");
	memcpy(body->bpf_event.tag, tag.at, tag.size);
	return 0;
}

/* Words PID or PID:COMM. */
static int take_threads(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	struct pfx_buffer *out = pfx_arena_new(&kit->arena, struct pfx_buffer);
	struct kit_word *word;

	while ((word = pfx_kit_plain(line))) {
		const char *comm = strchr(word->value, ':');
		char text[16] = {0};

		strncpy(text, comm ? comm + 1 : "", sizeof(text) - 1);
		pfx_buffer_u64(out, strtoull(word->value, NULL, 0));
		pfx_buffer_bytes(out, text, sizeof(text));
		body->thread_map.nr++;
	}
	body->thread_map.entries.at = pfx_arena_memdup(&kit->arena, out->at, out->len);
	body->thread_map.entries.size = out->len;
	pfx_buffer_fini(out);
	return 0;
}

static struct pfx_bytes narrow(struct kit *kit, const struct pfx_words *words, unsigned size)
{
	struct pfx_bytes bytes = {NULL, words->nr * size};
	uint8_t *out = pfx_arena_alloc(&kit->arena, bytes.size + 1);
	uint64_t i;

	for (i = 0; i < words->nr; i++)
		store(out + i * size, size == 2 ? F16 : size == 4 ? F32 : F64, pfx_word(words, i));
	bytes.at = out;
	return bytes;
}

/* cpus=0,3 or mask32=5,1 or mask64=5 or range=4,6 (any=1) */
static int take_cpus(struct kit *kit, struct kit_line *line, struct pfx_cpu_map *map)
{
	static const struct {
		const char *key;
		uint16_t type, size;
	} forms[] = {{"cpus", PFX_CPU_MAP_CPUS, 2},
		     {"mask32", PFX_CPU_MAP_MASK, 4},
		     {"mask64", PFX_CPU_MAP_MASK, 8},
		     {"range", PFX_CPU_MAP_RANGE, 0}};
	struct pfx_words words = {0};
	uint64_t any = 0;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct kit_word *word = pfx_kit_find(line, forms[i].key);

		if (!word)
			continue;
		if (pfx_kit_numbers(kit, line, word, NULL, &words))
			return -1;
		map->type = forms[i].type;
		map->nr = (uint16_t)words.nr;
		map->long_size = forms[i].size;
		if (map->type != PFX_CPU_MAP_RANGE)
			map->entries = narrow(kit, &words, forms[i].size);
	}
	if (map->type == PFX_CPU_MAP_RANGE && words.nr == 2) {
		map->start = (uint16_t)pfx_word(&words, 0);
		map->end = (uint16_t)pfx_word(&words, 1);
	}
	if (pfx_kit_u64(kit, line, "any", &any))
		return -1;
	map->any_cpu = (uint8_t)any;
	return 0;
}

static int take_update(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	static const char *const keys[] = {"unit", "scale", "name", "cpus"};
	uint64_t type;

	for (type = PFX_UPDATE_UNIT; type <= PFX_UPDATE_CPUS; type++) {
		struct kit_word *word = pfx_kit_find(line, keys[type]);

		if (!word)
			continue;
		body->event_update.type = type;
		body->event_update.text = word->value;
		if (type == PFX_UPDATE_CPUS)
			return take_cpus(kit, line, &body->event_update.cpus);
	}
	return 0;
}

static int take_bpf_metadata(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	char *out = pfx_arena_alloc(&kit->arena, line->nr * 320 + 1);
	size_t i;

	body->bpf_metadata.entries.at = (const uint8_t *)out;
	for (i = 0; i < line->nr; i++) {
		if (!line->words[i].key)
			continue;
		line->words[i].used = true;
		strncpy(out, line->words[i].key, 63);
		strncpy(out + 64, line->words[i].value, 255);
		out += 320;
		body->bpf_metadata.nr++;
		body->bpf_metadata.entries.size += 320;
	}
	return 0;
}

/* fields= are numbers; a CPU's are six of 32 bits, then 64-bit ones. */
static int take_schedstat(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	struct kit_word *word = pfx_kit_find(line, "fields");
	struct pfx_buffer out = {0};
	struct pfx_words words = {0};
	uint64_t i;

	if (word && pfx_kit_numbers(kit, line, word, NULL, &words))
		return -1;
	for (i = 0; i < words.nr; i++) {
		if (i < 6 || body->type == PFX_RECORD_SCHEDSTAT_DOMAIN)
			pfx_buffer_u32(&out, (uint32_t)pfx_word(&words, i));
		else
			pfx_buffer_u64(&out, pfx_word(&words, i));
	}
	body->schedstat.fields.at = pfx_arena_memdup(&kit->arena, out.at, out.len);
	body->schedstat.fields.size = out.len;
	pfx_buffer_fini(&out);
	return 0;
}

static int take_time_conv(struct kit *kit, struct kit_line *line, struct pfx_body *body)
{
	uint64_t zero = 0, is_short = 0;
	int rc = pfx_kit_u64(kit, line, "cap_zero", &zero);

	rc = rc ? rc : pfx_kit_u64(kit, line, "cap_short", &is_short);
	body->time_conv.cap_user_time_zero = (uint8_t)zero;
	body->time_conv.cap_user_time_short = (uint8_t)is_short;
	body->time_conv.is_long = body->time_conv.time_mask != 0;
	return rc;
}

static void take_attr(const struct pfx_event *event, struct pfx_body *body)
{
	body->header_attr.attr = event->attr;
	body->header_attr.ids =
		(struct pfx_words){(const uint8_t *)event->ids, event->nr_ids, false};
}

/* Records that the table cannot describe. */
static int take_special(struct kit *kit, struct kit_line *line, const struct pfx_event *event,
			struct pfx_body *body)
{
	switch (body->type) {
	case PFX_RECORD_MMAP2:
		return take_mmap_build_id(kit, line, body);
	case PFX_RECORD_READ:
		return take_read(kit, line, event, body);
	case PFX_RECORD_TEXT_POKE:
		return take_text_poke(kit, line, body);
	case PFX_RECORD_BPF_EVENT:
		return take_tag(kit, line, body);
	case PFX_RECORD_HEADER_ATTR:
		take_attr(event, body);
		return 0;
	case PFX_RECORD_ID_INDEX:
		body->id_index.nr = body->id_index.entries.nr / 4;
		return 0;
	case PFX_RECORD_THREAD_MAP:
		return take_threads(kit, line, body);
	case PFX_RECORD_CPU_MAP:
		return take_cpus(kit, line, &body->cpu_map);
	case PFX_RECORD_EVENT_UPDATE:
		return take_update(kit, line, body);
	case PFX_RECORD_TIME_CONV:
		return take_time_conv(kit, line, body);
	case PFX_RECORD_BPF_METADATA:
		return take_bpf_metadata(kit, line, body);
	case PFX_RECORD_SCHEDSTAT_CPU:
	case PFX_RECORD_SCHEDSTAT_DOMAIN:
		return take_schedstat(kit, line, body);
	}
	return 0;
}

int pfx_kit_record(struct kit *kit, struct kit_line *line)
{
	const struct pfx_event *event = pfx_kit_event_of(kit, line);
	struct pfx_body body;
	int rc;
	size_t i;

	memset(&body, 0, sizeof(body));
	body.type = type_of(line->verb);
	if (body.type == PFX_RECORD_HEADER_ATTR && !event)
		return pfx_kit_error(kit, line, "header_attr wants an event");
	rc = take_misc(kit, line, &body);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && !rc; i++) {
		if (fields[i].type == body.type)
			rc = take_field(kit, line, &fields[i], &body);
	}
	if (!rc && body.type < PFX_RECORD_USER_FIRST)
		rc = take_trailer(kit, line, event, &body.id);
	rc = rc ? rc : take_special(kit, line, event, &body);
	if (rc)
		return rc;
	kit->data.swap = kit->swap;
	if (!pfx_record_encode(&body, event ? &event->attr : NULL, &kit->data))
		return pfx_kit_error(kit, line, "the record is too long");
	return 0;
}

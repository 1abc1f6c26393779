/* SPDX-License-Identifier: MIT */
/* The dump of record types 64 to 86, which are written by user space. perf shows few of their
 * fields. */
#include <inttypes.h>

#include "base/ns.h"
#include "event/dump_internal.h"
#include "event/env.h"
#include "event/names.h"

#define THREAD_ENTRY_SIZE 24
#define BPF_KEY_SIZE      64
#define BPF_ENTRY_SIZE    320

static void dump_attr(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_words *ids = &body->header_attr.ids;
	uint64_t i;

	pfx_str_add(to, "\n... attr: ");
	pfx_attr_text(&body->header_attr.attr, to);
	pfx_str_add(to, "\n... ids: {");
	for (i = 0; i < ids->nr; i++)
		pfx_str_addf(to, "%s %" PRIu64, i ? "," : "", pfx_word(ids, i));
	pfx_str_add(to, " }");
}

static void dump_event_type(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to)
{
	pfx_str_addf(to, ": id: %" PRIu64 " name: ", body->header_event_type.event_id);
	pfx_dump_text(to, body->header_event_type.name);
}

static void dump_tracing_data(const struct pfx_body *body, const struct pfx_record *rec,
			      struct pfx_str *to)
{
	pfx_str_addf(to, ": %u bytes", body->tracing_data_size);
}

static void dump_build_id(const struct pfx_body *body, const struct pfx_record *rec,
			  struct pfx_str *to)
{
	const struct pfx_header_build_id *b = &body->header_build_id;

	pfx_str_addf(to, ": %d <", b->pid);
	pfx_dump_hex_bytes(to, b->build_id, b->build_id_size);
	pfx_str_add(to, "> ");
	pfx_dump_text(to, b->filename);
}

static void dump_id_index(const struct pfx_body *body, const struct pfx_record *rec,
			  struct pfx_str *to)
{
	const struct pfx_words *entries = &body->id_index.entries;
	const struct pfx_words *machines = &body->id_index.machines;
	uint64_t i;

	pfx_str_addf(to, " nr: %" PRIu64, body->id_index.nr);
	for (i = 0; i < body->id_index.nr; i++) {
		pfx_str_addf(to,
			     "\n ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64
			     "  tid: %" PRId64,
			     pfx_word(entries, 4 * i), pfx_word(entries, 4 * i + 1),
			     (int64_t)pfx_word(entries, 4 * i + 2),
			     (int64_t)pfx_word(entries, 4 * i + 3));
		if (2 * i + 1 < machines->nr)
			pfx_str_addf(to, "  machine_pid: %" PRId64 "  vcpu: %" PRId64,
				     (int64_t)pfx_word(machines, 2 * i),
				     (int64_t)pfx_word(machines, 2 * i + 1));
	}
}

static void dump_auxtrace_info(const struct pfx_body *body, const struct pfx_record *rec,
			       struct pfx_str *to)
{
	const struct pfx_words *priv = &body->auxtrace_info.priv;
	uint64_t i;

	pfx_str_addf(to, " type: %u", body->auxtrace_info.type);
	for (i = 0; i < priv->nr; i++)
		pfx_str_addf(to, "\n ... priv %2" PRIu64 ": 0x%" PRIx64, i, pfx_word(priv, i));
}

static void dump_auxtrace(const struct pfx_body *body, const struct pfx_record *rec,
			  struct pfx_str *to)
{
	const struct pfx_auxtrace *aux = &body->auxtrace;

	pfx_str_add(to, " size: ");
	pfx_dump_hex_number(to, aux->size);
	pfx_str_add(to, "  offset: ");
	pfx_dump_hex_number(to, aux->offset);
	pfx_str_add(to, "  ref: ");
	pfx_dump_hex_number(to, aux->reference);
	pfx_str_addf(to, "  idx: %u  tid: %d  cpu: %d", aux->idx, (int32_t)aux->tid,
		     (int32_t)aux->cpu);
}

static void dump_auxtrace_error(const struct pfx_body *body, const struct pfx_record *rec,
				struct pfx_str *to)
{
	const struct pfx_auxtrace_error *e = &body->auxtrace_error;

	pfx_str_addf(to, "%s error type %u", e->type == 1 ? " instruction trace" : " unknown",
		     e->type);
	if (e->fmt)
		pfx_str_addf(to, " time %" PRIu64 ".%09" PRIu64, e->time / PFX_NS_PER_SECOND,
			     e->time % PFX_NS_PER_SECOND);
	if (e->fmt >= 2 && e->machine_pid)
		pfx_str_addf(to, " machine_pid %d vcpu %d", (int32_t)e->machine_pid,
			     (int32_t)e->vcpu);
	pfx_str_addf(to, " cpu %d pid %d tid %d ip ", (int32_t)e->cpu, (int32_t)e->pid,
		     (int32_t)e->tid);
	pfx_dump_hex_number(to, e->ip);
	pfx_str_addf(to, " code %u: ", e->code);
	pfx_dump_text(to, e->msg);
}

static void dump_thread_map(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to)
{
	const uint8_t *at = body->thread_map.entries.at;
	uint64_t i;

	pfx_str_addf(to, " nr: %" PRIu64 "%s", body->thread_map.nr,
		     body->thread_map.nr > 1 ? " threads: " : " thread: ");
	for (i = 0; i < body->thread_map.nr; i++, at += THREAD_ENTRY_SIZE) {
		const char *comm = (const char *)at + 8;

		pfx_str_addf(to, "%s%" PRId64, i ? ", " : "", (int64_t)pfx_load64(at, rec->swap));
		if (!*comm)
			continue;
		pfx_str_add(to, " (");
		pfx_str_add_escaped(to, comm, strnlen(comm, THREAD_ENTRY_SIZE - 8));
		pfx_str_addc(to, ')');
	}
}

/* "0-3,8"; -1 means any CPU. */
static void add_cpus(const struct pfx_cpu_map *map, bool swap, struct pfx_str *to)
{
	int first = -1, last = -1, cpu;
	const char *separator = "";
	uint32_t pos = 0;

	do {
		cpu = pfx_cpu_map_next(map, swap, &pos);
		if (first >= 0 && cpu == last + 1) {
			last = cpu;
			continue;
		}
		if (first == UINT16_MAX)
			pfx_str_addf(to, "%s-1", separator);
		else if (first >= 0 && first == last)
			pfx_str_addf(to, "%s%d", separator, first);
		else if (first >= 0)
			pfx_str_addf(to, "%s%d-%d", separator, first, last);
		if (first >= 0)
			separator = ",";
		first = last = cpu;
	} while (cpu >= 0);
}

static void dump_cpu_map(const struct pfx_body *body, const struct pfx_record *rec,
			 struct pfx_str *to)
{
	pfx_str_add(to, ": ");
	add_cpus(&body->cpu_map, rec->swap, to);
}

static void dump_stat_config(const struct pfx_body *body, const struct pfx_record *rec,
			     struct pfx_str *to)
{
	static const char *const tags[] = {"aggr_mode", "interval", "scale", "aggr_level"};
	const struct pfx_words *entries = &body->stat_config.entries;
	uint64_t i;

	for (i = 0; i < entries->nr / 2; i++) {
		uint64_t tag = pfx_word(entries, 2 * i);

		if (tag < sizeof(tags) / sizeof(tags[0]))
			pfx_str_addf(to, "\n... %s: ", tags[tag]);
		else
			pfx_str_addf(to, "\n... tag %" PRIu64 ": ", tag);
		pfx_str_addf(to, "%" PRIu64, pfx_word(entries, 2 * i + 1));
	}
}

static void dump_stat(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_stat *stat = &body->stat;

	pfx_str_addf(to, "\n... id %" PRIu64 ", cpu %d, thread %d", stat->id, (int32_t)stat->cpu,
		     (int32_t)stat->thread);
	pfx_str_addf(to, "\n... value %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64,
		     stat->val, stat->ena, stat->run);
}

static void dump_stat_round(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to)
{
	pfx_str_addf(to, "\n... time %" PRIu64 ", type %s", body->stat_round.time,
		     body->stat_round.type ? "FINAL" : "INTERVAL");
}

static void dump_event_update(const struct pfx_body *body, const struct pfx_record *rec,
			      struct pfx_str *to)
{
	const struct pfx_event_update *update = &body->event_update;

	pfx_str_addf(to, "\n... id:    %" PRIu64 "\n", update->id);
	switch (update->type) {
	case PFX_UPDATE_UNIT:
		pfx_str_add(to, "... unit:  ");
		pfx_dump_text(to, update->text);
		break;
	case PFX_UPDATE_SCALE:
		pfx_str_addf(to, "... scale: %f", update->scale);
		break;
	case PFX_UPDATE_NAME:
		pfx_str_add(to, "... name:  ");
		pfx_dump_text(to, update->text);
		break;
	case PFX_UPDATE_CPUS:
		pfx_str_add(to, "... cpus:  ");
		add_cpus(&update->cpus, rec->swap, to);
		break;
	default:
		pfx_str_addf(to, "... unknown type %" PRIu64, update->type);
	}
}

static void dump_time_conv(const struct pfx_body *body, const struct pfx_record *rec,
			   struct pfx_str *to)
{
	const struct pfx_time_conv *conv = &body->time_conv;

	pfx_str_addf(to, "\n... Time Shift      %" PRIu64, conv->time_shift);
	pfx_str_addf(to, "\n... Time Multiplier %" PRIu64, conv->time_mult);
	pfx_str_addf(to, "\n... Time Zero       %" PRIu64, conv->time_zero);
	if (!conv->is_long)
		return;
	pfx_str_addf(to, "\n... Time Cycles     %" PRIu64, conv->time_cycles);
	pfx_str_addf(to, "\n... Time Mask       0x%" PRIx64, conv->time_mask);
	pfx_str_addf(to, "\n... Cap Time Zero   %u", conv->cap_user_time_zero);
	pfx_str_addf(to, "\n... Cap Time Short  %u", conv->cap_user_time_short);
}

static void dump_feature(const struct pfx_body *body, const struct pfx_record *rec,
			 struct pfx_str *to)
{
	const struct pfx_header_feature *f = &body->header_feature;
	const char *name =
		f->feature < PFX_FEAT_BITS ? pfx_feature_name((unsigned)f->feature) : NULL;

	if (!f->payload.size)
		pfx_str_addf(to, ": %" PRIu64 ", the end of the features", f->feature);
	else if (name)
		pfx_str_addf(to, ": %s, %" PRIu64 " bytes", name, f->payload.size);
	else
		pfx_str_addf(to, ": %" PRIu64 ", %" PRIu64 " bytes", f->feature, f->payload.size);
}

static void dump_compressed(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to)
{
	pfx_str_addf(to, ": %" PRIu64 " bytes", body->compressed.data.size);
}

static void add_field(struct pfx_str *to, const uint8_t *at, size_t size)
{
	pfx_str_add_escaped(to, (const char *)at, strnlen((const char *)at, size));
}

static void dump_bpf_metadata(const struct pfx_body *body, const struct pfx_record *rec,
			      struct pfx_str *to)
{
	const uint8_t *at = body->bpf_metadata.entries.at;
	uint64_t i;

	pfx_str_add(to, " prog ");
	pfx_dump_text(to, body->bpf_metadata.prog_name);
	for (i = 0; i < body->bpf_metadata.nr; i++, at += BPF_ENTRY_SIZE) {
		pfx_str_add(to, "\n... ");
		add_field(to, at, BPF_KEY_SIZE);
		pfx_str_add(to, ": ");
		add_field(to, at + BPF_KEY_SIZE, BPF_ENTRY_SIZE - BPF_KEY_SIZE);
	}
}

static void add_schedstat_head(const struct pfx_schedstat *s, struct pfx_str *to)
{
	pfx_str_addf(to, ": version %u timestamp %" PRIu64 " cpu %u", s->version, s->timestamp,
		     s->cpu);
}

static void dump_schedstat_cpu(const struct pfx_body *body, const struct pfx_record *rec,
			       struct pfx_str *to)
{
	static const char *const names[] = {"yld_count",    "array_exp",  "sched_count",
					    "sched_goidle", "ttwu_count", "ttwu_local",
					    "rq_cpu_time",  "run_delay",  "pcount"};
	const struct pfx_bytes *fields = &body->schedstat.fields;
	struct pfx_cursor c = pfx_cursor_make(fields->at, fields->size, rec->swap);
	size_t i;

	add_schedstat_head(&body->schedstat, to);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t v = i < 6 ? pfx_cursor_u32(&c) : pfx_cursor_u64(&c);

		if (!pfx_cursor_ok(&c))
			break;
		pfx_str_addf(to, "\n... %-12s %" PRIu64, names[i], v);
	}
}

/* The numbers of a scheduling domain in a version of the kernel's schedstat, one line for each
 * group. */
struct domain_group {
	const char *name;
	const char *const *fields; /* ends with NULL */
};

static const char *const balance_fields[] = {"count",     "balanced", "failed",
					     "imbalance", "gained",   "hot_gained",
					     "nobusyq",   "nobusyg",  NULL};
static const char *const balance_fields17[] = {
	"count",          "balanced",       "failed",           "imbalance_load",
	"imbalance_util", "imbalance_task", "imbalance_misfit", "gained",
	"hot_gained",     "nobusyq",        "nobusyg",          NULL};
static const char *const active_fields[] = {"count", "failed", "pushed", NULL};
static const char *const exec_fields[] = {"count", "balanced", "pushed", NULL};
static const char *const wake_fields[] = {"wake_remote", "move_affine", "move_balance", NULL};
#define DOMAIN_REST                                                         \
	{"alb", active_fields}, {"sbe", exec_fields}, {"sbf", exec_fields}, \
	{                                                                   \
		"ttwu", wake_fields                                         \
	}

static const struct domain_group domain_groups[3][7] = {
	{{"idle", balance_fields},
	 {"busy", balance_fields},
	 {"newidle", balance_fields},
	 DOMAIN_REST},
	{{"busy", balance_fields},
	 {"idle", balance_fields},
	 {"newidle", balance_fields},
	 DOMAIN_REST},
	{{"busy", balance_fields17},
	 {"idle", balance_fields17},
	 {"newidle", balance_fields17},
	 DOMAIN_REST},
};
#define DOMAIN_VERSION 15 /* version of the first row */

static void add_domain_group(const struct domain_group *group, struct pfx_cursor *c,
			     struct pfx_str *to)
{
	const char *const *field;

	if (pfx_cursor_left(c) < 4)
		return;
	pfx_str_addf(to, "\n... %s:", group->name);
	for (field = group->fields; *field && pfx_cursor_left(c) >= 4; field++)
		pfx_str_addf(to, " %s %u", *field, pfx_cursor_u32(c));
}

static void dump_schedstat_domain(const struct pfx_body *body, const struct pfx_record *rec,
				  struct pfx_str *to)
{
	const struct pfx_bytes *fields = &body->schedstat.fields;
	struct pfx_cursor c = pfx_cursor_make(fields->at, fields->size, rec->swap);
	unsigned version = body->schedstat.version, i;
	bool known = version >= DOMAIN_VERSION && version < DOMAIN_VERSION + 3;

	add_schedstat_head(&body->schedstat, to);
	pfx_str_addf(to, " domain %u", body->schedstat.domain);
	for (i = 0; known && i < 7; i++)
		add_domain_group(&domain_groups[version - DOMAIN_VERSION][i], &c, to);
	if (known && pfx_cursor_left(&c) == 4) /* padding after an odd number of values */
		return;
	if (pfx_cursor_left(&c) >= 4)
		pfx_str_add(to, "\n... more:");
	while (pfx_cursor_left(&c) >= 4)
		pfx_str_addf(to, " %u", pfx_cursor_u32(&c));
}

#define USER(type) [PFX_RECORD_##type - PFX_RECORD_USER_FIRST]

const pfx_dump_fn pfx_dump_user[PFX_RECORD_USER_MAX - PFX_RECORD_USER_FIRST] = {
	USER(HEADER_ATTR) = dump_attr,
	USER(HEADER_EVENT_TYPE) = dump_event_type,
	USER(HEADER_TRACING_DATA) = dump_tracing_data,
	USER(HEADER_BUILD_ID) = dump_build_id,
	USER(ID_INDEX) = dump_id_index,
	USER(AUXTRACE_INFO) = dump_auxtrace_info,
	USER(AUXTRACE) = dump_auxtrace,
	USER(AUXTRACE_ERROR) = dump_auxtrace_error,
	USER(THREAD_MAP) = dump_thread_map,
	USER(CPU_MAP) = dump_cpu_map,
	USER(STAT_CONFIG) = dump_stat_config,
	USER(STAT) = dump_stat,
	USER(STAT_ROUND) = dump_stat_round,
	USER(EVENT_UPDATE) = dump_event_update,
	USER(TIME_CONV) = dump_time_conv,
	USER(HEADER_FEATURE) = dump_feature,
	USER(COMPRESSED) = dump_compressed,
	USER(COMPRESSED2) = dump_compressed,
	USER(BPF_METADATA) = dump_bpf_metadata,
	USER(SCHEDSTAT_CPU) = dump_schedstat_cpu,
	USER(SCHEDSTAT_DOMAIN) = dump_schedstat_domain,
};

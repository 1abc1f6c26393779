/* SPDX-License-Identifier: MIT */
/* What the files of `pfx script` share. */
#ifndef PFX_CMD_SCRIPT_INTERNAL_H
#define PFX_CMD_SCRIPT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/sample_trace.h"
#include "cmd/script_fields.h"
#include "cmd/time_ranges.h"
#include "event/meta.h"
#include "event/sample.h"
#include "file/order.h"
#include "file/reader.h"
#include "session/session.h"
#include "unwind/resolve.h"

/* Sideband records that are shown as lines (--show-...-events). */
#define PFX_SCRIPT_SHOW_TASK      (1u << 0)
#define PFX_SCRIPT_SHOW_MMAP      (1u << 1)
#define PFX_SCRIPT_SHOW_SWITCH    (1u << 2)
#define PFX_SCRIPT_SHOW_NAMESPACE (1u << 3)
#define PFX_SCRIPT_SHOW_CGROUP    (1u << 4)
#define PFX_SCRIPT_SHOW_LOST      (1u << 5)
#define PFX_SCRIPT_SHOW_ROUND     (1u << 6)
#define PFX_SCRIPT_SHOW_BPF       (1u << 7)
#define PFX_SCRIPT_SHOW_TEXT_POKE (1u << 8)

/* Which samples are shown: lists of words, NULL is everything. */
struct pfx_script_filter {
	const char *comms, *symbols, *dsos, *pids, *tids, *cpus;
};

/* Growing arrays, as PFX_VEC, with a name. */
struct pfx_script_strings {
	char **at;
	size_t nr, cap;
};

struct pfx_script_numbers {
	uint32_t *at;
	size_t nr, cap;
};

/* The words of a filter in a form that is quick to ask. */
struct pfx_script_filters {
	struct pfx_script_strings comms, symbols, dsos;
	struct pfx_script_numbers pids, tids;
	struct pfx_list cpus;
	bool has_cpus;
	struct pfx_time_ranges times;
};

/* What is known of an event before its first sample is printed. */
struct pfx_script_event {
	bool is_ready;
	bool has_chain;    /* samples are printed with their call chain */
	bool is_trace;     /* a tracepoint */
	bool addr_is_data; /* the address is one of the program: it has a symbol */
	uint32_t fields;
	uint32_t lacking; /* default fields that were not recorded */
	char *title;      /* "   cycles: " */
};

#define PFX_SCRIPT_FRAME_STYLES 16 /* each of sym, symoff, dso, dsoff shown or not */

/* A rendered piece of text in struct pfx_script.texts. */
struct pfx_script_piece {
	uint32_t offset, len; /* len 0: not rendered yet */
};

struct pfx_script {
	/* how */
	struct pfx_script_fields fields;
	uint32_t show;
	bool hide_chains, ns, reltime, deltatime, dump, verbose;
	uint64_t max_stack;
	/* from what */
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_sample_trace trace;
	struct pfx_script_filters filters;
	/* state */
	PFX_VEC(struct pfx_script_event) events;
	unsigned title_width;
	uint64_t first_time, last_time;
	struct pfx_str texts;
	PFX_VEC(struct pfx_script_piece) frames[PFX_SCRIPT_FRAME_STYLES]; /* by place id */
	PFX_VEC(struct pfx_script_piece) comms; /* by comm id and padding */
	struct pfx_str out;
	uint64_t nr_bad_samples;
};

/* Print one sample into script->out: 0, or an error (a field that its event lacks). */
int pfx_script_print_sample(struct pfx_script *script, const struct pfx_record *rec,
			    struct pfx_error *err);
/* What a line starts with: name, pid, tid, cpu, misc, time. */
void pfx_script_print_start(struct pfx_script *script, const struct pfx_script_event *event,
			    const struct pfx_thread *thread, const struct pfx_sample *sample,
			    const struct pfx_record *rec);
/* The event's entry, made ready. */
int pfx_script_event_of(struct pfx_script *script, const struct pfx_event *event,
			struct pfx_script_event **ret, struct pfx_error *err);
/* Print the line of a sideband record if it is wanted. Called before (@applied false) and after the
 * session saw it. */
int pfx_script_print_sideband(struct pfx_script *script, const struct pfx_record *rec, bool applied,
			      struct pfx_error *err);

int pfx_script_filters_init(struct pfx_script_filters *filters,
			    const struct pfx_script_filter *words, struct pfx_error *err);
void pfx_script_filters_fini(struct pfx_script_filters *filters);
/* By what the sample itself says, and by where it was. */
bool pfx_script_filters_take(const struct pfx_script_filters *filters,
			     const struct pfx_sample *sample, const struct pfx_thread *thread);
bool pfx_script_filters_take_place(const struct pfx_script_filters *filters,
				   const struct pfx_place *place);
bool pfx_script_filters_take_cpu(const struct pfx_script_filters *filters, uint32_t cpu);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by the files of `pfx script`. */
#ifndef PFX_SCRIPT_SCRIPT_INTERNAL_H
#define PFX_SCRIPT_SCRIPT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "code/source_file.h"
#include "event/meta.h"
#include "event/sample.h"
#include "out/sample_trace.h"
#include "read/event_switch.h"
#include "read/filter.h"
#include "read/recording.h"
#include "read/time_ranges.h"
#include "script/script.h"
#include "script/script_engine.h"
#include "script/script_fields.h"
#include "script/text_file.h"
#include "session/session.h"
#include "stat/rounds.h"
#include "sym/code/disasm.h"
#include "unwind/resolve.h"

/* A parsed filter. */
struct pfx_script_filters {
	struct pfx_filter of;
	struct pfx_names stop_symbols;
	PFX_VEC(uint64_t) addresses; /* of the words for symbols */
	uint64_t addr_range;
	struct pfx_time_ranges times;
};

struct pfx_script_event;

enum pfx_form_record_kind {
	PFX_FORM_RECORD_HEADER, /* first; without the other members */
	PFX_FORM_RECORD_SAMPLE,
	PFX_FORM_RECORD_OTHER, /* a record between the samples, as @text; @event NULL: none */
	PFX_FORM_RECORD_COUNT,
};

/* Input of the forms, one record at a time. */
struct pfx_form_record {
	enum pfx_form_record_kind kind;
	struct pfx_script *script;
	struct pfx_script_event *event;
	const struct pfx_record *rec;
	struct pfx_thread *thread;
	const struct pfx_sample *sample; /* for OTHER: task, CPU and time */
	const char *text;                /* ends with a newline */
	const struct pfx_script_count *count;
};

/* Append a field of a sample to script->out. */
typedef void pfx_script_column(const struct pfx_form_record *line);

/* The parts of a line, in order; JSON has TITLE, WHO and WHAT. */
enum pfx_script_part {
	PFX_SCRIPT_PART_GUEST,
	PFX_SCRIPT_PART_WHO,   /* the same for all samples of a task on a CPU */
	PFX_SCRIPT_PART_WHEN,  /* records between samples end here */
	PFX_SCRIPT_PART_TITLE, /* the same for all samples of an event with the same period */
	PFX_SCRIPT_PART_WHAT,
	PFX_SCRIPT_PART_BELOW, /* after the newline */
	PFX_SCRIPT_NR_PARTS,
};

/* Whether JSON includes a field. */
enum pfx_script_json { PFX_SCRIPT_JSON_NEVER, PFX_SCRIPT_JSON_ASKED, PFX_SCRIPT_JSON_USUAL };

/* A field: its bit, its requirements, and its printing functions. */
struct pfx_script_field {
	const char *name;
	uint64_t bit;
	uint64_t needs;       /* one of these PFX_SAMPLE_* bits; 0: none */
	const char *recorded; /* option to suggest if it was not recorded */
	unsigned kinds;       /* kinds of events that have it, 1 << enum pfx_script_type; 0: all */
	unsigned usual;       /* kinds that print it by default */
	uint64_t with;        /* another field that it requires */
	/* Additional checks of the event, and of the recording. */
	int (*check_event)(const struct pfx_event *event, struct pfx_error *err);
	int (*check)(struct pfx_script *script, const struct pfx_event *event,
		     struct pfx_error *err);
	enum pfx_script_part part;
	pfx_script_column *text; /* in lines */
	enum pfx_script_json json;
	pfx_script_column *add_json;
};

/* script_rows.c */
#define PFX_SCRIPT_COLUMNS_MAX 64
extern const struct pfx_script_field pfx_script_rows[];
extern const size_t pfx_script_nr_rows;

/* The position of a field in an object; unlisted fields are last. */
struct pfx_script_place {
	uint64_t bit; /* 0: the end of the list */
	enum pfx_script_part part;
};
extern const struct pfx_script_place pfx_script_json_places[];

/* State of an event, prepared before its first sample is printed. */
struct pfx_script_event {
	enum pfx_script_type kind;
	/* The columns of part p are those from parts[p] to parts[p + 1]. */
	uint8_t parts[PFX_SCRIPT_NR_PARTS + 1];
	pfx_script_column *columns[PFX_SCRIPT_COLUMNS_MAX];
	const struct pfx_event *event;
	bool is_ready;
	bool has_chain;       /* samples are printed with their call chain */
	bool is_trace;        /* a tracepoint */
	bool addr_has_symbol; /* the address is in the program: it is shown with a symbol */
	bool is_branch;       /* each sample is one branch, from ip to addr */
	bool adds_target;     /* for these: the target is added although not chosen */
	uint64_t fields;
	uint64_t lacking;          /* default fields that were not recorded */
	char *title;               /* "   cycles: " */
	struct pfx_str title_text; /* period and title of the previous sample */
	uint64_t title_period;
};

#define PFX_SCRIPT_FRAME_STYLES 32 /* all combinations of sym, symoff, dso, dsoff, srcline */

/* A rendered piece of text in struct pfx_script.texts. */
struct pfx_script_piece {
	uint32_t offset, len; /* len 0: not rendered yet */
};

/* The frames of a chain as text, in struct pfx_script.chain_texts. */
struct pfx_script_chain {
	uint32_t offset, len;
	uint32_t generation; /* of the buffer; if different, the text is no longer available */
	bool is_known;       /* it occurred before */
};

/* The start of lines, up to the time: the same for consecutive samples of a thread. Cached for some
 * threads, by tid. */
#define PFX_SCRIPT_STARTS 16

struct pfx_script_start {
	const struct pfx_event *event;
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
	uint32_t pid, tid, cpu;
	struct pfx_str text;
};

/* The text of one event (--per-event-dump). */
struct pfx_script_file {
	char *path; /* NULL: not open */
	struct pfx_text_file to;
	uint64_t nr_samples;
};

struct pfx_script_group; /* script_metric.c */

struct pfx_script {
	struct pfx_script_options how;
	struct pfx_script_host host;
	/* input */
	struct pfx_recording *recording;
	struct pfx_reader *reader;                                    /* of the recording */
	struct pfx_script_view view;                                  /* for engines */
	int (*put)(struct pfx_form_record *line, struct pfx_str *to); /* the form */
	struct pfx_sample_trace trace;
	struct pfx_script_engine *engine; /* a program that gets the samples; NULL: print them */
	const struct pfx_script_engine_ops *engine_ops; /* its interpreter */
	struct pfx_script_filters filters;
	/* state */
	PFX_VEC(struct pfx_script_event) events;
	unsigned title_width;
	uint32_t nr_looked_at; /* events for: */
	bool trace_has_chain;  /* a tracepoint was recorded with call chains */
	uint64_t first_time, last_time;
	uint64_t second_start; /* of the last printed time */
	struct pfx_str second; /* and its formatted seconds */
	struct pfx_script_start starts[PFX_SCRIPT_STARTS];
	struct pfx_str texts;
	PFX_VEC(struct pfx_script_piece) frames[PFX_SCRIPT_FRAME_STYLES]; /* by place id */
	PFX_VEC(struct pfx_script_piece) lines[PFX_SCRIPT_FRAME_STYLES];  /* by place id */
	PFX_VEC(struct pfx_script_piece) comms; /* by comm id and padding */
	uint32_t chain_generation;
	struct pfx_str chain_texts; /* of chains that occurred before; cleared when too long */
	PFX_VEC(struct pfx_script_chain) chains[PFX_SCRIPT_FRAME_STYLES]; /* by chain id */
	PFX_VEC(struct pfx_script_file) files;                            /* by event index */
	PFX_VEC(struct pfx_script_group *) groups; /* for field metric, by their leader */
	bool has_shown;                            /* the current sample was selected */
	uint64_t nr_samples, nr_shown;
	uint64_t newest, nr_misordered; /* samples, for --debug-mode */
	size_t data_src_width;          /* of the longest text so far */
	struct pfx_disasm *disasm[2];   /* of 32-bit and of 64-bit code */
	bool tried_disasm[2];
	struct pfx_sources *sources;              /* NULL: not needed so far */
	PFX_VEC(struct pfx_source) shown_sources; /* the last line, by thread id */
	struct pfx_stat_rounds rounds;            /* of counts */
	bool has_stat_heading;
	struct pfx_str out;
};

/* script_host.c: pass the output to the host if it is longer than @above */
int pfx_script_flush(struct pfx_script *script, size_t above, struct pfx_error *err);
/* A note for the user. */
void pfx_script_note(const struct pfx_script *script, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Print one sample into script->out: 0, or an error (a field that its event lacks). Changes id and
 * period of @sample to those of the last event that it counts for. */
int pfx_script_print_sample(struct pfx_script *script, const struct pfx_record *rec,
			    struct pfx_sample *sample, struct pfx_error *err);
/* Write it in the selected form. */
static inline int pfx_script_put(struct pfx_form_record *line)
{
	return line->script->put(line, &line->script->out);
}
/* The start of a line: comm, pid, tid, cpu, misc, time. */
void pfx_script_print_start(const struct pfx_form_record *line);
/* Print the line of a sideband record if selected. Called before (@applied false) and after the
 * session processed it. */
int pfx_script_print_sideband(struct pfx_script *script, const struct pfx_record *rec, bool applied,
			      struct pfx_error *err);
/* A newline and the frames of the sample, one per line. */
void pfx_script_print_chain(const struct pfx_form_record *line);
/* A CALLCHAIN_DEFERRED record that is not merged into its samples: its line and its frames. */
int pfx_script_print_deferred(struct pfx_script *script, const struct pfx_record *rec,
			      struct pfx_error *err);

/* script_setup.c */
/* The event's entry, initialized. */
int pfx_script_event_of(struct pfx_script *script, const struct pfx_event *event,
			struct pfx_script_event **ret, struct pfx_error *err);
/* Check that every event has the selected fields; notes for missing ones. */
int pfx_script_check_events(struct pfx_script *script, struct pfx_error *err);

/* script_pieces.c: cached texts */
/* "            demo " or, before a call chain, "demo ". */
void pfx_script_add_comm(struct pfx_script *script, const struct pfx_thread *thread, bool padded);
/* The printed name of a dso (NULL: unknown). */
const char *pfx_script_dso_name(struct pfx_script *script, const struct pfx_dso *dso);
/* The location after an address on the line of its sample; and the same with the run-time
 * address. */
void pfx_script_add_place(struct pfx_script *script, struct pfx_place *place, uint64_t fields);
void pfx_script_add_address(struct pfx_script *script, struct pfx_place *place, uint64_t fields);
/* The frames of a chain, one per line. */
void pfx_script_add_frames(struct pfx_script *script, uint32_t chain, uint64_t fields);

/* --- columns of lines --- */

pfx_script_column pfx_script_text_guest, pfx_script_text_comm, pfx_script_text_ids,
	pfx_script_text_cpu, pfx_script_text_misc, pfx_script_text_tod, pfx_script_text_time,
	pfx_script_text_period, pfx_script_text_event, pfx_script_text_flags, pfx_script_text_trace,
	pfx_script_text_synth, pfx_script_text_addr, pfx_script_text_data_src,
	pfx_script_text_weight, pfx_script_text_ins_lat, pfx_script_text_retire_lat,
	pfx_script_text_ip, pfx_script_text_target, pfx_script_text_iregs, pfx_script_text_uregs,
	pfx_script_text_branches, pfx_script_text_bpf_output, pfx_script_text_insn,
	pfx_script_text_branch_code, pfx_script_text_phys_addr, pfx_script_text_data_page_size,
	pfx_script_text_code_page_size, pfx_script_text_cgroup, pfx_script_text_srccode;

/* --- members of objects --- */

pfx_script_column pfx_script_json_guest, pfx_script_json_comm, pfx_script_json_pid,
	pfx_script_json_tid, pfx_script_json_cpu, pfx_script_json_level, pfx_script_json_time,
	pfx_script_json_period, pfx_script_json_event, pfx_script_json_trace, pfx_script_json_addr,
	pfx_script_json_data_src, pfx_script_json_weight, pfx_script_json_ins_lat,
	pfx_script_json_retire_lat, pfx_script_json_ip, pfx_script_json_iregs,
	pfx_script_json_uregs, pfx_script_json_branches, pfx_script_json_bpf_output,
	pfx_script_json_insn, pfx_script_json_phys_addr, pfx_script_json_data_page_size,
	pfx_script_json_code_page_size, pfx_script_json_cgroup;

/* script_metric.c: the lines of field metric: values derived from the counts of a group in one
 * sample; @parts: the counts since the previous sample. */
void pfx_script_add_metrics(struct pfx_script *script, const struct pfx_record *rec,
			    const struct pfx_sample *sample, const struct pfx_sample_part *parts,
			    uint32_t nr);
void pfx_script_metrics_fini(struct pfx_script *script);

/* The functions of the forms, one per file, documented there. */
#define PFX_SCRIPT_FORM_FUNCTION(name, help, also, function) \
	int function(struct pfx_form_record *line, struct pfx_str *to);
int pfx_script_form_text(struct pfx_form_record *line, struct pfx_str *to);
PFX_FORMS_OF_RECORDS(PFX_SCRIPT_FORM_FUNCTION)

/* script_stat.c: records of counts; the counts of a round are printed at its end */
int pfx_script_stat_take(struct pfx_script *script, const struct pfx_record *rec,
			 struct pfx_error *err);

/* One of the events counted between branches. Initialize as {.word, .width}. */
struct pfx_script_counter {
	const struct pfx_event *event;
	uint64_t word;  /* of the branch */
	unsigned width; /* bits of each event in it */
	unsigned nr;    /* events so far */
	unsigned value;
	uint32_t next;
};

/* script_counters.c: bits per event in a branch's counter word, 0 unknown */
unsigned pfx_script_counter_width(const struct pfx_script *script);
/* The next event of @event's group with a counter; false after the last one. */
bool pfx_script_next_counter(const struct pfx_script *script, const struct pfx_event *event,
			     struct pfx_script_counter *at);
/* "br_cntr: AAB\t" */
void pfx_script_add_counters(struct pfx_script *script, const struct pfx_event *event,
			     uint64_t word);

/* An error if code of the recording's machine cannot be disassembled. */
int pfx_script_check_disasm(struct pfx_script *script, const struct pfx_event *event,
			    struct pfx_error *err);
void pfx_script_insn_fini(struct pfx_script *script);

/* script_source.c: print the source line at @addr, unless @thread is still on it */
void pfx_script_add_srccode(struct pfx_script *script, struct pfx_thread *thread, uint64_t addr);
void pfx_script_source_fini(struct pfx_script *script);

/* script_dlfilter.c: the filter of --dlfilter, if any */
int pfx_script_start_filter(struct pfx_script *script, struct pfx_error *err);
/* Whether it leaves the sample out: 1, 0, or an error. @is_early: before other options are applied.
 */
int pfx_script_ask_filter(struct pfx_script *script, const struct pfx_script_sample *sample,
			  bool is_early, struct pfx_error *err);
int pfx_script_stop_filter(struct pfx_script *script, struct pfx_error *err);

/* Check that the recording has the time of day for the event's clock. */
int pfx_script_check_tod(struct pfx_script *script, const struct pfx_event *event,
			 struct pfx_error *err);

/* script_files.c: move the output to the event's file; write all files and report them */
int pfx_script_file_take(struct pfx_script *script, const struct pfx_event *event, bool is_sample,
			 struct pfx_error *err);
int pfx_script_files_finish(struct pfx_script *script, struct pfx_error *err);
void pfx_script_files_fini(struct pfx_script *script);

/* The number of frames to show (--stop-bt). */
uint32_t pfx_script_filters_cut(const struct pfx_script_filters *filters,
				struct pfx_resolver *resolver, struct pfx_place **places,
				uint32_t nr);
int pfx_script_filters_init(struct pfx_script_filters *filters,
			    const struct pfx_script_filter *words, struct pfx_error *err);
void pfx_script_filters_fini(struct pfx_script_filters *filters);
/* Filter by the sample's fields, and by its location. */
bool pfx_script_filters_take(const struct pfx_script_filters *filters,
			     const struct pfx_sample *sample, const struct pfx_thread *thread);
bool pfx_script_filters_take_place(const struct pfx_script_filters *filters,
				   const struct pfx_place *place);

#endif

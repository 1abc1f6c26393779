/* SPDX-License-Identifier: MIT */
/*
 * Formats of other programs that a recording is exported to. A format is one file with its function
 * and one row in the list below; the words of `pfx export`, its --list and its completion are
 * derived from the row. Output goes through lib/export/output/export_output.h. Equal input makes
 * equal bytes.
 */
#ifndef PFX_EXPORT_EXPORT_H
#define PFX_EXPORT_EXPORT_H

#include "code/code.h"
#include "event/meta.h"
#include "export/output/export_output.h"
#include "export/samples/export_stream.h"
#include "view/select/selection.h"

/* The recording's capabilities that a format uses, and properties of the output. */
enum pfx_export_needs {
	PFX_EXPORT_CHAINS = 1 << 0, /* call chains; without them it has the sampled functions */
	PFX_EXPORT_TIMES = 1 << 1,  /* profile->row_time */
	PFX_EXPORT_BINARY = 1 << 2, /* bytes that a terminal cannot show */
	PFX_EXPORT_ONE_MEASURE = 1 << 3, /* samples or periods, not both: ->measure */
	PFX_EXPORT_PICTURE = 1 << 4,     /* ->width */
	PFX_EXPORT_STREAM = 1 << 5, /* ->stream, not a profile: each sample, with its whole stack */
	PFX_EXPORT_BARE = 1 << 6,   /* neither events nor periods */
	PFX_EXPORT_CODE = 1 << 7,   /* ->costs, and profile functions with their lines */
	PFX_EXPORT_COMPARES = 1 << 8,    /* ->old, if there is one */
	PFX_EXPORT_TABLES = 1 << 9,      /* ->tables */
	PFX_EXPORT_WALL_TIMES = 1 << 11, /* profile->row_time if the wall-clock time is known */
	PFX_EXPORT_JOINS = 1 << 12,      /* callers in no map are one frame: view/read_profile.h */
	PFX_EXPORT_LINKAGE = 1 << 10,    /* functions have the names that linkers know */
};

/* Of a picture, in pixels. */
#define PFX_EXPORT_WIDTH_MIN 300
#define PFX_EXPORT_WIDTH_MAX 100000

struct pfx_page_tables;

/* The recording that another one is compared with. Borrows all of it. */
struct pfx_export_old {
	const struct pfx_selection *selection; /* of all of its profile: view/narrow_profile.h */
	const struct pfx_meta *meta;
	uint64_t nr_chains, nr_chains_incomplete; /* as below */
	const struct pfx_recording *recording;    /* the same */
	const struct pfx_resolver *resolver;
	const struct pfx_sym_options *binaries; /* that show which functions were renamed */
};

/* Input of a format. Borrows all of it. */
struct pfx_export_input {
	const struct pfx_selection *selection;  /* of the profile; never without events. Or NULL: */
	const struct pfx_export_stream *stream; /* with PFX_EXPORT_STREAM */
	const struct pfx_meta *meta;            /* header of the recording */
	enum pfx_measure measure;               /* for PFX_EXPORT_ONE_MEASURE */
	uint32_t width;                         /* of a picture, in pixels; 0: the default */
	const char *title; /* of a page or picture; NULL: the recorded command */
	bool is_redacted;  /* names of hosts, commands and paths are replaced: samples/redact.h */
	/* For PFX_EXPORT_CODE: samples by address, without call chains; what no filter of views
	 * changes. NULL: none, and then no resolver. */
	struct pfx_costs *costs;
	struct pfx_resolver *resolver;
	/* For PFX_EXPORT_TABLES: see export/page_tables.h. NULL: none. */
	const struct pfx_page_tables *tables;
	struct pfx_sources *sources; /* the output has lines of source code; NULL: it has none */
	/* For what is lost, damaged or missing in it, with the resolver. NULL: unknown. */
	const struct pfx_recording *recording;
	/* Call chains by frame pointers, and those that do not reach the start of their thread:
	 * see unwind/pointer_chain.h. */
	uint64_t nr_chains, nr_chains_incomplete;
	/* For PFX_EXPORT_COMPARES; then the other selection is of all of its profile, too, and both
	 * profiles have times. NULL: none. */
	const struct pfx_export_old *old;
};

struct pfx_export {
	const char *name;
	const char *help; /* one line */
	unsigned needs;   /* enum pfx_export_needs */
	enum pfx_profile_frames frames_by;
	enum pfx_measure measure; /* the default */
	/* Appends to out->text, and calls pfx_export_flush() from time to time. */
	void (*write)(const struct pfx_export_input *in, struct pfx_export_output *out);
};

/* The formats in order of --list: name, help, needs, frames, measure, function. */
#define PFX_EXPORTS(EXPORT)                                                                        \
	EXPORT("html", "one HTML page with the profile in it, for any browser",                    \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES | PFX_EXPORT_CODE | PFX_EXPORT_COMPARES |      \
		       PFX_EXPORT_TABLES | PFX_EXPORT_JOINS,                                       \
	       PFX_FRAMES_BY_FUNCTION, PFX_MEASURE_PERIOD, pfx_export_html)                        \
	EXPORT("svg", "a flame graph as a picture, for documents and any browser",                 \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_ONE_MEASURE | PFX_EXPORT_PICTURE |                   \
		       PFX_EXPORT_COMPARES | PFX_EXPORT_JOINS,                                     \
	       PFX_FRAMES_BY_FUNCTION, PFX_MEASURE_PERIOD, pfx_export_svg)                         \
	EXPORT("folded", "a line for each distinct stack, for FlameGraph and inferno",             \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_ONE_MEASURE, PFX_FRAMES_BY_FUNCTION,                 \
	       PFX_MEASURE_SAMPLES, pfx_export_folded)                                             \
	EXPORT("pprof", "a profile for pprof, in protobuf and gzip",                               \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_BINARY, PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_PERIOD,   \
	       pfx_export_pprof)                                                                   \
	EXPORT("otlp", "profiles of OpenTelemetry, in development: v1development",                 \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_BINARY | PFX_EXPORT_WALL_TIMES |                     \
		       PFX_EXPORT_ONE_MEASURE,                                                     \
	       PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_SAMPLES, pfx_export_otlp)                        \
	EXPORT("firefox", "a processed profile for Firefox Profiler, over time and by thread",     \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES | PFX_EXPORT_ONE_MEASURE,                      \
	       PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_SAMPLES, pfx_export_firefox)                     \
	EXPORT("speedscope", "JSON of speedscope: all threads, and each over time",                \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES | PFX_EXPORT_ONE_MEASURE,                      \
	       PFX_FRAMES_BY_FUNCTION, PFX_MEASURE_PERIOD, pfx_export_speedscope)                  \
	EXPORT("callgrind", "costs by line and call, for callgrind_annotate and kcachegrind",      \
	       PFX_EXPORT_CHAINS, PFX_FRAMES_BY_LINE, PFX_MEASURE_PERIOD, pfx_export_callgrind)    \
	EXPORT("chrome", "Chrome's trace events: functions as slices over time, by thread",        \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES, PFX_FRAMES_BY_FUNCTION, PFX_MEASURE_PERIOD,   \
	       pfx_export_chrome)                                                                  \
	EXPORT("csv", "a line for each sample", PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES,              \
	       PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_PERIOD, pfx_export_csv)                          \
	EXPORT("perf-json", "JSON as 'pfx data convert --to-json' writes it",                      \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_STREAM | PFX_EXPORT_BARE, PFX_FRAMES_BY_ADDRESS,     \
	       PFX_MEASURE_SAMPLES, pfx_export_perf_json)                                          \
	EXPORT("sqlite", "a SQLite database with the tables of perf's exporter",                   \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_STREAM | PFX_EXPORT_BINARY, PFX_FRAMES_BY_ADDRESS,   \
	       PFX_MEASURE_PERIOD, pfx_export_sqlite)                                              \
	EXPORT("llvm-prof", "a sample profile for clang, by llvm-profdata",                        \
	       PFX_EXPORT_STREAM | PFX_EXPORT_LINKAGE, PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_SAMPLES, \
	       pfx_export_llvm_prof)                                                               \
	EXPORT("fdata", "a profile of one binary for BOLT",                                        \
	       PFX_EXPORT_STREAM | PFX_EXPORT_LINKAGE, PFX_FRAMES_BY_ADDRESS, PFX_MEASURE_SAMPLES, \
	       pfx_export_fdata)                                                                   \
	EXPORT("cpuprofile", "a profile for the developer tools of Chrome and VS Code",            \
	       PFX_EXPORT_CHAINS | PFX_EXPORT_TIMES | PFX_EXPORT_ONE_MEASURE, PFX_FRAMES_BY_LINE,  \
	       PFX_MEASURE_SAMPLES, pfx_export_cpuprofile)

#define PFX_EXPORT_ONE(...) +1
enum { PFX_NR_EXPORTS = 0 PFX_EXPORTS(PFX_EXPORT_ONE) };

extern const struct pfx_export pfx_exports[PFX_NR_EXPORTS];

/* -EINVAL with a message that names a similar format, or all. */
int pfx_export_find(const char *name, const struct pfx_export **ret, struct pfx_error *err);
/* The format of a picture by the suffix of its file: .svg, else HTML. -EINVAL for the suffixes of
 * other pictures. */
int pfx_export_find_picture(const char *path, const struct pfx_export **ret, struct pfx_error *err);
/* Whether more than one of the chosen events has samples. Weights of events are never added: a
 * format separates them, in a way that its file describes. */
bool pfx_export_has_several(const struct pfx_selection *selection);

/* The columns of events with samples, or all if none has: their number, and in *@ret an array that
 * the caller frees. */
uint32_t pfx_export_columns(const struct pfx_selection *selection, uint32_t **ret);
/* The title of a page or picture, which is foreign text. */
void pfx_export_title(const struct pfx_export_input *in, struct pfx_str *to);
/* Whether periods of the event of a column are ns. */
bool pfx_export_counts_ns(const struct pfx_export_input *in, uint32_t column);
bool pfx_export_event_counts_ns(const struct pfx_event *event);
/* Whether it is the time that threads slept. */
bool pfx_export_is_offcpu(const struct pfx_event *event);
/* The time between samples of a column's event, in ns; 0: unknown, it does not count time. */
uint64_t pfx_export_interval(const struct pfx_export_input *in, uint32_t column);
/* The wall-clock time, in ns since 1970, of a time in the recording; false if that is unknown. */
bool pfx_export_wall_time(const struct pfx_meta *meta, uint64_t time, uint64_t *ret);

#endif

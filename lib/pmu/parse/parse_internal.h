/* SPDX-License-Identifier: MIT */
/* Shared by the files of the event parser: tokens and the parser's state. */
#ifndef PFX_PMU_PARSE_INTERNAL_H
#define PFX_PMU_PARSE_INTERNAL_H

#include "base/arena.h"
#include "base/dir_names.h"
#include "base/str.h"
#include "pmu/parse/parse.h"
#include "pmu/sysfs/sysfs_internal.h"

/* token.c */

enum pfx_token_kind {
	PFX_TOKEN_END,
	PFX_TOKEN_WORD,
	PFX_TOKEN_QUOTED, /* at and len are without the quotes */
	PFX_TOKEN_COMMA,
	PFX_TOKEN_COLON,
	PFX_TOKEN_SLASH,
	PFX_TOKEN_EQUALS,
	PFX_TOKEN_OPEN,
	PFX_TOKEN_CLOSE,
	PFX_TOKEN_BAD, /* an invalid character, or a missing closing quote */
};

struct pfx_token {
	enum pfx_token_kind kind;
	const char *at;
	size_t len;
	size_t col, end; /* its columns in the text, quotes included */
};

struct pfx_scanner {
	const char *text;
	size_t pos;
	bool in_terms; /* inside the slashes of a PMU event, where words may contain more characters
			*/
	struct pfx_token tok;
	size_t last_end; /* end of the previous token */
};

/* Make the next token the current one. */
void pfx_token_next(struct pfx_scanner *s);
bool pfx_token_is(const struct pfx_token *tok, const char *word);
/* Decimal, or hexadecimal after 0x. A leading 0 has no meaning, as in perf. */
bool pfx_token_number(const struct pfx_token *tok, uint64_t *ret);
/* Hexadecimal digits only, at most 64 bits. */
bool pfx_token_hex(const char *at, size_t len, uint64_t *ret);

/* The parser's state. */
struct pfx_parser {
	struct pfx_scanner scan;
	struct pfx_event_list *list;
	const struct pfx_pmu_roots *roots;
	const char *sysfs;
	struct pfx_pmu_set pmus;
	struct pfx_sensors sensors;
	bool hwmon_read, drm_read; /* the parts that were read */
	struct pfx_error *err;     /* never NULL */
	/* Parts of the current event, for the names of expanded events. */
	struct pfx_token word;
	struct pfx_token modifiers;
	size_t terms_at, terms_end; /* the text between the slashes; equal if there is none */
	bool is_expanded;           /* one word was expanded to an event for each core type */
	bool is_glob;        /* one word was expanded to several events, which already have names */
	struct pfx_str cpus; /* of its terms "cpu=" */
	struct pfx_token ratio; /* the last term "ratio-to-prev=" of the text */
};

/* parse_error.c */

/* After pfx_parse_fail(): the reason in the form that other programs know, where perf has one. */
void pfx_parse_reason(struct pfx_parser *p, const struct pfx_token *tok, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Set the message and the lines with the caret under @tok; returns -EINVAL. */
int pfx_parse_fail(struct pfx_parser *p, const struct pfx_token *tok, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Add a line to the hint. */
void pfx_parse_advise(struct pfx_parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Add "did you mean" with the most similar of @names, if any. True if it was added. */
bool pfx_parse_near(struct pfx_parser *p, const char *word, const struct pfx_name_list *names);
/* Add a line that lists @names after @text. */
void pfx_parse_list(struct pfx_parser *p, const char *text, const struct pfx_name_list *names);
/* The token's text, escaped and truncated for a message. */
#define PFX_SHOWN_SIZE 128
const char *pfx_parse_show(char out[PFX_SHOWN_SIZE], const struct pfx_token *tok);
/* The message for an unexpected token. */
int pfx_parse_unexpected(struct pfx_parser *p, const char *wanted);

/* event_list.c */

/* Append a new spec to the list. The pointer is valid until the next one. */
struct pfx_event_spec *pfx_event_add(struct pfx_parser *p, uint32_t type, uint64_t config);
/* The same for the PMU; and undo the last one. */
struct pfx_event_spec *pfx_event_add_for_pmu(struct pfx_parser *p, const struct pfx_pmu *pmu);
void pfx_event_drop_last(struct pfx_parser *p);
void pfx_probe_fini(struct pfx_probe *probe);

/* symbol.c */

struct pfx_event_symbol {
	uint32_t type;
	uint64_t config;
};
enum pfx_symbol_result {
	PFX_SYMBOL_NONE,
	PFX_SYMBOL_FOUND,
	PFX_SYMBOL_BAD_OP, /* the kernel does not support this operation for the cache */
};
/* Hardware, software, cache and raw events by name. */
enum pfx_symbol_result pfx_symbol_find(const char *word, struct pfx_event_symbol *ret);
/* Names to suggest. */
void pfx_symbol_names(struct pfx_name_list *to, struct pfx_arena *arena);

/* term.c: the text between the slashes */

struct pfx_term {
	struct pfx_token name;
	struct pfx_token value; /* kind END if there is none */
	struct pfx_token where; /* position for errors */
	bool is_of_event;       /* from the definition of a named event */
};
struct pfx_terms {
	PFX_VEC(struct pfx_term) terms;
};
/* Parse up to and including the closing slash; the current token is the opening one. */
int pfx_terms_parse(struct pfx_parser *p, struct pfx_terms *ret);
void pfx_terms_fini(struct pfx_terms *terms);
/* The terms of a named event; errors refer to @where. The text must outlive them. */
int pfx_terms_parse_alias(struct pfx_parser *p, const char *text, const struct pfx_token *where,
			  struct pfx_terms *ret);

/* The number of a term; a term without a value means 1. */
int pfx_term_number(struct pfx_parser *p, const struct pfx_term *term, uint64_t *ret);

/* config.c: terms to attrs */

/* Apply terms to a symbolic event: those that need no PMU. */
int pfx_terms_apply_plain(struct pfx_parser *p, const struct pfx_terms *terms,
			  struct pfx_event_spec *spec);
/* The same for a tracepoint, which accepts no terms for its config. */
int pfx_terms_apply_tracepoint(struct pfx_parser *p, const struct pfx_terms *terms,
			       struct pfx_event_spec *spec);
/* Apply terms to an event of @pmu. @alias, which may be NULL, is the word before the slashes if it
 * is an event of the PMU. */
int pfx_terms_apply_pmu(struct pfx_parser *p, const struct pfx_terms *terms,
			const struct pfx_token *alias, struct pfx_pmu *pmu,
			struct pfx_event_spec *spec);
/* Make @spec count a symbolic event; on hybrid machines on the cores of @pmu. */
void pfx_config_symbol(struct pfx_parser *p, const struct pfx_event_symbol *symbol,
		       const struct pfx_pmu *pmu, struct pfx_event_spec *spec);

/* default_config.c */

/* Set the default config of events of @pmu; for most PMUs there is none. */
void pfx_pmu_default_config(struct pfx_pmu_set *pmus, struct pfx_pmu *pmu, struct pfx_attr *attr);

/* sampling_term.c */

/* Process a sampling term of one event: call-graph, time, inherit and so on. */
int pfx_term_sampling(struct pfx_parser *p, const struct pfx_term *term,
		      struct pfx_event_sampling *ret);

/* cpu_term.c */

/* Process a term "cpu=" of the current event. */
int pfx_term_cpu(struct pfx_parser *p, const struct pfx_term *term);
/* Restrict the events from @first on to the CPUs of their terms; drop those that cannot count
 * there. */
int pfx_term_cpu_finish(struct pfx_parser *p, size_t first);

/* ratio.c */

/* Process a term "ratio-to-prev=". */
int pfx_term_ratio(struct pfx_parser *p, const struct pfx_term *term, struct pfx_event_spec *spec);
/* For events from @first on with a ratio: set the periods of the events before them, and the masks
 * for auto counter reload. */
int pfx_ratio_finish(struct pfx_parser *p, size_t first);

/* symbol_event.c */

/* Whether bare names are expanded to the cores of @pmu. */
bool pfx_event_is_on_core(const struct pfx_parser *p, const struct pfx_pmu *pmu);
/* Add a symbolic event, on hybrid machines one for each core type. */
void pfx_event_add_symbol(struct pfx_parser *p, const struct pfx_event_symbol *symbol);

/* tool.c */

/* Add an event that is measured without a counter; false: unknown name, or the caller samples. */
bool pfx_tool_add(struct pfx_parser *p, const char *word);
/* The same for names that a PMU may have, too. */
bool pfx_tool_add_last(struct pfx_parser *p, const char *word);
/* Whether it is a name of that kind, allowed or not. */
bool pfx_tool_is_name(const char *word);
/* Whether "tool" before terms is meant; and parse the terms, the current token is the slash. */
bool pfx_tool_is_pmu(const struct pfx_parser *p, const char *word);
int pfx_tool_parse(struct pfx_parser *p);

/* sensor.c */

/* Add the sensors that match @word; false: none. */
bool pfx_sensor_add(struct pfx_parser *p, const char *word);
/* Whether "hwmon_..." or "drm_..." before terms is meant; and parse the terms, the current token is
 * the slash. */
bool pfx_sensor_is_pmu(const struct pfx_parser *p, const char *word);
int pfx_sensor_parse(struct pfx_parser *p, const char *pmu);

/* glob.c */

struct pfx_glob {
	const char *pattern;
	struct pfx_token where;
	const struct pfx_terms *terms; /* terms besides the pattern */
	bool with_pmu;                 /* the user named the PMU */
};
bool pfx_glob_is(const char *word);
/* Add all matching events; the user gave no PMU. */
int pfx_glob_add(struct pfx_parser *p, const char *pattern);
/* Add all matching events of a PMU. */
void pfx_glob_add_pmu(struct pfx_parser *p, struct pfx_pmu *pmu, const struct pfx_glob *glob);

/* event.c */

/* Parse one event with its modifiers and append the resulting events. */
int pfx_event_parse(struct pfx_parser *p);

/* breakpoint.c */

/* ADDR[/LEN][:ACCESS]; the current token is the colon after "mem". */
int pfx_breakpoint_parse(struct pfx_parser *p);

/* probe.c */

/* uprobe:, uretprobe:, kprobe:, kretprobe: */
bool pfx_probe_is_word(const char *word);
/* Parse the text after the colon, which is the current token. */
int pfx_probe_parse(struct pfx_parser *p, const char *word);

/* tracepoint.c */

/* Add the events of the pattern "sys:event". */
int pfx_tracepoint_add(struct pfx_parser *p, const struct pfx_token *sys,
		       const struct pfx_token *event);
/* Whether "sys:event" exists; does not mount tracefs. */
bool pfx_tracepoint_exists(struct pfx_parser *p, const struct pfx_token *sys,
			   const struct pfx_token *event);
/* "sys:event" of the tracepoint named @event, or NULL. Owned by the PMUs' arena. */
const char *pfx_tracepoint_find(struct pfx_parser *p, const char *event);

/* unknown_event.c */

/* The message for an unknown event. */
int pfx_parse_unknown_event(struct pfx_parser *p, const struct pfx_token *tok);

/* modifier.c */

/* Apply the modifiers in @tok to the events from @first on. @is_group: to a whole group, whose
 * leader is the first. */
int pfx_modifiers_apply(struct pfx_parser *p, const struct pfx_token *tok, size_t first,
			bool is_group);
/* Whether all characters are modifiers. */
bool pfx_modifiers_plausible(const struct pfx_token *tok);

#endif

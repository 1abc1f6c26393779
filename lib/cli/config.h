/* SPDX-License-Identifier: MIT */
/*
 * The configuration. The files, later ones override earlier ones: perf's own (/etc/perfconfig,
 * ~/.perfconfig, or only $PERF_CONFIG), of which only the keys below are used; then pfx's
 * (/etc/pfxconfig, $XDG_CONFIG_HOME/pfx/config). With $PFX_CONFIG only that file is read. A file of
 * the user must belong to the user or to root.
 */
#ifndef PFX_CLI_CONFIG_H
#define PFX_CLI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* The value of a key ("report.children"), NULL if it is not set. Owned by the configuration. */
const char *pfx_config_get(const char *key);
/* The values of a key that may be given several times: n = 0, 1, ... until NULL, in the order of
 * the files. */
const char *pfx_config_get_nth(const char *key, size_t n);
/* The same as a boolean. False, with *@ret unchanged, if the key is not set or not a boolean; the
 * latter is noted. */
bool pfx_config_get_bool(const char *key, bool *ret);
/* The same for keys that may have other values, without a note. */
bool pfx_config_is_bool(const char *key, bool *ret);
/* The value of a key if it is one that the key takes, else NULL with a note. */
const char *pfx_config_get_valid(const char *key);
/* Print that the value of @key is not "yes or no" or another @wanted. */
void pfx_config_note_wrong(const char *key, const char *wanted);
/* @rc; if it is an error about the value of @key, @err names the key and its file. */
int pfx_config_check(const char *key, int rc, struct pfx_error *err);
/* Free everything that was read. */
void pfx_config_clear(void);

enum pfx_config_level { PFX_CONFIG_ALL, PFX_CONFIG_USER, PFX_CONFIG_SYSTEM };
#define PFX_CONFIG_SIZE_MAX (1u << 20) /* limit for the size of a file */
/* Append all settings of these files, also those that no command uses. */
struct pfx_settings;
void pfx_config_read(enum pfx_config_level level, struct pfx_settings *to);
/* The file that `config` changes: pfx's, or perf's if the program was started as perf. On the heap;
 * NULL if there is no home. */
char *pfx_config_file(enum pfx_config_level level);

/* Append "key=value" lines of these files: of the @nr keys that are set, each with its last value,
 * or, with no keys, of all, section by section. -EINVAL: not a key. */
int pfx_config_show(enum pfx_config_level level, int nr, char *const *keys, struct pfx_str *to,
		    struct pfx_error *err);
/* Set each "key=value" in the file of pfx_config_file(), which is made if it does not exist and
 * replaced as a whole. -EINVAL: not a key, or not a value that it takes; by perf's name a note says
 * the latter, because perf writes any value. */
int pfx_config_write(enum pfx_config_level level, int nr, char *const *words,
		     struct pfx_error *err);

/* What values a key takes; text: any, or what only the command that uses it can tell. */
enum pfx_config_kind {
	PFX_CONFIG_TEXT,
	PFX_CONFIG_BOOL,
	PFX_CONFIG_PERCENT,
	PFX_CONFIG_NUMBER,
	PFX_CONFIG_SECONDS,
	PFX_CONFIG_SIZE,
	PFX_CONFIG_WORD
};

struct pfx_config_key {
	const char *name; /* "pager.CMD" means a key per command */
	const char *help; /* one line */
	enum pfx_config_kind kind;
	const char *words; /* of PFX_CONFIG_WORD: "att|intel" */
};
/* The keys that commands use; *@ret_nr elements. `pfx help config` shows them. */
const struct pfx_config_key *pfx_config_keys(size_t *ret_nr);
bool pfx_config_is_known(const char *key);
bool pfx_config_parse_bool(const char *value, bool *ret);
/* Whether @key takes @value; false with what it takes in @wanted, such as "yes or no". True for a
 * key that is not known. */
bool pfx_config_is_valid(const char *key, const char *value, char *wanted, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Parses options by the table of a command. Prints nothing; the error contains the invalid word and
 * a suggestion. The argument vector is only reordered for commands that permute.
 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli_note.h"
#include "cli/personality.h"

/* How many candidates of an ambiguous word are listed. */
#define CANDIDATES_SHOWN 6

struct parser {
	const struct pfx_command *command;
	int argc, at; /* argv[at] is the current word */
	char **argv;
	void *options;
	struct pfx_error *err;
};

/* The meaning of a long option. */
struct match {
	const struct pfx_option *row;
	bool unset;
	const char *lead, *tail; /* concatenated: the full word */
};

static const char *take_next(struct parser *p)
{
	return p->at + 1 < p->argc ? p->argv[++p->at] : NULL;
}

static bool takes_no_value(const struct pfx_option *row)
{
	return row->kind == PFX_OPT_BOOL || row->kind == PFX_OPT_COUNT ||
	       row->kind == PFX_OPT_CALL_NONE;
}

static bool takes_moot_value(const struct pfx_option *row)
{
	return row->is_moot && row->arg && pfx_has_habit(PFX_HABIT_MOOT);
}

static bool value_is_optional(const struct pfx_option *row)
{
	return row->kind == PFX_OPT_CALL_OPTIONAL || row->kind == PFX_OPT_CALL_NEXT ||
	       (row->kind == PFX_OPT_ABSENT && !takes_moot_value(row));
}

/* "--freq" or "-g", for messages. */
static const char *row_title(const struct pfx_option *row, char *out, size_t size)
{
	if (row->name)
		snprintf(out, size, "--%s", row->name);
	else
		snprintf(out, size, "-%c", row->letter);
	return out;
}

static int bad_value(struct parser *p, const struct pfx_option *row, const char *arg,
		     const char *what)
{
	char title[64], word[128];

	return pfx_error_set(p->err, EINVAL, "'%s' of option '%s' is not %s",
			     pfx_escape(word, sizeof(word), arg),
			     row_title(row, title, sizeof(title)), what);
}

static int store_number(struct parser *p, const struct pfx_option *row, const char *arg, void *to)
{
	const char *digits = *arg == '-' ? arg + 1 : arg;
	uint64_t value;

	if (row->kind == PFX_OPT_U64) {
		if (!pfx_parse_u64(arg, &value))
			return bad_value(p, row, arg, "a number");
		*(uint64_t *)to = value;
		return 0;
	}
	if (!pfx_parse_u64(digits, &value) || value > INT_MAX)
		return bad_value(p, row, arg, "a number");
	*(int *)to = *arg == '-' ? -(int)value : (int)value;
	return 0;
}

static int call_row(struct parser *p, const struct pfx_option *row, const char *arg, bool unset)
{
	void *to = row->kind == PFX_OPT_VALUE ? (char *)p->options + row->offset : p->options;
	char title[64], word[128];
	int rc;

	if (p->err)
		p->err->code = 0;
	rc = row->call(to, arg, unset, p->err);
	if (rc < 0 && p->err && !p->err->code)
		pfx_error_set(p->err, EINVAL, "wrong value '%s' of option '%s'",
			      pfx_escape(word, sizeof(word), arg ? arg : ""),
			      row_title(row, title, sizeof(title)));
	return rc < 0 ? rc : 0;
}

static int absent(struct parser *p, const struct pfx_option *row)
{
	char title[64];

	pfx_error_set(p->err, EINVAL, "there is no option '%s'",
		      row_title(row, title, sizeof(title)));
	pfx_error_hint(p->err, "%s", row->help);
	return -EINVAL;
}

/* Whether @value is one of the blank-separated @words, or one that accepts more after a comma. */
static bool is_word_of(const char *words, const char *value)
{
	size_t len, wanted = strcspn(value, ",");

	for (; *words; words += len + (words[len] != 0)) {
		len = strcspn(words, " ");
		if (len == wanted && !strncmp(words, value, len))
			return true;
	}
	return false;
}

/* What changes nothing in perf either stops no script that has it. */
static int moot(struct parser *p, const struct pfx_option *row, const char *arg)
{
	char title[64];

	if (!pfx_has_habit(PFX_HABIT_MOOT))
		return absent(p, row);
	if (arg && row->words && !is_word_of(row->words, arg))
		return bad_value(p, row, arg, "one of its words");
	pfx_cli_note(p->command->name, "%s has no effect: %s", row_title(row, title, sizeof(title)),
		     row->help);
	return 0;
}

/* Store a value as its row says; @arg is NULL without one. */
static int store(struct parser *p, const struct pfx_option *row, const char *arg, bool unset)
{
	char *to = (char *)p->options + row->offset;

	if (row->set_offset)
		*(bool *)((char *)p->options + row->set_offset) = true;
	switch (row->kind) {
	case PFX_OPT_BOOL:
		*(bool *)to = !unset;
		return 0;
	case PFX_OPT_COUNT:
		*(int *)to = unset ? 0 : *(int *)to + 1;
		return 0;
	case PFX_OPT_STRING:
		*(const char **)to = unset ? NULL : arg;
		return 0;
	case PFX_OPT_U64:
	case PFX_OPT_INT:
		return store_number(p, row, unset ? "0" : arg, to);
	case PFX_OPT_ABSENT:
		return row->is_moot ? moot(p, row, arg) : absent(p, row);
	default:
		return call_row(p, row, arg, unset);
	}
}

static int no_value_wanted(struct parser *p, const struct match *match)
{
	return pfx_error_set(p->err, EINVAL, "option '--%s%s' takes no value", match->lead,
			     match->tail);
}

/* Take the value from @arg (attached to the option; NULL: none) or from the next word, and store
 * it. */
static int take(struct parser *p, const struct match *match, const char *arg)
{
	const struct pfx_option *row = match->row;
	char title[64];

	if (match->unset && row->keeps)
		return pfx_error_set(p->err, EINVAL, "what option '%s' adds cannot be taken back",
				     row_title(row, title, sizeof(title)));
	if (match->unset || takes_no_value(row))
		return arg ? no_value_wanted(p, match) : store(p, row, NULL, match->unset);
	if (row->kind == PFX_OPT_CALL_NEXT && !arg && p->at + 1 < p->argc &&
	    p->argv[p->at + 1][0] != '-')
		arg = take_next(p);
	if (!arg && !value_is_optional(row)) {
		arg = take_next(p);
		if (!arg)
			return pfx_error_set(p->err, EINVAL, "option '%s' needs a value",
					     row_title(row, title, sizeof(title)));
	}
	return store(p, row, arg, false);
}

static bool same_word(const char *form, const char *word, size_t len, bool whole)
{
	return !strncmp(form, word, len) && (!whole || !form[len]);
}

/* Whether the word is the row's name, one of its negated forms, or (unless @whole) a prefix. */
static bool matches_row(const struct pfx_option *row, const char *word, size_t len, bool whole,
			struct match *ret)
{
	*ret = (struct match){row, false, "", row->name};
	if (same_word(row->name, word, len, whole))
		return true;
	ret->unset = true;
	if (!strncmp(row->name, "no-", 3) && same_word(row->name + 3, word, len, whole)) {
		ret->tail = row->name + 3;
		return true;
	}
	ret->lead = "no-";
	if (len <= 3)
		return !whole && !strncmp("no-", word, len);
	return !strncmp(word, "no-", 3) && same_word(row->name, word + 3, len - 3, whole);
}

/* A word of the command line, up to "=". */
struct word {
	const char *at;
	size_t len;
};

enum with_new { WITHOUT_NEW, WITH_NEW };

static size_t find_rows(const struct pfx_option *rows, const struct word *asked, bool whole,
			enum with_new with_new, struct match *ret)
{
	const char *word = asked->at;
	size_t len = asked->len;
	const struct pfx_option *row;
	struct match match;
	size_t nr = 0;

	for (row = rows; row->kind != PFX_OPT_END; row++) {
		if (row->kind == PFX_OPT_GROUP || !row->name ||
		    !matches_row(row, word, len, whole, &match))
			continue;
		if (!whole && row->is_new && with_new == WITHOUT_NEW)
			continue;
		if (nr < CANDIDATES_SHOWN)
			ret[nr] = match;
		nr++;
		if (whole)
			break;
	}
	return nr;
}

static size_t find_long(const struct pfx_option *rows, const char *word, size_t len, bool whole,
			struct match *ret)
{
	const struct word asked = {word, len};
	struct match known[CANDIDATES_SHOWN];
	size_t nr = find_rows(rows, &asked, whole, WITH_NEW, ret);

	if (nr < 2 || !pfx_has_habit(PFX_HABIT_PREFIXES) ||
	    find_rows(rows, &asked, whole, WITHOUT_NEW, known) != 1)
		return nr;
	ret[0] = known[0];
	return 1;
}

static int ambiguous(struct parser *p, const char *word, size_t len, const struct match *found,
		     size_t nr)
{
	size_t i, shown = nr < CANDIDATES_SHOWN ? nr : CANDIDATES_SHOWN;
	struct pfx_str list = {0};

	for (i = 0; i < shown; i++)
		pfx_str_addf(&list, "%s'--%s%s'",
			     !i            ? ""
			     : i + 1 == nr ? " or "
					   : ", ",
			     found[i].lead, found[i].tail);
	pfx_error_set(p->err, EINVAL, "option '--%.*s' is not unique: it may be %s%s", (int)len,
		      word, pfx_str_get(&list), nr > shown ? ", ..." : "");
	pfx_str_fini(&list);
	return -EINVAL;
}

/* The long name nearest to @word, or NULL. */
static const char *nearest_option(const struct pfx_command *command, const char *word)
{
	PFX_VEC(const char *) names = {0};
	const struct pfx_option *row;
	const char *found;

	for (row = command->options; row->kind != PFX_OPT_END; row++)
		if (row->kind != PFX_OPT_GROUP && row->name && !row->hidden)
			pfx_vec_push(&names, row->name);
	found = pfx_nearest(word, names.at, names.nr);
	pfx_vec_free(&names);
	return found;
}

static int unknown_long(struct parser *p, const char *word, size_t len)
{
	char name[128], shown[160];
	bool negated = len > 3 && !strncmp(word, "no-", 3);
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	near = negated ? nearest_option(p->command, name + 3) : NULL;
	if (!near) {
		near = nearest_option(p->command, name);
		negated = false;
	}
	pfx_error_set(p->err, EINVAL, "unknown option '--%s'",
		      pfx_escape(shown, sizeof(shown), name));
	if (near)
		pfx_error_hint(p->err, "did you mean '--%s%s'?", negated ? "no-" : "", near);
	return -EINVAL;
}

static int take_long(struct parser *p, const char *word)
{
	const struct pfx_option *rows = p->command->options;
	const char *equals = strchrnul(word, '=');
	size_t len = (size_t)(equals - word), nr;
	struct match found[CANDIDATES_SHOWN];

	nr = len ? find_long(rows, word, len, true, found) : 0;
	if (!nr && len)
		nr = find_long(rows, word, len, false, found);
	if (!nr)
		return unknown_long(p, word, len);
	if (nr > 1)
		return ambiguous(p, word, len, found, nr);
	return take(p, &found[0], *equals ? equals + 1 : NULL);
}

static const struct pfx_option *find_letter(const struct pfx_option *rows, char letter)
{
	for (; rows->kind != PFX_OPT_END; rows++)
		if (rows->kind != PFX_OPT_GROUP && rows->letter == letter)
			return rows;
	return NULL;
}

/* "-sort" for "--sort": a long name after one dash. */
static const char *dash_forgotten(struct parser *p, const char *word)
{
	const struct pfx_option *row;
	size_t len = strcspn(word, "=");
	struct match match;

	if (len < 3)
		return NULL;
	for (row = p->command->options; row->kind != PFX_OPT_END; row++)
		if (row->kind != PFX_OPT_GROUP && row->name &&
		    matches_row(row, word, len, false, &match))
			return word;
	return NULL;
}

/* "-gdwarf" for "--call-graph dwarf": a value after a letter that takes none. */
static const char *option_of_value(struct parser *p, const char *word)
{
	const struct pfx_option *row = find_letter(p->command->options, word[0]), *with;
	struct match match;

	if (!row || !row->with_value ||
	    !find_long(p->command->options, row->with_value, strlen(row->with_value), true, &match))
		return NULL;
	with = match.row;
	return with->words && is_word_of(with->words, word + 1) ? with->name : NULL;
}

static int unknown_letter(struct parser *p, const char *word, char letter)
{
	const char *near = dash_forgotten(p, word), *with = option_of_value(p, word);
	char shown[128];
	const char *c = isprint((unsigned char)letter) ? (const char[]){letter, 0} : "?";

	if (with) {
		pfx_error_set(p->err, EINVAL, "unknown option '-%s'",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(p->err, "-%c takes no value: write --%s %s", word[0], with,
			       shown + 1);
	} else if (near) {
		pfx_error_set(p->err, EINVAL, "unknown option '-%s'",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(p->err, "did you mean '--%s', with two dashes?", shown);
	} else {
		pfx_error_set(p->err, EINVAL, "unknown option '-%s'", c);
	}
	return -EINVAL;
}

/* The value attached to a letter. As in perf, blanks before a number do not belong to it ("-F 99"
 * as one word), nor does '=' before an optional value ("-z=3"). */
static const char *attached(const struct pfx_option *row, const char *text)
{
	const char *value = text + strspn(text, " \t");

	if (!*text)
		return NULL;
	if (value_is_optional(row) && *text == '=')
		return text + 1;
	return row->kind != PFX_OPT_STRING && isdigit((unsigned char)value[*value == '-']) ? value
											   : text;
}

/* Bundled letters; the first one that takes a value takes the rest of the word. */
static int take_short(struct parser *p, const char *word, enum pfx_special *special)
{
	struct match match = {0};
	const struct pfx_option *row;
	const char *at;
	int rc;

	for (at = word; *at; at++) {
		row = match.row = find_letter(p->command->options, *at);
		if (!row && *at == 'h') {
			*special = PFX_SPECIAL_HELP;
			return 0;
		}
		/* a long name after one dash is not parsed as bundled letters */
		if (!row || (at == word && at[1] && takes_no_value(row) && dash_forgotten(p, word)))
			return unknown_letter(p, word, *at);
		if (!takes_no_value(row))
			return take(p, &match, attached(row, at + 1));
		rc = take(p, &match, NULL);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int take_option(struct parser *p, enum pfx_special *special)
{
	const char *word = p->argv[p->at];

	if (!strcmp(word, "--help"))
		*special = PFX_SPECIAL_HELP;
	else if (!strcmp(word, "--list-opts"))
		*special = PFX_SPECIAL_LIST;
	else if (word[1] == '-')
		return take_long(p, word + 2);
	else
		return take_short(p, word + 1, special);
	return 0;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

int pfx_options_take(const struct pfx_command *command, int argc, char **argv, void *options,
		     enum pfx_special *ret_special, struct pfx_error *err)
{
	struct parser p = {command, argc, 1, argv, options, err};
	PFX_VEC(char *) others = {0};
	int rc = 0;

	*ret_special = PFX_SPECIAL_NONE;
	for (; p.at < argc; p.at++) {
		if (is_option(argv[p.at])) {
			if (!strcmp(argv[p.at], "--")) {
				p.at++;
				break;
			}
			rc = take_option(&p, ret_special);
			if (rc < 0 || *ret_special)
				break;
		} else if (command->permute) {
			pfx_vec_push(&others, argv[p.at]);
		} else {
			break;
		}
	}
	if (*ret_special)
		p.at++;
	if (others.nr && rc >= 0) {
		p.at -= (int)others.nr;
		memcpy(argv + p.at, others.at, others.nr * sizeof(*argv));
	}
	pfx_vec_free(&others);
	return rc < 0 ? rc : p.at;
}

int pfx_options_parse(const struct pfx_command *command, int argc, char **argv, void *options,
		      bool *ret_help, struct pfx_error *err)
{
	enum pfx_special special;
	int rc = pfx_options_take(command, argc, argv, options, &special, err);

	*ret_help = special == PFX_SPECIAL_HELP;
	return rc;
}

/* Whether the row takes the next word, @next (NULL: none), if nothing is attached. */
static int span_of(const struct pfx_option *row, const char *next)
{
	if (!next || takes_no_value(row))
		return 1;
	if (row->kind == PFX_OPT_CALL_NEXT)
		return next[0] != '-' ? 2 : 1;
	return value_is_optional(row) ? 1 : 2;
}

static int long_span(const struct pfx_option *rows, const char *word, const char *next,
		     const struct pfx_option **ret_row)
{
	size_t len = strcspn(word, "=");
	struct match found[CANDIDATES_SHOWN];

	if (!len || (find_long(rows, word, len, true, found) != 1 &&
		     find_long(rows, word, len, false, found) != 1))
		return 0;
	*ret_row = found[0].row;
	return word[len] || found[0].unset ? 1 : span_of(found[0].row, next);
}

int pfx_options_span(const struct pfx_option *rows, int nr, char *const *words,
		     const struct pfx_option **ret_row)
{
	const char *next = nr > 1 ? words[1] : NULL, *at;

	if (!is_option(words[0]) || !strcmp(words[0], "--"))
		return 0;
	if (words[0][1] == '-')
		return long_span(rows, words[0] + 2, next, ret_row);
	for (at = words[0] + 1; *at; at++) {
		*ret_row = find_letter(rows, *at);
		if (!*ret_row)
			return 0;
		if (!takes_no_value(*ret_row))
			return at[1] ? 1 : span_of(*ret_row, next);
	}
	return 1;
}

/* A tab, the separators of ASCII, and the first of its control characters, which do nothing to a
 * terminal: programs take them, because no name has them. */
static bool is_quiet_control(char c)
{
	return c == '\t' || (c >= 0x1c && c <= 0x1f) || (c >= 0x01 && c <= 0x06);
}

int pfx_parse_separator(const char **separator, struct pfx_error *err)
{
	struct pfx_str shown = {0};
	const char *word, *rest;
	int rc = 0;

	if (!*separator)
		return 0;
	if (!strcmp(*separator, "\\t"))
		*separator = "\t";
	for (rest = word = *separator; *word; word++) {
		if (!is_quiet_control(*word))
			continue;
		pfx_str_add_escaped(&shown, rest, (size_t)(word - rest));
		pfx_str_addc(&shown, *word);
		rest = word + 1;
	}
	pfx_str_add_foreign(&shown, rest);
	if (strcmp(pfx_str_get(&shown), *separator) != 0) {
		rc = pfx_error_set(err, EINVAL,
				   "'%s' cannot separate columns: it has characters that cannot be "
				   "printed",
				   pfx_str_get(&shown));
		pfx_error_hint(err, "use a tab (\\t) or printable text");
	}
	pfx_str_fini(&shown);
	return rc;
}

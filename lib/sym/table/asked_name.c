/* SPDX-License-Identifier: MIT */
#include "sym/table/asked_name.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"
#include "sym/table/demangle.h"

#define PART_MIN   3  /* shorter parts of names are in too many */
#define NAME_SHORT 60 /* characters of a name that a message has as it is */
#define ANONYMOUS  "(anonymous namespace)"

#define DIGITS "0123456789"

/* --- suffixes --- */

static const char *const clone_words[] = {"isra",     "constprop",  "part", "cold",
					  "lto_priv", "localalias", "llvm", "clone"};

/* A suffix ".isra", perhaps with a number after it: where it ends; NULL: not one. */
static const char *end_of_suffix(const char *at)
{
	size_t i, len;

	if (*at++ != '.')
		return NULL;
	for (i = 0; i < sizeof(clone_words) / sizeof(*clone_words); i++) {
		len = strlen(clone_words[i]);
		if (strncmp(at, clone_words[i], len))
			continue;
		at += len;
		if (*at == '.' && strspn(at + 1, DIGITS))
			at += 1 + strspn(at + 1, DIGITS);
		return at;
	}
	return NULL;
}

bool pfx_is_clone_suffix(const char *at)
{
	while (at && *at)
		at = end_of_suffix(at);
	return at != NULL;
}

/* --- plain names --- */

static bool follows(const char *name, const char *at, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(at - name) >= len && !strncmp(at - len, word, len);
}

/* The end of what begins with an opening bracket; the end of the name if nothing closes it.
 * Comparisons and arrows of expressions among template arguments close nothing. */
static const char *skip_brackets(const char *at)
{
	char open = *at, close = open == '<' ? '>' : open == '{' ? '}' : ')';
	unsigned depth = 0, inner = 0;

	for (; *at; at++) {
		if (open == '<' && *at == '(')
			inner++;
		else if (open == '<' && *at == ')' && inner)
			inner--;
		if (inner)
			continue;
		if (*at == open)
			depth++;
		else if (*at == close && !(open == '<' && at[-1] == '-') && !--depth)
			return at + 1;
	}
	return at;
}

/* How many characters at @at belong to the name, brackets or not: of lambdas, operators and
 * unnamed namespaces. */
static size_t kept(const char *name, const char *at)
{
	if (*at == '{')
		return (size_t)(skip_brackets(at) - at);
	if (!strncmp(at, ANONYMOUS, strlen(ANONYMOUS)))
		return strlen(ANONYMOUS);
	if (follows(name, at, "operator"))
		return !strncmp(at, "()", 2) ? 2 : strspn(at, "<>=-");
	return 0;
}

/* The name without template arguments, unless they are kept, and without parameters. The caller
 * frees it. */
static char *plain_name(const char *name, bool keep_arguments)
{
	struct pfx_str to = {0};
	const char *at = name;
	size_t nr;

	while (*at) {
		nr = kept(name, at);
		if (!nr && *at == '(')
			break;
		if (!nr && *at == '<' && !keep_arguments) {
			at = skip_brackets(at);
			continue;
		}
		pfx_str_addn(&to, at, nr ? nr : 1);
		at += nr ? nr : 1;
	}
	while (to.len && to.at[to.len - 1] == ' ')
		to.at[--to.len] = '\0';
	return to.at ? to.at : pfx_strdup("");
}

/* --- names that fit --- */

/* Arguments begin with a bracket that belongs to no operator. */
static bool has_arguments(const char *name)
{
	const char *at;

	for (at = strchr(name, '<'); at; at = strchr(at + 1, '<'))
		if (!follows(name, at, "operator") && !follows(name, at, "operator<"))
			return true;
	return false;
}

void pfx_asked_name_loosen(struct pfx_asked_name *asked)
{
	char *demangled = pfx_demangle(asked->word);
	const char *word = demangled ? demangled : asked->word;

	free(asked->plain);
	asked->has_arguments = has_arguments(word);
	asked->plain = plain_name(word, asked->has_arguments);
	free(demangled);
}

void pfx_asked_name_fini(struct pfx_asked_name *asked)
{
	free(asked->plain);
	*asked = (struct pfx_asked_name){0};
}

/* Before the word: a namespace, a class, a package of Go or a module of D, a return type, or what a
 * JIT compiler writes there. */
static bool may_begin(const char *name, const char *at)
{
	if (at == name || follows(name, at, "::") || strchr(" .", at[-1]))
		return true;
	while (at > name && strchr("*~^+", at[-1]))
		at--;
	return at > name && at[-1] == ':';
}

/* After the word: a suffix of the compiler, or a place in a source file. */
static bool may_end(const char *end)
{
	return pfx_is_clone_suffix(end) || *end == ' ' || (*end == ':' && end[1] != ':');
}

static bool has_word(const char *plain, const char *word)
{
	const char *at;

	for (at = strstr(plain, word); at; at = strstr(at + 1, word))
		if (may_begin(plain, at) && may_end(at + strlen(word)))
			return true;
	return false;
}

bool pfx_asked_name_fits(const struct pfx_asked_name *asked, const char *name)
{
	char *plain;
	bool fits;

	if (!strcmp(name, asked->word))
		return true;
	if (!asked->plain || !*asked->plain)
		return false;
	plain = plain_name(name, asked->has_arguments);
	fits = has_word(plain, asked->plain);
	free(plain);
	return fits;
}

/* --- similar names --- */

/* The last parts of a name, as many as the word has. */
static const char *last_parts(const char *plain, const char *word)
{
	const char *at = plain + strlen(plain), *in_word = word + strlen(word);

	for (;; at--) {
		while (at > plain && !follows(plain, at, "::"))
			at--;
		for (in_word -= in_word > word; in_word > word && !follows(word, in_word, "::");)
			in_word--;
		if (at == plain || in_word == word)
			return at;
	}
}

static bool contains(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (; len >= PART_MIN && *name; name++)
		if (!strncasecmp(name, word, len))
			return true;
	return false;
}

/* As pfx_nearest(), of the last parts of the names; @plains are borrowed. */
static size_t nearest_part(const char *word, char *const *plains, size_t nr)
{
	const char **parts = pfx_calloc(nr + 1, sizeof(*parts)), *near;
	size_t i;

	for (i = 0; i < nr; i++)
		parts[i] = last_parts(plains[i], word);
	near = pfx_nearest(word, parts, nr);
	for (i = 0; i < nr && parts[i] != near; i++)
		;
	free(parts);
	return i;
}

static size_t similar_plain(const char *word, char *const *plains, size_t nr)
{
	size_t i = nearest_part(word, plains, nr);

	if (i < nr)
		return i;
	for (i = 0; i < nr && !contains(plains[i], word); i++)
		;
	return i;
}

const char *pfx_similar_name(const char *word, const char *const *names, size_t nr)
{
	struct pfx_asked_name asked = {.word = word};
	const char *found = pfx_nearest(word, names, nr);
	char **plains;
	size_t i;

	if (found || !nr)
		return found;
	pfx_asked_name_loosen(&asked);
	plains = pfx_calloc(nr, sizeof(*plains));
	for (i = 0; i < nr; i++)
		plains[i] = plain_name(names[i], asked.has_arguments);
	i = similar_plain(asked.plain, plains, nr);
	found = i < nr ? names[i] : NULL;
	for (i = 0; i < nr; i++)
		free(plains[i]);
	free(plains);
	pfx_asked_name_fini(&asked);
	return found;
}

char *pfx_short_name(const char *name)
{
	return strlen(name) > NAME_SHORT ? plain_name(name, false) : pfx_strdup(name);
}

/* SPDX-License-Identifier: MIT */
/*
 * Counts what regcomp() would make of an expression, without recursion, before it is asked. The
 * count takes each character that may be special for special, so it is never too low.
 */
#include "base/pattern/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CARET_MAX 4096 /* bytes of a pattern of which each beginning is tried */

struct size {
	unsigned long parts, choices;
};

struct counter {
	struct size group[PFX_PATTERN_DEPTH + 1]; /* of each open parenthesis, before @last */
	struct size last; /* the last character, class or group: what a repetition repeats */
	unsigned depth;
};

static void add(struct size *to, const struct size *size)
{
	to->parts += size->parts;
	to->choices += size->choices;
}

static bool is_large(const struct size *size)
{
	return size->parts > PFX_PATTERN_PARTS || size->choices > PFX_PATTERN_CHOICES;
}

static void add_part(struct counter *c)
{
	add(&c->group[c->depth], &c->last);
	c->last = (struct size){.parts = 1};
}

/* Both factors are bounded, so that nothing overflows. */
static void repeat(struct counter *c, unsigned long times)
{
	c->last.parts *= times;
	c->last.choices = (c->last.choices + 1) * times;
}

/* The end of a class that begins at @at: after its ], which may be its first character. */
static const char *skip_class(const char *at)
{
	const char *end;

	at += at[1] == '^' ? 2 : 1;
	at += *at == ']';
	for (; *at && *at != ']'; at++)
		if (*at == '[' && at[1] && strchr(".:=", at[1]) && (end = strchr(at + 2, ']')))
			at = end;
	return at + !!*at;
}

/* The larger number of {3,8}, at least 1. */
static const char *skip_numbers(struct counter *c, const char *at)
{
	unsigned long times = 1, number;
	char *end = (char *)at;

	do {
		number = strtoul(end + 1, &end, 10);
		times = number > times ? number : times;
	} while (*end == ',');
	repeat(c, times < PFX_PATTERN_PARTS ? times : PFX_PATTERN_PARTS);
	return end + (*end == '}');
}

/* Counts the element at @at and returns where the next one begins; NULL when @c is too deep. */
static const char *count_next(struct counter *c, const char *at)
{
	switch (*at) {
	case '(':
		add(&c->group[c->depth], &c->last);
		c->last = (struct size){0};
		if (c->depth == PFX_PATTERN_DEPTH)
			return NULL;
		c->group[++c->depth] = (struct size){.parts = 1};
		return at + 1;
	case ')':
		if (!c->depth)
			break;
		add(&c->last, &c->group[c->depth--]);
		return at + 1;
	case '|':
		add(&c->group[c->depth], &c->last);
		c->last = (struct size){.choices = 1};
		return at + 1;
	case '{':
		return skip_numbers(c, at);
	case '*':
	case '?':
		repeat(c, 1);
		return at + 1;
	case '+':
		repeat(c, 2);
		return at + 1;
	case '[':
		add_part(c);
		return skip_class(at);
	case '\\':
		at += !!at[1];
		break;
	}
	add_part(c);
	return at + 1;
}

/* What is too large in @pattern, or NULL. */
static const char *find_excess(const char *pattern)
{
	struct counter c = {0};

	while (*pattern) {
		pattern = count_next(&c, pattern);
		if (!pattern)
			return "parentheses are nested too deeply";
		if (is_large(&c.last) || is_large(&c.group[c.depth]))
			return "it is too large";
	}
	while (c.depth) {
		add(&c.group[c.depth - 1], &c.group[c.depth]);
		c.depth--;
	}
	add(&c.last, &c.group[0]);
	return is_large(&c.last) ? "it is too large" : NULL;
}

bool pfx_pattern_compile(regex_t *ret, const char *pattern, int flags, char *why, size_t size)
{
	const char *excess = find_excess(pattern);
	int code = excess ? 0 : regcomp(ret, pattern, REG_EXTENDED | flags);

	if (excess && why)
		snprintf(why, size, "%s", excess);
	else if (code && why)
		regerror(code, ret, why, size);
	return !excess && !code;
}

size_t pfx_pattern_good_part(const char *pattern)
{
	size_t len = strlen(pattern);
	char *part;
	regex_t regex;
	bool good = false;

	if (len > CARET_MAX)
		return 0;
	part = pfx_strdup(pattern);
	while (len && !good) {
		part[--len] = '\0';
		good = len && pfx_pattern_compile(&regex, part, REG_NOSUB, NULL, 0);
	}
	if (good)
		regfree(&regex);
	free(part);
	return len;
}

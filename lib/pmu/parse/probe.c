/* SPDX-License-Identifier: MIT */
/*
 * Probes: places in code that need no preparation.
 *
 *	probe := ("uprobe:" | "uretprobe:") FILE ":" place
 *		| ("kprobe:" | "kretprobe:") place
 *	place := FUNCTION ["+" OFFSET] ["%return"] | OFFSET
 *
 * Names of files and C++ functions contain characters that have other meanings in events, so they
 * are parsed here character by character. Functions are resolved to addresses elsewhere.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

#define RETURN_SUFFIX "%return"

static const struct {
	const char *word, *pmu;
	enum pfx_probe_kind kind;
	bool is_return;
} words[] = {
	{"uprobe", "uprobe", PFX_PROBE_USER, false},
	{"uretprobe", "uprobe", PFX_PROBE_USER, true},
	{"kprobe", "kprobe", PFX_PROBE_KERNEL, false},
	{"kretprobe", "kprobe", PFX_PROBE_KERNEL, true},
};
#define NR_WORDS (sizeof(words) / sizeof(words[0]))

static size_t find_word(const char *word)
{
	size_t i = 0;

	while (i < NR_WORDS && strcmp(words[i].word, word))
		i++;
	return i;
}

bool pfx_probe_is_word(const char *word)
{
	return find_word(word) < NR_WORDS;
}

/* A part of the text as a token, as a position for errors. */
static struct pfx_token piece(const struct pfx_parser *p, size_t from, size_t to)
{
	return (struct pfx_token){PFX_TOKEN_WORD, p->scan.text + from, to - from, from, to};
}

/* Take the text until @ends returns true, or between quotes, and move after it. */
static int take(struct pfx_parser *p, bool (*ends)(const char *at, int depth),
		struct pfx_token *ret)
{
	struct pfx_scanner *s = &p->scan;
	size_t start = s->pos;
	const char *end;
	int depth = 0;

	if (s->text[start] == '\'' || s->text[start] == '"') {
		end = strchr(s->text + start + 1, s->text[start]);
		*ret = piece(p, start, start + 1);
		if (!end)
			return pfx_parse_fail(p, ret, "a quote begins here and does not end");
		s->pos = (size_t)(end - s->text) + 1;
		*ret = piece(p, start + 1, s->pos - 1);
		return 0;
	}
	for (; s->text[s->pos] && !ends(s->text + s->pos, depth); s->pos++) {
		depth += s->text[s->pos] == '(' || s->text[s->pos] == '<';
		depth -= s->text[s->pos] == ')' || s->text[s->pos] == '>';
	}
	*ret = piece(p, start, s->pos);
	return 0;
}

static bool ends_file(const char *at, int depth)
{
	(void)depth;
	return *at == ':';
}

/* "::" is part of a name, a single colon is not. Inside brackets everything is. */
static bool ends_place(const char *at, int depth)
{
	if (depth > 0)
		return false;
	if (*at == ':')
		return at[1] != ':' && at[-1] != ':';
	return strchr(",/{}", *at) != NULL || isspace((unsigned char)*at);
}

static int take_file(struct pfx_parser *p, char **ret)
{
	struct pfx_token tok;
	int err = take(p, ends_file, &tok);

	if (err)
		return err;
	if (!tok.len)
		return pfx_parse_fail(p, &tok, "the name of a program or library is missing here");
	if (p->scan.text[p->scan.pos] != ':') {
		pfx_parse_fail(p, &tok, "there is no function after the name of the file");
		pfx_parse_advise(p, "write uprobe:FILE:FUNCTION");
		return -EINVAL;
	}
	p->scan.pos++;
	*ret = pfx_strndup(tok.at, tok.len);
	return 0;
}

/* "+0x10" at the end of a name, if a number follows. */
static int split_offset(struct pfx_parser *p, struct pfx_token *name, uint64_t *ret)
{
	struct pfx_token number;
	char shown[PFX_SHOWN_SIZE];
	size_t i = name->len;

	while (i > 0 && name->at[i - 1] != '+')
		i--;
	if (i < 2 || !isdigit((unsigned char)name->at[i]))
		return 0; /* operator+ is a name */
	number = piece(p, name->col + i, name->end);
	if (!pfx_token_number(&number, ret))
		return pfx_parse_fail(p, &number, "'%s' is not an offset in a function",
				      pfx_parse_show(shown, &number));
	*name = piece(p, name->col, name->col + i - 1);
	return 0;
}

static int take_place(struct pfx_parser *p, struct pfx_probe *probe)
{
	const size_t suffix = strlen(RETURN_SUFFIX);
	struct pfx_token name, whole;
	int err = take(p, ends_place, &name);

	if (err)
		return err;
	if (name.len >= suffix && !memcmp(name.at + name.len - suffix, RETURN_SUFFIX, suffix)) {
		probe->is_return = true;
		name = piece(p, name.col, name.end - suffix);
	}
	if (!name.len)
		return pfx_parse_fail(p, &name, "the name of a function is missing here");
	whole = name;
	if (!pfx_token_number(&name, &probe->offset)) {
		err = split_offset(p, &name, &probe->offset);
		probe->function = pfx_strndup(name.at, name.len);
	}
	if (!err && probe->is_return && probe->function && probe->offset)
		err = pfx_parse_fail(p, &whole,
				     "a function returns as a whole: no offset goes with that");
	return err;
}

static int find_pmu(struct pfx_parser *p, size_t which, struct pfx_pmu **ret)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i;

	for (i = 0; i < set->pmus.nr; i++) {
		*ret = &set->pmus.at[i];
		if (!strcmp((*ret)->name, words[which].pmu))
			return 0;
	}
	pfx_parse_fail(p, &p->word, "this kernel has no %ss", words[which].pmu);
	pfx_parse_advise(p, "it was built without %s, or is older than 4.17",
			 words[which].kind == PFX_PROBE_USER ? "CONFIG_UPROBE_EVENTS"
							     : "CONFIG_KPROBE_EVENTS");
	return -EINVAL;
}

/* Set the bit for return probes. */
static void ask_for_return(struct pfx_parser *p, struct pfx_pmu *pmu, struct pfx_attr *attr)
{
	const struct pfx_pmu_format *format = pfx_pmu_find_format(&p->pmus, pmu, "retprobe");

	attr->config |= format && format->word == 0 ? format->mask : 1;
}

/* The text as given, without quotes and blanks: other tools require names without blanks. */
static char *name_of(const struct pfx_parser *p, size_t end)
{
	struct pfx_str name = {0};
	size_t i;

	for (i = p->word.col; i < end; i++)
		if (!isspace((unsigned char)p->scan.text[i]) && !strchr("'\"", p->scan.text[i]))
			pfx_str_addc(&name, p->scan.text[i]);
	return name.at;
}

int pfx_probe_parse(struct pfx_parser *p, const char *word)
{
	size_t which = find_word(word), end;
	struct pfx_probe probe = {.kind = words[which].kind, .is_return = words[which].is_return};
	struct pfx_event_spec *spec;
	struct pfx_pmu *pmu;
	int err;

	p->scan.pos = p->scan.tok.end;
	err = probe.kind == PFX_PROBE_USER ? take_file(p, &probe.path) : 0;
	if (!err)
		err = take_place(p, &probe);
	if (!err)
		err = find_pmu(p, which, &pmu);
	if (err) {
		pfx_probe_fini(&probe);
		return err;
	}
	end = p->scan.pos;
	spec = pfx_event_add(p, pmu->type, 0);
	spec->pmu = pfx_strdup(pmu->name);
	spec->name = name_of(p, end);
	spec->probe = probe;
	if (probe.is_return)
		ask_for_return(p, pmu, &spec->attr);
	p->scan.tok.end = end;
	pfx_token_next(&p->scan);
	return 0;
}

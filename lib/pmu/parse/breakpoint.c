/* SPDX-License-Identifier: MIT */
/*
 * mem:ADDR[/LEN][:ACCESS]: hardware breakpoints. The kernel checks what the CPU supports; here only
 * values are refused that no CPU supports.
 */
#include <errno.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

/* attr.bp_type */
#define BP_READ  1
#define BP_WRITE 2
#define BP_EXEC  4

#define LEN_DEFAULT 4
#define LEN_EXEC    sizeof(long)
#define LEN_MAX     512 /* the largest range of any CPU */

static bool is_access(const struct pfx_token *tok)
{
	return tok->kind == PFX_TOKEN_WORD && strspn(tok->at, "rwx") >= tok->len;
}

static int parse_access(struct pfx_parser *p, const struct pfx_token *tok, uint32_t *ret)
{
	static const char letters[] = "rwx"; /* in the order of the bits */
	char shown[PFX_SHOWN_SIZE];
	uint32_t bit;
	size_t i;

	*ret = 0;
	for (i = 0; i < tok->len; i++) {
		bit = 1u << (strchr(letters, tok->at[i]) - letters);
		if (*ret & bit)
			return pfx_parse_fail(p, tok, "access '%s' names a letter twice",
					      pfx_parse_show(shown, tok));
		*ret |= bit;
	}
	return 0;
}

static int parse_address(struct pfx_parser *p, uint64_t *ret)
{
	struct pfx_scanner *s = &p->scan;
	char shown[PFX_SHOWN_SIZE];

	pfx_token_next(s);
	if (s->tok.kind != PFX_TOKEN_WORD)
		return pfx_parse_unexpected(p, "an address");
	if (!pfx_token_number(&s->tok, ret))
		return pfx_parse_fail(p, &s->tok, "'%s' is not an address",
				      pfx_parse_show(shown, &s->tok));
	pfx_token_next(s);
	return 0;
}

/* The length after a slash, if it is not the start of terms. */
static int parse_length(struct pfx_parser *p, uint64_t *ret)
{
	struct pfx_scanner *s = &p->scan, slash = *s;

	if (s->tok.kind != PFX_TOKEN_SLASH)
		return 0;
	pfx_token_next(s);
	if (s->tok.kind == PFX_TOKEN_END)
		return pfx_parse_unexpected(p, "a length");
	if (!pfx_token_number(&s->tok, ret)) {
		*s = slash;
		return 0;
	}
	if (!*ret || *ret > LEN_MAX)
		return pfx_parse_fail(p, &s->tok, "a breakpoint watches 1 to %d bytes", LEN_MAX);
	pfx_token_next(s);
	return 0;
}

static int parse_colon_access(struct pfx_parser *p, uint32_t *ret)
{
	struct pfx_scanner *s = &p->scan, colon = *s;
	int err;

	if (s->tok.kind != PFX_TOKEN_COLON)
		return 0;
	pfx_token_next(s);
	if (!is_access(&s->tok)) {
		*s = colon; /* modifiers follow */
		return 0;
	}
	err = parse_access(p, &s->tok, ret);
	pfx_token_next(s);
	return err;
}

int pfx_breakpoint_parse(struct pfx_parser *p)
{
	uint64_t addr = 0, len = 0;
	uint32_t access = BP_READ | BP_WRITE;
	struct pfx_event_spec *spec;
	int err;

	err = parse_address(p, &addr);
	if (!err)
		err = parse_length(p, &len);
	if (!err)
		err = parse_colon_access(p, &access);
	if (err)
		return err;
	if (!len)
		len = access == BP_EXEC ? LEN_EXEC : LEN_DEFAULT;
	spec = pfx_event_add(p, PFX_TYPE_BREAKPOINT, 0);
	spec->attr.bp_type = access;
	spec->attr.config1 = addr;
	spec->attr.config2 = len;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Demangles through libiberty: C++ (Itanium ABI), both schemes of Rust, and D. By default
 * parameters are omitted, since columns have no room for them. Names are untrusted, and a few
 * hundred bytes with back references can expand to terabytes: the output is bounded. Other names of
 * that size have little or no output and take years, because the library tries each part twice, or
 * walks a type as often as it is referred to: such names stay mangled.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "sym/table/demangle.h"

#define NAME_LIMIT 16384
#define TEXT_LIMIT (64u << 10)
#define LEVELS_MAX 12         /* each doubles the time: half a millisecond */
#define TRIES_MAX  (1u << 14) /* of one part of a name: about a millisecond */
#define NODES_MAX  (1u << 20) /* components of a name when all references are followed: 10 ms */
#define DEPTH_MAX  2048       /* of a tree of components, as in the library */

struct output {
	struct pfx_str text;
	jmp_buf too_long;
};

/* longjmp() out of this callback leaks at most a punycode identifier of a Rust name: the library
 * allocates nothing else. */
static void add(const char *part, size_t size, void *context)
{
	struct output *out = context;

	if (out->text.len + size > TEXT_LIMIT)
		longjmp(out->too_long, 1);
	pfx_str_addn(&out->text, part, size);
}

typedef int (*demangler)(const char *name, int options, demangle_callbackref add, void *context);

static char *call(demangler function, const char *name, int options)
{
	struct output *out = pfx_calloc(1, sizeof(*out));
	char *text = NULL;

	if (!setjmp(out->too_long) && function(name, options, add, out) && out->text.len) {
		text = out->text.at;
		out->text.at = NULL;
	}
	pfx_str_fini(&out->text);
	free(out);
	return text;
}

static unsigned times(const char *name, const char *part)
{
	unsigned nr = 0;

	for (; (name = strstr(name, part)); name += strlen(part))
		nr++;
	return nr;
}

/* --- C++ --- */

/* How many references "S_", "S0_", ... to earlier parts (@letter S) or to template parameters (T)
 * there are, followed by @next (0: by anything). Names inside of the name count, too. */
static unsigned references(const char *name, char letter, char next)
{
	unsigned nr = 0;
	size_t digits;

	for (; (name = strchr(name, letter)); name++) {
		digits = strspn(name + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		nr += name[1 + digits] == '_' && (!next || name[2 + digits] == next);
	}
	return nr;
}

typedef const struct demangle_component *component;

/* The parts of a component; NULL: none. */
static void parts_of(component c, component ret[2])
{
	ret[0] = ret[1] = NULL;
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		break;
	case DEMANGLE_COMPONENT_CTOR:
		ret[0] = c->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		ret[0] = c->u.s_dtor.name;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		ret[0] = c->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		ret[0] = c->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		ret[0] = c->u.s_unary_num.sub;
		break;
	default:
		ret[0] = c->u.s_binary.left;
		ret[1] = c->u.s_binary.right;
	}
}

/* The number of components when each reference to one is followed; at most NODES_MAX. */
static uint64_t nodes_of(component c, struct pfx_hash *known, unsigned depth)
{
	uint64_t *slot, sum = 1;
	component parts[2];
	bool is_new;
	size_t i;

	slot = pfx_hash_add(known, (uint64_t)(uintptr_t)c, &is_new);
	if (!is_new)
		return *slot;
	*slot = NODES_MAX; /* while it is unknown: parts of itself */
	parts_of(c, parts);
	for (i = 0; i < 2 && sum < NODES_MAX; i++)
		if (parts[i])
			sum += depth < DEPTH_MAX ? nodes_of(parts[i], known, depth + 1) : NODES_MAX;
	sum = sum < NODES_MAX ? sum : NODES_MAX;
	*pfx_hash_get(known, (uint64_t)(uintptr_t)c) = sum;
	return sum;
}

static bool is_small(const char *name)
{
	struct pfx_hash known = {0};
	void *memory = NULL;
	component tree = cplus_demangle_v3_components(name, DMGL_NO_OPTS, &memory);
	bool small = tree && nodes_of(tree, &known, 0) < NODES_MAX;

	pfx_hash_fini(&known);
	free(memory);
	return small;
}

/* Each template parameter with arguments in a conversion operator is read twice. A pack expansion
 * is searched through all that it refers to. */
static bool is_bounded_cpp(const char *name)
{
	if (strstr(name, "cv") && references(name, 'T', 'I') > LEVELS_MAX)
		return false;
	if (!strstr(name, "Dp") && !strstr(name, "sp"))
		return true;
	return references(name, 'S', 0) <= LEVELS_MAX || is_small(name);
}

/* --- D --- */

/* "Q" and a base-26 number that ends with a lower-case letter: the distance back to a repeated name
 * or type. 0: not a back reference. */
static size_t back_reference(const char *at, size_t *ret_len)
{
	size_t back = 0, i;

	for (i = 1; at[i] >= 'A' && at[i] <= 'Z' && i < 5; i++)
		back = back * 26 + (size_t)(at[i] - 'A');
	if (at[0] != 'Q' || at[i] < 'a' || at[i] > 'z')
		return 0;
	*ret_len = i + 1;
	return back * 26 + (size_t)(at[i] - 'a');
}

/* Whether the name stays within bounds when all back references are expanded. A target ends before
 * its reference; more of the grammar is not needed here. */
static bool is_bounded(const char *name)
{
	uint32_t sizes[NAME_LIMIT + 1]; /* expanded size of the name before each byte */
	size_t i, back, len;

	sizes[0] = 0;
	for (i = 0; name[i]; i += len) {
		len = 1;
		back = back_reference(name + i, &len);
		if (back > i)
			back = 0;
		sizes[i + 1] = sizes[i] + 1 + (back ? sizes[i] - sizes[i - back] : 0);
		if (sizes[i + 1] > TEXT_LIMIT)
			return false;
		for (back = 1; back < len; back++)
			sizes[i + back + 1] = sizes[i + back];
	}
	return true;
}

/* A parameter of a template that is a symbol, "S", a number and a name: as the name may begin with
 * a number, each place where the first one may end is tried, and then the whole without it. */
static bool is_tried_often(const char *name)
{
	unsigned levels = times(name, "__T") + times(name, "__U") + times(name + 1, "_D");
	unsigned with_digits[10] = {0}, tries = 1;
	size_t digits;

	for (; (name = strchr(name, 'S')); name++) {
		digits = strspn(name + 1, "0123456789");
		with_digits[digits < 9 ? digits : 9]++;
	}
	for (digits = 9; digits && levels; digits--)
		for (; with_digits[digits] && levels; with_digits[digits]--, levels--) {
			tries *= (unsigned)digits + 1;
			if (tries > TRIES_MAX)
				return true;
		}
	return false;
}

static char *demangle_d(const char *name)
{
	return is_bounded(name) && !is_tried_often(name) ? dlang_demangle(name, DMGL_NO_OPTS)
							 : NULL;
}

static char *demangle(const char *name, int options)
{
	char *text;

	/* All supported schemes begin with "_". */
	if (name[0] != '_' || strnlen(name, NAME_LIMIT) == NAME_LIMIT)
		return NULL;
	if (name[1] == 'D')
		return demangle_d(name);
	text = call(rust_demangle_callback, name, options);
	if (text || !is_bounded_cpp(name))
		return text;
	return call(cplus_demangle_v3_callback, name, options);
}

char *pfx_demangle(const char *name)
{
	return demangle(name, DMGL_NO_OPTS);
}

char *pfx_demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

bool pfx_demangle_is_built_in(void)
{
	return true;
}

/* SPDX-License-Identifier: MIT */
/* A place in a function is made from another one in the same binary, or from a map of it. */
#include "code/find_code.h"

#include <string.h>

/* The function at the place, whose dso, addr and ip are known. */
static bool take_place(struct pfx_resolver *resolver, struct pfx_found_code *ret)
{
	struct pfx_place *place = &ret->place;

	if (!place->dso || !pfx_place_symbol(resolver, place))
		return false;
	*place = pfx_place_begin(place);
	ret->function =
		(struct pfx_code_function){.dso = place->dso, .symbol = place->sym, .place = place};
	return true;
}

/* The place @addr in the binary of @near. */
static bool look_up(struct pfx_resolver *resolver, const struct pfx_place *near, uint64_t addr,
		    struct pfx_found_code *ret)
{
	struct pfx_place *place = &ret->place;

	*ret = (struct pfx_found_code){.place = *near};
	place->ip += addr - near->addr;
	place->shown += addr - near->addr;
	place->addr = addr;
	place->sym = NULL;
	place->looked_up = place->is_return = false;
	place->callee = NULL;
	return take_place(resolver, ret);
}

/* --- by maps --- */

/* The place of an address of a dso in a map of it. */
static bool look_up_in(struct pfx_resolver *resolver, const struct pfx_map *map, uint64_t addr,
		       struct pfx_found_code *ret)
{
	if (addr < map->pgoff || addr - map->pgoff >= map->end - map->start)
		return false;
	*ret = (struct pfx_found_code){
		.place = {.ip = map->start + (addr - map->pgoff),
			  .addr = addr,
			  .shown = addr,
			  .map = map,
			  .dso = map->dso,
			  .cpumode = map->is_kernel ? PFX_MODE_KERNEL : PFX_MODE_USER}};
	return take_place(resolver, ret);
}

/* The process whose map, at the end of the recording, has this place; NULL: none. */
static struct pfx_thread *thread_of(struct pfx_session *session, const struct pfx_place *place)
{
	uint32_t nr = pfx_session_nr_threads(session), i;
	struct pfx_location found;
	struct pfx_thread *thread;

	for (i = 0; i < nr; i++) {
		thread = pfx_session_thread_at(session, i);
		pfx_session_locate(session, thread, place->cpumode, place->ip, &found);
		if (found.map && found.map->dso == place->dso && found.addr == place->addr)
			return thread;
	}
	return NULL;
}

static const struct pfx_symbol *find_name(const struct pfx_symtab *tab, const char *name,
					  size_t len)
{
	size_t nr = tab ? pfx_symtab_nr(tab) : 0, i;
	const struct pfx_symbol *symbol;

	for (i = 0; i < nr; i++) {
		symbol = pfx_symtab_at(tab, i);
		if (symbol->is_func && symbol->binding != 'l' &&
		    !strncmp(symbol->name, name, len) &&
		    (!symbol->name[len] || symbol->name[len] == '@') &&
		    !strstr(symbol->name + len, "@plt"))
			return symbol;
	}
	return NULL;
}

/* The function of this name in another binary of the process. */
static bool find_linked(struct pfx_resolver *resolver, const struct pfx_place *from,
			const char *name, struct pfx_found_code *ret)
{
	struct pfx_session *session = pfx_resolver_session(resolver);
	struct pfx_thread *thread = thread_of(session, from);
	const char *end = strstr(name, "@plt");
	const struct pfx_dso *last = NULL;
	const struct pfx_symbol *symbol = NULL;
	const struct pfx_map *map;
	uint32_t i;

	for (i = 0; thread && (map = pfx_session_map_at(session, thread, i)); i++) {
		if (!map->dso || map->dso == from->dso || map->dso->kind != PFX_DSO_FILE)
			continue;
		if (map->dso != last)
			symbol = find_name(pfx_resolver_symtab(resolver, map->dso), name,
					   end ? (size_t)(end - name) : strlen(name));
		last = map->dso;
		if (symbol && look_up_in(resolver, map, symbol->start, ret))
			return true;
	}
	return false;
}

/* The function at an address of the process. */
static bool find_at(struct pfx_resolver *resolver, const struct pfx_place *from, uint64_t ip,
		    struct pfx_found_code *ret)
{
	struct pfx_session *session = pfx_resolver_session(resolver);
	struct pfx_thread *thread = thread_of(session, from);
	struct pfx_location found;

	if (!thread)
		return false;
	pfx_session_locate(session, thread, from->cpumode, ip, &found);
	if (!found.map)
		return false;
	*ret = (struct pfx_found_code){.place = {.ip = ip,
						 .addr = found.addr,
						 .shown = found.addr,
						 .map = found.map,
						 .dso = found.map->dso,
						 .cpumode = found.cpumode}};
	return take_place(resolver, ret);
}

/* --- by names and instructions --- */

static bool is_function(const struct pfx_found_code *found, const char *name, uint64_t start)
{
	return found->function.symbol->start == start &&
	       !strcmp(found->function.symbol->name, name);
}

/* A binary without samples: by any process that has it mapped. */
static bool find_mapped(struct pfx_resolver *resolver, const char *dso, const char *name,
			uint64_t start, struct pfx_found_code *ret)
{
	struct pfx_session *session = pfx_resolver_session(resolver);
	uint32_t nr = pfx_session_nr_threads(session), i, k;
	const struct pfx_map *map;

	for (i = 0; i < nr; i++)
		for (k = 0;
		     (map = pfx_session_map_at(session, pfx_session_thread_at(session, i), k)); k++)
			if (map->dso && !strcmp(map->dso->name, dso) &&
			    look_up_in(resolver, map, start, ret) && is_function(ret, name, start))
				return true;
	return false;
}

bool pfx_find_code(struct pfx_resolver *resolver, const char *dso, const char *name, uint64_t start,
		   struct pfx_found_code *ret)
{
	uint32_t nr = pfx_resolver_nr_places(resolver), i;
	const struct pfx_place *near;

	for (i = 0; i < nr; i++) {
		near = pfx_resolver_place_at(resolver, i);
		if (!near->dso || strcmp(near->dso->name, dso) != 0)
			continue;
		/* Addresses in a jitdump are not those where the code ran. */
		if (near->dso->kind == PFX_DSO_JITDUMP &&
		    find_mapped(resolver, dso, name, start, ret))
			return true;
		return look_up(resolver, near, start, ret) && is_function(ret, name, start);
	}
	return find_mapped(resolver, dso, name, start, ret);
}

/* --- through the global offset table --- */

#define LOAD_NEAR 12 /* instructions before a call in which its register is loaded */

static bool leaves(const struct pfx_code_insn *insn)
{
	return insn->flow == PFX_FLOW_CALL || insn->flow == PFX_FLOW_JUMP;
}

/* Whether the first operand is this register, of @len bytes. */
static bool sets(const struct pfx_code_insn *insn, const char *reg, size_t len)
{
	const char *at = insn->text + insn->mnemonic;

	at += strspn(at, " \t");
	return !strncmp(at, reg, len) && at[len] == ',';
}

/* On arm64 a slot is loaded into a register before the call: that load. NULL: not known. */
static const struct pfx_code_insn *load_of(const struct pfx_code *code,
					   const struct pfx_code_insn *insn)
{
	const struct pfx_code_insn *at = insn;
	const char *reg = insn->text + insn->mnemonic;
	size_t len;
	unsigned i;

	reg += strspn(reg, " \t");
	len = strcspn(reg, " \t,");
	if (*reg != 'x' || reg[len])
		return NULL;
	for (i = 0; i < LOAD_NEAR && at > code->insns && !at->is_target; i++) {
		at--;
		if (sets(at, reg, len))
			return at->is_data && !strncmp(at->text, "ldr", 3) ? at : NULL;
		if (leaves(at))
			return NULL;
	}
	return NULL;
}

const char *pfx_called_slot(struct pfx_resolver *resolver, const struct pfx_code_function *from,
			    const struct pfx_code *code, const struct pfx_code_insn *insn)
{
	const struct pfx_symtab *tab = pfx_resolver_symtab(resolver, from->dso);
	uint64_t addr;

	if (!leaves(insn) || from->dso->kind != PFX_DSO_FILE || !tab)
		return NULL;
	if (!insn->has_target)
		insn = load_of(code, insn);
	if (!insn || !insn->is_data || !insn->has_target ||
	    !pfx_place_offset(resolver, from->place, insn->target, &addr))
		return NULL;
	return pfx_symtab_slot(tab, addr);
}

/* In another binary, else in the same one. */
static bool find_in_slot(struct pfx_resolver *resolver, const struct pfx_place *place,
			 const char *name, struct pfx_found_code *ret)
{
	const struct pfx_symbol *own;

	if (find_linked(resolver, place, name, ret))
		return true;
	own = find_name(pfx_resolver_symtab(resolver, place->dso), name, strlen(name));
	return own && look_up(resolver, place, own->start, ret);
}

bool pfx_find_called_code(struct pfx_resolver *resolver, const struct pfx_code_function *from,
			  const struct pfx_code *code, const struct pfx_code_insn *insn,
			  struct pfx_found_code *ret)
{
	const struct pfx_place *place = from->place;
	const char *slot = pfx_called_slot(resolver, from, code, insn);
	uint64_t addr;

	if (slot)
		return find_in_slot(resolver, place, slot, ret);
	if (insn->target_insn != PFX_CODE_NONE || (!insn->has_target && !insn->name))
		return false;
	if (insn->name && strstr(insn->name, "@plt") &&
	    find_linked(resolver, place, insn->name, ret))
		return true;
	if (!insn->has_target || insn->is_data)
		return false;
	if (from->dso->kind != PFX_DSO_JITDUMP &&
	    pfx_place_offset(resolver, place, insn->target, &addr) &&
	    look_up(resolver, place, addr, ret))
		return true;
	return find_at(resolver, place,
		       place->ip + (insn->target - pfx_place_address(resolver, place)), ret);
}

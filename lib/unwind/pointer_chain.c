/* SPDX-License-Identifier: MIT */
/*
 * Checks call chains that the kernel made from frame pointers. If code uses the frame pointer
 * register for other values, a chain ends early, or contains words that are not code addresses. A
 * chain is complete if one of its frames is in a function where threads start; such functions are
 * recognized by name, as the program's entry point, or in a C library without names by their
 * position. Otherwise the chain ends at its last frame in code, and counts as incomplete only if
 * the unwind information there shows that the function keeps no frame pointer.
 */
#include <elf.h>
#include <string.h>

#include "unwind/pointer_chain.h"
#include "unwind/resolve_internal.h"

#define DEFAULT_MAX_STACK 127  /* frames, kernel.perf_event_max_stack */
#define ENTRY_CODE        128  /* maximum size of the code at a program's entry point */
#define NEAR_MAIN         512  /* range around __libc_start_main with code that starts programs */
#define NEAR_CREATE       4096 /* the same around pthread_create, for threads */
#define PROT_EXEC_BIT     4u

/* The result for a chain; values from END_FRAME on are the frame at which it ends. pfx_frame_make()
 * never returns smaller numbers. */
enum { END_NOWHERE, END_START, END_FRAME };

enum place_kind { PLACE_NEW, PLACE_OTHER, PLACE_CODE, PLACE_START };
enum place_verdict { VERDICT_NEW, VERDICT_UNKNOWN, VERDICT_NO_POINTER, VERDICT_MADE_CODE };

/* --- functions where threads start --- */

/* Functions without a caller in the thread; main, because the frames above it are the same in every
 * program. */
static const char *const start_names[] = {
	"_start",
	"__start",
	"_start_c",
	"main",
	"_dl_start",
	"_dl_start_user",
	"__libc_init",
	"start_thread",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"__GI___clone",
	"__GI___clone3",
	"__clone_internal",
	"thread_start",
	"__start_context",
	"make_fcontext",
	"generic_start_main",
	"libc_start_main_stage2",
	"__start_thread",
	/* Go: of goroutines, and of the scheduler's stacks */
	"runtime.goexit",
	"runtime.goexit.abi0",
	"runtime.mstart",
	"runtime.mstart.abi0",
	"runtime.mcall",
	"runtime.mcall.abi0",
	"runtime.systemstack",
	"runtime.systemstack.abi0",
	"runtime.rt0_go",
	"runtime.rt0_go.abi0",
	"runtime.morestack",
	"runtime.morestack.abi0",
};

static const char *const start_prefixes[] = {"__libc_start_", "__pthread_start", "_rt0_"};

static bool is_start_name(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(start_names) / sizeof(*start_names); i++)
		if (!strcmp(name, start_names[i]))
			return true;
	for (i = 0; i < sizeof(start_prefixes) / sizeof(*start_prefixes); i++)
		if (!strncmp(name, start_prefixes[i], strlen(start_prefixes[i])))
			return true;
	return false;
}

static struct pfx_pointer_dso *dso_at(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	return pfx_vec_slot(&resolver->pointers.dsos, dso->id);
}

/* The addresses of two exported functions of the C library; the code that starts programs and
 * threads is next to them. */
static const struct pfx_pointer_dso *landmarks(struct pfx_resolver *resolver,
					       const struct pfx_dso *dso)
{
	struct pfx_pointer_dso *marks = dso_at(resolver, dso);
	const struct pfx_symbol *sym;
	const struct pfx_symtab *tab;
	size_t i;

	if (marks->looked_for)
		return marks;
	marks->looked_for = true;
	tab = pfx_resolver_symtab(resolver, dso);
	for (i = 0; i < pfx_symtab_nr(tab); i++) {
		sym = pfx_symtab_at(tab, i);
		if (!strncmp(sym->name, "__libc_start_main", strlen("__libc_start_main")))
			marks->start_main = sym->start;
		else if (!strncmp(sym->name, "pthread_create", strlen("pthread_create")))
			marks->thread_create = sym->start;
	}
	return marks;
}

static bool is_near(uint64_t addr, uint64_t mark, uint64_t bytes)
{
	return mark && addr + bytes >= mark && addr < mark + bytes;
}

/* For code without a symbol. */
static bool is_near_start(struct pfx_resolver *resolver, const struct pfx_place *place)
{
	const struct pfx_pointer_dso *marks;

	if (place->dso->kind != PFX_DSO_FILE)
		return false;
	marks = landmarks(resolver, place->dso);
	return is_near(place->addr, marks->start_main, NEAR_MAIN) ||
	       is_near(place->addr, marks->thread_create, NEAR_CREATE);
}

static enum place_kind kind_of(struct pfx_resolver *resolver, struct pfx_place *place)
{
	const struct pfx_symbol *sym;

	if (place->cpumode != PFX_MODE_USER || !place->dso || !place->map ||
	    (place->map->prot && !(place->map->prot & PROT_EXEC_BIT)))
		return PLACE_OTHER;
	sym = pfx_place_symbol(resolver, place);
	if (sym && pfx_place_has_name(place))
		return is_start_name(sym->name) ? PLACE_START : PLACE_CODE;
	return is_near_start(resolver, place) ? PLACE_START : PLACE_CODE;
}

static enum place_kind known_kind(struct pfx_resolver *resolver, struct pfx_place *place)
{
	uint8_t *kind = pfx_vec_slot(&resolver->pointers.kinds, place->id);

	if (*kind == PLACE_NEW)
		*kind = (uint8_t)kind_of(resolver, place);
	return (enum place_kind) * kind;
}

bool pfx_pointer_chain_starts(struct pfx_resolver *resolver, struct pfx_place *place)
{
	return known_kind(resolver, place) == PLACE_START;
}

/* --- the end of a chain --- */

/* Searches the segment's frames from the root; @end is the result for the frames outside of it. */
static uint32_t end_in_segment(struct pfx_resolver *resolver, const struct pfx_segment *segment,
			       uint32_t end)
{
	enum place_kind kind;
	uint32_t i;

	for (i = PFX_SEGMENT_FRAMES; i--;) {
		if (!segment->frames[i])
			continue;
		kind = known_kind(resolver,
				  resolver->places.at[pfx_frame_place_id(segment->frames[i])]);
		if (kind == PLACE_START)
			return END_START;
		if (kind == PLACE_CODE && end == END_NOWHERE)
			end = segment->frames[i];
	}
	return end;
}

static uint32_t nr_frames_of(const struct pfx_resolver *resolver, uint32_t chain)
{
	uint32_t i, nr = 0;

	for (; chain; chain = resolver->chains.at[chain].outer)
		for (i = 0; i < PFX_SEGMENT_FRAMES; i++)
			nr += resolver->chains.at[chain].frames[i] != 0;
	return nr;
}

/* Relies on outer segments having smaller ids. */
static uint32_t end_of(struct pfx_resolver *resolver, uint32_t chain)
{
	struct pfx_pointers *pointers = &resolver->pointers;
	const struct pfx_segment *segment;
	uint32_t end;

	if (!pointers->ends.nr)
		pfx_vec_push(&pointers->ends, END_NOWHERE);
	while (pointers->ends.nr <= chain) {
		segment = &resolver->chains.at[pointers->ends.nr];
		end = pointers->ends.at[segment->outer];
		if (end != END_START)
			end = end_in_segment(resolver, segment, end);
		pfx_vec_push(&pointers->ends, end);
	}
	return pointers->ends.at[chain];
}

bool pfx_pointer_chain_is_whole(struct pfx_resolver *resolver, uint32_t chain)
{
	return end_of(resolver, chain) == END_START;
}

/* --- checking the end --- */

/* Whether the row describes a frame that holds the frame pointer; where calls keep the return
 * address in a register, it must be stored next to it. */
static bool keeps_pointer(const struct pfx_unwind_row *row, const struct pfx_unwind_arch *arch)
{
	unsigned i;

	if (row->cfa.how == PFX_ROW_REG_VALUE && row->cfa.base == arch->fp)
		return true;
	for (i = 0; i < row->nr_rules && arch->ra != PFX_UNWIND_NO_REG; i++)
		if (row->rules[i].reg == arch->fp)
			return true;
	return false;
}

/* Statically linked programs contain a C library whose functions are not exported. */
static bool may_hide_start(const struct pfx_binary *binary, const struct pfx_place *place,
			   uint64_t vaddr)
{
	struct pfx_binary_part interp;
	uint64_t entry = pfx_binary_entry(binary);

	if (!entry)
		return false;
	return vaddr - entry < ENTRY_CODE ||
	       (!pfx_place_has_name(place) && !pfx_binary_part(binary, PT_INTERP, &interp));
}

static enum place_verdict judge_file(struct pfx_resolver *resolver, const struct pfx_place *place,
				     uint64_t addr)
{
	struct pfx_rows *rows = pfx_resolver_rows(resolver, place->dso, NULL);
	const struct pfx_unwind_arch *arch = rows ? pfx_rows_arch(rows) : NULL;
	const struct pfx_unwind_row *row;
	uint64_t vaddr;

	if (!arch || !arch->fp_ra || !pfx_binary_vaddr(pfx_rows_binary(rows), addr, &vaddr) ||
	    may_hide_start(pfx_rows_binary(rows), place, vaddr))
		return VERDICT_UNKNOWN;
	row = pfx_rows_find(rows, addr);
	return row->kind == PFX_ROW_RULES && !keeps_pointer(row, arch) ? VERDICT_NO_POINTER
								       : VERDICT_UNKNOWN;
}

static enum place_verdict judge_end(struct pfx_resolver *resolver, uint32_t frame)
{
	struct pfx_place *place = resolver->places.at[pfx_frame_place_id(frame)];
	uint8_t *verdict = pfx_vec_slot(&resolver->pointers.verdicts, place->id);

	if (*verdict != VERDICT_NEW)
		return *verdict;
	switch (place->dso->kind) {
	case PFX_DSO_FILE:
		*verdict = judge_file(resolver, place, place->addr - (frame & 1));
		break;
	case PFX_DSO_ANON:
	case PFX_DSO_JITDUMP:
		*verdict = VERDICT_MADE_CODE;
		break;
	default:
		*verdict = VERDICT_UNKNOWN;
	}
	return *verdict;
}

/* --- counting --- */

bool pfx_pointer_chain_recorded(const struct pfx_attr *attr)
{
	return attr->sample_type & PFX_SAMPLE_CALLCHAIN &&
	       !(attr->sample_type & PFX_SAMPLE_STACK_USER) &&
	       !(attr->sample_type & PFX_SAMPLE_BRANCH_STACK &&
		 attr->branch_sample_type & PFX_BRANCH_CALL_STACK) &&
	       !(attr->flags & PFX_ATTR_EXCLUDE_CALLCHAIN_USER);
}

/* For a chain that does not count as incomplete by its end: checks for the maximum number of
 * frames. */
static void count_cut(struct pfx_resolver *resolver, const struct pfx_attr *attr, uint32_t chain,
		      uint64_t nr)
{
	uint32_t most = attr->sample_max_stack ? attr->sample_max_stack : DEFAULT_MAX_STACK;
	struct pfx_pointer_stats *stats = &resolver->pointers.stats;
	uint32_t nr_frames = nr_frames_of(resolver, chain);

	if (nr_frames < most)
		return;
	stats->nr_cut += nr;
	if (stats->max_frames < nr_frames)
		stats->max_frames = nr_frames;
}

/* The user asked for fewer frames than the default, so that missing ones are intended. */
static bool is_cut_by_option(const struct pfx_resolver *resolver, uint32_t chain)
{
	uint32_t most = resolver->options.max_stack;

	return most < DEFAULT_MAX_STACK && nr_frames_of(resolver, chain) >= most;
}

void pfx_pointer_chain_count(struct pfx_resolver *resolver, const struct pfx_attr *attr,
			     uint32_t chain, uint64_t nr)
{
	struct pfx_pointer_stats *stats = &resolver->pointers.stats;
	uint32_t end = end_of(resolver, chain);
	const struct pfx_place *place;

	stats->nr_chains += end != END_NOWHERE ? nr : 0;
	if (end < END_FRAME || is_cut_by_option(resolver, chain))
		return;
	switch (judge_end(resolver, end)) {
	case VERDICT_NO_POINTER:
		place = resolver->places.at[pfx_frame_place_id(end)];
		dso_at(resolver, place->dso)->nr_ends += nr;
		stats->nr_no_pointer += nr;
		break;
	case VERDICT_MADE_CODE:
		stats->nr_made_code += nr;
		break;
	default:
		count_cut(resolver, attr, chain, nr);
	}
}

const struct pfx_pointer_stats *pfx_pointer_chain_stats(const struct pfx_resolver *resolver)
{
	return &resolver->pointers.stats;
}

uint64_t pfx_pointer_chain_incomplete(const struct pfx_resolver *resolver)
{
	const struct pfx_pointer_stats *stats = &resolver->pointers.stats;

	return stats->nr_no_pointer + stats->nr_made_code + stats->nr_cut;
}

uint64_t pfx_pointer_chain_ends_in(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const struct pfx_pointers *pointers = &resolver->pointers;

	return dso->id < pointers->dsos.nr ? pointers->dsos.at[dso->id].nr_ends : 0;
}

void pfx_pointers_fini(struct pfx_pointers *pointers)
{
	pfx_vec_free(&pointers->ends);
	pfx_vec_free(&pointers->kinds);
	pfx_vec_free(&pointers->verdicts);
	pfx_vec_free(&pointers->dsos);
}

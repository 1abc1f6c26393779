/* SPDX-License-Identifier: MIT */
/*
 * The code of BPF programs: from the recording's BPF_PROG_INFO, else from the running kernel, which
 * the resolver's options ask. A function is the recorded one if its address and its tag, a hash of
 * the program, are those of its name; the same program loaded again has another address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "event/bpf.h"
#include "unwind/made_code.h"
#include "unwind/resolve_internal.h"

/* A function of a program. */
struct listed {
	uint64_t addr;
	uint32_t prog, i;
};

/* Programs of the recording, or of the running kernel. */
struct programs {
	const struct pfx_meta *meta;
	struct pfx_bpf_names *names;
	PFX_VEC(struct listed) functions; /* sorted by address */
};

/* A function that was found. */
struct found {
	const struct programs *programs; /* NULL: none */
	const struct pfx_env_bpf_prog *prog;
	uint32_t i;
	struct pfx_bpf_function function;
};

struct row {
	uint64_t addr;
	uint32_t line; /* of the program */
};

struct pfx_bpf_codes {
	struct programs recorded, running;
	struct pfx_meta *kernel; /* meta of the running ones */
	int error;               /* of asking the kernel */
	uint32_t map_id;         /* of the function below */
	struct found last;
	PFX_VEC(struct row) rows; /* its lines, sorted by address */
	struct pfx_intern files;  /* of lines */
};

static void free_programs(struct programs *programs)
{
	pfx_bpf_names_free(programs->names);
	pfx_vec_free(&programs->functions);
}

void pfx_bpf_codes_free(struct pfx_bpf_codes *codes)
{
	if (!codes)
		return;
	free_programs(&codes->recorded);
	free_programs(&codes->running);
	pfx_meta_free(codes->kernel);
	pfx_vec_free(&codes->rows);
	pfx_intern_fini(&codes->files);
	free(codes);
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int rc = pfx_compare_u64(x->addr, y->addr);

	if (!rc)
		rc = pfx_compare_u64(x->prog, y->prog);
	return rc ? rc : pfx_compare_u64(x->i, y->i);
}

static void list_programs(struct programs *programs, const struct pfx_meta *meta)
{
	struct pfx_bpf_function function;
	const struct pfx_env_bpf_prog *prog;
	uint32_t p, i, nr;

	programs->meta = meta;
	programs->names = pfx_bpf_names_new(meta);
	for (p = 0; p < meta->env.nr_bpf_progs; p++) {
		prog = &meta->env.bpf_progs[p];
		nr = pfx_bpf_nr_functions(meta, prog);
		for (i = 0; i < nr; i++)
			if (pfx_bpf_function(programs->names, prog, i, &function))
				pfx_vec_push(&programs->functions,
					     ((struct listed){function.addr, p, i}));
	}
	if (programs->functions.nr)
		qsort(programs->functions.at, programs->functions.nr,
		      sizeof(*programs->functions.at), compare_listed);
}

static struct pfx_bpf_codes *codes_of(struct pfx_resolver *resolver)
{
	struct pfx_bpf_codes *codes = resolver->bpf_codes;

	if (codes)
		return codes;
	codes = resolver->bpf_codes = pfx_calloc(1, sizeof(*codes));
	codes->map_id = UINT32_MAX;
	list_programs(&codes->recorded, pfx_session_meta(resolver->session));
	return codes;
}

/* Asks the kernel once. */
static const struct programs *running_of(struct pfx_resolver *resolver, struct pfx_bpf_codes *codes)
{
	if (!codes->kernel && resolver->options.read_bpf) {
		codes->kernel = pfx_meta_new();
		codes->error = resolver->options.read_bpf(codes->kernel);
		list_programs(&codes->running, codes->kernel);
	}
	return &codes->running;
}

/* A symbol without the function's name is the start of its name: the kernel may cut that. */
static bool has_tag(const char *name, const struct pfx_bpf_function *function)
{
	struct pfx_bpf_function nameless = *function;
	struct pfx_str wanted = {0};
	bool has;

	nameless.name = NULL;
	pfx_bpf_symbol(&nameless, &wanted);
	has = !strncmp(name, wanted.at, wanted.len);
	pfx_str_fini(&wanted);
	return has;
}

/* Looks for the function that was mapped. */
static bool find_in(const struct programs *programs, const struct pfx_map *map, struct found *ret)
{
	size_t nr = programs->functions.nr;
	const struct listed *at = programs->functions.at;
	size_t k = pfx_bisect(n, nr, at[n].addr < map->start);

	for (; k < nr && at[k].addr == map->start; k++) {
		ret->prog = &programs->meta->env.bpf_progs[at[k].prog];
		ret->i = at[k].i;
		if (!pfx_bpf_function(programs->names, ret->prog, ret->i, &ret->function) ||
		    !has_tag(map->dso->name, &ret->function) ||
		    !pfx_bpf_code(programs->meta, ret->prog, ret->i))
			continue;
		ret->programs = programs;
		return true;
	}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int rc = pfx_compare_u64(x->addr, y->addr);

	return rc ? rc : pfx_compare_u64(x->line, y->line);
}

static void read_rows(struct pfx_bpf_codes *codes)
{
	const struct found *found = &codes->last;
	struct pfx_bpf_line line;
	uint32_t i;

	codes->rows.nr = 0;
	if (!found->programs)
		return;
	for (i = 0; pfx_bpf_line(found->programs->names, found->prog, i, &line); i++)
		if (line.addr - found->function.addr < found->function.len)
			pfx_vec_push(&codes->rows, ((struct row){line.addr, i}));
	if (codes->rows.nr)
		qsort(codes->rows.at, codes->rows.nr, sizeof(*codes->rows.at), by_address);
}

/* The function of the place. */
static const struct found *find(struct pfx_resolver *resolver, struct pfx_bpf_codes *codes,
				const struct pfx_map *map)
{
	if (codes->map_id == map->id)
		return &codes->last;
	codes->map_id = map->id;
	if (!find_in(&codes->recorded, map, &codes->last) &&
	    !find_in(running_of(resolver, codes), map, &codes->last))
		codes->last.programs = NULL;
	read_rows(codes);
	return &codes->last;
}

size_t pfx_bpf_place_code(struct pfx_resolver *resolver, const struct pfx_place *place, void *to,
			  size_t size)
{
	const struct found *found = find(resolver, codes_of(resolver), place->map);
	uint64_t at = place->ip - found->function.addr;

	if (!found->programs || at >= found->function.len)
		return 0;
	if (size > found->function.len - at)
		size = (size_t)(found->function.len - at);
	memcpy(to, pfx_bpf_code(found->programs->meta, found->prog, found->i) + at, size);
	return size;
}

const char *pfx_bpf_no_code(struct pfx_resolver *resolver)
{
	struct pfx_bpf_codes *codes = codes_of(resolver);

	if (!codes->kernel)
		return "the recording has no code of this BPF program";
	if (codes->error == -EPERM)
		return "the recording has no code of this BPF program, and the running kernel "
		       "shows "
		       "that only to root (CAP_SYS_ADMIN, or CAP_BPF and CAP_PERFMON)";
	return "the recording has no code of this BPF program, and the running kernel has no such "
	       "program at its address";
}

static const char *file_of(struct pfx_bpf_codes *codes, const struct pfx_bpf_line *line)
{
	return pfx_intern_get(&codes->files,
			      pfx_intern_add(&codes->files, line->file, line->file_size));
}

bool pfx_place_made_line(struct pfx_resolver *resolver, const struct pfx_place *place,
			 struct pfx_made_line *ret)
{
	struct pfx_bpf_codes *codes;
	const struct found *found;
	struct pfx_bpf_line line;
	size_t after;

	if (!place->dso || place->dso->kind != PFX_DSO_BPF)
		return false;
	codes = codes_of(resolver);
	found = find(resolver, codes, place->map);
	after = pfx_bisect(i, codes->rows.nr, codes->rows.at[i].addr <= place->ip);
	if (!found->programs || !after ||
	    !pfx_bpf_line(found->programs->names, found->prog, codes->rows.at[after - 1].line,
			  &line) ||
	    !line.line || !line.file_size)
		return false;
	*ret = (struct pfx_made_line){
		{file_of(codes, &line), line.line, 0}, line.text, line.text_size};
	return true;
}

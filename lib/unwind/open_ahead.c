/* SPDX-License-Identifier: MIT */
/*
 * Opens the symbols and debug information of binaries in another thread, from the first sample that
 * lies in them on, while the recording is read. Symbols go first: debug information may have to be
 * unpacked, and is needed only when a function is shown. Opening does not use the session: a
 * request has all that is needed. When the result is taken, the request is made again; if the
 * recording said more about the binary since (a build ID), the result is dropped and the binary is
 * opened as usual.
 */
#include <stdlib.h>
#include <string.h>

#include "sym/code/disasm.h"
#include "sym/symtab_load.h"
#include "unwind/resolve_internal.h"

enum state {
	WAITS,
	RUNS,
	DONE,
	TAKEN, /* or dropped */
};

/* A binary. */
struct opening {
	enum state states[PFX_NR_AHEAD_STAGES];
	const char *symbol; /* NULL: any */
	bool opens_lines;
	bool lacks_symbol;
	uint8_t build_id[PFX_BUILD_ID_MAX]; /* of the request; the dso's may change */
	struct pfx_symbols_load symbols;
	struct pfx_lines *lines;
	struct pfx_error lines_err;
	int lines_rc;
};

struct pfx_open_ahead {
	struct pfx_resolver *resolver;
	struct pfx_workers *workers;
	PFX_VEC(struct opening *) by_dso; /* by dso id; NULL: not hit, or not opened here */
	pthread_mutex_t lock;             /* protects the fields below, and the states */
	pthread_cond_t done;              /* an opening is done */
	PFX_VEC(struct opening *) queue;
	size_t next[PFX_NR_AHEAD_STAGES]; /* in the queue */
	bool is_busy;
};

static bool opens_kind(const struct pfx_dso *dso)
{
	return dso->kind == PFX_DSO_FILE || dso->kind == PFX_DSO_KERNEL ||
	       dso->kind == PFX_DSO_MODULE || dso->kind == PFX_DSO_VDSO;
}

/* NULL: nothing is opened ahead. */
static struct pfx_open_ahead *ahead_of(struct pfx_resolver *resolver)
{
	struct pfx_open_ahead *ahead = resolver->ahead;

	if (ahead || !resolver->options.opens_ahead)
		return ahead;
	ahead = resolver->ahead = pfx_calloc(1, sizeof(*ahead));
	ahead->resolver = resolver;
	ahead->workers = pfx_workers_new(2);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->done, NULL);
	return ahead;
}

/* --- in the other thread --- */

static void open_lines(struct opening *opening)
{
	const struct pfx_symbols_load *symbols = &opening->symbols;

	opening->lines_rc = pfx_lines_open(&opening->lines, &symbols->request, &symbols->options,
					   &opening->lines_err);
}

static void open_symbols(struct opening *opening)
{
	struct pfx_symbols_load *symbols = &opening->symbols;

	if (opening->symbol)
		opening->lacks_symbol =
			!pfx_symtab_may_have(&symbols->request, &symbols->options, opening->symbol);
	if (opening->lacks_symbol)
		return;
	pfx_symbols_load_run(symbols);
	if (opening->symbol)
		opening->opens_lines &= pfx_symtab_has(symbols->tab, opening->symbol);
}

/* Called and returns with the lock. */
static void run(struct pfx_open_ahead *ahead, struct opening *opening, enum pfx_ahead_stage stage)
{
	opening->states[stage] = RUNS;
	pthread_mutex_unlock(&ahead->lock);
	if (stage == PFX_AHEAD_STAGE_SYMBOLS)
		open_symbols(opening);
	else if (!opening->lacks_symbol && opening->opens_lines)
		open_lines(opening);
	pthread_mutex_lock(&ahead->lock);
	opening->states[stage] = DONE;
	pthread_cond_broadcast(&ahead->done);
}

/* False: nothing waits for it. */
static bool run_next(struct pfx_open_ahead *ahead, enum pfx_ahead_stage stage)
{
	struct opening *opening;

	while (ahead->next[stage] < ahead->queue.nr) {
		opening = ahead->queue.at[ahead->next[stage]++];
		if (opening->states[stage] == WAITS) {
			run(ahead, opening, stage);
			return true;
		}
	}
	return false;
}

/* Opens what waits, until nothing does. */
static void run_all(void *context, size_t piece, unsigned worker)
{
	struct pfx_open_ahead *ahead = context;

	(void)piece;
	(void)worker;
	pfx_disasm_prepare();
	pthread_mutex_lock(&ahead->lock);
	while (run_next(ahead, PFX_AHEAD_STAGE_SYMBOLS) || run_next(ahead, PFX_AHEAD_STAGE_LINES))
		;
	ahead->is_busy = false;
	pthread_mutex_unlock(&ahead->lock);
}

/* --- in the thread of the resolver --- */

static struct opening *new_opening(struct pfx_open_ahead *ahead, const struct pfx_dso *dso)
{
	const struct pfx_resolver *resolver = ahead->resolver;
	struct opening *opening = pfx_calloc(1, sizeof(*opening));
	struct pfx_sym_request *request = &opening->symbols.request;

	pfx_symbols_load_begin(resolver, dso, &opening->symbols);
	if (request->build_id) {
		memcpy(opening->build_id, request->build_id, request->build_id_size);
		request->build_id = opening->build_id;
	}
	opening->symbol = resolver->options.ahead_symbol;
	opening->opens_lines = pfx_dso_lines_at(ahead->resolver, dso);
	return opening;
}

void pfx_open_ahead_hit(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	struct pfx_open_ahead *ahead = ahead_of(resolver);
	struct opening **slot;
	bool was_busy;

	if (!ahead || !opens_kind(dso) || pfx_symbols_are_loaded(resolver, dso))
		return;
	slot = pfx_vec_slot(&ahead->by_dso, dso->id);
	if (*slot)
		return;
	*slot = new_opening(ahead, dso);
	pthread_mutex_lock(&ahead->lock);
	pfx_vec_push(&ahead->queue, *slot);
	was_busy = ahead->is_busy;
	ahead->is_busy = true;
	pthread_mutex_unlock(&ahead->lock);
	if (!was_busy)
		pfx_workers_begin(ahead->workers, 1, run_all, ahead);
}

/* NULL: it was not hit, or is not opened here. */
static struct opening *opening_of(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	const struct pfx_open_ahead *ahead = resolver->ahead;

	return ahead && dso->id < ahead->by_dso.nr ? ahead->by_dso.at[dso->id] : NULL;
}

static bool is_same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_request(const struct pfx_sym_request *a, const struct pfx_sym_request *b)
{
	return a->kind == b->kind && is_same_word(a->path, b->path) &&
	       a->build_id_size == b->build_id_size &&
	       (!a->build_id_size || !memcmp(a->build_id, b->build_id, a->build_id_size)) &&
	       is_same_word(a->osrelease, b->osrelease) && is_same_word(a->arch, b->arch) &&
	       a->kernel_ref_addr == b->kernel_ref_addr &&
	       is_same_word(a->kernel_ref_name, b->kernel_ref_name) &&
	       is_same_word(a->module, b->module) &&
	       a->kernel_build_id_size == b->kernel_build_id_size &&
	       a->module_addr == b->module_addr;
}

/* Waits for an opening that runs. False: it did not begin, and now will not, or it was taken. */
static bool wait_for(struct pfx_open_ahead *ahead, struct opening *opening,
		     enum pfx_ahead_stage stage)
{
	bool is_done;

	pthread_mutex_lock(&ahead->lock);
	while (opening->states[stage] == RUNS)
		pthread_cond_wait(&ahead->done, &ahead->lock);
	is_done = opening->states[stage] == DONE;
	opening->states[stage] = TAKEN;
	pthread_mutex_unlock(&ahead->lock);
	return is_done;
}

static void drop(struct opening *opening, enum pfx_ahead_stage stage)
{
	if (stage == PFX_AHEAD_STAGE_SYMBOLS) {
		pfx_symtab_free(opening->symbols.tab);
		opening->symbols.tab = NULL;
	} else {
		pfx_lines_free(opening->lines);
		opening->lines = NULL;
	}
}

static void keep(struct pfx_resolver *resolver, struct opening *opening, enum pfx_ahead_stage stage)
{
	struct pfx_symbols_load *symbols = &opening->symbols;

	if (stage == PFX_AHEAD_STAGE_SYMBOLS)
		pfx_symbols_load_end(resolver, symbols);
	else if (opening->opens_lines)
		pfx_dso_lines_set(pfx_dso_lines_at(resolver, symbols->dso), opening->lines,
				  opening->lines_rc, &opening->lines_err);
}

void pfx_open_ahead_take(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			 enum pfx_ahead_stage stage)
{
	struct opening *opening = opening_of(resolver, dso);
	struct pfx_sym_request now;

	if (!opening || !wait_for(resolver->ahead, opening, stage))
		return;
	now = pfx_resolver_request(resolver, dso);
	if (!is_same_request(&now, &opening->symbols.request))
		drop(opening, stage);
	else if (!opening->lacks_symbol)
		keep(resolver, opening, stage);
}

bool pfx_open_ahead_lacks(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			  const char *symbol)
{
	const struct opening *opening;

	pfx_open_ahead_take(resolver, dso, PFX_AHEAD_STAGE_SYMBOLS);
	opening = opening_of(resolver, dso);
	return opening && opening->lacks_symbol && !strcmp(opening->symbol, symbol);
}

bool pfx_open_ahead_runs(struct pfx_resolver *resolver, const struct pfx_dso *dso,
			 enum pfx_ahead_stage stage)
{
	const struct opening *opening = opening_of(resolver, dso);
	bool runs;

	if (!opening)
		return false;
	pthread_mutex_lock(&resolver->ahead->lock);
	runs = opening->states[stage] == RUNS;
	pthread_mutex_unlock(&resolver->ahead->lock);
	return runs;
}

static void stop(struct pfx_open_ahead *ahead)
{
	size_t i;

	pthread_mutex_lock(&ahead->lock);
	for (i = 0; i < PFX_NR_AHEAD_STAGES; i++)
		ahead->next[i] = ahead->queue.nr;
	pthread_mutex_unlock(&ahead->lock);
	pfx_workers_wait(ahead->workers);
}

void pfx_open_ahead_free(struct pfx_resolver *resolver)
{
	struct pfx_open_ahead *ahead = resolver->ahead;
	enum pfx_ahead_stage stage;
	struct opening *opening;
	size_t i;

	if (!ahead)
		return;
	stop(ahead);
	for (i = 0; i < ahead->queue.nr; i++) {
		opening = ahead->queue.at[i];
		for (stage = 0; stage < PFX_NR_AHEAD_STAGES; stage++)
			if (opening->states[stage] != TAKEN)
				drop(opening, stage);
		pfx_str_fini(&opening->symbols.path);
		free(opening);
	}
	pfx_vec_free(&ahead->queue);
	pfx_vec_free(&ahead->by_dso);
	pfx_workers_free(ahead->workers);
	pthread_cond_destroy(&ahead->done);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
	resolver->ahead = NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Symbols and lines that another thread opened are those that the resolver would have opened: for
 * this very program, for a kernel that lacks the requested symbol, and for a program of which the
 * recording says later that it was another build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "unwind/resolve.h"
#include "unwind/resolve_internal.h"

#define PID   4194301 /* no process of this machine */
#define KTEXT 0xffffffff81000000ull

struct world {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	char path[4096];
};

/* The function that is looked up, in this program. */
__attribute__((noinline)) static int sought(int n)
{
	return n * 7 + 3;
}

static void apply(struct world *w, const struct pfx_body *body)
{
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	assert_true(pfx_record_encode(body, NULL, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_session_apply(w->session, &rec);
	pfx_buffer_fini(&buffer);
}

/* The map of this process that has the function. */
static void add_own_map(struct world *w)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_mmap *map = &body.mmap;
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start = 0, end = 0;
	char line[8192];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		w->path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start, &end, &map->pgoff,
			   w->path) == 4 &&
		    start <= (uintptr_t)sought && (uintptr_t)sought < end)
			break;
	}
	fclose(maps);
	assert_true(start <= (uintptr_t)sought && (uintptr_t)sought < end);
	map->pid = map->tid = PID;
	map->addr = start;
	map->len = end - start;
	map->prot = 5;
	map->filename = w->path;
	apply(w, &body);
}

static struct world *new_world(bool ahead, const char *symbol)
{
	struct pfx_resolve_options options = {.opens_ahead = ahead, .ahead_symbol = symbol};
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};
	struct world *w = pfx_calloc(1, sizeof(*w));

	w->meta = pfx_meta_new();
	pfx_meta_add_event(w->meta, &attr, "cycles");
	pfx_meta_update(w->meta);
	w->session = pfx_session_new(w->meta);
	w->resolver = pfx_resolver_new(w->session, &options);
	w->thread = pfx_session_thread(w->session, PID, PID);
	add_own_map(w);
	return w;
}

static void free_world(struct world *w)
{
	pfx_resolver_free(w->resolver);
	pfx_session_free(w->session);
	pfx_meta_free(w->meta);
	free(w);
}

static struct pfx_place *hit(struct world *w)
{
	return pfx_resolve(w->resolver, w->thread, PFX_MODE_USER, (uintptr_t)sought);
}

/* Another build than that of the file. */
static void change_build(struct world *w)
{
	struct pfx_body body = {.type = PFX_RECORD_HEADER_BUILD_ID, .misc = PFX_MODE_USER};

	body.header_build_id.build_id_size = PFX_BUILD_ID_MAX;
	memset(body.header_build_id.build_id, 0x5a, PFX_BUILD_ID_MAX);
	body.header_build_id.filename = w->path;
	apply(w, &body);
}

static void symbols_and_lines_are_the_same(void **state)
{
	struct world *w[2];
	struct pfx_place *place[2];
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		w[i] = new_world(i, NULL);
		place[i] = hit(w[i]);
		assert_ptr_equal(place[i], hit(w[i]));
		assert_true(pfx_place_symbol(w[i]->resolver, place[i]));
		assert_string_equal(place[i]->sym->name, "sought");
	}
	assert_true(place[0]->sym->start == place[1]->sym->start);
	assert_int_equal(!pfx_resolver_lines(w[0]->resolver, place[0]->dso),
			 !pfx_resolver_lines(w[1]->resolver, place[1]->dso));
	free_world(w[0]);
	free_world(w[1]);
}

/* Lines are taken without the symbols, which another thread may still read, and the other way. */
static void each_can_be_taken_alone(void **state)
{
	struct world *w[2];
	struct pfx_place *place;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		w[i] = new_world(i, NULL);
		place = hit(w[i]);
		assert_int_equal(pfx_resolver_opens_ahead(w[i]->resolver), i);
		pfx_open_ahead_take(w[i]->resolver, place->dso, PFX_AHEAD_STAGE_LINES);
		assert_false(pfx_symbols_are_loaded(w[i]->resolver, place->dso));
	}
	place = hit(w[0]);
	assert_int_equal(!pfx_resolver_lines(w[0]->resolver, place->dso),
			 !pfx_resolver_lines(w[1]->resolver, hit(w[1])->dso));
	assert_true(pfx_place_symbol(w[1]->resolver, hit(w[1])));
	assert_string_equal(hit(w[1])->sym->name, "sought");
	free_world(w[0]);
	free_world(w[1]);
}

/* The kernel has no names of C++. */
static void what_lacks_the_symbol_is_not_loaded(void **state)
{
	struct world *w = new_world(true, "ns::function");
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_KERNEL};
	struct pfx_place *place;

	(void)state;
	body.mmap = (struct pfx_mmap){.pid = (uint32_t)-1,
				      .addr = KTEXT,
				      .len = 0x1000000,
				      .prot = 5,
				      .filename = "[kernel.kallsyms]_text"};
	apply(w, &body);
	place = pfx_resolve(w->resolver, w->thread, PFX_MODE_KERNEL, KTEXT + 0x10);
	assert_false(pfx_resolver_may_have(w->resolver, place->dso, "ns::function"));
	assert_false(pfx_symbols_are_loaded(w->resolver, place->dso));
	place = hit(w);
	assert_true(pfx_resolver_may_have(w->resolver, place->dso, "ns::function"));
	assert_true(pfx_place_symbol(w->resolver, place));
	assert_string_equal(place->sym->name, "sought");
	free_world(w);
}

static void another_build_is_not_taken(void **state)
{
	struct world *w = new_world(true, NULL);
	struct pfx_place *place = hit(w);

	(void)state;
	change_build(w);
	assert_false(pfx_place_symbol(w->resolver, place));
	assert_null(pfx_resolver_lines(w->resolver, place->dso));
	free_world(w);
}

static void nothing_is_lost_when_nothing_is_taken(void **state)
{
	struct world *w = new_world(true, NULL);

	(void)state;
	assert_non_null(hit(w)->dso);
	assert_int_equal(sought(1), 10);
	free_world(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_and_lines_are_the_same),
		cmocka_unit_test(each_can_be_taken_alone),
		cmocka_unit_test(what_lacks_the_symbol_is_not_loaded),
		cmocka_unit_test(another_build_is_not_taken),
		cmocka_unit_test(nothing_is_lost_when_nothing_is_taken),
	};

	pfx_set_threads(2); /* also on a machine with one CPU */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * A small process for the tests of lib/hist: functions named by one letter, from a perf map, so
 * that a chain is a word: "abc" is a calling b calling c.
 */
#ifndef PFX_TESTS_HIST_WORLD_H
#define PFX_TESTS_HIST_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hist/hist.h"

#define WORLD_START   0x10000ull
#define WORLD_SIZE    0x100ull
#define WORLD_NOWHERE '?' /* a frame outside of all mappings */

struct hist_world {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_columns columns;
	struct pfx_filter filter;
	struct pfx_callgraph graph;
	struct pfx_hist_options options;
	struct pfx_hists *hists;
	struct pfx_hist_known known; /* of the next samples */
	uint32_t pid;
	char map_path[64];
};

static struct hist_world world;

static inline void world_apply(const struct pfx_body *body)
{
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	assert_true(pfx_record_encode(body, NULL, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_session_apply(world.session, &rec);
	pfx_buffer_fini(&buffer);
}

static inline void world_map(uint32_t pid, uint64_t addr, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};

	body.mmap = (struct pfx_mmap){
		.pid = pid, .tid = pid, .addr = addr, .len = 0x10000, .prot = 5, .filename = name};
	world_apply(&body);
}

static inline void world_comm(uint32_t tid, const char *comm)
{
	struct pfx_body body = {.type = PFX_RECORD_COMM};

	body.comm = (struct pfx_comm){.pid = world.pid, .tid = tid, .comm = comm};
	world_apply(&body);
}

static inline void world_write_map(void)
{
	FILE *file;
	char c;

	snprintf(world.map_path, sizeof(world.map_path), "/tmp/perf-%u.map", world.pid);
	file = fopen(world.map_path, "w");
	assert_non_null(file);
	for (c = 'a'; c <= 'z'; c++)
		fprintf(file, "%llx %llx %c\n", WORLD_START + (c - 'a') * WORLD_SIZE, WORLD_SIZE,
			c);
	assert_int_equal(fclose(file), 0);
}

/* @pid: greater than any default pid_max and different in each program, so that no other process
 * uses the perf map. */
static inline void world_begin(uint32_t pid)
{
	struct pfx_resolve_options options = {0};
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7,
				.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_CALLCHAIN};

	memset(&world, 0, sizeof(world));
	world.pid = pid;
	world.meta = pfx_meta_new();
	pfx_meta_add_event(world.meta, &attr, "cycles");
	pfx_meta_update(world.meta);
	world.session = pfx_session_new(world.meta);
	world.resolver = pfx_resolver_new(world.session, &options);
	world.graph = pfx_callgraph_default;
	world_map(pid, WORLD_START, "//anon");
	world_map(pid, 0x40000, "/nowhere/lib.so");
	world_comm(pid, "prog");
	world_write_map();
	world.options = (struct pfx_hist_options){
		.meta = world.meta,
		.session = world.session,
		.resolver = world.resolver,
		.columns = &world.columns,
		.filter = &world.filter,
		.graph = &world.graph,
	};
}

/* Parse the columns and create empty hists. */
static inline void world_columns(const char *sort, const char *fields)
{
	struct pfx_columns_request request = {
		.sort = sort, .fields = fields, .children = world.options.children};
	struct pfx_error err;

	assert_int_equal(pfx_columns_build(&world.columns, &request, &err), 0);
	world.hists = pfx_hists_new(&world.options);
}

static inline void world_end(void)
{
	unlink(world.map_path);
	pfx_hists_free(world.hists);
	pfx_columns_fini(&world.columns);
	pfx_filter_fini(&world.filter);
	pfx_resolver_free(world.resolver);
	pfx_session_free(world.session);
	pfx_meta_free(world.meta);
}

/* Upper-case letters are other addresses in the function of the lower-case letter. */
static inline uint64_t world_ip(char c)
{
	if (c >= 'A' && c <= 'Z')
		return WORLD_START + (uint64_t)(c - 'A') * WORLD_SIZE + 0x20;
	return c == WORLD_NOWHERE ? 0x900000 : WORLD_START + (uint64_t)(c - 'a') * WORLD_SIZE + 8;
}

struct world_sample {
	uint32_t event, tid, cpu;
	uint64_t period;
};

/* Add a sample in the last function of @chain; the other functions are its callers, if chains are
 * wanted. */
static inline void world_add_as(const char *chain, const struct world_sample *as)
{
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER, .pid = world.pid, .tid = as->tid};
	struct pfx_buffer words = {0};
	size_t i, nr = strlen(chain);

	sample.ip = world_ip(chain[nr - 1]);
	sample.period = as->period;
	sample.cpu = as->cpu;
	pfx_buffer_u64(&words, PFX_CONTEXT_USER);
	for (i = nr; i--;)
		pfx_buffer_u64(&words, world_ip(chain[i]));
	sample.chain = (struct pfx_words){words.at, nr + 1, false};
	pfx_hists_add_known(world.hists, world.meta->events[as->event], &sample,
			    pfx_session_thread(world.session, world.pid, as->tid), &world.known);
	pfx_buffer_fini(&words);
}

static inline void world_add(const char *chain, uint64_t period)
{
	world_add_as(chain, &(struct world_sample){.tid = world.pid, .period = period});
}

/* The name of a row's symbol. */
static inline char world_symbol(const struct pfx_row *row)
{
	return row->place->sym ? *row->place->sym->name : WORLD_NOWHERE;
}

/* The symbols of the rows, in order. */
static inline const char *world_order(const struct pfx_hist *hist)
{
	static char text[128];
	uint32_t i;

	for (i = 0; i < hist->nr_rows && i < sizeof(text) - 1; i++)
		text[i] = world_symbol(hist->rows[i]);
	text[i] = '\0';
	return text;
}

static inline const struct pfx_row *world_row(const struct pfx_hist *hist, char symbol)
{
	uint32_t i;

	for (i = 0; i < hist->nr_rows; i++)
		if (world_symbol(hist->rows[i]) == symbol)
			return hist->rows[i];
	fail_msg("no row for '%c'", symbol);
	return NULL;
}

#endif

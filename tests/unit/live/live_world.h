/* SPDX-License-Identifier: MIT */
/* A world of pfx_live without the kernel: its counters are a pipe, its ring buffers are memory, and
 * the test controls its clock. */
#ifndef PFX_TESTS_LIVE_WORLD_H
#define PFX_TESTS_LIVE_WORLD_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/ring_writer.h"
#include "live/live_hists.h"
#include "live/live_internal.h"
#include "live/live_profile.h"
#include "live/live_snapshot.h"
#include "read/recording.h"
#include "unit/base/tree.h"
#include "view/select/selection.h"

#define RING_BYTES (64u << 10)
#define NR_RINGS   2
#define HEAD_AT    1024 /* in the control page, as in the kernel */
#define TAIL_AT    1032
#define SECOND     1000000000ull

static struct {
	struct pfx_rings *rings;
	int end; /* write end of the pipe that replaces all counters */
	unsigned nr_enabled, nr_disabled;
	uint64_t ns;
} kernel;

static int attach(struct pfx_counters *set, struct pfx_target *target, const char *root,
		  struct pfx_error *err)
{
	int fds[2], cpu;
	size_t i;

	(void)target, (void)root, (void)err;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	kernel.end = fds[1];
	for (i = 0; i < set->list.nr; i++)
		for (cpu = 0; cpu < NR_RINGS; cpu++)
			pfx_vec_push(
				&set->list.at[i].fds,
				((struct pfx_counter_fd){
					.fd = dup(fds[0]), .tid = -1, .cpu = cpu, .id = i + 1}));
	close(fds[0]);
	return 0;
}

static int map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
	       struct pfx_error *err)
{
	struct pfx_ring *ring;
	void *page;
	size_t i;

	(void)err;
	for (i = 0; i < NR_RINGS; i++) {
		page = mmap(NULL, size + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(page != MAP_FAILED);
		ring = pfx_vec_add(&rings->list);
		pfx_ring_init(ring, page, size);
		ring->tid = -1;
		ring->cpu = (int)i;
		ring->fd = counters->list.at[0].fds.at[i].fd;
	}
	kernel.rings = rings;
	return 0;
}

static int enable(struct pfx_counters *set, struct pfx_error *err)
{
	(void)set, (void)err;
	kernel.nr_enabled++;
	return 0;
}

static void disable(struct pfx_counters *set)
{
	(void)set;
	kernel.nr_disabled++;
}

static uint64_t now(const int32_t *clockid)
{
	assert_non_null(clockid);
	return __atomic_load_n(&kernel.ns, __ATOMIC_ACQUIRE);
}

static uint64_t monotonic(void)
{
	return kernel.ns;
}

static const struct pfx_record_machine machine = {
	.attach = attach,
	.close = pfx_counters_close,
	.map = map,
	.unmap = pfx_rings_unmap,
	.enable = enable,
	.disable = disable,
	.now = now,
	.monotonic = monotonic,
};

/* --- a live profile on it --- */

struct world {
	struct pfx_recorder_options record;
	struct pfx_recorder_observer observer;
	struct pfx_live *live;
	const struct pfx_attr *attr;
	struct pfx_columns columns;
	struct pfx_filter filter;
	struct pfx_callgraph graph;
	struct pfx_live_hists *hists;
};

static void notify(void *context, const struct pfx_recorder_news *news)
{
	(void)context;
	assert_int_not_equal(news->tag, PFX_RECORDER_FAILED);
}

static void begin_as(struct world *w, const char *sort, uint64_t log_bytes, bool chains)
{
	const struct pfx_columns_request columns = {.sort = sort, .nr_samples = true};
	struct pfx_live_options options = {
		.record = &w->record, .observer = &w->observer, .log_bytes = log_bytes};
	struct pfx_hist_options hists = {
		.columns = &w->columns, .filter = &w->filter, .graph = &w->graph, .chains = chains};
	struct pfx_error err = {0};
	struct pfx_live_sink sink;

	memset(&kernel, 0, sizeof(kernel));
	kernel.ns = SECOND;
	*w = (struct world){.graph = pfx_callgraph_default, .observer = {notify, w}};
	w->record.all_user = w->record.all_cpus = w->record.no_bpf_event = true;
	w->record.period = 1000;
	w->record.callgraph.mode = chains ? PFX_CALLGRAPH_FP : PFX_CALLGRAPH_NONE;
	w->record.ring_bytes = RING_BYTES;
	w->record.out.no_synth_tasks = true;
	assert_int_equal(pfx_live_new_on(&w->live, &machine, &options, &err), 0);
	assert_int_equal(pfx_live_start(w->live, &err), 0);
	assert_int_equal(kernel.nr_enabled, 1);
	w->attr = &w->live->meta->events[0]->attr;
	assert_int_equal(pfx_columns_build(&w->columns, &columns, &err), 0);
	w->hists = pfx_live_hists_new(&hists, NULL, NULL);
	sink = pfx_live_hists_sink(w->hists);
	pfx_live_add_sink(w->live, &sink);
}

static void begin(struct world *w, const char *sort, uint64_t log_bytes)
{
	begin_as(w, sort, log_bytes, false);
}

static void end(struct world *w)
{
	pfx_live_hists_free(w->hists);
	pfx_live_free(w->live);
	pfx_columns_fini(&w->columns);
	pfx_filter_fini(&w->filter);
	close(kernel.end);
}

/* --- what the kernel writes --- */

static void put_bytes(unsigned nr, const void *bytes, size_t size)
{
	struct pfx_ring *ring = &kernel.rings->list.at[nr];
	uint64_t head, tail;
	size_t i;

	memcpy(&head, (uint8_t *)ring->page + HEAD_AT, sizeof(head));
	memcpy(&tail, (uint8_t *)ring->page + TAIL_AT, sizeof(tail));
	assert_true(head + size - tail <= ring->size);
	for (i = 0; i < size; i++, head++)
		ring->data[head & (ring->size - 1)] = ((const uint8_t *)bytes)[i];
	memcpy((uint8_t *)ring->page + HEAD_AT, &head, sizeof(head));
}

static void put(struct world *w, unsigned nr, struct pfx_body *body, uint64_t time)
{
	struct pfx_buffer bytes = {0};

	body->id.time = time;
	body->id.id = body->id.identifier = 1;
	assert_true(pfx_record_encode(body, w->attr, &bytes));
	put_bytes(nr, bytes.at, bytes.len);
	pfx_buffer_fini(&bytes);
}

static void put_comm(struct world *w, unsigned nr, uint32_t pid, const char *name, uint64_t time)
{
	struct pfx_body body = {.type = PFX_RECORD_COMM,
				.comm = {.pid = pid, .tid = pid, .comm = name}};

	put(w, nr, &body, time);
}

static void put_task(struct world *w, uint32_t type, uint32_t pid, uint64_t time)
{
	struct pfx_body body = {
		.type = type, .task = {.pid = pid, .ppid = 1, .tid = pid, .ptid = 1, .time = time}};

	put(w, 0, &body, time);
}

static void put_made(struct world *w, unsigned nr, const struct pfx_sample *sample)
{
	struct pfx_buffer bytes = {0};

	assert_true(pfx_sample_encode(sample, w->attr, &bytes));
	put_bytes(nr, bytes.at, bytes.len);
	pfx_buffer_fini(&bytes);
}

static void put_sample(struct world *w, unsigned nr, uint32_t pid, enum pfx_cpumode mode,
		       uint64_t time)
{
	const struct pfx_sample sample = {.cpumode = mode,
					  .misc = (uint16_t)mode,
					  .ip = 0x1000,
					  .pid = pid,
					  .tid = pid,
					  .time = time,
					  .id = 1,
					  .period = 1000};

	put_made(w, nr, &sample);
}

static void put_cpu_sample(struct world *w, unsigned nr, uint64_t time)
{
	const struct pfx_sample sample = {.cpumode = PFX_MODE_USER,
					  .misc = PFX_MODE_USER,
					  .ip = 0x1000,
					  .pid = 7,
					  .tid = 7,
					  .time = time,
					  .id = 1,
					  .cpu = nr,
					  .period = 1000};

	put_made(w, nr, &sample);
}

/* All that was put is older than what follows, and is taken. */
static void take_all(struct world *w)
{
	kernel.ns += SECOND;
	pfx_live_take(w->live);
	pfx_live_take(w->live);
}

/* The counts of a comm in the tables that are shown. */
static struct pfx_row_stat shown(struct world *w, const char *comm)
{
	const struct pfx_hist *hist = pfx_hists_at(pfx_live_hists_shown(w->hists, 0), 0);
	uint32_t i;

	for (i = 0; i < hist->nr_rows; i++)
		if (!strcmp(hist->rows[i]->comm->text, comm))
			return *hist->rows[i]->stat;
	return (struct pfx_row_stat){0};
}

#endif

/* SPDX-License-Identifier: MIT */
/* Statistics of the written records, for many processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "event/record.h"
#include "record/sink/tally.h"

#define PID_OF(i) (1000 + (i) % 20000)
#define DAEMON    77

struct fixture {
	struct pfx_meta *meta;
	struct pfx_tally tally;
	struct pfx_buffer records;
};

static void begin_with(struct fixture *f, uint64_t sample_type)
{
	struct pfx_attr attr = {
		.size = PFX_ATTR_SIZE_VER7,
		.sample_type = sample_type,
	};

	memset(f, 0, sizeof(*f));
	f->meta = pfx_meta_new();
	pfx_meta_add_event(f->meta, &attr, "event");
	pfx_meta_update(f->meta);
	pfx_tally_init(&f->tally, f->meta, true);
}

static void begin(struct fixture *f)
{
	begin_with(f, PFX_SAMPLE_IP | PFX_SAMPLE_TID);
}

static void end(struct fixture *f)
{
	pfx_tally_fini(&f->tally);
	pfx_buffer_fini(&f->records);
	pfx_meta_free(f->meta);
}

static void take(struct fixture *f)
{
	pfx_tally_take(&f->tally, f->records.at, UINT64_MAX, 0, f->records.len);
	pfx_buffer_clear(&f->records);
}

static void put_task(struct fixture *f, uint32_t type, uint32_t pid, uint32_t parent)
{
	struct pfx_body body = {.type = type, .task = {pid, parent, pid, parent, 0}};

	pfx_record_encode(&body, NULL, &f->records);
}

static void put_map(struct fixture *f, uint32_t pid, uint64_t addr, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2,
				.misc = pid == UINT32_MAX ? PFX_MODE_KERNEL : PFX_MODE_USER};

	body.mmap = (struct pfx_mmap){
		.pid = pid, .tid = pid, .addr = addr, .len = 0x10000, .filename = name};
	pfx_record_encode(&body, NULL, &f->records);
}

/* A sample with its data address, or the first @size bytes of it. */
static void put_fields(struct fixture *f, uint32_t pid, uint64_t ip, uint64_t addr, uint16_t size)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t addr;
	} sample = {PFX_RECORD_SAMPLE, PFX_MODE_USER, size, ip, pid, pid, addr};

	pfx_buffer_bytes(&f->records, &sample, size);
}

static void put_sample(struct fixture *f, uint32_t pid, uint64_t ip)
{
	put_fields(f, pid, ip, 0, 24);
}

static void put_access(struct fixture *f, uint32_t pid, uint64_t ip, uint64_t addr)
{
	put_fields(f, pid, ip, addr, 32);
}

/* A sample with a call chain; @words end with 0. */
static void put_chain(struct fixture *f, uint32_t pid, const uint64_t *words)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t nr;
	} sample = {PFX_RECORD_SAMPLE, PFX_MODE_USER, sizeof(sample), 0x10000, pid, pid, 0};

	while (words[sample.nr])
		sample.nr++;
	sample.size = (uint16_t)(sizeof(sample) + sample.nr * sizeof(*words));
	pfx_buffer_bytes(&f->records, &sample, sizeof(sample));
	pfx_buffer_bytes(&f->records, words, sample.nr * sizeof(*words));
}

/* Deferred user frames; @ips end with 0. The thread is in the trailer. */
static void put_later(struct fixture *f, uint32_t pid, const uint64_t *ips)
{
	struct pfx_body body = {.type = PFX_RECORD_CALLCHAIN_DEFERRED};
	struct pfx_words *words = &body.callchain_deferred.ips;

	*words = (struct pfx_words){.at = (const uint8_t *)ips};
	while (ips[words->nr])
		words->nr++;
	body.callchain_deferred.cookie = 1234;
	body.id.pid = body.id.tid = pid;
	assert_true(pfx_record_encode(&body, &f->meta->events[0]->attr, &f->records));
}

static bool is_hit(struct fixture *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->tally.dsos.nr; i++)
		if (!strcmp(pfx_intern_get(&f->tally.names, f->tally.dsos.at[i].name), name))
			return f->tally.dsos.at[i].hit;
	return false;
}

static void test_chains_without_callers(void **state)
{
	static const uint64_t kernel[] = {PFX_CONTEXT_KERNEL, 0xffffffff81000000, 0};
	static const uint64_t lone[] = {PFX_CONTEXT_USER, 0x10000, 0};
	static const uint64_t below[] = {PFX_CONTEXT_KERNEL, 0xffffffff81000000, PFX_CONTEXT_USER,
					 0x10000, 0};
	static const uint64_t caller[] = {PFX_CONTEXT_USER, 0x10000, 0x10200, 0};
	static const uint64_t nothing[] = {PFX_CONTEXT_USER, 0};
	static const uint64_t deferred[] = {PFX_CONTEXT_KERNEL, 0xffffffff81000000,
					    PFX_CONTEXT_USER_DEFERRED, 1234, 0};
	struct fixture f;

	(void)state;
	begin_with(&f, PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_CALLCHAIN);
	put_chain(&f, 5, kernel);
	put_chain(&f, 5, nothing);
	put_chain(&f, 5, deferred);
	take(&f);
	assert_int_equal(f.tally.nr_user_chains, 0);
	put_chain(&f, 5, lone);
	put_chain(&f, 5, below);
	put_chain(&f, 5, caller);
	take(&f);
	assert_int_equal(f.tally.nr_user_chains, 3);
	assert_int_equal(f.tally.nr_lone_chains, 2);
	end(&f);
}

static void test_hits(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_map(&f, 5, 0x10000, "/bin/a");
	put_map(&f, 5, 0x50000, "/lib/b");
	put_task(&f, PFX_RECORD_FORK, 6, 5);
	put_sample(&f, 6, 0x51234);
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "/lib/b"));
	assert_false(is_hit(&f, "/bin/a"));
	assert_int_equal(f.tally.nr_samples, 1);
	end(&f);
}

/* The process is in the trailer, after a variable number of frames. If the count is larger than the
 * record, there is no trailer. */
static void test_late_frames(void **state)
{
	static const uint64_t own[] = {0x11234, 0x51234, 0}, others[] = {0x91234, 0};
	const size_t count_at = 16;
	struct fixture f;
	uint64_t huge = UINT64_MAX / 8;

	(void)state;
	begin_with(&f, PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CALLCHAIN);
	f.meta->events[0]->attr.flags |= PFX_ATTR_SAMPLE_ID_ALL;
	pfx_tally_fini(&f.tally);
	pfx_tally_init(&f.tally, f.meta, true);
	put_map(&f, 5, 0x10000, "/bin/a");
	put_map(&f, 5, 0x50000, "/lib/b");
	put_map(&f, 5, 0x90000, "/lib/c");
	put_later(&f, 5, own);
	put_later(&f, 6, others);
	take(&f);
	put_later(&f, 5, others);
	memcpy(f.records.at + count_at, &huge, sizeof(huge));
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "/bin/a"));
	assert_true(is_hit(&f, "/lib/b"));
	assert_false(is_hit(&f, "/lib/c"));
	assert_int_equal(f.tally.nr_bad, 0);
	end(&f);
}

/* Without a trailer the process is unknown. */
static void test_late_frames_of_nobody(void **state)
{
	static const uint64_t ips[] = {0x11234, 0};
	struct fixture f;

	(void)state;
	begin_with(&f, PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_CALLCHAIN);
	put_map(&f, 0x11234, 0x10000, "/bin/a");
	put_map(&f, 0, 0x10000, "/bin/b");
	put_later(&f, 5, ips);
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_false(is_hit(&f, "/bin/a"));
	assert_false(is_hit(&f, "/bin/b"));
	end(&f);
}

/* Data addresses count, as well as the code that accesses them. */
static void test_data_hits(void **state)
{
	struct fixture f;

	(void)state;
	begin_with(&f, PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_ADDR);
	put_map(&f, 5, 0x10000, "/bin/a");
	put_map(&f, 5, 0x50000, "[vdso]");
	put_map(&f, 5, 0x90000, "/lib/c");
	put_map(&f, UINT32_MAX, 0xffffffff81000000, "[kernel.kallsyms]_text");
	put_access(&f, 5, 0x11234, 0);
	put_access(&f, 5, 0x11234, 0x50020);
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "/bin/a"));
	assert_true(is_hit(&f, "[vdso]"));
	assert_false(is_hit(&f, "/lib/c"));
	assert_false(is_hit(&f, "[kernel.kallsyms]_text"));
	put_access(&f, 5, 0x11234, 0xffffffff81000020);
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "[kernel.kallsyms]_text"));
	end(&f);
}

/* One process after the other, each with its own maps: memory is bounded, and no binary is lost. A
 * running child of one of them still uses its maps. */
static void test_storm(void **state)
{
	struct fixture f;
	uint32_t i;

	(void)state;
	begin(&f);
	put_task(&f, PFX_RECORD_FORK, 50, 2);
	put_map(&f, 50, 0x70000, "/lib/late");
	put_task(&f, PFX_RECORD_FORK, DAEMON, 50);
	put_task(&f, PFX_RECORD_EXIT, 50, 2);
	for (i = 0; i < 200000; i++) {
		uint32_t pid = PID_OF(i);

		put_task(&f, PFX_RECORD_FORK, pid, 2);
		put_map(&f, pid, 0x10000, "/bin/short");
		put_map(&f, pid, 0x30000, "/lib/never");
		if (i == 100 || i == 150000)
			put_map(&f, pid, 0x50000, i == 100 ? "/lib/first" : "/lib/second");
		put_sample(&f, pid, 0x10100);
		if (i == 100 || i == 150000)
			put_sample(&f, pid, 0x50100);
		put_task(&f, PFX_RECORD_EXIT, pid, 2);
		take(&f);
		assert_true(f.tally.maps.nr <= 2 * PFX_TALLY_MOST);
	}
	assert_true(f.tally.nr_trims >= 3);
	assert_true(f.tally.pages.nr + f.tally.parents.nr <= 2 * PFX_TALLY_MOST);
	put_sample(&f, DAEMON, 0x70100);
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "/bin/short"));
	assert_true(is_hit(&f, "/lib/first"));
	assert_true(is_hit(&f, "/lib/second"));
	assert_true(is_hit(&f, "/lib/late"));
	assert_false(is_hit(&f, "/lib/never"));
	end(&f);
}

/* The map of a process is in another ring buffer, after the sample and after the process's end. */
static void test_late_map(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_sample(&f, 9, 0x10100);
	put_task(&f, PFX_RECORD_EXIT, 9, 2);
	take(&f);
	pfx_tally_trim(&f.tally);
	put_map(&f, 9, 0x10000, "/bin/late");
	put_map(&f, 9, 0x20000, "//anon");
	take(&f);
	pfx_tally_hits(&f.tally);
	assert_true(is_hit(&f, "/bin/late"));
	assert_int_equal(f.tally.maps.nr, 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains_without_callers),
		cmocka_unit_test(test_hits),
		cmocka_unit_test(test_late_frames),
		cmocka_unit_test(test_late_frames_of_nobody),
		cmocka_unit_test(test_data_hits),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_late_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

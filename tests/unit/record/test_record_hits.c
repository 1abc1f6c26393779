/* SPDX-License-Identifier: MIT */
/* Statistics of the records in a ring buffer: samples, losses, times and the sampled binaries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "event/record.h"
#include "record/sink/tally.h"

#define RING_SIZE 4096u

static struct pfx_meta *meta_of(uint64_t first_type, uint64_t second_type)
{
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7, .sample_type = first_type};
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_event *event = pfx_meta_add_event(meta, &attr, "one");

	pfx_meta_add_id(meta, event, 101);
	if (second_type) {
		attr.sample_type = second_type;
		event = pfx_meta_add_event(meta, &attr, "two");
		pfx_meta_add_id(meta, event, 202);
	}
	pfx_meta_update(meta);
	return meta;
}

static void add_record(struct pfx_buffer *to, uint32_t type, uint16_t misc, const uint64_t *words,
		       size_t nr)
{
	size_t i;

	pfx_buffer_u32(to, type);
	pfx_buffer_u16(to, misc);
	pfx_buffer_u16(to, (uint16_t)(8 + 8 * nr));
	for (i = 0; i < nr; i++)
		pfx_buffer_u64(to, words[i]);
}

static uint64_t pair(uint32_t first, uint32_t second)
{
	uint32_t both[2] = {first, second};
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

static void add_map(struct pfx_buffer *to, uint32_t pid, uint64_t addr, const char *name)
{
	struct pfx_body body = {
		.type = PFX_RECORD_MMAP2,
		.misc = PFX_MODE_USER,
		.mmap = {.pid = pid, .tid = pid, .addr = addr, .len = 0x3000, .filename = name},
	};

	pfx_record_encode(&body, NULL, to);
}

static void take_all(struct pfx_tally *tally, const struct pfx_buffer *bytes)
{
	pfx_tally_take(tally, bytes->at, UINT64_MAX, 0, bytes->len);
}

#define FLAT_TYPE (PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CALLCHAIN)

static bool is_hit(const struct pfx_tally *tally, const char *name)
{
	size_t i;

	for (i = 0; i < tally->dsos.nr; i++)
		if (!strcmp(pfx_intern_get(&tally->names, tally->dsos.at[i].name), name))
			return tally->dsos.at[i].hit;
	return false;
}

static void counts_and_times(void **state)
{
	const uint64_t early[] = {0x1000, pair(5, 5), 700, 0};
	const uint64_t late[] = {0x1000, pair(5, 5), 900, 0};
	const uint64_t lost[] = {101, 33};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, late, 4);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, early, 4);
	add_record(&bytes, PFX_RECORD_LOST, 0, lost, 2);
	add_record(&bytes, PFX_RECORD_THROTTLE, 0, lost, 2);
	take_all(&tally, &bytes);
	assert_int_equal(tally.nr_samples, 2);
	assert_int_equal(tally.nr_lost, 33);
	assert_int_equal(tally.nr_throttled, 1);
	assert_int_equal(tally.first_ns, 700);
	assert_int_equal(tally.last_ns, 900);
	assert_int_equal(tally.nr_bad, 0);
	pfx_tally_fini(&tally);
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

/* The leaf, the callers, and maps that a forked process inherited. */
static void hits_by_ip_chain_and_fork(void **state)
{
	const uint64_t sample[] = {0x11000, pair(5, 6), 700, 3, PFX_CONTEXT_USER, 0x11010, 0x22000};
	const uint64_t child[] = {0x33008, pair(9, 9), 800, 0};
	const uint64_t fork[] = {pair(9, 5), pair(9, 5), 750};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	add_map(&bytes, 5, 0x10000, "/bin/leaf");
	add_map(&bytes, 5, 0x20000, "/lib/caller");
	add_map(&bytes, 5, 0x33000, "/lib/inherited");
	add_map(&bytes, 5, 0x40000, "/lib/idle");
	add_map(&bytes, 7, 0x10000, "/bin/other");
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, sample, 7);
	add_record(&bytes, PFX_RECORD_FORK, 0, fork, 3);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, child, 4);
	take_all(&tally, &bytes);
	pfx_tally_hits(&tally);
	assert_true(is_hit(&tally, "/bin/leaf"));
	assert_true(is_hit(&tally, "/lib/caller"));
	assert_true(is_hit(&tally, "/lib/inherited"));
	assert_false(is_hit(&tally, "/lib/idle"));
	assert_false(is_hit(&tally, "/bin/other"));
	pfx_tally_fini(&tally);
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

static void kernel_pages_belong_to_the_kernel(void **state)
{
	const uint64_t sample[] = {0xffffffff81234567, pair(5, 5), 700, 0};
	struct pfx_body kernel = {
		.type = PFX_RECORD_MMAP,
		.misc = PFX_MODE_KERNEL,
		.mmap = {.pid = UINT32_MAX,
			 .addr = 0xffffffff81000000,
			 .len = 0x1000000,
			 .filename = "[kernel.kallsyms]_text"},
	};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	pfx_record_encode(&kernel, NULL, &bytes);
	add_map(&bytes, 5, 0x10000, "/bin/leaf");
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_KERNEL, sample, 4);
	take_all(&tally, &bytes);
	pfx_tally_hits(&tally);
	assert_true(is_hit(&tally, "[kernel.kallsyms]_text"));
	assert_false(is_hit(&tally, "/bin/leaf"));
	pfx_tally_fini(&tally);
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

/* Two events with different sample layouts are distinguished by their ids. */
static void layouts_by_identifier(void **state)
{
	const uint64_t first =
		PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME;
	const uint64_t one[] = {101, 0x1000, pair(5, 5), 400};
	const uint64_t two[] = {202, 0x1000, 300};
	struct pfx_meta *meta =
		meta_of(first, PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_IP | PFX_SAMPLE_TIME);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	assert_false(tally.is_uniform);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, one, 4);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, two, 3);
	take_all(&tally, &bytes);
	assert_int_equal(tally.nr_samples, 2);
	assert_int_equal(tally.first_ns, 300);
	assert_int_equal(tally.last_ns, 400);
	pfx_tally_fini(&tally);
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

/* The result does not depend on the position where records wrap in the ring buffer. */
static void every_place_of_the_wrap(void **state)
{
	const uint64_t sample[] = {0x11000, pair(5, 5), 700, 2, 0x11010, 0x22000};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;
	uint8_t ring[RING_SIZE];
	uint64_t start;
	size_t i;

	(void)state;
	add_map(&bytes, 5, 0x10000, "/bin/leaf");
	add_map(&bytes, 5, 0x20000, "/lib/caller");
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, sample, 6);
	for (start = RING_SIZE - bytes.len - 8; start <= RING_SIZE; start += 8) {
		for (i = 0; i < bytes.len; i++)
			ring[(start + i) & (RING_SIZE - 1)] = bytes.at[i];
		pfx_tally_init(&tally, meta, true);
		pfx_tally_take(&tally, ring, RING_SIZE - 1, start, start + bytes.len);
		pfx_tally_hits(&tally);
		assert_int_equal(tally.nr_samples, 1);
		assert_int_equal(tally.nr_bad, 0);
		assert_int_equal(tally.first_ns, 700);
		assert_true(is_hit(&tally, "/bin/leaf"));
		assert_true(is_hit(&tally, "/lib/caller"));
		pfx_tally_fini(&tally);
	}
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

/* Invalid sizes and counts end the parsing without reading elsewhere. */
static void nonsense_is_counted(void **state)
{
	const uint64_t endless[] = {0x11000, pair(5, 5), 700, UINT64_MAX, 0x11010};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_buffer bytes = {0};
	struct pfx_tally tally;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, endless, 5);
	take_all(&tally, &bytes);
	assert_int_equal(tally.nr_samples, 1);
	assert_int_equal(tally.nr_bad, 0);
	pfx_buffer_u32(&bytes, PFX_RECORD_SAMPLE);
	pfx_buffer_u32(&bytes, 0);
	take_all(&tally, &bytes);
	assert_int_equal(tally.nr_bad, 1);
	pfx_buffer_patch16(&bytes, bytes.len - 2, 4096);
	take_all(&tally, &bytes);
	assert_int_equal(tally.nr_bad, 2);
	pfx_tally_fini(&tally);
	pfx_buffer_fini(&bytes);
	pfx_meta_free(meta);
}

/* Samples of every length that are too short for their attr. */
static void short_samples(void **state)
{
	const uint64_t words[] = {0x11000, pair(5, 5), 700, 1, 0x11000};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	struct pfx_tally tally;
	size_t nr;

	(void)state;
	pfx_tally_init(&tally, meta, true);
	for (nr = 0; nr <= 5; nr++) {
		struct pfx_buffer bytes = {0};

		add_record(&bytes, PFX_RECORD_SAMPLE, PFX_MODE_USER, words, nr);
		take_all(&tally, &bytes);
		pfx_buffer_fini(&bytes);
	}
	assert_int_equal(tally.nr_samples, 6);
	assert_int_equal(tally.first_ns, 700);
	pfx_tally_fini(&tally);
	pfx_meta_free(meta);
}

/* Records truncated after their header, at the end of readable memory. */
static void short_records(void **state)
{
	static const uint32_t types[] = {PFX_RECORD_FORK, PFX_RECORD_EXIT, PFX_RECORD_LOST,
					 PFX_RECORD_MMAP2, PFX_RECORD_CALLCHAIN_DEFERRED};
	struct pfx_meta *meta = meta_of(FLAT_TYPE, 0);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct pfx_buffer bytes = {0};
		struct pfx_tally tally;
		uint8_t *exact = malloc(8);

		add_record(&bytes, types[i], 0, NULL, 0);
		memcpy(exact, bytes.at, 8);
		pfx_tally_init(&tally, meta, true);
		pfx_tally_take(&tally, exact, UINT64_MAX, 0, 8);
		assert_int_equal(tally.nr_bad, 0);
		assert_int_equal(tally.parents.nr + tally.dead.nr + tally.maps.nr, 0);
		pfx_tally_fini(&tally);
		pfx_buffer_fini(&bytes);
		free(exact);
	}
	pfx_meta_free(meta);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_times),
		cmocka_unit_test(hits_by_ip_chain_and_fork),
		cmocka_unit_test(kernel_pages_belong_to_the_kernel),
		cmocka_unit_test(layouts_by_identifier),
		cmocka_unit_test(every_place_of_the_wrap),
		cmocka_unit_test(nonsense_is_counted),
		cmocka_unit_test(short_samples),
		cmocka_unit_test(short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Order in time: rounds, several ring buffers, equal times, records without time, late records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/base/memory_use.h"
#include "unit/base/tree.h"
#include "unit/file/recording.h"

#define MAX_RECORDS 4096

/* The records that were returned: time and ip of samples, ROUND for the end of a round, and COMM
 * records. */
struct seen {
	uint64_t time[MAX_RECORDS], ip[MAX_RECORDS];
	uint32_t type[MAX_RECORDS];
	size_t nr;
	struct pfx_order_stats stats;
};

/* An open recording that is read in order. */
struct opened {
	struct tree tree;
	struct pfx_meta *meta;
	struct pfx_reader *reader;
	struct pfx_order *order;
};

static void begin(struct opened *o, struct pfx_buffer *records, bool as_is)
{
	struct pfx_error err;
	char path[128];

	o->meta = test_meta(records->swap);
	tree_init(&o->tree);
	tree_path(&o->tree, path, sizeof(path), "/x.data");
	assert_int_equal(write_recording(path, o->meta, records), 0);
	pfx_buffer_fini(records);
	assert_int_equal(pfx_reader_open(&o->reader, path, NULL, &err), 0);
	o->order = pfx_order_new(o->reader, as_is);
}

static void end(struct opened *o)
{
	pfx_order_free(o->order);
	pfx_reader_free(o->reader);
	pfx_meta_free(o->meta);
	tree_fini(&o->tree);
}

static void run(struct pfx_buffer *records, bool as_is, struct seen *ret)
{
	struct opened o;
	struct pfx_error err;
	struct pfx_record rec;
	int rc;

	begin(&o, records, as_is);
	ret->nr = 0;
	while ((rc = pfx_order_next(o.order, &rec, &err)) > 0) {
		assert_true(ret->nr < MAX_RECORDS);
		ret->type[ret->nr] = rec.type;
		ret->time[ret->nr] = rec.time;
		ret->ip[ret->nr++] =
			rec.type == PFX_RECORD_SAMPLE ? pfx_load64(rec.bytes + 8, rec.swap) : 0;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(pfx_order_next(o.order, &rec, &err), 0);
	ret->stats = *pfx_order_stats(o.order);
	end(&o);
}

static struct seen seen;

static void assert_ips(const uint64_t *ips, size_t nr)
{
	size_t i, k = 0;

	for (i = 0; i < seen.nr; i++) {
		if (seen.type[i] != PFX_RECORD_SAMPLE)
			continue;
		assert_true(k < nr);
		assert_int_equal(seen.ip[i], ips[k++]);
	}
	assert_int_equal(k, nr);
}

static void two_rings_merge(void **state)
{
	static const uint64_t expected[] = {1, 11, 2, 12, 13, 3};
	struct pfx_buffer b = {0};

	put_sample(&b, 1, 100);
	put_sample(&b, 2, 200);
	put_sample(&b, 3, 400);
	put_sample(&b, 11, 150);
	put_sample(&b, 12, 250);
	put_sample(&b, 13, 350);
	put_round(&b);
	run(&b, false, &seen);
	assert_ips(expected, 6);
	assert_int_equal(seen.type[0], PFX_RECORD_FINISHED_ROUND);
}

/* Late records of the second round are still sorted in, because the first round is held back. */
static void rounds_overlap(void **state)
{
	static const uint64_t expected[] = {1, 21, 2, 22, 3, 31, 23, 32};
	struct pfx_buffer b = {0};

	put_sample(&b, 1, 100);
	put_sample(&b, 2, 200);
	put_sample(&b, 3, 300);
	put_round(&b);
	put_sample(&b, 21, 150);
	put_sample(&b, 22, 250);
	put_sample(&b, 23, 500);
	put_round(&b);
	put_sample(&b, 31, 400);
	put_sample(&b, 32, 600);
	put_round(&b);
	run(&b, false, &seen);
	assert_ips(expected, 8);
	assert_int_equal(seen.stats.nr_out_of_order, 0);
	/* the end of the first round releases nothing, that of the second all that is not newer
	 * than the first */
	assert_int_equal(seen.type[0], PFX_RECORD_FINISHED_ROUND);
	assert_int_equal(seen.ip[5], 3);
	assert_int_equal(seen.type[6], PFX_RECORD_FINISHED_ROUND);
}

static void too_late_is_counted(void **state)
{
	static const uint64_t expected[] = {1, 2, 9, 3};
	struct pfx_buffer b = {0};

	put_sample(&b, 1, 100);
	put_sample(&b, 2, 200);
	put_round(&b);
	put_sample(&b, 3, 300);
	put_round(&b);
	put_sample(&b, 9, 50);
	run(&b, false, &seen);
	assert_ips(expected, 4);
	assert_int_equal(seen.stats.nr_out_of_order, 1);
}

static void equal_times_keep_their_order(void **state)
{
	static const uint64_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct pfx_buffer b = {0};

	put_sample(&b, 1, 100);
	put_sample(&b, 2, 100);
	put_sample(&b, 7, 200);
	put_sample(&b, 3, 100);
	put_sample(&b, 8, 200);
	put_sample(&b, 4, 100);
	put_sample(&b, 5, 100);
	put_round(&b);
	put_sample(&b, 6, 100);
	put_sample(&b, 9, 200);
	put_round(&b);
	run(&b, false, &seen);
	assert_ips(expected, 9);
}

static void no_time_comes_at_once(void **state)
{
	struct pfx_buffer b = {0};

	put_sample(&b, 1, 100);
	put_comm(&b, "later", 150);
	put_comm(&b, "now", 0);
	put_head(&b, PFX_RECORD_FINISHED_INIT, 8);
	run(&b, false, &seen);
	assert_int_equal(seen.nr, 4);
	assert_int_equal(seen.type[0], PFX_RECORD_COMM);
	assert_int_equal(seen.time[0], 0);
	assert_int_equal(seen.type[1], PFX_RECORD_FINISHED_INIT);
	assert_int_equal(seen.ip[2], 1);
	assert_int_equal(seen.type[3], PFX_RECORD_COMM);
	assert_int_equal(seen.time[3], 150);
}

static void as_is_changes_nothing(void **state)
{
	static const uint64_t expected[] = {3, 1, 2};
	struct pfx_buffer b = {0};

	put_sample(&b, 3, 300);
	put_sample(&b, 1, 100);
	put_round(&b);
	put_sample(&b, 2, 200);
	run(&b, true, &seen);
	assert_ips(expected, 3);
}

/* An overwritable ring buffer has decreasing times: each record is a run of its own. */
static void falling_times(void **state)
{
	struct pfx_buffer b = {0};
	uint64_t i;

	for (i = 1000; i; i--)
		put_sample(&b, i, i);
	run(&b, false, &seen);
	assert_int_equal(seen.nr, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(seen.ip[i], i + 1);
	assert_int_equal(seen.stats.max_queued, 1000);
}

/* Many ring buffers and rounds in both byte orders, compared with a plain sort. */
static void many_rings(void **state)
{
	uint64_t last = 0, x = 1;
	struct pfx_buffer b = {.swap = *state != NULL};
	size_t round, ring, i, samples = 0;

	for (round = 0; round < 10; round++) {
		for (ring = 0; ring < 16; ring++)
			for (i = 0; i < 20; i++) {
				x = x * 6364136223846793005ull + 1442695040888963407ull;
				put_sample(&b, ring, 1 + round * 2000 + i * 100 + (x >> 58));
			}
		put_round(&b);
	}
	run(&b, false, &seen);
	for (i = 0; i < seen.nr; i++) {
		if (seen.type[i] != PFX_RECORD_SAMPLE)
			continue;
		assert_true(seen.time[i] >= last);
		last = seen.time[i];
		samples++;
	}
	assert_int_equal(samples, 10 * 16 * 20);
	assert_int_equal(seen.stats.nr_out_of_order, 0);
}

/* The rings take turns in bursts of all lengths, with equal times, and other records among the
 * samples. Equal times keep the order of the file. */
static void bursts(void **state)
{
	struct pfx_buffer b = {.swap = *state != NULL};
	uint64_t ring, i, x = 7, time, nr = 0, last = 0, last_ip = 0;
	size_t k, comms = 0;

	for (ring = 0; ring < 5; ring++)
		for (i = 0, time = 100; i < 600; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			time += x >> 60 ? x >> 63 : x >> 54 & 63;
			if (x >> 55 & 15)
				put_sample(&b, ++nr, time);
			else
				put_comm(&b, "work", time);
		}
	run(&b, false, &seen);
	for (k = 0; k < seen.nr; k++) {
		assert_true(seen.time[k] >= last);
		last_ip = seen.time[k] > last ? 0 : last_ip;
		last = seen.time[k];
		comms += seen.type[k] == PFX_RECORD_COMM;
		if (seen.type[k] != PFX_RECORD_SAMPLE)
			continue;
		assert_true(seen.ip[k] > last_ip);
		last_ip = seen.ip[k];
		nr--;
	}
	assert_int_equal(nr, 0);
	assert_int_equal(seen.nr, 5 * 600);
	assert_true(comms > 50);
	assert_int_equal(seen.stats.nr_out_of_order, 0);
}

/* The damage of the record at @at. */
enum wrong { NO_TYPE, HUGE_TYPE, NO_SIZE, SMALL_SIZE, ODD_SIZE, LONG_SIZE, NO_TIME, WRONGS };

static void spoil(uint8_t *at, enum wrong wrong)
{
	static const uint8_t zeros[8];
	static const uint16_t sizes[] = {
		[NO_SIZE] = 0, [SMALL_SIZE] = 16, [ODD_SIZE] = 43, [LONG_SIZE] = 65528};
	static const uint32_t types[] = {[NO_TYPE] = 0, [HUGE_TYPE] = 0x7fffffff};

	if (wrong == NO_TIME)
		memcpy(at + 24, zeros, sizeof(zeros));
	else if (wrong == NO_TYPE || wrong == HUGE_TYPE)
		memcpy(at, &types[wrong], sizeof(types[wrong]));
	else
		memcpy(at + 6, &sizes[wrong], sizeof(sizes[wrong]));
}

static struct pfx_reader_damage damage_of(const uint8_t *bytes, size_t size, bool as_is)
{
	struct pfx_reader_damage damage;
	struct pfx_buffer b = {0};
	struct pfx_record rec;
	struct pfx_error err;
	struct opened o;
	uint64_t nr = 0;

	pfx_buffer_bytes(&b, bytes, size);
	begin(&o, &b, as_is);
	while (pfx_order_next(o.order, &rec, &err) > 0)
		nr++;
	damage = *pfx_reader_damage(o.reader);
	assert_int_equal(damage.nr_records, nr);
	end(&o);
	return damage;
}

/* Damage in the middle of many samples, and at their end, is reported as when they are read one by
 * one. */
static void damage_in_a_run(void **state)
{
	static const size_t places[] = {1, 2, 3, 50, 98, 99};
	struct pfx_reader_damage one_by_one, at_once;
	struct pfx_buffer b = {0};
	uint64_t i;
	size_t p;
	int wrong;

	for (p = 0; p < sizeof(places) / sizeof(*places); p++)
		for (wrong = 0; wrong < WRONGS; wrong++) {
			pfx_buffer_clear(&b);
			for (i = 0; i < 100; i++)
				put_sample(&b, i, 1000 + i);
			spoil(b.at + places[p] * SAMPLE_BYTES, (enum wrong)wrong);
			one_by_one = damage_of(b.at, b.len, true);
			at_once = damage_of(b.at, b.len, false);
			assert_true(one_by_one.nr_records >= 98);
			assert_memory_equal(&at_once, &one_by_one, sizeof(at_once));
		}
	pfx_buffer_fini(&b);
}

/* Events whose samples have their times in different places. */
static void times_in_two_places(void **state)
{
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_attr attr = test_attr();

	attr.sample_type |= PFX_SAMPLE_IDENTIFIER;
	pfx_meta_add_event(meta, &attr, "a");
	pfx_meta_update(meta);
	assert_int_equal(meta->time_pos, 3);
	attr.sample_type |= PFX_SAMPLE_CPU;
	pfx_meta_add_event(meta, &attr, "b");
	pfx_meta_update_new(meta);
	assert_int_equal(meta->time_pos, 3);
	attr.sample_type &= ~(uint64_t)PFX_SAMPLE_IP;
	pfx_meta_add_event(meta, &attr, "c");
	pfx_meta_update_new(meta);
	assert_int_equal(meta->time_pos, -1);
	pfx_meta_update(meta);
	assert_int_equal(meta->time_pos, -1);
	pfx_meta_free(meta);
}

/* A large file without rounds, of several runs: it is read twice, and only a part of it is in
 * memory. */
static void large_file(void **state)
{
	const uint64_t nr_runs = 8, per_run = 350000;
	uint64_t run_nr, i, most = 0, last = 0, nr = 0;
	struct pfx_buffer b = {0};
	struct pfx_record rec;
	struct pfx_error err;
	struct opened o;

	for (run_nr = 0; run_nr < nr_runs; run_nr++)
		for (i = 0; i < per_run; i++)
			put_sample(&b, i, 1 + i * nr_runs + run_nr);
	begin(&o, &b, false);
	while (pfx_order_next(o.order, &rec, &err) > 0) {
		assert_true(rec.time == last + 1);
		last = rec.time;
		if (!(++nr & 0xffff) && memory_use("RssFile:") > most)
			most = memory_use("RssFile:");
	}
	assert_int_equal(nr, nr_runs * per_run);
	assert_true(most < nr * SAMPLE_BYTES * 3 / 4);
	end(&o);
}

static bool other_byte_order; /* only its address is used */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_rings_merge),
		cmocka_unit_test(rounds_overlap),
		cmocka_unit_test(too_late_is_counted),
		cmocka_unit_test(equal_times_keep_their_order),
		cmocka_unit_test(no_time_comes_at_once),
		cmocka_unit_test(as_is_changes_nothing),
		cmocka_unit_test(falling_times),
		cmocka_unit_test(bursts),
		cmocka_unit_test_prestate(bursts, &other_byte_order),
		cmocka_unit_test(many_rings),
		cmocka_unit_test_prestate(many_rings, &other_byte_order),
		cmocka_unit_test(damage_in_a_run),
		cmocka_unit_test(times_in_two_places),
		cmocka_unit_test(large_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

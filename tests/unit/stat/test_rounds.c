/* SPDX-License-Identifier: MIT */
/* Rounds of counts: differences, threads, order, unknown ids, damage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stat/rounds.h"
#include "unit/file/recording.h"

struct world {
	struct pfx_meta *meta;
	struct pfx_stat_rounds rounds;
	struct pfx_stat_round round;
	bool swap;
};

static int take(struct world *w, const struct pfx_body *body)
{
	struct pfx_buffer buf = {.swap = w->swap};
	struct pfx_record rec;
	int rc;

	assert_true(pfx_record_encode(body, NULL, &buf));
	pfx_record_init(&rec, buf.at, w->swap, 0);
	rc = pfx_stat_rounds_take(&w->rounds, w->meta, &rec, &w->round, NULL);
	pfx_buffer_fini(&buf);
	return rc;
}

static void count(struct world *w, uint64_t id, uint32_t cpu, uint64_t value)
{
	struct pfx_body body = {.type = PFX_RECORD_STAT};

	body.stat = (struct pfx_stat){id, cpu, 0, value, value * 2, value * 3};
	assert_int_equal(take(w, &body), 0);
}

static void end(struct world *w, uint64_t time)
{
	struct pfx_body body = {.type = PFX_RECORD_STAT_ROUND};

	body.stat_round.time = time;
	assert_int_equal(take(w, &body), 1);
	assert_int_equal(w->round.time, time);
	pfx_stat_rounds_sort(&w->rounds);
}

static const struct pfx_stat_source *fresh(const struct world *w, size_t i)
{
	assert_true(i < w->rounds.fresh.nr);
	return &w->rounds.sources.at[w->rounds.fresh.at[i]];
}

static void check_rounds(bool swap)
{
	struct world w = {test_meta(swap), {.by = PFX_STAT_BY_ALL}, {0}, swap};

	count(&w, 13, 0, 7);
	count(&w, 11, 1, 5);
	count(&w, 11, 0, 4);
	count(&w, 99, 0, 1);
	end(&w, 1000);
	assert_int_equal(w.rounds.fresh.nr, 3);
	assert_int_equal(fresh(&w, 0)->cpu, 0);
	assert_int_equal(pfx_stat_source_count(fresh(&w, 0)).value, 4);
	assert_int_equal(fresh(&w, 1)->cpu, 1);
	assert_int_equal(fresh(&w, 2)->event, 1);
	assert_int_equal(pfx_stat_source_count(fresh(&w, 2)).running, 21);
	assert_null(pfx_stat_source_thread(&w.rounds, fresh(&w, 0)));
	pfx_stat_rounds_end(&w.rounds);
	count(&w, 11, 1, 6);
	count(&w, 11, 1, 8);
	end(&w, 2000);
	assert_int_equal(w.rounds.fresh.nr, 1);
	assert_int_equal(pfx_stat_source_count(fresh(&w, 0)).value, 3);
	assert_int_equal(pfx_stat_source_count(fresh(&w, 0)).enabled, 6);
	pfx_stat_rounds_end(&w.rounds);
	end(&w, 3000);
	assert_int_equal(w.rounds.fresh.nr, 0);
	pfx_stat_rounds_fini(&w.rounds);
	pfx_meta_free(w.meta);
}

static void test_rounds(void **state)
{
	check_rounds(false);
	check_rounds(true);
}

static void test_config_and_threads(void **state)
{
	static const uint8_t config[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	static const uint8_t thread[24] = {42, 0, 0, 0, 0, 0, 0, 0, 'b', 'u', 's', 'y'};
	struct world w = {test_meta(false), {.by = PFX_STAT_BY_ALL}, {0}, false};
	struct pfx_body body = {.type = PFX_RECORD_STAT_CONFIG};

	body.stat_config.entries = (struct pfx_words){.at = config, .nr = 6};
	assert_int_equal(take(&w, &body), 0);
	assert_int_equal(w.rounds.by, PFX_STAT_BY_THREAD);
	assert_int_equal(w.rounds.interval_ms, 7);
	assert_true(w.rounds.no_scale);
	body = (struct pfx_body){.type = PFX_RECORD_THREAD_MAP};
	body.thread_map = (struct pfx_thread_map){1, {thread, sizeof(thread)}};
	assert_int_equal(take(&w, &body), 0);
	count(&w, 12, (uint32_t)-1, 1);
	end(&w, 1);
	assert_int_equal(fresh(&w, 0)->cpu, -1);
	assert_int_equal(pfx_stat_source_thread(&w.rounds, fresh(&w, 0))->tid, 42);
	assert_string_equal(pfx_stat_source_thread(&w.rounds, fresh(&w, 0))->comm, "busy");
	pfx_stat_rounds_fini(&w.rounds);
	pfx_meta_free(w.meta);
}

static void test_damage(void **state)
{
	static const uint8_t cut[16] = {76, 0, 0, 0, 0, 0, 16, 0};
	struct world w = {test_meta(false), {.by = PFX_STAT_BY_ALL}, {0}, false};
	struct pfx_error err = {0};
	struct pfx_record rec;

	pfx_record_init(&rec, cut, false, 0);
	assert_int_equal(pfx_stat_rounds_take(&w.rounds, w.meta, &rec, &w.round, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "STAT"));
	assert_int_equal(w.rounds.sources.nr, 0);
	pfx_stat_rounds_fini(&w.rounds);
	pfx_meta_free(w.meta);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_config_and_threads),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

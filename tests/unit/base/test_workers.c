/* SPDX-License-Identifier: MIT */
/* Jobs on several threads: each is done once, whatever the number of threads. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/workers.h"

#define NR_PIECES 1000

struct world {
	unsigned done[NR_PIECES]; /* how often */
	unsigned busy[PFX_WORKERS_MAX];
	bool two_at_once, beyond, takes_signals;
	unsigned number;
	pthread_t caller;
};

/* Jobs share only the flags, which are only ever set. */
static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

static void count(void *context, size_t piece, unsigned worker)
{
	struct world *world = context;
	sigset_t mask;

	if (worker >= world->number) {
		set(&world->beyond);
		return;
	}
	if (__atomic_add_fetch(&world->busy[worker], 1, __ATOMIC_RELAXED) != 1)
		set(&world->two_at_once);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!pthread_equal(pthread_self(), world->caller) && !sigismember(&mask, SIGINT))
		set(&world->takes_signals);
	world->done[piece]++;
	__atomic_sub_fetch(&world->busy[worker], 1, __ATOMIC_RELAXED);
}

static void check_number(unsigned number)
{
	struct pfx_workers *workers = pfx_workers_new(number);
	static const size_t sizes[] = {NR_PIECES, 0, 1, 2, 3, NR_PIECES, 7};
	struct world world;
	size_t i, k;

	assert_int_equal(pfx_workers_number(workers), number);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memset(&world, 0, sizeof(world));
		world.number = number;
		world.caller = pthread_self();
		pfx_workers_run(workers, sizes[i], count, &world);
		for (k = 0; k < NR_PIECES; k++)
			assert_int_equal(world.done[k], k < sizes[i]);
		assert_false(world.two_at_once || world.beyond || world.takes_signals);
	}
	pfx_workers_free(workers);
}

static void test_each_piece_once(void **state)
{
	unsigned number;

	for (number = 1; number <= PFX_WORKERS_MAX; number++)
		check_number(number);
}

static void sum_up(void *context, size_t piece, unsigned worker)
{
	((uint64_t *)context)[piece] = piece * piece;
}

static void test_results_are_there_after_the_run(void **state)
{
	struct pfx_workers *workers = pfx_workers_new(4);
	uint64_t squares[64];
	unsigned round, i;

	for (round = 0; round < 500; round++) {
		memset(squares, 0xff, sizeof(squares));
		pfx_workers_run(workers, 64, sum_up, squares);
		for (i = 0; i < 64; i++)
			assert_int_equal(squares[i], (uint64_t)i * i);
	}
	pfx_workers_free(workers);
}

struct meeting {
	pthread_barrier_t all;
};

static void meet(void *context, size_t piece, unsigned worker)
{
	pthread_barrier_wait(&((struct meeting *)context)->all);
}

/* Jobs that wait for each other only end if they run at the same time. */
static void test_pieces_are_done_at_the_same_time(void **state)
{
	struct pfx_workers *workers = pfx_workers_new(3);
	struct meeting meeting;

	alarm(900); /* if the system refuses threads */
	pthread_barrier_init(&meeting.all, NULL, 3);
	pfx_workers_run(workers, 3, meet, &meeting);
	pfx_workers_run(workers, 3, meet, &meeting);
	pthread_barrier_destroy(&meeting.all);
	alarm(0);
	pfx_workers_free(workers);
}

/* The caller continues while its one job runs. */
static void test_begin_and_wait(void **state)
{
	struct pfx_workers *workers = pfx_workers_new(2);
	struct meeting meeting;
	unsigned round;

	alarm(300);
	pthread_barrier_init(&meeting.all, NULL, 2);
	for (round = 0; round < 3; round++) {
		pfx_workers_begin(workers, 1, meet, &meeting);
		pthread_barrier_wait(&meeting.all);
		pfx_workers_wait(workers);
	}
	pthread_barrier_destroy(&meeting.all);
	alarm(0);
	pfx_workers_free(workers);
}

static void check_halves(unsigned number)
{
	struct pfx_workers *workers = pfx_workers_new(number);
	uint64_t squares[64];
	unsigned round, i;

	pfx_workers_wait(workers);
	for (round = 0; round < 200; round++) {
		memset(squares, 0xff, sizeof(squares));
		pfx_workers_begin(workers, round % 3, sum_up, squares);
		pfx_workers_wait(workers);
		pfx_workers_wait(workers);
		for (i = 0; i < 64; i++)
			assert_true(squares[i] == (i < round % 3 ? (uint64_t)i * i : UINT64_MAX));
	}
	pfx_workers_free(workers);
}

static void test_halves_with_any_number(void **state)
{
	unsigned number;

	for (number = 1; number <= 4; number++)
		check_halves(number);
}

static void on_caller(void *context, size_t piece, unsigned worker)
{
	if (worker || !pthread_equal(pthread_self(), *(pthread_t *)context))
		abort();
}

static void test_one_means_no_thread(void **state)
{
	struct pfx_workers *workers = pfx_workers_new(1);
	pthread_t self = pthread_self();

	pfx_workers_run(workers, 100, on_caller, &self);
	pfx_workers_begin(workers, 100, on_caller, &self);
	pfx_workers_wait(workers);
	pfx_workers_free(workers);
	workers = pfx_workers_new(8);
	pfx_workers_run(workers, 1, on_caller, &self);
	pfx_workers_free(workers);
	pfx_workers_free(NULL);
}

static void test_wanted(void **state)
{
	unsigned usual;

	unsetenv("PFX_THREADS");
	usual = pfx_workers_wanted();
	assert_in_range(usual, 1, PFX_WORKERS_MAX);
	setenv("PFX_THREADS", "3", 1);
	assert_int_equal(pfx_workers_wanted(), 3);
	setenv("PFX_THREADS", "100000", 1);
	assert_int_equal(pfx_workers_wanted(), PFX_WORKERS_MAX);
	setenv("PFX_THREADS", "0", 1);
	assert_int_equal(pfx_workers_wanted(), usual);
	setenv("PFX_THREADS", "-5", 1);
	assert_int_equal(pfx_workers_wanted(), usual);
	setenv("PFX_THREADS", "many", 1);
	assert_int_equal(pfx_workers_wanted(), usual);
	unsetenv("PFX_THREADS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_piece_once),
		cmocka_unit_test(test_results_are_there_after_the_run),
		cmocka_unit_test(test_pieces_are_done_at_the_same_time),
		cmocka_unit_test(test_begin_and_wait),
		cmocka_unit_test(test_halves_with_any_number),
		cmocka_unit_test(test_one_means_no_thread),
		cmocka_unit_test(test_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A live profile: order, ageing, worlds, profiles for a screen, snapshots. */
#include "live_world.h"

/* Names apply to the samples after them, whichever ring buffer they are in. */
static void names_apply_in_order(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	put_sample(&w, 1, 7, PFX_MODE_USER, SECOND + 15);
	put_sample(&w, 1, 7, PFX_MODE_USER, SECOND + 25);
	put_sample(&w, 1, 7, PFX_MODE_USER, SECOND + 26);
	put_comm(&w, 0, 7, "old", SECOND + 10);
	put_comm(&w, 0, 7, "new", SECOND + 20);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "old").count, 1);
	assert_int_equal(shown(&w, "new").count, 2);
	assert_int_equal(shown(&w, "new").period, 2000);
	end(&w);
}

/* A record that is newer than the previous pass may have older ones after it. */
static void incomplete_times_wait(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 1, 7, "late", SECOND + 10);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 20);
	pfx_live_take(w.live);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 0);
	kernel.ns = SECOND + 15;
	pfx_live_take(w.live);
	pfx_live_take(w.live);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 0);
	take_all(&w);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 1);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "late").count, 1);
	end(&w);
}

static void samples_age(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	for (i = 0; i < 64; i++)
		put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").count, 64);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").count, 56);
	assert_int_equal(shown(&w, "a").period, 56000);
	put_sample(&w, 0, 7, PFX_MODE_USER, 2 * SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, true);
	assert_int_equal(shown(&w, "a").count, 50);
	pfx_live_refresh(w.live, true);
	assert_int_equal(shown(&w, "a").count, 0);
	end(&w);
}

/* The records that are kept, as a profile with times: nothing ages, what is hidden is dropped. */
static void times_come_from_the_log(void **state)
{
	struct pfx_profile *profile;
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 2);
	put_sample(&w, 1, 7, PFX_MODE_USER, SECOND + 3);
	put_sample(&w, 0, 7, PFX_MODE_KERNEL, SECOND + 4);
	take_all(&w);
	pfx_live_refresh(w.live, true);
	pfx_live_refresh(w.live, true);
	profile = pfx_live_timed_profile(w.live, &w.filter, PFX_FRAMES_BY_FUNCTION);
	assert_non_null(profile->row_time);
	assert_int_equal(profile->nr_rows, 3);
	assert_int_equal(profile->first_time, SECOND + 2);
	assert_int_equal(profile->last_time, SECOND + 4);
	assert_int_equal(profile->row_period[0], 1000);
	assert_string_equal(profile->threads[0].comm, "a");
	pfx_profile_free(profile);
	pfx_live_hide(w.live, true, false);
	profile = pfx_live_timed_profile(w.live, &w.filter, PFX_FRAMES_BY_FUNCTION);
	assert_int_equal(profile->nr_rows, 2);
	pfx_profile_free(profile);
	end(&w);
}

static void hidden_samples_are_counted_only(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	pfx_live_hide(w.live, true, false);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_sample(&w, 0, 7, PFX_MODE_KERNEL, SECOND + 2);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 3);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").count, 1);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 2);
	assert_int_equal(pfx_live_counts(w.live)->nr_kernel, 1);
	end(&w);
}

/* --- samples like an earlier one --- */

static void put_many(struct world *w, uint32_t pid, uint64_t time)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		put_sample(w, i % 2, pid, PFX_MODE_USER, time);
}

/* The same address of the same tid, which is another thread's after a fork. */
static void equal_samples_are_of_the_thread_then(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "comm,tid", 0);
	put_comm(&w, 0, 1, "parent", SECOND + 1);
	put_comm(&w, 0, 7, "first", SECOND + 2);
	put_many(&w, 7, SECOND + 3);
	put_task(&w, PFX_RECORD_EXIT, 7, SECOND + 4);
	put_many(&w, 7, SECOND + 5);
	put_task(&w, PFX_RECORD_FORK, 7, SECOND + 6);
	put_many(&w, 7, SECOND + 7);
	put_comm(&w, 0, 7, "second", SECOND + 8);
	put_many(&w, 7, SECOND + 9);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "first").count, 6);
	assert_int_equal(shown(&w, "parent").count, 3);
	assert_int_equal(shown(&w, "second").count, 3);
	assert_int_equal(shown(&w, "second").period, 3000);
	end(&w);
}

static uint64_t count_in(struct world *w, const char *dso)
{
	const struct pfx_hist *hist = pfx_hists_at(pfx_live_hists_shown(w->hists, 0), 0);
	const struct pfx_dso *own;
	uint32_t i;

	for (i = 0; i < hist->nr_rows; i++) {
		own = hist->rows[i]->place->dso;
		if (!strcmp(own ? own->short_name : "", dso))
			return hist->rows[i]->stat->count;
	}
	return 0;
}

static void put_map(struct world *w, const char *name, uint64_t time)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2,
				.mmap = {.pid = 7,
					 .tid = 7,
					 .addr = 0x1000,
					 .len = 0x1000,
					 .prot = 5,
					 .filename = name}};

	put(w, 0, &body, time);
}

static void equal_samples_are_of_the_map_then(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "dso", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_many(&w, 7, SECOND + 2);
	put_map(&w, "/absent/old", SECOND + 3);
	put_many(&w, 7, SECOND + 4);
	put_comm(&w, 0, 8, "b", SECOND + 5);
	put_many(&w, 7, SECOND + 6);
	put_map(&w, "/absent/new", SECOND + 7);
	put_many(&w, 7, SECOND + 8);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(count_in(&w, ""), 3);
	assert_int_equal(count_in(&w, "old"), 6);
	assert_int_equal(count_in(&w, "new"), 3);
	end(&w);
}

static void equal_samples_are_of_their_cpu(void **state)
{
	const struct pfx_hist *hist;
	struct world w;

	(void)state;
	begin(&w, "cpu", 0);
	assert_true(w.live->memo.needs_cpu);
	put_cpu_sample(&w, 0, SECOND + 1);
	put_cpu_sample(&w, 1, SECOND + 2);
	put_cpu_sample(&w, 1, SECOND + 3);
	put_cpu_sample(&w, 0, SECOND + 4);
	put_cpu_sample(&w, 1, SECOND + 5);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	hist = pfx_hists_at(pfx_live_hists_shown(w.hists, 0), 0);
	assert_int_equal(hist->nr_rows, 2);
	assert_int_equal(hist->rows[0]->stat->count, 3);
	assert_int_equal(hist->rows[0]->cpu, 1);
	assert_int_equal(hist->rows[1]->stat->count, 2);
	end(&w);
}

/* What is hidden from now on, and what was found before: also after as many refreshes as numbers of
 * rounds. */
static void equal_samples_follow_changes(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	assert_false(w.live->memo.needs_cpu);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_many(&w, 7, SECOND + 2);
	take_all(&w);
	pfx_live_hide(w.live, false, true);
	put_many(&w, 7, 2 * SECOND + 2);
	put_many(&w, 7, 2 * SECOND + 3);
	take_all(&w);
	pfx_live_hide(w.live, false, false);
	put_many(&w, 7, 3 * SECOND + 2);
	take_all(&w);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 12);
	pfx_live_refresh(w.live, true);
	assert_int_equal(shown(&w, "a").count, 6);
	for (i = 0; i <= UINT16_MAX; i++)
		pfx_live_memo_void(&w.live->memo);
	put_many(&w, 7, 4 * SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, true);
	assert_int_equal(shown(&w, "a").count, 3);
	end(&w);
}

static void losses_are_counted(void **state)
{
	struct pfx_body lost = {.type = PFX_RECORD_LOST, .lost = {.id = 1, .lost = 42}};
	static const uint8_t damaged[8] = {9, 0, 0, 0, 0, 0, 3, 0};
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	put(&w, 1, &lost, SECOND + 1);
	put_sample(&w, 1, 7, PFX_MODE_USER, SECOND + 2);
	put_bytes(0, damaged, sizeof(damaged));
	take_all(&w);
	assert_int_equal(pfx_live_counts(w.live)->nr_lost, 42);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 1);
	assert_int_equal(w.live->merge.nr_bad, 1);
	/* The rest of that ring buffer is readable again. */
	put_sample(&w, 0, 7, PFX_MODE_USER, 2 * SECOND + 2);
	take_all(&w);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 2);
	end(&w);
}

/* Records that wrap at the end of the ring buffer, many times. */
static void ring_buffers_wrap(void **state)
{
	unsigned i, k, nr = 0;
	struct world w;

	(void)state;
	begin(&w, "comm", 0);
	for (i = 0; i < 40; i++) {
		for (k = 0; k < 77; k++) {
			put_sample(&w, k % 2, 7, PFX_MODE_USER, kernel.ns + k);
			if (k % 7 == 0)
				put_comm(&w, k % 2, 7, k % 2 ? "odd name" : "even", kernel.ns + k);
			nr++;
		}
		take_all(&w);
	}
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, nr);
	assert_int_equal(w.live->merge.nr_bad, 0);
	end(&w);
}

/* Many processes that end: session and resolver are made anew, and nothing that is shown changes.
 */
static void ended_processes_are_forgotten(void **state)
{
	uint32_t pid = 1000, i;
	struct world w;

	(void)state;
	begin(&w, "comm", 1u << 20);
	put_comm(&w, 0, 7, "stays", SECOND + 1);
	take_all(&w);
	while (pfx_live_counts(w.live)->nr_worlds < 3) {
		put_sample(&w, 1, 7, PFX_MODE_USER, kernel.ns + 1);
		for (i = 0; i < 100; i++, pid++) {
			put_task(&w, PFX_RECORD_FORK, pid, kernel.ns + i);
			put_comm(&w, 0, pid, "storm", kernel.ns + i);
			put_task(&w, PFX_RECORD_EXIT, pid, kernel.ns + i);
		}
		take_all(&w);
		assert_true(pid < 200000);
		assert_true(pfx_session_nr_threads(w.live->world.session) < 60000);
		assert_true(pfx_session_nr_threads(w.live->past) < 60000);
	}
	pfx_live_refresh(w.live, false);
	assert_true(shown(&w, "stays").count > 0);
	assert_int_equal(shown(&w, ":7").count, 0);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, (pid - 1000) / 100);
	end(&w);
}

/* Counting again after the names were made anew gives the same numbers, with their ages. */
static void a_new_world_has_the_same_counts(void **state)
{
	struct pfx_row_stat before, after;
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	for (i = 0; i < 5; i++) {
		put_sample(&w, i % 2, 7, PFX_MODE_USER, kernel.ns + i);
		put_sample(&w, i % 2, 7, PFX_MODE_USER, kernel.ns + i);
		take_all(&w);
		pfx_live_refresh(w.live, i == 1);
	}
	before = shown(&w, "a");
	w.live->limit.threads = 0;
	pfx_live_tidy(w.live);
	assert_int_equal(pfx_live_counts(w.live)->nr_worlds, 2);
	after = shown(&w, "a");
	assert_int_equal(after.count, before.count);
	assert_int_equal(after.period, before.period);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 10);
	end(&w);
}

/* What is held is shown until the refresh after it, however often the names are made anew. */
static void held_tables_outlive_worlds(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").count, 1);
	pfx_live_hists_hold(w.hists, true);
	pfx_live_hold(w.live, true);
	for (i = 0; i < 3; i++) {
		put_comm(&w, 0, 7, "b", kernel.ns + 1);
		put_sample(&w, 0, 7, PFX_MODE_USER, kernel.ns + 2);
		take_all(&w);
		w.live->limit.threads = 0;
		pfx_live_tidy(w.live);
		pfx_live_refresh(w.live, false);
		assert_int_equal(pfx_live_counts(w.live)->nr_worlds, 2 + i);
		assert_int_equal(shown(&w, "a").count, 1);
		assert_int_equal(shown(&w, "b").count, 0);
	}
	pfx_live_hists_hold(w.hists, false);
	pfx_live_hold(w.live, false);
	assert_int_equal(shown(&w, "a").count, 1);
	assert_non_null(w.live->held.session);
	put_sample(&w, 0, 7, PFX_MODE_USER, kernel.ns + 1);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_null(w.live->held.session);
	assert_true(shown(&w, "b").count > 0);
	end(&w);
}

static void pausing_stops_the_events(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 2);
	put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 3);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	put_sample(&w, 0, 7, PFX_MODE_USER, kernel.ns + 1);
	kernel.ns += SECOND;
	assert_int_equal(pfx_live_pause(w.live, true, NULL), 0);
	assert_int_equal(kernel.nr_disabled, 1);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, 3);
	/* Nothing ages, and nothing is forgotten. */
	for (i = 0; i < 50; i++) {
		take_all(&w);
		pfx_live_refresh(w.live, i & 1);
		assert_int_equal(shown(&w, "a").count, 2);
	}
	assert_int_equal(pfx_live_pause(w.live, false, NULL), 0);
	assert_int_equal(kernel.nr_enabled, 2);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").period, 2000 * 7 / 8 + 1000);
	end(&w);
}

/* --- profiles for a screen --- */

static uint64_t samples_of(const struct pfx_profile *profile, const char *comm)
{
	uint64_t nr = 0;
	uint32_t i;

	assert_non_null(profile);
	for (i = 0; i < profile->nr_rows; i++)
		if (!strcmp(profile->comms[profile->tasks[profile->row_task[i]].comm], comm))
			nr += pfx_profile_count(profile, i);
	return nr;
}

static uint64_t take_profile(struct pfx_live_profile *counted, const char *comm)
{
	struct pfx_profile *profile = pfx_live_profile_take(counted);
	uint64_t nr = samples_of(profile, comm);

	pfx_profile_free(profile);
	return nr;
}

static void profiles_age(void **state)
{
	struct pfx_live_profile *counted;
	struct pfx_live_sink sink;
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 0);
	counted = pfx_live_profile_new(&w.filter, PFX_FRAMES_BY_FUNCTION);
	sink = pfx_live_profile_sink(counted);
	pfx_live_add_sink(w.live, &sink);
	assert_null(pfx_live_profile_take(counted));
	put_comm(&w, 0, 7, "a", SECOND + 1);
	for (i = 0; i < 64; i++)
		put_sample(&w, 0, 7, PFX_MODE_USER, SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(take_profile(counted, "a"), 64);
	pfx_live_refresh(w.live, false);
	assert_int_equal(take_profile(counted, "a"), 56);
	/* It shows the same until there is something newer, and the same in a new world. */
	assert_int_equal(take_profile(counted, "a"), 56);
	w.live->limit.threads = 0;
	pfx_live_tidy(w.live);
	assert_int_equal(take_profile(counted, "a"), 56);
	put_comm(&w, 0, 8, "b", 2 * SECOND + 1);
	put_sample(&w, 0, 8, PFX_MODE_USER, 2 * SECOND + 2);
	take_all(&w);
	pfx_live_refresh(w.live, true);
	assert_int_equal(take_profile(counted, "a"), 49);
	assert_int_equal(take_profile(counted, "b"), 1);
	pfx_live_refresh(w.live, true);
	assert_int_equal(take_profile(counted, "a"), 0);
	for (i = 0; i < 40; i++)
		pfx_live_refresh(w.live, false);
	assert_int_equal(take_profile(counted, "b"), 0);
	pfx_live_profile_free(counted);
	end(&w);
}

static void put_chain(struct world *w, uint64_t nr)
{
	uint64_t chain[1 + 40] = {PFX_CONTEXT_USER};
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER,
				    .misc = PFX_MODE_USER,
				    .ip = 0x1000,
				    .pid = 7,
				    .tid = 7,
				    .time = kernel.ns + 1,
				    .id = 1,
				    .period = 1000,
				    .chain = {.at = (const uint8_t *)chain, .nr = 2 + nr * 7 % 40}};
	uint64_t i;

	for (i = 1; i <= 40; i++)
		chain[i] = 0x1000 + (nr >> (i % 8) & 15) * 0x10;
	put_made(w, 0, &sample);
}

/* Tables and a profile have the same call chains, which one thread looks up. */
static void chains_are_shared(void **state)
{
	enum { NR = 20000, AT_ONCE = 100 };
	struct pfx_live_profile *counted;
	struct pfx_live_sink sink;
	struct world w;
	unsigned i;

	(void)state;
	begin_as(&w, "comm", 0, true);
	counted = pfx_live_profile_new(&w.filter, PFX_FRAMES_BY_FUNCTION);
	sink = pfx_live_profile_sink(counted);
	pfx_live_add_sink(w.live, &sink);
	put_comm(&w, 0, 7, "a", SECOND + 1);
	for (i = 0; i < NR; i++) {
		put_chain(&w, i);
		if (i % AT_ONCE == AT_ONCE - 1)
			take_all(&w);
	}
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "a").count, NR);
	assert_int_equal(take_profile(counted, "a"), NR);
	pfx_live_profile_free(counted);
	end(&w);
}

/* --- snapshots --- */

/* All names that the samples of a recording have, in their order. */
static void names_in(const char *path, struct pfx_str *to)
{
	struct pfx_resolve_options how = {0};
	struct pfx_recording *recording;
	struct pfx_error err = {0};
	struct pfx_item item;

	assert_int_equal(pfx_recording_open(&recording, path, NULL, &err), 0);
	pfx_recording_resolve(recording, &how);
	while (pfx_recording_next(recording, &item, &err) > 0)
		if (item.sample)
			pfx_str_addf(to, "%s ",
				     pfx_recording_thread(recording, item.sample)->comm->text);
	pfx_recording_free(recording);
}

/* Names that were given before the oldest record, and after it. */
static void snapshots_are_recordings(void **state)
{
	struct pfx_live_snapshot done;
	struct pfx_error err = {0};
	struct pfx_str names = {0};
	struct tree tree;
	char path[128];
	struct world w;
	unsigned i;

	(void)state;
	tree_init(&tree);
	tree_path(&tree, path, sizeof(path), "/perf.data");
	begin(&w, "comm", 1);
	put_comm(&w, 0, 7, "early", SECOND + 1);
	take_all(&w);
	for (i = 0; i < 40000; i++) {
		put_sample(&w, i % 2, 9, PFX_MODE_USER, kernel.ns + i % 100);
		if (i % 100 == 99)
			take_all(&w);
	}
	put_sample(&w, 1, 7, PFX_MODE_USER, kernel.ns + 1);
	put_comm(&w, 0, 7, "late", kernel.ns + 2);
	put_sample(&w, 1, 7, PFX_MODE_USER, kernel.ns + 3);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(pfx_live_snapshot(w.live, path, &done, &err), 0);
	assert_true(done.nr_samples > 2 && done.nr_samples < 40000);
	assert_true(done.bytes > 0 && done.seconds > 0);
	names_in(path, &names);
	assert_string_equal(names.at + names.len - strlen("early late "), "early late ");
	assert_int_equal(pfx_live_snapshot(w.live, "/nowhere/at/all", &done, &err), -ENOENT);
	/* What goes on is as before. */
	put_sample(&w, 1, 7, PFX_MODE_USER, kernel.ns + 4);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	assert_int_equal(shown(&w, "late").period, 875 + 1000);
	pfx_str_fini(&names);
	end(&w);
	tree_fini(&tree);
}

/* --- a kernel that does not wait --- */

#ifdef PFX_SANITIZED
#define STORM_SAMPLES 100000u
#else
#define STORM_SAMPLES 1000000u
#endif
#define STORM_EARLY 5000u /* more than fit, before anything is read */
#define STORM_PIDS  7u
#define STORM_TURN  10000u /* samples; in one turn of ten the writer does not wait for room */

struct storm {
	struct ring_writer writers[NR_RINGS];
	struct pfx_buffer samples[STORM_PIDS];
	size_t time_at;
	unsigned nr_made, nr_put[STORM_PIDS];
	bool is_over;
};

/* Encode the sample twice: its time is where the two differ first. */
static void make_samples(struct world *w, struct storm *storm)
{
	struct pfx_buffer other = {0};
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER,
				    .misc = PFX_MODE_USER,
				    .ip = 0x1000,
				    .id = 1,
				    .period = 1000};
	unsigned i;

	for (i = 0; i < STORM_PIDS; i++) {
		sample.pid = sample.tid = 100 + i;
		assert_true(pfx_sample_encode(&sample, w->attr, &storm->samples[i]));
	}
	sample.time = UINT64_MAX;
	assert_true(pfx_sample_encode(&sample, w->attr, &other));
	while (storm->samples[STORM_PIDS - 1].at[storm->time_at] == other.at[storm->time_at])
		storm->time_at++;
	pfx_buffer_fini(&other);
}

static void storm_begin(struct world *w, struct storm *storm)
{
	struct pfx_body lost = {.type = PFX_RECORD_LOST, .lost = {.id = 1}};
	struct pfx_buffer bytes = {0};
	unsigned i;

	*storm = (struct storm){0};
	make_samples(w, storm);
	lost.id.id = lost.id.identifier = 1;
	lost.id.time = UINT64_MAX;
	assert_true(pfx_record_encode(&lost, w->attr, &bytes));
	for (i = 0; i < NR_RINGS; i++) {
		struct ring_writer *writer = &storm->writers[i];
		const struct pfx_ring *ring = &kernel.rings->list.at[i];

		writer->page = ring->page;
		writer->data = ring->data;
		writer->size = ring->size;
		writer->lost_size = bytes.len;
		memcpy(writer->lost, bytes.at, bytes.len);
		while (writer->lost[writer->lost_time_at] != 0xff)
			writer->lost_time_at++;
	}
	pfx_buffer_fini(&bytes);
}

/* Each sample is one nanosecond later, and is complete before the clock shows its time. */
static void storm_write(struct storm *storm, unsigned nr)
{
	uint64_t time;

	for (; nr; nr--, storm->nr_made++) {
		struct ring_writer *writer = &storm->writers[storm->nr_made / 5 % NR_RINGS];
		unsigned pid = storm->nr_made % STORM_PIDS;
		struct pfx_buffer *sample = &storm->samples[pid];

		while (storm->nr_made / STORM_TURN % 10 &&
		       !ring_writer_has_room(writer, sample->len))
			sched_yield();

		time = kernel.ns + 1;
		memcpy(sample->at + storm->time_at, &time, sizeof(time));
		storm->nr_put[pid] +=
			ring_writer_put(&storm->writers[storm->nr_made / 5 % NR_RINGS], sample->at,
					sample->len, time);
		__atomic_store_n(&kernel.ns, time, __ATOMIC_RELEASE);
	}
}

static void *write_storm(void *context)
{
	struct storm *storm = context;
	unsigned i;

	storm_write(storm, STORM_SAMPLES - STORM_EARLY);
	for (i = 0; i < NR_RINGS; i++)
		while (!ring_writer_flush(&storm->writers[i], kernel.ns))
			sched_yield();
	__atomic_store_n(&storm->is_over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The kernel writes while ring buffers are read, sometimes faster than they are: what is taken and
 * what is reported as lost is everything, and each sample is counted for its process. */
static void a_storm_is_counted(void **state)
{
	uint64_t nr_put = 0, nr_dropped = 0;
	struct storm storm;
	pthread_t thread;
	char name[16];
	struct world w;
	unsigned i;

	(void)state;
	begin(&w, "comm", 1u << 20);
	storm_begin(&w, &storm);
	storm_write(&storm, STORM_EARLY);
	assert_true(storm.writers[0].nr_dropped && storm.writers[1].nr_dropped);
	assert_int_equal(pthread_create(&thread, NULL, write_storm, &storm), 0);
	while (!__atomic_load_n(&storm.is_over, __ATOMIC_ACQUIRE))
		pfx_live_take(w.live);
	pthread_join(thread, NULL);
	take_all(&w);
	pfx_live_refresh(w.live, false);
	for (i = 0; i < NR_RINGS; i++) {
		nr_put += storm.writers[i].nr_put;
		nr_dropped += storm.writers[i].nr_dropped;
	}
	assert_int_equal(nr_put + nr_dropped, STORM_SAMPLES);
	assert_int_equal(pfx_live_counts(w.live)->nr_samples, nr_put);
	assert_int_equal(pfx_live_counts(w.live)->nr_lost, nr_dropped);
	assert_int_equal(w.live->merge.nr_bad, 0);
	for (i = 0; i < STORM_PIDS; i++) {
		snprintf(name, sizeof(name), ":%u", 100 + i);
		assert_int_equal(shown(&w, name).count, storm.nr_put[i]);
		assert_int_equal(shown(&w, name).period, 1000ull * storm.nr_put[i]);
		pfx_buffer_fini(&storm.samples[i]);
	}
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_apply_in_order),
		cmocka_unit_test(incomplete_times_wait),
		cmocka_unit_test(samples_age),
		cmocka_unit_test(times_come_from_the_log),
		cmocka_unit_test(hidden_samples_are_counted_only),
		cmocka_unit_test(equal_samples_are_of_the_thread_then),
		cmocka_unit_test(equal_samples_are_of_the_map_then),
		cmocka_unit_test(equal_samples_are_of_their_cpu),
		cmocka_unit_test(equal_samples_follow_changes),
		cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(ring_buffers_wrap),
		cmocka_unit_test(ended_processes_are_forgotten),
		cmocka_unit_test(a_new_world_has_the_same_counts),
		cmocka_unit_test(pausing_stops_the_events),
		cmocka_unit_test(held_tables_outlive_worlds),
		cmocka_unit_test(profiles_age),
		cmocka_unit_test(chains_are_shared),
		cmocka_unit_test(snapshots_are_recordings),
		cmocka_unit_test(a_storm_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

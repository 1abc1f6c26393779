/* SPDX-License-Identifier: MIT */
/*
 * Data that must wait for the end of the input are written to an unnamed file: streams and
 * compressed records without rounds, records without any order. Memory is bounded, the result is
 * the same. A full folder is an error; without any folder, memory is used.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "file/buffer/spill_internal.h"
#include "file/pack/pack.h"
#include "unit/base/memory_use.h"
#include "unit/file/recording.h"

#define NR ((uint64_t)3000000) /* samples: 120 MB */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_MAX ((uint64_t)512 << 20) /* includes memory that the allocator keeps */
#else
#define MEMORY_MAX ((uint64_t)96 << 20)
#endif
#define RUN        1000 /* samples of one ring buffer in a row */
#define WRITE_SIZE 65536
#define ATTR_BYTES PFX_ATTR_SIZE_VER7

struct shape {
	const char *name;
	uint64_t nr, round; /* samples; in a round */
	bool packed, falls;
};

/* --- the child that writes the stream --- */

static void write_payload(const struct shape *shape);

static void flush(struct pfx_buffer *b, struct pfx_pack *pack)
{
	struct pfx_buffer wire = {0};
	struct pfx_error err;

	if (pack && pfx_pack_bytes(pack, b->at, b->len, &wire, &err))
		_exit(1);
	if (pfx_write_full(STDOUT_FILENO, pack ? wire.at : b->at, pack ? wire.len : b->len))
		_exit(1);
	pfx_buffer_fini(&wire);
	pfx_buffer_clear(b);
}

/* Two ring buffers alternate, a run each; or each sample is older than the previous one. */
static uint64_t time_of(const struct shape *shape, uint64_t i)
{
	uint64_t run = i / RUN;

	if (shape->falls)
		return shape->nr - i;
	return 1 + (run / 2 * RUN + i % RUN) * 2 + run % 2;
}

static void write_stream(const struct shape *shape)
{
	struct pfx_attr attr = test_attr();
	struct pfx_pack *pack = NULL;
	struct pfx_buffer b = {0};
	struct pfx_error err;
	uint64_t i;

	pfx_buffer_u64(&b, 0x32454c4946524550ull);
	pfx_buffer_u64(&b, 16);
	put_head(&b, PFX_RECORD_HEADER_ATTR, 8 + ATTR_BYTES + 8);
	pfx_attr_encode(&attr, &b);
	pfx_buffer_u64(&b, 11);
	flush(&b, NULL);
	if (shape->packed && pfx_pack_new(&pack, 1, &err))
		_exit(1);
	for (i = 0; i < shape->nr; i++) {
		put_sample(&b, i, time_of(shape, i));
		if (b.len >= WRITE_SIZE)
			flush(&b, pack);
		if (!shape->round || (i + 1) % shape->round)
			continue;
		flush(&b, pack);
		put_round(&b);
		flush(&b, NULL);
	}
	flush(&b, pack);
	pfx_pack_free(pack);
	pfx_buffer_fini(&b);
	_exit(0);
}

/* Redirect standard input to the stream. */
static pid_t begin_stream(const struct shape *shape, int *ret_saved)
{
	int fds[2];
	pid_t pid;

	*ret_saved = dup(STDIN_FILENO);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		close(fds[0]);
		dup2(fds[1], STDOUT_FILENO);
		close(fds[1]);
		if (!strcmp(shape->name, "payload"))
			write_payload(shape);
		write_stream(shape);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	return pid;
}

static void end_stream(pid_t pid, int saved)
{
	int status;

	dup2(saved, STDIN_FILENO);
	close(saved);
	waitpid(pid, &status, 0);
}

/* --- the reader --- */

struct result {
	int rc;
	struct pfx_error err;
	uint64_t nr, nr_misplaced, memory;
};

static struct result read_stream(const struct shape *shape)
{
	uint64_t before = memory_use("VmRSS:"), now, last = 0;
	struct result ret = {0};
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_record rec;
	int saved;
	pid_t pid = begin_stream(shape, &saved);

	assert_int_equal(pfx_reader_open(&reader, "-", NULL, &ret.err), 0);
	order = pfx_order_new(reader, false);
	while ((ret.rc = pfx_order_next(order, &rec, &ret.err)) > 0) {
		if (rec.type != PFX_RECORD_SAMPLE)
			continue;
		ret.nr_misplaced += rec.time != last + 1;
		last = rec.time;
		if (shape->falls)
			ret.nr_misplaced += pfx_load64(rec.bytes + 8, false) != shape->nr - last;
		if (++ret.nr & 0xfff)
			continue;
		now = memory_use("VmRSS:");
		if (now > before && now - before > ret.memory)
			ret.memory = now - before;
	}
	pfx_order_free(order);
	pfx_reader_free(reader);
	end_stream(pid, saved);
	return ret;
}

static void stays_bounded(void **state)
{
	const struct shape *shape = *state;
	struct pfx_pack *pack = NULL;
	struct pfx_error err;
	struct result ret;

	if (shape->packed && pfx_pack_new(&pack, 1, &err))
		skip(); /* built without zstd */
	pfx_pack_free(pack);
	ret = read_stream(shape);
	assert_int_equal(ret.rc, 0);
	assert_int_equal(ret.nr, shape->nr);
	assert_int_equal(ret.nr_misplaced, 0);
	assert_true(ret.memory < MEMORY_MAX);
}

static void full_folder(void **state)
{
	const struct shape *shape = *state;
	struct rlimit limit, old;
	struct result ret;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ret = read_stream(shape);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(ret.rc < 0);
	assert_non_null(strstr(ret.err.text, "put in order"));
	assert_non_null(strstr(ret.err.hint, "TMPDIR"));
}

/* No folder for the file: the data wait in memory. */
static void no_folder(void **state)
{
	const struct shape *shape = *state;
	const char *before = getenv("TMPDIR");
	char *old = before ? pfx_strdup(before) : NULL;
	struct result ret;

	setenv("TMPDIR", "/nonexistent/folder", 1);
	ret = read_stream(shape);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
	free(old);
	assert_int_equal(ret.rc, 0);
	assert_int_equal(ret.nr, shape->nr);
	assert_int_equal(ret.nr_misplaced, 0);
}

/* --- payload outside of records --- */

#define PAYLOAD ((uint64_t)80 << 20)

static uint64_t payload_word(uint64_t i)
{
	return i * 0x9e3779b97f4a7c15ull;
}

static void put_auxtrace(struct pfx_buffer *b, uint64_t size)
{
	put_head(b, PFX_RECORD_AUXTRACE, 48);
	pfx_buffer_u64(b, size);
	pfx_buffer_zeros(b, 32);
}

/* An AUXTRACE record with a size of @shape->round bytes and @shape->nr actual bytes, and a
 * sample. */
static void write_payload(const struct shape *shape)
{
	struct pfx_attr attr = test_attr();
	struct pfx_buffer b = {0};
	uint64_t i;

	pfx_buffer_u64(&b, 0x32454c4946524550ull);
	pfx_buffer_u64(&b, 16);
	put_head(&b, PFX_RECORD_HEADER_ATTR, 8 + ATTR_BYTES);
	pfx_attr_encode(&attr, &b);
	put_sample(&b, 1, 1);
	put_auxtrace(&b, shape->round);
	for (i = 0; i < shape->nr / 8; i++) {
		pfx_buffer_u64(&b, payload_word(i));
		if (b.len >= WRITE_SIZE)
			flush(&b, NULL);
	}
	put_auxtrace(&b, 0);
	put_sample(&b, 2, 2);
	flush(&b, NULL);
	_exit(0);
}

static void check_payload(const struct pfx_record *rec, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size / 8; i++)
		if (pfx_load64(rec->extra + 8 * i, false) != payload_word(i))
			fail_msg("byte %llu of the payload", (unsigned long long)(8 * i));
}

struct payload {
	uint64_t nr_samples, size, memory;
	bool kept;
	struct pfx_reader_damage damage;
};

static struct payload read_payload(const struct shape *shape, bool keep)
{
	const struct pfx_reader_options options = {.keep_payload = keep};
	uint64_t before = memory_use("RssAnon:"), now;
	struct payload ret = {0};
	struct pfx_reader *reader;
	struct pfx_record rec;
	struct pfx_error err;
	int saved, rc;
	pid_t pid = begin_stream(shape, &saved);

	assert_int_equal(pfx_reader_open(&reader, "-", &options, &err), 0);
	while ((rc = pfx_reader_next(reader, &rec, &err)) > 0) {
		ret.nr_samples += rec.type == PFX_RECORD_SAMPLE;
		if (rec.type != PFX_RECORD_AUXTRACE || !rec.extra_size)
			continue;
		ret.size = rec.extra_size;
		ret.kept = rec.extra;
		if (rec.extra)
			check_payload(&rec, ret.size < shape->nr ? ret.size : shape->nr);
		now = memory_use("RssAnon:");
		ret.memory = now > before ? now - before : 0;
	}
	assert_int_equal(rc, 0);
	ret.damage = *pfx_reader_damage(reader);
	pfx_reader_free(reader);
	end_stream(pid, saved);
	return ret;
}

/* The payload is not read into memory, whether it is used or not. */
static void long_payload(void **state)
{
	static const struct shape whole = {.name = "payload", .nr = PAYLOAD, .round = PAYLOAD};
	struct payload got;
	int keep;

	for (keep = 0; keep < 2; keep++) {
		got = read_payload(&whole, keep);
		assert_int_equal(got.kept, keep);
		assert_int_equal(got.size, PAYLOAD);
		assert_int_equal(got.nr_samples, 2);
		assert_false(got.damage.cut_short);
		assert_int_equal(got.damage.bytes_skipped, 0);
		assert_true(got.memory < (uint64_t)32 << 20);
	}
}

/* Sizes around the limit for reading into memory. */
static void payload_sizes(void **state)
{
	struct shape shape = {.name = "payload"};
	struct payload got;
	int i;

	for (i = -2; i < 3; i++) {
		shape.nr = shape.round = PFX_SPILL_PIECE - 65536 + 8ull * (uint64_t)i;
		got = read_payload(&shape, true);
		assert_true(got.kept);
		assert_int_equal(got.size, shape.nr);
		assert_int_equal(got.nr_samples, 2);
	}
}

/* A payload size that is larger than the file, or than any file. */
static void wrong_payload(void **state)
{
	static const struct shape cut = {.name = "payload", .nr = 3 << 20, .round = PAYLOAD};
	static const struct shape absurd = {.name = "payload", .nr = 3 << 20, .round = 1ull << 60};
	struct payload got;
	int keep;

	for (keep = 0; keep < 2; keep++) {
		got = read_payload(&cut, keep);
		assert_true(got.damage.cut_short);
		assert_int_equal(got.nr_samples, 1);
		assert_in_range(got.size, 3 << 20, (3 << 20) + 1000);
		got = read_payload(&absurd, keep);
		assert_int_equal(got.nr_samples, 2);
		assert_int_equal(got.damage.nr_bad, 1);
		assert_int_equal(got.damage.bytes_skipped, 3 << 20);
	}
}

/* --- the spill alone --- */

static void pieces(void **state)
{
	enum { NR_PIECES = 70 }; /* more than an extent has */
	static uint8_t *at[NR_PIECES];
	struct pfx_spill spill;
	size_t i;

	pfx_spill_init(&spill);
	assert_false(pfx_spill_is_due(&spill));
	spill.held = PFX_SPILL_ABOVE;
	assert_true(pfx_spill_is_due(&spill));
	for (i = 0; i < NR_PIECES; i++) {
		at[i] = pfx_spill_new_piece(&spill);
		assert_non_null(at[i]);
		memset(at[i], (int)i + 1, PFX_SPILL_PIECE);
		if (i % 3)
			assert_int_equal(pfx_spill_store(&spill, at[i], PFX_SPILL_PIECE), 0);
	}
	pfx_spill_drop_pages(&spill);
	for (i = 0; i < NR_PIECES; i++) {
		assert_int_equal(at[i][0], i + 1);
		assert_int_equal(at[i][PFX_SPILL_PIECE - 1], i + 1);
	}
	assert_ptr_equal(pfx_spill_renew(&spill, at[1]), at[1]);
	memset(at[1], 200, PFX_SPILL_PIECE);
	assert_int_equal(pfx_spill_store(&spill, at[1], 5), 0);
	pfx_spill_drop_pages(&spill);
	assert_int_equal(at[1][4], 200);
	assert_int_equal(at[2][0], 3);
	pfx_spill_fini(&spill);
	pfx_spill_fini(&spill);
}

static void regions(void **state)
{
	const uint8_t *first, *second;
	struct pfx_spill spill;
	char word[8] = "abcdefg";
	size_t i;

	pfx_spill_init(&spill);
	assert_int_equal(pfx_spill_begin_region(&spill), 0);
	for (i = 0; i < 100000; i++)
		assert_int_equal(pfx_spill_write(&spill, word, sizeof(word)), 0);
	assert_int_equal(pfx_spill_end_region(&spill, &first), 0);
	assert_int_equal(pfx_spill_begin_region(&spill), 0);
	assert_int_equal(pfx_spill_write(&spill, "second", 7), 0);
	assert_int_equal(pfx_spill_end_region(&spill, &second), 0);
	pfx_spill_drop_pages(&spill);
	assert_string_equal((const char *)first + 99999 * sizeof(word), word);
	pfx_spill_drop_region(&spill, first);
	assert_string_equal((const char *)second, "second");
	pfx_spill_drop_region(&spill, second);
	pfx_spill_fini(&spill);
}

int main(void)
{
	static struct shape in_runs = {"runs", NR, 0, false, false};
	static struct shape packed = {"packed", NR, 0, true, false};
	static struct shape falling = {"falling", NR / 2, 0, false, true};
	static struct shape rounds = {"rounds", NR, NR / 4, false, false};
	static struct shape few = {"few", NR / 2, 0, false, false};
	static struct shape few_falling = {"few falling", NR / 8, 0, false, true};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces),
		cmocka_unit_test(regions),
		cmocka_unit_test(long_payload),
		cmocka_unit_test(payload_sizes),
		cmocka_unit_test(wrong_payload),
		cmocka_unit_test_prestate(stays_bounded, &in_runs),
		cmocka_unit_test_prestate(stays_bounded, &packed),
		cmocka_unit_test_prestate(stays_bounded, &falling),
		cmocka_unit_test_prestate(stays_bounded, &rounds),
		cmocka_unit_test_prestate(full_folder, &few),
		cmocka_unit_test_prestate(full_folder, &few_falling),
		cmocka_unit_test_prestate(no_folder, &few),
		cmocka_unit_test_prestate(no_folder, &few_falling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * JIT code in a report without injection: functions start at the jitdump's time, move, are replaced
 * at their address and stay when the process maps memory over them; kept copies of perf maps and
 * jitdumps have precedence over current files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sha1.h"
#include "sym/cache/keep.h"
#include "unit/sym/jitdump_make.h"
#include "unwind/resolve.h"

#define PID   4194302 /* above any default pid_max */
#define MOVED (JIT_ADDR + 0x1000)

struct world {
	char dir[64], dump[96];
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_attr attr;
};

static struct world w;

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void write_dump(bool swap)
{
	struct pfx_buffer b;
	size_t start;

	jit_make(&b, swap);
	/* another function at the address of the first one */
	start = jit_begin(&b, 0, 1500);
	pfx_buffer_u32(&b, JIT_PID);
	pfx_buffer_u32(&b, JIT_PID);
	pfx_buffer_u64(&b, JIT_ADDR);
	pfx_buffer_u64(&b, JIT_ADDR);
	pfx_buffer_u64(&b, 4);
	pfx_buffer_u64(&b, 6);
	pfx_buffer_cstr(&b, "app:stop", 1);
	pfx_buffer_bytes(&b, "code", 4);
	jit_end(&b, start);
	write_file(w.dump, b.at, b.len);
	pfx_buffer_fini(&b);
}

static void begin(bool swap, int clock)
{
	struct pfx_resolve_options options = {0};

	memset(&w, 0, sizeof(w));
	strcpy(w.dir, "/tmp/pfx-jit-XXXXXX");
	assert_non_null(mkdtemp(w.dir));
	snprintf(w.dump, sizeof(w.dump), "%s/jit-%d.dump", w.dir, JIT_PID);
	w.meta = pfx_meta_new();
	w.attr.size = PFX_ATTR_SIZE_VER7;
	w.attr.sample_type = PFX_SAMPLE_TID | PFX_SAMPLE_TIME;
	w.attr.flags = PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_USE_CLOCKID;
	w.attr.clockid = clock;
	pfx_meta_add_event(w.meta, &w.attr, "cpu-clock");
	pfx_meta_update(w.meta);
	options.sym.buildid_dir = w.dir;
	w.session = pfx_session_new(w.meta);
	w.resolver = pfx_resolver_new(w.session, &options);
	write_dump(swap);
}

static void end(void)
{
	char command[128];

	pfx_resolver_free(w.resolver);
	pfx_session_free(w.session);
	pfx_meta_free(w.meta);
	snprintf(command, sizeof(command), "rm -r %s", w.dir);
	assert_int_equal(system(command), 0);
}

static void map(uint64_t time, uint64_t addr, uint64_t len, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	body.mmap = (struct pfx_mmap){
		.pid = PID, .tid = PID, .addr = addr, .len = len, .prot = 5, .filename = name};
	body.id.time = time;
	assert_true(pfx_record_encode(&body, &w.attr, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_meta_identify(w.meta, &rec);
	assert_int_equal(rec.time, time);
	pfx_resolver_follow(w.resolver, &rec);
	pfx_session_apply(w.session, &rec);
	pfx_buffer_fini(&buffer);
}

static struct pfx_place *place_at(uint64_t time, uint64_t ip)
{
	const struct pfx_record rec = {.type = PFX_RECORD_SAMPLE, .time = time};
	struct pfx_thread *thread = pfx_session_thread(w.session, PID, PID);

	pfx_resolver_follow(w.resolver, &rec);
	return pfx_resolve(w.resolver, thread, PFX_MODE_USER, ip);
}

static const char *name_at(uint64_t time, uint64_t ip)
{
	const struct pfx_symbol *sym = pfx_place_symbol(w.resolver, place_at(time, ip));

	return sym ? sym->name : "";
}

static void follow(bool swap)
{
	begin(swap, CLOCK_MONOTONIC);
	map(900, 0x10000, 0x1000, w.dump);
	map(950, JIT_ADDR & ~0xfffull, 0x4000, "//anon");
	assert_string_equal(name_at(1199, JIT_ADDR), "");
	assert_string_equal(name_at(1200, JIT_ADDR), "app:run");
	assert_string_equal(name_at(1201, JIT_ADDR + sizeof(jit_code) - 1), "app:run");
	assert_string_equal(name_at(1202, JIT_ADDR + sizeof(jit_code)), "");
	assert_string_equal(name_at(1203, MOVED), "");
	/* anonymous memory does not hide the function */
	map(1210, JIT_ADDR & ~0xfffull, 0x4000, "//anon");
	assert_string_equal(name_at(1220, JIT_ADDR + 1), "app:run");
	assert_string_equal(name_at(1300, MOVED + 2), "app:run");
	assert_string_equal(name_at(1500, JIT_ADDR), "app:stop");
	assert_string_equal(name_at(1500, JIT_ADDR + 3), "app:stop");
	assert_string_equal(name_at(1500, MOVED), "app:run");
	/* a library does */
	map(1600, JIT_ADDR & ~0xfffull, 0x1000, "/usr/lib/none.so");
	assert_string_equal(name_at(1601, JIT_ADDR), "");
	assert_string_equal(name_at(1601, MOVED), "app:run");
	assert_null(pfx_resolver_jit_note(w.resolver, 0));
	end();
}

static void functions_come_and_go(void **state)
{
	(void)state;
	follow(false);
	follow(true);
}

static void places_do_not_mix(void **state)
{
	struct pfx_place *before, *after;

	(void)state;
	begin(false, CLOCK_MONOTONIC);
	map(900, 0x10000, 0x1000, w.dump);
	before = place_at(1200, JIT_ADDR);
	after = place_at(1500, JIT_ADDR);
	pfx_place_symbol(w.resolver, before);
	pfx_place_symbol(w.resolver, after);
	assert_ptr_not_equal(before, after);
	assert_int_not_equal(before->sym_id, after->sym_id);
	assert_int_not_equal(before->frame_id, after->frame_id);
	assert_string_equal(before->dso->short_name, strrchr(w.dump, '/') + 1);
	end();
}

static void lines_are_those_of_the_dump(void **state)
{
	struct pfx_source source;

	(void)state;
	begin(false, CLOCK_MONOTONIC);
	map(900, 0x10000, 0x1000, w.dump);
	assert_true(pfx_place_source(w.resolver, place_at(1200, JIT_ADDR + 4), &source));
	assert_string_equal(source.file, "app.js");
	assert_int_equal(source.line, 11);
	assert_false(pfx_place_source(w.resolver, place_at(1500, JIT_ADDR), &source));
	end();
}

static void another_clock_is_said(void **state)
{
	(void)state;
	begin(false, CLOCK_REALTIME);
	map(900, 0x10000, 0x1000, w.dump);
	assert_string_equal(name_at(901, JIT_ADDR), "app:stop");
	assert_non_null(strstr(pfx_resolver_jit_note(w.resolver, 0), "-k mono"));
	assert_null(pfx_resolver_jit_note(w.resolver, 1));
	end();
}

static void a_missing_dump_is_said(void **state)
{
	(void)state;
	begin(false, CLOCK_MONOTONIC);
	assert_int_equal(unlink(w.dump), 0);
	map(900, 0x10000, 0x1000, w.dump);
	map(950, JIT_ADDR, 0x4000, "//anon");
	assert_string_equal(name_at(1300, JIT_ADDR), "");
	assert_non_null(strstr(pfx_resolver_jit_note(w.resolver, 0), w.dump));
	end();
}

/* Truncate at every length: complete records count, nothing is read after the end. */
static void cut_dumps_are_survived(void **state)
{
	struct pfx_buffer b;
	size_t size;

	(void)state;
	jit_make(&b, false);
	for (size = 0; size < b.len; size += 3) {
		begin(false, CLOCK_MONOTONIC);
		write_file(w.dump, b.at, size);
		map(900, 0x10000, 0x1000, w.dump);
		assert_true(!strcmp(name_at(1200, JIT_ADDR), "app:run") ||
			    !strcmp(name_at(1201, JIT_ADDR), ""));
		end();
	}
	pfx_buffer_fini(&b);
}

static void add_build_id(const char *name, const struct pfx_build_id *id)
{
	struct pfx_env_build_id *to = pfx_arena_new(&w.meta->arena, struct pfx_env_build_id);

	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = pfx_arena_strdup(&w.meta->arena, name);
	w.meta->env.build_ids = to;
	w.meta->env.nr_build_ids = 1;
}

/* Files without a build ID are stored by the hash of their content. */
static struct pfx_build_id id_of(const void *data, size_t size)
{
	struct pfx_build_id id = {.size = PFX_SHA1_SIZE};
	struct pfx_sha1 sha;

	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, data, size);
	pfx_sha1_end(&sha, id.data);
	return id;
}

static void a_kept_perf_map_is_used(void **state)
{
	static const char text[] = "20000 100 kept_one\n20100 100 kept_two\n";
	struct pfx_keep_bytes bytes = {text, sizeof(text) - 1, "map"};
	struct pfx_build_id id = id_of(text, sizeof(text) - 1);
	char name[64];

	(void)state;
	begin(false, CLOCK_MONOTONIC);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", PID);
	assert_int_equal(pfx_keep_bytes(w.dir, name, &id, &bytes, NULL), 0);
	add_build_id(name, &id);
	map(900, 0x20000, 0x1000, "//anon");
	assert_string_equal(name_at(1000, 0x20110), "kept_two");
	end();
}

static void a_kept_jitdump_is_used(void **state)
{
	struct pfx_keep_bytes bytes = {.what = "jitdump"};
	struct pfx_build_id id;
	struct pfx_buffer b;

	(void)state;
	begin(false, CLOCK_MONOTONIC);
	jit_make(&b, false);
	bytes.data = b.at;
	bytes.size = b.len;
	id = id_of(b.at, b.len);
	assert_int_equal(pfx_keep_bytes(w.dir, w.dump, &id, &bytes, NULL), 0);
	pfx_buffer_fini(&b);
	assert_int_equal(unlink(w.dump), 0);
	add_build_id(w.dump, &id);
	map(900, 0x10000, 0x1000, w.dump);
	assert_string_equal(name_at(1200, JIT_ADDR), "app:run");
	end();
}

static void names_of_jitdumps(void **state)
{
	(void)state;
	assert_true(pfx_session_is_jitdump("/tmp/jit-1.dump"));
	assert_false(pfx_session_is_jitdump("jit-1.dump"));
	assert_false(pfx_session_is_jitdump("/tmp/jit-.dump"));
	assert_false(pfx_session_is_jitdump("/tmp/jit-1.dumps"));
	assert_false(pfx_session_is_jitdump("/tmp/ajit-1.dump"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_and_go),
		cmocka_unit_test(places_do_not_mix),
		cmocka_unit_test(lines_are_those_of_the_dump),
		cmocka_unit_test(another_clock_is_said),
		cmocka_unit_test(a_missing_dump_is_said),
		cmocka_unit_test(cut_dumps_are_survived),
		cmocka_unit_test(a_kept_perf_map_is_used),
		cmocka_unit_test(a_kept_jitdump_is_used),
		cmocka_unit_test(names_of_jitdumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

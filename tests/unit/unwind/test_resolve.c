/* SPDX-License-Identifier: MIT */
/*
 * The resolver: places are unique, chains lose their markers and keep their levels, equal chains
 * become one, and changes of maps are seen at once. Symbols come from a perf map that the test
 * writes and from KSYMBOL records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unwind/resolve.h"

#define KTEXT    0xffffffff81000000ull
#define BPF_PROG 0xffffffffc0100000ull
#define PID      4194303 /* above any default pid_max: no other process uses the perf map */

struct world {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_thread *thread;
	struct pfx_buffer words;
	struct pfx_sample sample;
	char map_path[64];
};

static struct world w;

static void apply(const struct pfx_body *body)
{
	struct pfx_buffer buffer = {.swap = w.words.swap};
	struct pfx_record rec;

	assert_true(pfx_record_encode(body, NULL, &buffer));
	pfx_record_init(&rec, buffer.at, buffer.swap, 0);
	pfx_session_apply(w.session, &rec);
	pfx_buffer_fini(&buffer);
}

static void add_map(uint32_t pid, uint16_t misc, uint64_t addr, uint64_t len, const char *name)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = misc};

	body.mmap = (struct pfx_mmap){
		.pid = pid, .tid = pid, .addr = addr, .len = len, .prot = 5, .filename = name};
	apply(&body);
}

static void write_perf_map(void)
{
	FILE *file;

	snprintf(w.map_path, sizeof(w.map_path), "/tmp/perf-%d.map", PID);
	file = fopen(w.map_path, "w");
	assert_non_null(file);
	fprintf(file, "10000 100 jit_one\n10100 100 jit_two\n");
	assert_int_equal(fclose(file), 0);
}

static void begin(bool swap, uint32_t max_stack, bool keep_root)
{
	struct pfx_resolve_options options = {.max_stack = max_stack, .keep_root = keep_root};
	struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7};
	struct pfx_body ksymbol = {.type = PFX_RECORD_KSYMBOL};

	memset(&w, 0, sizeof(w));
	w.words.swap = swap;
	w.meta = pfx_meta_new();
	pfx_meta_add_event(w.meta, &attr, "cycles");
	pfx_meta_update(w.meta);
	w.session = pfx_session_new(w.meta);
	w.resolver = pfx_resolver_new(w.session, &options);
	w.thread = pfx_session_thread(w.session, PID, PID);
	add_map((uint32_t)-1, PFX_MODE_KERNEL, KTEXT, 0x1000000, "[kernel.kallsyms]_text");
	add_map(PID, PFX_MODE_USER, 0x10000, 0x10000, "//anon");
	add_map(PID, PFX_MODE_USER, 0x400000, 0x1000, "/nowhere/at/all");
	ksymbol.ksymbol = (struct pfx_ksymbol){BPF_PROG, 0x100, 1, 0, "bpf_prog_0_x"};
	apply(&ksymbol);
	write_perf_map();
}

static void end(void)
{
	unlink(w.map_path);
	pfx_resolver_free(w.resolver);
	pfx_session_free(w.session);
	pfx_meta_free(w.meta);
	pfx_buffer_fini(&w.words);
}

/* The sample with this chain; 0 ends the list. */
static void set_chain(enum pfx_cpumode mode, const uint64_t *words)
{
	uint64_t nr = 0;

	pfx_buffer_clear(&w.words);
	for (; words[nr]; nr++)
		pfx_buffer_u64(&w.words, words[nr]);
	w.sample = (struct pfx_sample){.cpumode = mode, .pid = PID, .tid = PID};
	w.sample.chain = (struct pfx_words){w.words.at, nr, w.words.swap};
}

static void test_places_are_unique(void **state)
{
	struct pfx_place *a, *b, *c;
	struct pfx_thread *other;

	begin(false, 0, false);
	a = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10010);
	b = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10020);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(a, pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10010));
	assert_false(a->looked_up);
	c = pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, 0x10010);
	assert_ptr_not_equal(a, c);
	assert_null(c->dso);
	assert_int_equal(pfx_place_level(a), '.');
	assert_int_equal(pfx_place_level(c), 'k');
	assert_int_equal(pfx_place_level(pfx_resolve(w.resolver, w.thread, PFX_MODE_HYPERVISOR, 1)),
			 'H');
	add_map(PID - 1, PFX_MODE_USER, 0x400000, 0x1000, "/nowhere/at/all");
	other = pfx_session_thread(w.session, PID - 1, PID - 1);
	a = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x400040);
	assert_ptr_equal(a, pfx_resolve(w.resolver, other, PFX_MODE_USER, 0x400040));
	assert_ptr_equal(pfx_resolver_place_at(w.resolver, a->id), a);
	/* the fifth place, so none was made twice */
	assert_int_equal(a->id, 4);
	end();
}

static void test_symbols_and_ids(void **state)
{
	struct pfx_place *a, *b, *c, *u, *v;

	begin(true, 0, false);
	a = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10010);
	b = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10020);
	c = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x10110);
	u = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x400040);
	v = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x400041);
	assert_string_equal(pfx_place_symbol(w.resolver, a)->name, "jit_one");
	assert_string_equal(pfx_place_symbol(w.resolver, c)->name, "jit_two");
	assert_ptr_equal(pfx_place_symbol(w.resolver, b), a->sym);
	assert_true(a->looked_up);
	assert_int_equal(a->sym_id, b->sym_id);
	assert_int_equal(a->frame_id, b->frame_id);
	assert_int_not_equal(a->sym_id, c->sym_id);
	assert_int_not_equal(a->frame_id, c->frame_id);
	assert_null(pfx_place_symbol(w.resolver, u));
	assert_null(pfx_place_symbol(w.resolver, v));
	assert_int_not_equal(u->sym_id, v->sym_id);
	assert_int_not_equal(u->frame_id, v->frame_id);
	assert_int_equal(u->shown, 0x40);
	assert_int_equal(u->ip, 0x400040);
	assert_string_not_equal(pfx_resolver_symtab_error(w.resolver, u->dso), "");
	end();
}

static void test_code_from_ksymbol(void **state)
{
	struct pfx_place *a, *b;

	begin(false, 0, false);
	a = pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, BPF_PROG);
	b = pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, BPF_PROG + 0xff);
	assert_string_equal(pfx_place_symbol(w.resolver, a)->name, "bpf_prog_0_x");
	assert_ptr_equal(pfx_place_symbol(w.resolver, b), a->sym);
	assert_int_equal(a->sym->start, BPF_PROG);
	assert_int_equal(a->sym->end, BPF_PROG + 0x100);
	assert_string_equal(a->dso->short_name, "bpf_prog_0_x");
	end();
}

/* After the end of the kernel's mapping there is boot code, which may be in chains. */
static void test_kernel_beyond_its_map(void **state)
{
	struct pfx_resolve_options options = {0};
	char path[] = "/tmp/test_resolve.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct pfx_place *in, *beyond, *user;

	assert_non_null(file);
	fprintf(file, "%llx T _text\n%llx T inside\n%llx T start_kernel\n%llx T after\n", KTEXT,
		KTEXT + 0x100, KTEXT + 0x2000000, KTEXT + 0x2000100);
	assert_int_equal(fclose(file), 0);
	begin(false, 0, false);
	options.sym.kallsyms = path;
	options.sym.ignore_vmlinux = true;
	pfx_resolver_free(w.resolver);
	w.resolver = pfx_resolver_new(w.session, &options);
	in = pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, KTEXT + 0x110);
	beyond = pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, KTEXT + 0x2000010);
	user = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, KTEXT + 0x2000010);
	assert_string_equal(pfx_place_symbol(w.resolver, in)->name, "inside");
	assert_ptr_equal(in->dso, beyond->dso);
	assert_string_equal(pfx_place_symbol(w.resolver, beyond)->name, "start_kernel");
	assert_int_equal(beyond->addr, KTEXT + 0x2000010);
	assert_null(user->dso);
	assert_null(pfx_resolve(w.resolver, w.thread, PFX_MODE_KERNEL, 0x1000)->dso);
	unlink(path);
	end();
}

static void resolve_anew(const struct pfx_resolve_options *options)
{
	pfx_resolver_free(w.resolver);
	w.resolver = pfx_resolver_new(w.session, options);
}

static const char *guest_symbol(enum pfx_cpumode mode, uint64_t ip)
{
	struct pfx_place *place = pfx_resolve(w.resolver, w.thread, mode, ip);
	const struct pfx_symbol *sym = pfx_place_symbol(w.resolver, place);

	return sym ? sym->name : place->dso ? "(no symbol)" : "(no dso)";
}

/* Symbols of a guest's kernel are from the user's file, or the guest's folder; code that runs in it
 * may be code of the process on the host. */
static void test_guests(void **state)
{
	struct pfx_resolve_options options = {0};
	char dir[] = "/tmp/test_resolve.XXXXXX", path[128], command[256];
	FILE *file;

	(void)state;
	begin(false, 0, false);
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir -p %s/%d/proc", dir, PID);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%d/proc/kallsyms", dir, PID);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%llx T _text\n%llx T in_guest\n", KTEXT, KTEXT + 0x100);
	assert_int_equal(fclose(file), 0);
	add_map((uint32_t)-1, PFX_MODE_GUEST_KERNEL, KTEXT, 0x1000000,
		"[guest.kernel.kallsyms]_text");
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_KERNEL, KTEXT + 0x110), "(no symbol)");
	options.sym.guest_kallsyms = path;
	resolve_anew(&options);
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_KERNEL, KTEXT + 0x110), "in_guest");
	options.sym.guest_kallsyms = NULL;
	options.sym.guest_mount = dir;
	snprintf(command, sizeof(command), "[guest.kernel.kallsyms.%d]_text", PID);
	resolve_anew(&options);
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_KERNEL, KTEXT + 0x110), "(no symbol)");
	add_map(PID, PFX_MODE_GUEST_KERNEL, KTEXT, 0x1000000, command);
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_KERNEL, KTEXT + 0x110), "in_guest");
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_USER, 0x10010), "(no dso)");
	pfx_session_guest_code(w.session);
	resolve_anew(&options);
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_USER, 0x10010), "jit_one");
	assert_string_equal(guest_symbol(PFX_MODE_GUEST_KERNEL, 0x10110), "jit_two");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	end();
}

static void check_levels(bool swap)
{
	static const uint64_t words[] = {PFX_CONTEXT_KERNEL,
					 KTEXT + 0x10,
					 BPF_PROG + 8,
					 PFX_CONTEXT_USER,
					 0x10010,
					 0x400010,
					 PFX_CONTEXT_GUEST_KERNEL,
					 0x77,
					 PFX_CONTEXT_HV,
					 0x88,
					 0};
	static const char levels[] = "kk..gH";
	struct pfx_place **places;
	uint32_t nr, i;

	begin(swap, 0, false);
	set_chain(PFX_MODE_KERNEL, words);
	nr = pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places);
	assert_int_equal(nr, 6);
	for (i = 0; i < nr; i++)
		assert_int_equal(pfx_place_level(places[i]), levels[i]);
	assert_int_equal(places[0]->ip, KTEXT + 0x10);
	assert_int_equal(places[3]->addr, 0x10);
	end();
}

static void test_markers_switch_levels(void **state)
{
	check_levels(false);
	check_levels(true);
}

static void test_frames_before_markers(void **state)
{
	static const uint64_t words[] = {KTEXT + 1, KTEXT + 2, PFX_CONTEXT_USER, 0x10010, 0};
	struct pfx_place **places;

	begin(false, 0, false);
	set_chain(PFX_MODE_KERNEL, words);
	assert_int_equal(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places), 3);
	assert_int_equal(pfx_place_level(places[0]), 'k');
	assert_non_null(places[1]->map);
	assert_int_equal(pfx_place_level(places[2]), '.');
	end();
}

static void test_deferred_cookie_is_no_frame(void **state)
{
	static const uint64_t words[] = {PFX_CONTEXT_KERNEL, KTEXT + 1, PFX_CONTEXT_USER_DEFERRED,
					 0x1234, 0};
	struct pfx_place **places;

	begin(false, 0, false);
	set_chain(PFX_MODE_KERNEL, words);
	assert_int_equal(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places), 1);
	end();
}

static void test_max_stack_counts_frames(void **state)
{
	static const uint64_t words[] = {PFX_CONTEXT_KERNEL,
					 KTEXT + 1,
					 KTEXT + 2,
					 PFX_CONTEXT_USER,
					 0x10010,
					 0x10020,
					 0x10030,
					 0};
	struct pfx_place **places;

	begin(false, 3, false);
	set_chain(PFX_MODE_KERNEL, words);
	assert_int_equal(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places), 3);
	assert_int_equal(places[0]->ip, KTEXT + 1);
	assert_int_equal(places[2]->ip, 0x10010);
	end();
	begin(false, 2, true);
	set_chain(PFX_MODE_KERNEL, words);
	assert_int_equal(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places), 2);
	assert_int_equal(places[0]->ip, 0x10020);
	assert_int_equal(places[0]->cpumode, PFX_MODE_USER);
	assert_int_equal(places[1]->ip, 0x10030);
	end();
}

static void test_equal_chains_are_one(void **state)
{
	static const uint64_t one[] = {PFX_CONTEXT_USER, 0x400010, 0x400020, 0};
	static const uint64_t two[] = {PFX_CONTEXT_USER, 0x400010, 0x400030, 0};
	static const uint64_t none[] = {0};
	struct pfx_body fork_body = {.type = PFX_RECORD_FORK};
	struct pfx_place **places;
	uint32_t a, b;

	begin(true, 0, false);
	set_chain(PFX_MODE_USER, one);
	a = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_equal(pfx_chain_frames(w.resolver, a, &places), 2);
	assert_int_equal(places[1]->ip, 0x400020);
	assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), a);
	fork_body.task = (struct pfx_task){PID - 1, PID, PID - 1, PID, 0};
	apply(&fork_body);
	add_map(PID - 1, PFX_MODE_USER, 0x900000, 0x1000, "/another");
	b = pfx_resolve_chain_id(w.resolver, pfx_session_thread(w.session, PID - 1, PID - 1),
				 &w.sample);
	assert_int_equal(a, b);
	set_chain(PFX_MODE_USER, two);
	b = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_not_equal(a, b);
	set_chain(PFX_MODE_USER, none);
	assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), 0);
	assert_int_equal(pfx_resolver_nr_chains(w.resolver), 3);
	end();
}

/* The same addresses after the process mapped another file there. */
static void test_changed_maps_are_seen(void **state)
{
	static const uint64_t words[] = {PFX_CONTEXT_USER, 0x400010, 0};
	struct pfx_place **places;
	uint32_t a, b;

	begin(false, 0, false);
	set_chain(PFX_MODE_USER, words);
	a = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	add_map(PID, PFX_MODE_USER, 0x400000, 0x1000, "/something/else");
	b = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
	assert_int_not_equal(a, b);
	assert_int_equal(pfx_chain_frames(w.resolver, a, &places), 1);
	assert_string_equal(places[0]->dso->short_name, "all");
	assert_int_equal(pfx_chain_frames(w.resolver, b, &places), 1);
	assert_string_equal(places[0]->dso->short_name, "else");
	end();
}

/* Chains of all lengths, each with the previous one as its callers: all are returned unchanged. */
static void test_chains_share_their_root(void **state)
{
	enum { NR = 41 };
	uint64_t words[NR + 2] = {PFX_CONTEXT_USER};
	uint32_t ids[NR + 1] = {0}, i, k, nr, pass;
	struct pfx_place **places;

	begin(false, 0, false);
	for (pass = 0; pass < 2; pass++) {
		for (i = 1; i <= NR; i++) {
			for (k = 0; k < i; k++)
				words[1 + k] = 0x10000 + (i - k) * 16;
			words[1 + i] = 0;
			set_chain(PFX_MODE_USER, words);
			nr = pfx_resolve_chain_id(w.resolver, w.thread, &w.sample);
			assert_true(!pass || nr == ids[i]);
			ids[i] = nr;
		}
		for (i = 1; i <= NR; i++) {
			assert_int_equal(pfx_chain_frames(w.resolver, ids[i], &places), i);
			for (k = 0; k < i; k++)
				assert_int_equal(places[k]->ip, 0x10000 + (i - k) * 16);
		}
	}
	for (i = ids[NR], k = 0; i; i = pfx_chain_outer(w.resolver, i))
		k += pfx_chain_inner_frames(w.resolver, i, &places);
	assert_int_equal(k, NR);
	assert_true(pfx_resolver_nr_chains(w.resolver) < 2 * NR);
	end();
}

/* Ids of chains do not change. */
static void test_many_chains(void **state)
{
	enum { NR = 40000 };
	uint64_t words[5] = {PFX_CONTEXT_USER, 0, 0, 0x400020, 0};
	struct pfx_place *place;
	uint32_t i;

	begin(false, 0, false);
	for (i = 0; i < NR; i++) {
		words[1] = 0x10000 + i % 200;
		words[2] = 0x10000 + i / 200;
		set_chain(PFX_MODE_USER, words);
		assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), i + 1);
	}
	for (i = 0; i < NR; i += 997) {
		words[1] = 0x10000 + i % 200;
		words[2] = 0x10000 + i / 200;
		set_chain(PFX_MODE_USER, words);
		assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), i + 1);
	}
	place = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x20000);
	assert_int_equal(place->id, 201);
	end();
}

/* Chains that are looked up in a batch get the same ids as one by one: chains of all lengths, a
 * repeated one, an empty one between two equal ones. */
static void test_chains_together(void **state)
{
	enum { NR = 300, LONG = 30 };
	uint32_t frames[NR * LONG], nr_frames[NR], ids[2 * NR], all = 0, at = 0, i, k;

	begin(false, 0, false);
	for (i = 0; i < NR; i++) {
		nr_frames[i] = i / 7 * 5 % LONG;
		for (k = 0; k < nr_frames[i]; k++)
			frames[all++] = 1 + (k * 3 + (k < 2 ? i % 50 : 0)) % 100;
	}
	pfx_chains_of_frames(w.resolver, frames, nr_frames, 100, ids);
	for (i = 0; i < 100; i++)
		at += nr_frames[i];
	pfx_chains_of_frames(w.resolver, frames + at, nr_frames + 100, NR - 100, ids + 100);
	k = pfx_resolver_nr_chains(w.resolver);
	pfx_chains_of_frames(w.resolver, frames, nr_frames, NR, ids + NR);
	assert_memory_equal(ids, ids + NR, NR * sizeof(*ids));
	assert_int_equal(pfx_resolver_nr_chains(w.resolver), k);
	end();
	begin(false, 0, false);
	for (i = 0, at = 0; i < NR; at += nr_frames[i], i++)
		assert_int_equal(pfx_chain_of(w.resolver,
					      &(struct pfx_chain_found){frames + at, nr_frames[i]}),
				 ids[i]);
	assert_int_equal(pfx_resolver_nr_chains(w.resolver), k);
	end();
}

/* Chain @i of the next test: they differ in one word in the middle, and in the level of the leaf.
 */
static void set_repeated(uint32_t i)
{
	uint64_t words[24] = {i % 2 ? PFX_CONTEXT_KERNEL : PFX_CONTEXT_USER,
			      i % 2 ? KTEXT : 0x10000};
	uint32_t k;

	words[2] = PFX_CONTEXT_USER;
	for (k = 3; k < 23; k++)
		words[k] = 0x10000 + 16 * k;
	words[12] += i % 3000;
	set_chain(PFX_MODE_KERNEL, words);
}

/* Repeated chains are found as a whole, whatever was forgotten between: their ids and frames are
 * those of a resolver that has never seen them. */
static void test_repeated_chains(void **state)
{
	enum { NR = 30000, DISTINCT = 3000 };
	uint32_t *ids = calloc(NR, sizeof(*ids)), i, nr_serials = 0, again = 0;
	struct pfx_chain_found found;

	begin(false, 0, false);
	for (i = 0; i < NR; i++) {
		set_repeated(i * 7 % DISTINCT);
		pfx_resolve_frames(w.resolver, w.thread, &w.sample, &found);
		ids[i] = pfx_chain_of(w.resolver, &found);
		nr_serials += found.serial != 0;
		assert_int_equal(found.nr, 21);
		assert_int_equal(ids[i], ids[i % DISTINCT]);
	}
	assert_true(nr_serials > NR / 2);
	end();
	begin(false, 0, false);
	for (i = 0; i < DISTINCT; i++) {
		set_repeated(i * 7 % DISTINCT);
		assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), ids[i]);
	}
	/* the same words in another map */
	add_map(PID, PFX_MODE_USER, 0x10000, 0x10000, "/another");
	set_repeated(0);
	pfx_resolve_frames(w.resolver, w.thread, &w.sample, &found);
	again = pfx_chain_of(w.resolver, &found);
	assert_int_not_equal(again, ids[0]);
	assert_int_equal(pfx_resolve_chain_id(w.resolver, w.thread, &w.sample), again);
	free(ids);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_unique),
		cmocka_unit_test(test_symbols_and_ids),
		cmocka_unit_test(test_code_from_ksymbol),
		cmocka_unit_test(test_kernel_beyond_its_map),
		cmocka_unit_test(test_guests),
		cmocka_unit_test(test_markers_switch_levels),
		cmocka_unit_test(test_frames_before_markers),
		cmocka_unit_test(test_deferred_cookie_is_no_frame),
		cmocka_unit_test(test_max_stack_counts_frames),
		cmocka_unit_test(test_equal_chains_are_one),
		cmocka_unit_test(test_changed_maps_are_seen),
		cmocka_unit_test(test_many_chains),
		cmocka_unit_test(test_chains_together),
		cmocka_unit_test(test_chains_share_their_root),
		cmocka_unit_test(test_repeated_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

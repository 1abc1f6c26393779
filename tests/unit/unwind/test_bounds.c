/* SPDX-License-Identifier: MIT */
/* Functions of a program without symbols: their bounds come from call frame information. */
#include "unit/unwind/unwind_world.h"

/* Two functions with a gap after the first. */
static void begin_stripped(void)
{
	begin(X86_64);
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x400, 0x80);
	make_def_cfa(&w.cfi, 7, 8);
	make_entry_end(&w.cfi);
	make_fde(&w.cfi, 0x500, 0x10);
	make_def_cfa(&w.cfi, 7, 8);
	make_entry_end(&w.cfi);
	load(0);
}

static struct pfx_place *place_at(uint64_t offset)
{
	struct pfx_place *place = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, CODE + offset);

	pfx_place_symbol(w.resolver, place);
	return place;
}

static void expect_function(uint64_t offset, uint64_t start, uint64_t end)
{
	const struct pfx_place *place = place_at(offset);
	char name[64];

	snprintf(name, sizeof(name), "[pfx-unwind-%d+%#llx]", (int)getpid(),
		 (unsigned long long)(MAKE_CODE + start));
	assert_non_null(place->sym);
	assert_string_equal(place->sym->name, name);
	assert_int_equal(place->sym->start, MAKE_CODE + start);
	assert_int_equal(place->sym->end, MAKE_CODE + end);
	assert_true(place->sym->is_nameless);
	assert_false(pfx_place_has_name(place));
}

static void test_one_row_for_a_function(void **state)
{
	(void)state;
	begin_stripped();
	expect_function(0x400, 0x400, 0x480);
	expect_function(0x47f, 0x400, 0x480);
	expect_function(0x508, 0x500, 0x510);
	assert_int_equal(place_at(0x410)->sym_id, place_at(0x420)->sym_id);
	assert_int_equal(place_at(0x410)->frame_id, place_at(0x420)->frame_id);
	assert_int_not_equal(place_at(0x410)->sym_id, place_at(0x508)->sym_id);
	assert_null(place_at(0x480)->sym);
	assert_null(place_at(0x3ff)->sym);
	assert_null(place_at(0x510)->sym);
	assert_true(pfx_resolver_has_unnamed(w.resolver, place_at(0x410)->dso));
	end();
}

/* Only for stripped programs: with symbols, an address without a symbol remains an address. */
static void test_only_where_symbols_lack(void **state)
{
	struct pfx_place *place;

	(void)state;
	begin_stripped();
	add_map(0x60000000, 0x100000, "/proc/self/exe");
	place = pfx_resolve(w.resolver, w.thread, PFX_MODE_USER, 0x60000000);
	assert_null(pfx_place_symbol(w.resolver, place));
	assert_true(pfx_symtab_nr(pfx_resolver_symtab(w.resolver, place->dso)) > 0);
	assert_string_equal(pfx_resolver_symtab_lack(w.resolver, place->dso), "");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_row_for_a_function),
		cmocka_unit_test(test_only_where_symbols_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

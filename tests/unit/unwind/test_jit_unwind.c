/* SPDX-License-Identifier: MIT */
/* Frames in JIT code, by the unwind tables of its jitdump. */
#include <stdio.h>
#include <sys/stat.h>

#include "unit/sym/jitdump_make.h"
#include "unit/unwind/unwind_world.h"

#define MADE      0x7f0000001000ull /* address of the function */
#define CODE_SIZE 20u               /* of the function; its tables assume the next multiple of 8 */
#define BODY      8u                /* from this offset on the frame has four words */

static char dump_path[64];
static unsigned undefined_register; /* a register that the tables also name; 0: none */

/* .eh_frame of a function before it: a CIE, an FDE, an end. */
static size_t make_tables(struct make_cfi *m, uint32_t pc_field_value)
{
	memset(m, 0, sizeof(*m));
	m->word = 8;
	m->start = 0;
	make_word(m, 0, 4);
	make_word(m, 0, 4);
	make_byte(m, 1);
	make_bytes(m, "zR", 3);
	make_uleb(m, 1);
	make_sleb(m, -8);
	make_byte(m, 16);
	make_uleb(m, 1);
	make_byte(m, 0x1b); /* addresses are relative */
	make_def_cfa(m, 7, 8);
	make_saved(m, 16, -1);
	make_entry_end(m);
	m->start = m->len;
	make_word(m, 0, 4);
	make_word(m, m->len, 4);
	make_word(m, pc_field_value - (uint32_t)m->len, 4);
	make_word(m, CODE_SIZE, 4);
	make_uleb(m, 0);
	make_byte(m, 0x40 | BODY); /* advance */
	make_byte(m, 0x0e);        /* the CFA's offset */
	make_uleb(m, 32);
	if (undefined_register)
		make_undefined(m, undefined_register);
	make_entry_end(m);
	make_word(m, 0, 4);
	return m->len;
}

static void put_tables(struct pfx_buffer *b, const struct make_cfi *m, uint64_t header_size)
{
	size_t start = jit_begin(b, 4, 1100);

	pfx_buffer_u64(b, m->len + header_size);
	pfx_buffer_u64(b, header_size);
	pfx_buffer_u64(b, 0);
	pfx_buffer_bytes(b, m->frames, m->len);
	pfx_buffer_zeros(b, header_size);
	jit_end(b, start);
}

static void put_function(struct pfx_buffer *b, uint64_t addr, uint64_t index)
{
	size_t start = jit_begin(b, 0, 1200);

	pfx_buffer_u32(b, PID);
	pfx_buffer_u32(b, PID);
	pfx_buffer_u64(b, addr);
	pfx_buffer_u64(b, addr);
	pfx_buffer_u64(b, CODE_SIZE);
	pfx_buffer_u64(b, index);
	pfx_buffer_cstr(b, "made", 1);
	pfx_buffer_zeros(b, CODE_SIZE);
	jit_end(b, start);
}

/* A process with a program (start at 0x400 has no caller) and a jitdump. */
static void begin_jit_with(const struct pfx_buffer *dump, enum pfx_unwind_style style)
{
	const struct pfx_record sample = {.type = PFX_RECORD_SAMPLE, .time = 9999};
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;
	FILE *file;

	begin(X86_64);
	w.style = style;
	make_cie(&w.cfi, false);
	make_fde(&w.cfi, 0x400, 0x80);
	make_def_cfa(&w.cfi, 7, 8);
	make_undefined(&w.cfi, 16);
	make_entry_end(&w.cfi);
	load(0);
	snprintf(dump_path, sizeof(dump_path), "/tmp/jit-%d.dump", (int)getpid());
	unlink(dump_path);
	file = fopen(dump_path, "wx");
	assert_non_null(file);
	assert_int_equal(fwrite(dump->at, 1, dump->len, file), dump->len);
	assert_int_equal(fclose(file), 0);
	body.mmap = (struct pfx_mmap){.pid = PID,
				      .tid = PID,
				      .addr = 0x50000000,
				      .len = 0x1000,
				      .prot = 5,
				      .filename = dump_path};
	assert_true(
		pfx_record_encode(&body, &pfx_session_meta(w.session)->events[0]->attr, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_meta_identify(w.meta, &rec);
	pfx_resolver_follow(w.resolver, &rec);
	pfx_session_apply(w.session, &rec);
	pfx_resolver_follow(w.resolver, &sample);
	pfx_buffer_fini(&buffer);
}

static void begin_jit(const struct pfx_buffer *dump)
{
	begin_jit_with(dump, PFX_UNWIND_ROWS);
}

static void end_jit(void)
{
	unlink(dump_path);
	end();
}

/* The function's frame: three words, then the return address. */
static void fill_frame(uint64_t pc)
{
	set_reg(8, pc);
	set_reg(7, STACK);
	set_reg(6, 0);
	set_stack(3, CODE + 0x420);
}

static void tables_lead_on(void **state)
{
	const uint64_t ips[] = {MADE + 12, CODE + 0x41f, 0};
	const uint64_t headers[] = {0, 20}; /* a search table of zeros is ignored */
	struct pfx_buffer dump;
	struct make_cfi tables;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		dump = (struct pfx_buffer){0};
		make_tables(&tables, (uint32_t)-24);
		jit_header(&dump, 40, 0);
		put_tables(&dump, &tables, headers[i]);
		put_function(&dump, MADE, 1);
		begin_jit(&dump);
		fill_frame(MADE + 12);
		expect(20, ips);
		expect_end(PFX_UNWIND_COMPLETE);
		end_jit();
		pfx_buffer_fini(&dump);
	}
}

/* The first bytes of the function have another frame. */
static void each_byte_has_its_row(void **state)
{
	const uint64_t ips[] = {MADE + 2, CODE + 0x41f, 0};
	struct pfx_buffer dump = {0};
	struct make_cfi tables;

	(void)state;
	make_tables(&tables, (uint32_t)-24);
	jit_header(&dump, 40, 0);
	put_tables(&dump, &tables, 0);
	put_function(&dump, MADE, 1);
	begin_jit(&dump);
	set_reg(8, MADE + 2);
	set_reg(7, STACK);
	set_stack(0, CODE + 0x420);
	expect(20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end_jit();
	pfx_buffer_fini(&dump);
}

/* Tables belong to the next function only: the one after it has none, and no frame pointer. */
static void tables_are_for_one_function(void **state)
{
	const uint64_t ips[] = {MADE + 0x100 + 12, 0};
	struct pfx_buffer dump = {0};
	struct make_cfi tables;

	(void)state;
	make_tables(&tables, (uint32_t)-24);
	jit_header(&dump, 40, 0);
	put_tables(&dump, &tables, 0);
	put_function(&dump, MADE, 1);
	put_function(&dump, MADE + 0x100, 2);
	begin_jit(&dump);
	fill_frame(MADE + 0x100 + 12);
	expect(20, ips);
	expect_end(PFX_UNWIND_MADE_CODE);
	end_jit();
	pfx_buffer_fini(&dump);
}

/* A register number for which a library would allocate gigabytes: no unwinder gets the table. */
static void register_beyond_all(void **state)
{
	static const enum pfx_unwind_style styles[] = {PFX_UNWIND_ROWS, PFX_UNWIND_LIBDW};
	const uint64_t ips[] = {MADE + 12, 0};
	struct pfx_buffer dump;
	struct make_cfi tables;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		dump = (struct pfx_buffer){0};
		undefined_register = 0x7ffffff;
		make_tables(&tables, (uint32_t)-24);
		undefined_register = 0;
		jit_header(&dump, 40, 0);
		put_tables(&dump, &tables, 0);
		put_function(&dump, MADE, 1);
		begin_jit_with(&dump, styles[i]);
		fill_frame(MADE + 12);
		expect(20, ips);
		expect_end(PFX_UNWIND_BAD_CFI);
		end_jit();
		pfx_buffer_fini(&dump);
	}
}

/* Untrusted tables: change every byte. */
static void damaged_tables(void **state)
{
	struct pfx_place **places;
	struct make_cfi tables;
	struct pfx_buffer dump;
	size_t i, size = make_tables(&tables, (uint32_t)-24);

	(void)state;
	for (i = 0; i < size; i++) {
		make_tables(&tables, (uint32_t)-24);
		tables.frames[i] ^= 0xff;
		dump = (struct pfx_buffer){0};
		jit_header(&dump, 40, 0);
		put_tables(&dump, &tables, i % 3 * 7);
		put_function(&dump, MADE, 1);
		begin_jit(&dump);
		fill_frame(MADE + 12);
		memcpy(w.reg_bytes, &w.regs[6], 3 * sizeof(w.regs[0]));
		w.sample.cpumode = PFX_MODE_USER;
		w.sample.regs_user.abi = 2;
		w.sample.regs_user.values = (struct pfx_words){w.reg_bytes, 3, false};
		w.sample.stack = (struct pfx_bytes){w.stack, 160};
		w.sample.stack_dyn_size = 160;
		assert_true(pfx_resolve_chain(w.resolver, w.thread, &w.sample, &places) >= 1);
		assert_int_equal(places[0]->ip, MADE + 12);
		end_jit();
		pfx_buffer_fini(&dump);
	}
}

/* Three nested trampolines: each has two words of the stack. */
static void check_python(enum pfx_unwind_style style, unsigned stride)
{
	const uint64_t ips[] = {MADE + 2 * stride + 2, MADE + stride + PYTHON_CALL - 1,
				MADE + PYTHON_CALL - 1, CODE + 0x41f, 0};
	struct pfx_buffer dump = {0};
	unsigned i;

	jit_header(&dump, 40, 0);
	memset(dump.at + 12, 0, 4);
	for (i = 0; i < 3; i++)
		jit_python_function(&dump, PID, MADE + i * stride, i + 1);
	begin_jit_with(&dump, style);
	set_reg(8, MADE + 2 * stride + 2);
	set_reg(7, STACK);
	set_reg(6, 0);
	set_stack(0, MADE + stride + PYTHON_CALL);
	set_stack(2, MADE + PYTHON_CALL);
	set_stack(4, CODE + 0x420);
	expect(20, ips);
	expect_end(PFX_UNWIND_COMPLETE);
	end_jit();
	pfx_buffer_fini(&dump);
}

/* With all unwinders: also for adjacent functions, without space for tables. */
static void trampolines_of_python(void **state)
{
	static const unsigned strides[] = {PYTHON_STRIDE, 16};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		check_python(PFX_UNWIND_ROWS, strides[i]);
		check_python(PFX_UNWIND_LIBDW, strides[i]);
		if (pfx_libunwind_can(pfx_unwind_arch_find("x86_64", 2)))
			check_python(PFX_UNWIND_LIBUNWIND, strides[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_lead_on),
		cmocka_unit_test(each_byte_has_its_row),
		cmocka_unit_test(tables_are_for_one_function),
		cmocka_unit_test(damaged_tables),
		cmocka_unit_test(register_beyond_all),
		cmocka_unit_test(trampolines_of_python),
	};

	if (!pfx_cfi_is_built_in()) {
		puts("SKIP: built without libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

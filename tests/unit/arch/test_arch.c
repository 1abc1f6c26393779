/* SPDX-License-Identifier: MIT */
/*
 * The rows of arch/: every check uses all of them, so that a new CPU is checked without a change
 * here. The tests of unwinding, symbols and types check the meaning of the values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "arch/cpuid.h"
#include "unit/base/tree.h"

#define NO_REG    PFX_UNWIND_NO_REG
#define SIZE_READ (1 << 16)

static size_t count_rows(void)
{
	size_t nr = 0;

	while (pfx_arch_at(nr))
		nr++;
	return nr;
}

static bool is_row(const struct pfx_arch *arch)
{
	const struct pfx_arch *row;
	size_t i;

	for (i = 0; (row = pfx_arch_at(i)); i++)
		if (row == arch)
			return true;
	return false;
}

static uint64_t bits_below(unsigned nr)
{
	return nr < 64 ? (1ull << nr) - 1 : UINT64_MAX;
}

/* --- what every row has --- */

static void check_identity(const struct pfx_arch *row)
{
	assert_non_null(row->name);
	assert_true(row->name[0]);
	assert_non_null(row->names);
	assert_non_null(row->names[0]);
	assert_true(row->word == 4 || row->word == 8);
	assert_true(row->e_machine != EM_NONE || row->narrow);
	if (row->events)
		assert_true(row->events[0] && !strchr(row->events, '/'));
}

static void check_narrow(const struct pfx_arch *row)
{
	if (!row->narrow)
		return;
	assert_true(is_row(row->narrow));
	assert_int_equal(row->word, 8);
	assert_int_equal(row->narrow->word, 4);
	assert_null(row->narrow->narrow);
}

static void rows_are_complete(void **state)
{
	const struct pfx_arch *row;
	size_t i;

	for (i = 0; (row = pfx_arch_at(i)); i++) {
		check_identity(row);
		check_narrow(row);
	}
	assert_true(i > 0);
	assert_null(pfx_arch_at(i + 1));
}

static void names_find_their_row(void **state)
{
	const struct pfx_arch *row;
	char longer[64];
	size_t i, k;

	for (i = 0; (row = pfx_arch_at(i)); i++) {
		assert_ptr_equal(pfx_arch_find(row->name), row);
		for (k = 0; row->names[k]; k++) {
			assert_ptr_equal(pfx_arch_find(row->names[k]), row);
			snprintf(longer, sizeof(longer), "%s_x", row->names[k]);
			assert_ptr_equal(pfx_arch_find(longer), row);
		}
	}
	assert_null(pfx_arch_find(NULL));
	assert_null(pfx_arch_find(""));
	assert_null(pfx_arch_find("vax"));
	assert_null(pfx_arch_find("x86_6"));
}

/* Of several matching names the longest is used, regardless of the order of rows. */
static void longest_name_decides(void **state)
{
	static const struct {
		const char *machine, *name;
		unsigned word;
	} names[] = {
		{"armv7l", "arm", 4},      {"arm64", "aarch64", 8}, {"armv8l", "armv8l", 8},
		{"i686", "i386", 4},       {"amd64", "x86_64", 8},  {"ppc64le", "ppc64", 8},
		{"ppc", "ppc", 4},         {"s390", "s390", 4},     {"s390x", "s390x", 8},
		{"riscv32", "riscv32", 4}, {"mips64", "mips64", 8}, {"aarch64_be", "aarch64", 8},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_string_equal(pfx_arch_find(names[i].machine)->name, names[i].name);
		assert_int_equal(pfx_arch_find(names[i].machine)->word, names[i].word);
	}
}

/* If a 64-bit and a 32-bit machine have the same number, the 64-bit one is found. */
static void elf_numbers_find_their_row(void **state)
{
	const struct pfx_arch *row, *other;
	size_t i, k;

	for (i = 0; (row = pfx_arch_at(i)); i++) {
		if (row->e_machine == EM_NONE)
			continue;
		assert_int_equal(pfx_arch_of_elf(row->e_machine)->e_machine, row->e_machine);
		assert_true(pfx_arch_of_elf(row->e_machine)->word >= row->word);
		for (k = 0; (other = pfx_arch_at(k)); k++)
			assert_false(other != row && other->e_machine == row->e_machine &&
				     other->word == row->word);
	}
	assert_int_equal(pfx_unwind_machine_number("aarch64"), EM_AARCH64);
	assert_int_equal(pfx_unwind_machine_number("armv8l"), EM_ARM);
	assert_int_equal(pfx_unwind_machine_number("vax"), EM_NONE);
	assert_int_equal(pfx_unwind_machine_number(NULL), EM_NONE);
	assert_null(pfx_arch_of_elf(EM_NONE));
	assert_null(pfx_arch_of_elf(0xffff));
	assert_null(pfx_arch_of_elf(0x10000 + EM_X86_64));
}

/* --- the parts of a row --- */

static void check_reg_names(const struct pfx_arch *row)
{
	unsigned bit;

	assert_true(row->nr_reg_names <= 64);
	assert_true(!row->reg_names == !row->nr_reg_names);
	for (bit = 0; bit < row->nr_reg_names; bit++)
		assert_ptr_equal(pfx_arch_reg_name(row->name, bit), row->reg_names[bit]);
	assert_null(pfx_arch_reg_name(row->name, row->nr_reg_names));
}

static bool has_reg(const struct pfx_arch *row, uint64_t mask)
{
	for (; mask; mask &= mask - 1)
		if (!pfx_arch_reg_name(row->name, (unsigned)__builtin_ctzll(mask)))
			return false;
	return true;
}

static void check_masks(const struct pfx_arch *row)
{
	const struct pfx_arch_masks *masks = &row->masks;

	assert_true(has_reg(row, masks->user | masks->vector));
	assert_int_equal(masks->user & masks->vector, 0);
	assert_int_equal(masks->leaf & ~masks->user, 0);
	assert_int_equal(masks->frame & ~masks->user, 0);
	assert_true(!masks->user == !masks->frame);
	assert_int_equal(__builtin_popcountll(masks->frame), masks->user ? 2 : 0);
}

static void check_to_dwarf(const struct pfx_arch *row, const struct pfx_unwind_arch *unwind)
{
	uint64_t seen[(PFX_UNWIND_NR_REGS + 63) / 64] = {0};
	unsigned bit;

	assert_true(unwind->nr_sample > 0 && unwind->nr_sample <= row->nr_reg_names);
	assert_true(unwind->sample_pc < unwind->nr_sample);
	for (bit = 0; bit < unwind->nr_sample; bit++) {
		unsigned reg = unwind->to_dwarf[bit];

		if (reg == NO_REG)
			continue;
		assert_true(reg < PFX_UNWIND_NR_REGS);
		assert_non_null(row->reg_names[bit]);
		assert_false(seen[reg / 64] >> (reg % 64) & 1);
		seen[reg / 64] |= 1ull << (reg % 64);
	}
	assert_true(seen[unwind->sp / 64] >> (unwind->sp % 64) & 1);
	assert_true(seen[unwind->fp / 64] >> (unwind->fp % 64) & 1);
	assert_int_equal(unwind->to_dwarf[unwind->sample_pc], unwind->pc);
}

/* The registers in stack dumps of this CPU are sufficient to begin unwinding. */
static void check_recorded(const struct pfx_arch *row, const struct pfx_unwind_arch *unwind)
{
	unsigned bit = 0;

	while (unwind->to_dwarf[bit] != unwind->sp)
		bit++;
	assert_int_equal(row->masks.frame, 1ull << unwind->sample_pc | 1ull << bit);
	if (row->masks.leaf)
		assert_int_equal(unwind->to_dwarf[__builtin_ctzll(row->masks.leaf)], unwind->ra);
}

static void check_signal_frame(const struct pfx_unwind_arch *unwind)
{
	unsigned end = unwind->signal_first + unwind->signal_nr;

	assert_true(!unwind->signal_pc == !unwind->signal_nr);
	assert_true(!unwind->signal_pc == !unwind->signal_sp);
	if (unwind->signal_down)
		assert_true(unwind->signal_first + 1u >= unwind->signal_nr);
	else
		assert_true(end <= PFX_UNWIND_NR_REGS);
	assert_int_equal(unwind->signal_pc % unwind->word, 0);
	assert_int_equal(unwind->vsyscall_ra % unwind->word, 0);
}

static void check_address_bits(const struct pfx_unwind_arch *unwind)
{
	const uint8_t *bits = unwind->address_bits;

	for (; bits && *bits; bits++) {
		assert_true(*bits < 64);
		assert_true(!bits[1] || bits[1] > bits[0]);
	}
	assert_true(unwind->pc_mask);
	assert_true(unwind->word == 8 || unwind->pc_mask <= UINT32_MAX);
}

static void check_unwind(const struct pfx_arch *row)
{
	const struct pfx_unwind_arch *unwind = row->unwind;

	assert_ptr_equal(pfx_unwind_arch_find(row->name, row->word == 8 ? 2 : 1), unwind);
	assert_ptr_equal(pfx_unwind_arch_find(row->name, row->word == 8 ? 1 : 2),
			 row->narrow ? row->narrow->unwind : NULL);
	assert_null(pfx_unwind_arch_find(row->name, 0));
	assert_null(pfx_unwind_arch_find(row->name, 3));
	if (!unwind)
		return;
	assert_non_null(unwind->name);
	assert_int_equal(unwind->word, row->word);
	assert_int_equal(unwind->e_machine, row->e_machine);
	assert_true(unwind->sp < PFX_UNWIND_NR_REGS && unwind->fp < PFX_UNWIND_NR_REGS);
	assert_true(unwind->ra < PFX_UNWIND_NR_REGS || unwind->ra == NO_REG);
	assert_true(unwind->pc < PFX_UNWIND_NR_REGS || unwind->pc == NO_REG);
	assert_int_equal(unwind->fp_ra % unwind->word, 0);
	assert_int_equal(unwind->fp_fp % unwind->word, 0);
	assert_true(!unwind->fp_ra || unwind->fp_ra != unwind->fp_fp);
	check_to_dwarf(row, unwind);
	check_recorded(row, unwind);
	check_signal_frame(unwind);
	check_address_bits(unwind);
}

static void check_data_name(const struct pfx_data_arch *data, unsigned reg, unsigned form)
{
	uint8_t size = 0;

	assert_int_equal(pfx_data_reg(data, data->names[reg][form], &size), reg);
	assert_int_equal(size, data->word >> form);
}

static void check_data(const struct pfx_arch *row)
{
	const struct pfx_data_arch *data = row->data;
	unsigned reg, form;

	assert_ptr_equal(pfx_data_arch_find(row->name), data);
	if (!data)
		return;
	assert_non_null(data->name);
	assert_int_equal(data->word, row->word);
	assert_true(data->nr_regs > 0 && data->nr_regs <= PFX_DATA_NR_REGS);
	assert_true(data->sp < data->nr_regs && data->fp < data->nr_regs);
	assert_true(data->ret < data->nr_regs);
	assert_int_equal(data->lost & ~bits_below(data->nr_regs), 0);
	assert_true(data->lost >> data->ret & 1);
	assert_false(data->lost >> data->sp & 1 || data->lost >> data->fp & 1);
	for (reg = 0; reg < data->nr_regs; reg++) {
		assert_non_null(data->names[reg][0]);
		for (form = 0; form < PFX_DATA_REG_NAMES && data->names[reg][form]; form++)
			check_data_name(data, reg, form);
	}
	if (row->unwind) {
		assert_int_equal(data->sp, row->unwind->sp);
		assert_int_equal(data->fp, row->unwind->fp);
	}
}

static void check_elf(const struct pfx_arch *row)
{
	uint32_t header, entry;

	assert_true(!row->elf.decode_plt == !row->elf.plt_step);
	pfx_plt_layout(row, &header, &entry);
	assert_true(!row->elf.decode_plt || (!header && !entry));
	assert_true(!header == !entry);
	assert_int_equal(pfx_plt_step(row), row->elf.plt_step);
	assert_false(pfx_elfsym_is_marker(row, "main"));
	assert_false(pfx_elfsym_is_irelative(row, 0));
	assert_int_equal(pfx_elfsym_is_irelative(row, row->elf.irelative), !!row->elf.irelative);
	assert_int_equal(pfx_elfsym_code_address(row, 0x1001) & ~1ull, 0x1000);
}

static void parts_are_sound(void **state)
{
	const struct pfx_arch *row;
	size_t i;

	for (i = 0; (row = pfx_arch_at(i)); i++) {
		check_reg_names(row);
		check_masks(row);
		check_unwind(row);
		check_data(row);
		check_elf(row);
		assert_int_equal(pfx_cpuid_has_dies(row->name), row->has_dies);
	}
}

static void an_unknown_machine_has_nothing(void **state)
{
	struct pfx_plt_code code = {.entry_size = 16};
	struct pfx_plt_entry plt;
	uint32_t header, entry;

	assert_null(pfx_arch_reg_name(NULL, 0));
	assert_false(pfx_elfsym_is_marker(NULL, "$x"));
	assert_int_equal(pfx_elfsym_code_address(NULL, 0x1001), 0x1001);
	assert_false(pfx_elfsym_has_descriptors(NULL, 0));
	assert_false(pfx_elfsym_is_irelative(NULL, 0));
	assert_false(pfx_plt_decode(NULL, &code, &plt));
	assert_int_equal(pfx_plt_step(NULL), 0);
	pfx_plt_layout(NULL, &header, &entry);
	assert_int_equal(header | entry, 0);
}

/* --- the CPU that pfx runs on --- */

static void the_host_is_a_row(void **state)
{
	const struct pfx_arch *host = pfx_arch_host(), *row;
	struct utsname uts;
	ElfW(Ehdr) own;
	FILE *f;

	assert_int_equal(uname(&uts), 0);
	row = pfx_arch_find(uts.machine);
	if (!row)
		skip(); /* a CPU without a row */
	f = fopen("/proc/self/exe", "rb");
	assert_non_null(f);
	assert_int_equal(fread(&own, sizeof(own), 1, f), 1);
	fclose(f);
	assert_non_null(host);
	assert_true(is_row(host));
	assert_int_equal(host->e_machine, own.e_machine);
	assert_int_equal(host->word, sizeof(void *));
	/* 32-bit programs on a 64-bit kernel, and setarch(8). */
	assert_true(host == row || host == row->narrow || host->narrow == row);
	assert_int_equal(pfx_arch_host_user_regs(), host->masks.user);
	assert_int_equal(pfx_arch_host_vector_regs(), host->masks.vector);
	assert_int_equal(pfx_arch_host_leaf_regs(), host->masks.leaf);
	assert_int_equal(pfx_arch_host_frame_regs(), host->masks.frame);
}

static void check_cpuid(const struct tree *t, const char *machine, const char *expected)
{
	const struct pfx_arch *row = pfx_arch_find(machine);
	char id[128] = "";

	assert_true(row->cpuid(t->root, id, sizeof(id)));
	assert_string_equal(id, expected);
	assert_false(row->cpuid("/proc/self/nothing", id, sizeof(id)));
}

static void guests_in_precise_events(void **state)
{
	(void)state;
	assert_true(pfx_cpuid_precise_has_guests("AuthenticAMD,25,1,1"));
	assert_true(pfx_cpuid_precise_has_guests("HygonGenuine,24,0,1"));
	assert_false(pfx_cpuid_precise_has_guests("GenuineIntel,6,143,8"));
	assert_false(pfx_cpuid_precise_has_guests("0x00000000413fd0c1"));
}

/* Files of other CPUs can be read on every machine. */
static void cpuids_from_files(void **state)
{
	struct tree t;

	tree_init(&t);
	tree_file(&t, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		  "0x00000000413fd0c1\n");
	check_cpuid(&t, "aarch64", "0x00000000413fd0c1");
	tree_file(&t, "/proc/cpuinfo", "cpu : POWER9\nrevision : 2.2 (pvr 004e 1202)\n");
	check_cpuid(&t, "ppc64le", "78,4610");
	check_cpuid(&t, "ppc", "78,4610");
	tree_file(&t, "/proc/cpuinfo",
		  "isa : rv64\nmvendorid\t: 0x489\nmarchid : 0x1\nmimpid : 0x2\n");
	check_cpuid(&t, "riscv64", "0x489-0x1-0x2");
	tree_file(&t, "/proc/sysinfo",
		  "Manufacturer:   IBM             \nType:           3906\n"
		  "Model:          704              M03             \n"
		  "Model Capacity: 704  00000000\n");
	check_cpuid(&t, "s390x", "IBM,3906,704,M03");
	tree_file(&t, "/proc/service_levels",
		  "CPU-MF: Counter facility: version=3.5 authorization=002f\n");
	check_cpuid(&t, "s390x", "IBM,3906,704,M03,3.5,002f");
	tree_file(&t, "/proc/sysinfo", "Manufacturer: IBM\nType: 2064\nModel: 116\n");
	check_cpuid(&t, "s390x", "IBM,2064,116,3.5,002f");
	tree_fini(&t);
}

/* --- the sources --- */

static const char *read_source(const char *name)
{
	static char text[SIZE_READ];
	char path[512];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/arch/%s", PFX_SOURCE_DIR, name);
	f = fopen(path, "r");
	assert_non_null(f);
	size = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[size] = '\0';
	return text;
}

/* Rows that a file defines: "const struct pfx_arch pfx_arch_NAME =". */
static size_t count_defined(const char *text)
{
	static const char start[] = "\nconst struct pfx_arch pfx_arch_";
	size_t nr = 0;

	for (; (text = strstr(text, start)); nr++) {
		text += strlen(start);
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
		assert_memory_equal(text, " =", 2);
	}
	return nr;
}

/* Names of CPUs that a compiler defines ("defined(__x86_64__)"). */
static bool asks_the_compiler(const char *text)
{
	for (; (text = strstr(text, "defined(__")); text++)
		if (islower((unsigned char)text[strlen("defined(__")]))
			return true;
	return false;
}

/* A row that is not listed is never found; a table selected by the compiler would be missing for
 * recordings of other CPUs. */
static void every_row_is_listed(void **state)
{
	DIR *dir = opendir(PFX_SOURCE_DIR "/arch");
	struct dirent *entry;
	size_t nr = 0, len;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		const char *text;

		len = strlen(entry->d_name);
		if (len < 3 || strcmp(entry->d_name + len - 2, ".c") != 0)
			continue;
		text = read_source(entry->d_name);
		nr += count_defined(text);
		if (!strstr(entry->d_name, "_host.c"))
			assert_false(asks_the_compiler(text));
	}
	closedir(dir);
	assert_int_equal(nr, count_rows());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(names_find_their_row),
		cmocka_unit_test(longest_name_decides),
		cmocka_unit_test(elf_numbers_find_their_row),
		cmocka_unit_test(parts_are_sound),
		cmocka_unit_test(an_unknown_machine_has_nothing),
		cmocka_unit_test(the_host_is_a_row),
		cmocka_unit_test(guests_in_precise_events),
		cmocka_unit_test(cpuids_from_files),
		cmocka_unit_test(every_row_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

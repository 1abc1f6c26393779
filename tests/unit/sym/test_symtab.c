/* SPDX-License-Identifier: MIT */
/* Symbols of user programs: from generated files, from this program, from damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "sym/table/demangle.h"
#include "sym/table/symtab.h"
#include "unit/base/memory_use.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"
#include "unit/sym/symbol_named.h"

#define A MAKE_TEXT_ADDR
#define O MAKE_TEXT_OFFSET

static const struct make_symbol usual[] = {
	{"main", A, 0x20, STB_GLOBAL, STT_FUNC},
	{"_ZN2ns3fooEi", A + 0x20, 0x10, STB_LOCAL, STT_FUNC},
	{"no_size", A + 0x40, 0, STB_GLOBAL, STT_FUNC},
	{"object", A + 0x80, 8, STB_GLOBAL, STT_OBJECT},
	{"label", A + 0x90, 0, STB_LOCAL, STT_NOTYPE},
	{"section", A + 0x98, 0, STB_LOCAL, STT_SECTION},
	{"", A + 0x99, 1, STB_LOCAL, STT_FUNC},
	{"outer", A + 0x100, 0x80, STB_GLOBAL, STT_FUNC},
	{"inner", A + 0x110, 0x10, STB_LOCAL, STT_FUNC},
	{"chooser", A + 0x200, 0x10, STB_GLOBAL, STT_GNU_IFUNC},
};

static const struct make_elf program = {
	.symbols = usual, .nr_symbols = sizeof(usual) / sizeof(*usual), .build_id = "program id"};

/* Does not use the build-id cache of the user who runs the test. */
static struct pfx_sym_options options_of(const struct tree *t)
{
	return (struct pfx_sym_options){.symfs = t->root, .buildid_dir = "/nonexistent"};
}

static void make_in(const struct tree *t, const char *path, const struct make_elf *m)
{
	char full[512];

	make_file(tree_path(t, full, sizeof(full), path), m);
}

static struct pfx_symtab *load(const struct pfx_sym_request *request,
			       const struct pfx_sym_options *options, int expect,
			       struct pfx_error *err)
{
	struct pfx_symtab *tab = NULL;

	assert_int_equal(pfx_symtab_load(&tab, request, options, err), expect);
	assert_non_null(tab);
	assert_int_equal(pfx_symtab_nr(tab) > 0, expect == 0);
	return tab;
}

static void expect_at(const struct pfx_symtab *tab, uint64_t addr, const char *name)
{
	const struct pfx_symbol *sym = pfx_symtab_find(tab, addr);

	if (!name) {
		assert_null(sym);
		return;
	}
	assert_non_null(sym);
	assert_string_equal(sym->name, name);
	assert_true(sym->start <= addr && addr < sym->end);
}

static void test_file(void **state)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/bin/x"};
	const struct pfx_symbol *sym;
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	struct tree t;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/bin/x", &program);
	tab = load(&request, &options, 0, NULL);
	assert_string_equal(pfx_symtab_source(tab), "/bin/x");
	assert_int_equal(pfx_symtab_nr(tab), 8);
	expect_at(tab, O - 1, NULL);
	expect_at(tab, O, "main");
	expect_at(tab, O + 0x1f, "main");
	expect_at(tab, O + 0x20, pfx_demangle_is_built_in() ? "ns::foo" : "_ZN2ns3fooEi");
	expect_at(tab, O + 0x30, NULL);
	expect_at(tab, O + 0x40, "no_size");
	expect_at(tab, O + 0x7f, "no_size");
	expect_at(tab, O + 0x87, "object");
	expect_at(tab, O + 0x88, NULL);
	expect_at(tab, O + 0xff, "label");
	expect_at(tab, O + 0x10f, "outer");
	expect_at(tab, O + 0x11f, "inner");
	expect_at(tab, O + 0x120, "outer");
	expect_at(tab, O + 0x17f, "outer");
	expect_at(tab, O + 0x180, NULL);
	expect_at(tab, O + 0x200, "chooser");
	sym = symbol_named(tab, "object");
	assert_false(sym->is_func);
	assert_int_equal(sym->binding, 'g');
	sym = symbol_named(tab, pfx_demangle_is_built_in() ? "ns::foo" : "_ZN2ns3fooEi");
	assert_int_equal(sym->start, O + 0x20);
	assert_int_equal(sym->binding, 'l');
	assert_true(sym->is_func);
	assert_null(symbol_named(tab, "nobody"));
	assert_string_equal(pfx_symtab_at(tab, 0)->name, "main");
	pfx_symtab_free(tab);
	options.no_demangle = true;
	tab = load(&request, &options, 0, NULL);
	expect_at(tab, O + 0x20, "_ZN2ns3fooEi");
	pfx_symtab_free(tab);
	tree_fini(&t);
}

static void test_choice(void **state)
{
	static const struct make_symbol doubles[] = {
		{"weak_name", A, 16, STB_WEAK, STT_FUNC},
		{"__strong", A, 16, STB_GLOBAL, STT_FUNC},
		{"a_local", A + 16, 16, STB_LOCAL, STT_FUNC},
		{"_global", A + 16, 16, STB_GLOBAL, STT_FUNC},
		{"__two", A + 32, 16, STB_GLOBAL, STT_FUNC},
		{"_one", A + 32, 16, STB_GLOBAL, STT_FUNC},
		{"short", A + 48, 16, STB_GLOBAL, STT_FUNC},
		{"longer", A + 48, 16, STB_GLOBAL, STT_FUNC},
		{"first", A + 64, 16, STB_GLOBAL, STT_FUNC},
		{"secnd", A + 64, 16, STB_GLOBAL, STT_FUNC},
		{"sized", A + 80, 4, STB_LOCAL, STT_FUNC},
		{"unsized_longer", A + 80, 0, STB_GLOBAL, STT_FUNC},
		{"zero", A + 96, 0, STB_GLOBAL, STT_FUNC},
		{"__last", A + 96, 0, STB_WEAK, STT_NOTYPE},
	};
	const struct make_elf m = {.symbols = doubles,
				   .nr_symbols = sizeof(doubles) / sizeof(*doubles)};
	static const char *const expect[] = {"__strong", "_global", "_one",  "longer",
					     "first",    "sized",   "__last"};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/x"};
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	struct tree t;
	size_t i;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/x", &m);
	tab = load(&request, &options, 0, NULL);
	assert_int_equal(pfx_symtab_nr(tab), 7);
	for (i = 0; i < 7; i++)
		expect_at(tab, O + 16 * i, expect[i]);
	pfx_symtab_free(tab);
	tree_fini(&t);
}

/* A label does not end a function of known size. */
static void test_labels_in_functions(void **state)
{
	static const struct make_symbol symbols[] = {
		{"generic", A, 0x80, STB_LOCAL, STT_FUNC},
		{"first_label", A + 0x10, 0, STB_GLOBAL, STT_NOTYPE},
		{"second_label", A + 0x20, 0, STB_GLOBAL, STT_FUNC},
		{"inner", A + 0x40, 0x10, STB_LOCAL, STT_FUNC},
		{"last_label", A + 0x70, 0, STB_LOCAL, STT_NOTYPE},
		{"table", A + 0x100, 0x40, STB_LOCAL, STT_OBJECT},
		{"row", A + 0x110, 0, STB_LOCAL, STT_NOTYPE},
		{"end", A + 0x140, 0, STB_LOCAL, STT_NOTYPE},
	};
	static const struct {
		uint64_t at;
		const char *name;
	} expected[] = {
		{0, "generic"},    {0x10, "generic"}, {0x2f, "generic"},    {0x40, "inner"},
		{0x50, "generic"}, {0x7f, "generic"}, {0x80, "last_label"}, {0xff, "last_label"},
		{0x100, "table"},  {0x110, "row"},    {0x140, "end"},
	};
	const struct make_elf m = {.symbols = symbols,
				   .nr_symbols = sizeof(symbols) / sizeof(*symbols)};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/x"};
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	struct tree t;
	size_t i;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/x", &m);
	tab = load(&request, &options, 0, NULL);
	for (i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		expect_at(tab, O + expected[i].at, expected[i].name);
	pfx_symtab_free(tab);
	tree_fini(&t);
}

static void test_build_id(void **state)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE,
					  .path = "/bin/x",
					  .build_id = (const uint8_t *)"program id",
					  .build_id_size = 10};
	struct pfx_sym_options options;
	struct pfx_build_id id;
	struct pfx_error err;
	char path[512], text[41];
	struct tree t;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/bin/x", &program);
	tree_path(&t, path, sizeof(path), "/bin/x");
	assert_int_equal(pfx_build_id_of_file(path, &id, NULL), 0);
	assert_int_equal(id.size, 10);
	assert_string_equal(pfx_build_id_text(&id, text), "70726f6772616d206964");
	pfx_symtab_free(load(&request, &options, 0, NULL));
	request.build_id = (const uint8_t *)"another id";
	pfx_symtab_free(load(&request, &options, -ESTALE, &err));
	assert_non_null(strstr(err.text, "another build"));
	assert_true(strlen(err.hint) > 0);
	assert_int_equal(pfx_build_id_of_file("/nonexistent", &id, &err), -ENOENT);
	assert_int_equal(id.size, 0);
	tree_file(&t, "/text", "no ELF at all");
	tree_path(&t, path, sizeof(path), "/text");
	assert_int_equal(pfx_build_id_of_file(path, &id, &err), -EBADMSG);
	tree_fini(&t);
}

static void test_nothing_there(void **state)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/gone"};
	const struct make_elf bare = {.build_id = "x"};
	struct pfx_sym_options options;
	struct pfx_error err;
	struct tree t;

	tree_init(&t);
	options = options_of(&t);
	pfx_symtab_free(load(&request, &options, -ENOENT, &err));
	assert_non_null(strstr(err.text, "/gone"));
	request.path = "[heap]";
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	request.path = NULL;
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	request.path = "/";
	pfx_symtab_free(load(&request, &options, -EINVAL, NULL));
	make_in(&t, "/bare", &bare);
	request.path = "/bare";
	pfx_symtab_free(load(&request, &options, -ENOENT, &err));
	assert_string_equal(err.text, "'/bare' has no symbols: it is stripped, and no debug file "
				      "of it was found");
	tree_fini(&t);
}

/* --- separate debug files --- */

static const struct make_symbol full[] = {{"from_debug", A, 0x20, STB_GLOBAL, STT_FUNC}};
static const struct make_symbol few[] = {{"from_program", A, 0x20, STB_GLOBAL, STT_FUNC}};

static void expect_source(const struct tree *t, const char *name, const char *source)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/usr/bin/x"};
	struct pfx_sym_options options = options_of(t);
	char cache[512];
	struct pfx_symtab *tab;

	options.buildid_dir = tree_path(t, cache, sizeof(cache), "/cache");
	tab = load(&request, &options, 0, NULL);
	expect_at(tab, O + 4, name);
	assert_non_null(strstr(pfx_symtab_source(tab), source));
	pfx_symtab_free(tab);
}

/* The reason for missing symbols. */
static void expect_lack(const struct tree *t, const char *words)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/usr/bin/x"};
	struct pfx_sym_options options = options_of(t);
	struct pfx_symtab *tab = load(&request, &options, 0, NULL);

	if (*words)
		assert_non_null(strstr(pfx_symtab_lack(tab), words));
	else
		assert_string_equal(pfx_symtab_lack(tab), "");
	pfx_symtab_free(tab);
}

static void test_debug_by_id(void **state)
{
	static const char *const places[] = {
		"/usr/lib/debug/bin/x",
		"/usr/bin/.debug/x",
		"/usr/lib/debug/.build-id/64/65627567.debug", /* "debug" */
		"/usr/lib/debug/usr/bin/x",
		"/usr/lib/debug/usr/bin/x.debug",
		"/cache/.build-id/64/65627567/debug",
		"/usr/lib/debug/usr/bin/x.dbg",
		"/usr/bin/.debug/x.dbg",
		"/usr/bin/x.dbg",
	};
	const struct make_elf m = {.symbols = few,
				   .nr_symbols = 1,
				   .build_id = "debug",
				   .debuglink = "x.dbg",
				   .dynsym = true};
	struct make_elf d = {
		.symbols = full, .nr_symbols = 1, .build_id = "other", .is_debug = true};
	struct tree t;
	char path[512];
	size_t i;

	tree_init(&t);
	make_in(&t, "/usr/bin/x", &m);
	make_in(&t, places[0], &d);
	expect_source(&t, "from_program", "/usr/bin/x");
	expect_lack(&t, places[0]);
	remove(tree_path(&t, path, sizeof(path), places[0]));
	expect_lack(&t, "no debug file");
	d.build_id = "debug";
	/* Later places of the list have precedence over earlier ones. */
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		make_in(&t, places[i], &d);
		expect_source(&t, "from_debug", places[i]);
		expect_lack(&t, "");
	}
	tree_fini(&t);
}

static uint32_t crc_of(const char *path)
{
	struct pfx_mapping map;
	uint32_t crc = ~0u;
	size_t i;
	int k;

	assert_int_equal(pfx_map_file(path, &map, NULL), 0);
	for (i = 0; i < map.size; i++) {
		crc ^= map.data[i];
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	pfx_unmap(&map);
	return ~crc;
}

static void test_debuglink(void **state)
{
	const struct make_elf d = {.symbols = full, .nr_symbols = 1, .is_debug = true};
	struct make_elf m = {.symbols = few, .nr_symbols = 1, .debuglink = "x.dbg", .dynsym = true};
	struct tree t;
	char path[512];

	tree_init(&t);
	make_in(&t, "/usr/lib/debug/usr/bin/x.dbg", &d);
	make_in(&t, "/usr/bin/x", &m);
	expect_source(&t, "from_program", "/usr/bin/x");
	m.crc = crc_of(tree_path(&t, path, sizeof(path), "/usr/lib/debug/usr/bin/x.dbg"));
	make_in(&t, "/usr/bin/x", &m);
	expect_source(&t, "from_debug", "x.dbg");
	tree_fini(&t);
}

/* A program that only exists in the build-id cache. */
static const struct pfx_sym_request gone = {.kind = PFX_SYM_FILE,
					    .path = "/gone",
					    .build_id = (const uint8_t *)"debug",
					    .build_id_size = 5};

static void test_cached_program(void **state)
{
	const struct make_elf m = {.symbols = few, .nr_symbols = 1, .build_id = "debug"};
	struct pfx_sym_request request = gone;
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	struct tree t;
	char cache[512];

	tree_init(&t);
	options = options_of(&t);
	options.buildid_dir = tree_path(&t, cache, sizeof(cache), "/cache");
	make_in(&t, "/cache/.build-id/64/65627567/elf", &m);
	tab = load(&request, &options, 0, NULL);
	expect_at(tab, O, "from_program");
	pfx_symtab_free(tab);
	request.build_id = (const uint8_t *)"debuh";
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	tree_fini(&t);
}

/* A cache below --symfs has precedence over that of this machine. */
static void test_cache_below_symfs(void **state)
{
	const struct make_elf here = {.symbols = few, .nr_symbols = 1, .build_id = "debug"};
	const struct make_elf below = {.symbols = full, .nr_symbols = 1, .build_id = "debug"};
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	struct tree t;
	char cache[512];

	tree_init(&t);
	options = options_of(&t);
	options.buildid_dir = tree_path(&t, cache, sizeof(cache), "/cache");
	make_in(&t, "/cache/.build-id/64/65627567/elf", &here);
	make_in(&t, "/.debug/.build-id/64/65627567/elf", &below);
	tab = load(&gone, &options, 0, NULL);
	expect_at(tab, O, "from_debug");
	pfx_symtab_free(tab);
	tree_fini(&t);
}

/* All files in one directory: only their names count, also those of debug files. */
static void test_flat_symfs(void **state)
{
	static const struct make_elf stripped = {.build_id = "program id"};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = "/usr/bin/x"};
	struct pfx_sym_options options;
	struct tree t;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/x", &program);
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	options.symfs_flat = true;
	pfx_symtab_free(load(&request, &options, 0, NULL));
	make_in(&t, "/x", &stripped);
	make_in(&t, "/x.debug", &program);
	pfx_symtab_free(load(&request, &options, 0, NULL));
	tree_fini(&t);
}

/* A program that was stripped after the recording: the copy in the cache has all symbols. */
static void test_stripped_later(void **state)
{
	const struct make_elf stripped = {
		.symbols = few, .nr_symbols = 1, .build_id = "debug", .dynsym = true};
	const struct make_elf kept = {.symbols = full, .nr_symbols = 1, .build_id = "debug"};
	struct tree t;

	tree_init(&t);
	make_in(&t, "/usr/bin/x", &stripped);
	make_in(&t, "/cache/.build-id/64/65627567/elf", &kept);
	expect_source(&t, "from_debug", "/cache/");
	tree_fini(&t);
}

/* Files compressed by a tool that may be missing on this machine. */
static void test_packed(void **state)
{
	static const char *const tools[] = {"xz -kf", "gzip -kf", "zstd -qkf"};
	static const char *const names[] = {"/x.xz", "/x.gz", "/x.zst"};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE};
	struct pfx_sym_options options;
	struct pfx_symtab *tab;
	char path[512], *command;
	struct tree t;
	int i, rc;

	tree_init(&t);
	options = options_of(&t);
	make_in(&t, "/x", &program);
	for (i = 0; i < 3; i++) {
		command = pfx_strfmt("%s %s 2>/dev/null", tools[i],
				     tree_path(&t, path, sizeof(path), "/x"));
		rc = system(command);
		free(command);
		request.path = names[i];
		if (rc)
			continue;
		rc = pfx_symtab_load(&tab, &request, &options, NULL);
		if (rc != -EBADMSG) /* built without the library */
			expect_at(tab, O, "main");
		pfx_symtab_free(tab);
	}
	tree_file(&t, "/x.gz", "\x1f\x8b\x08 damaged");
	request.path = "/x.gz";
	tree_file(&t, "/x.zst", "\x28\xb5\x2f\xfd damaged");
	pfx_symtab_free(load(&request, &options, -EBADMSG, NULL));
	tree_fini(&t);
}

/* --- this program, the vdso --- */

/* The first "address type name" line of nm with @name; 0 if nm is missing. */
static uint64_t nm_value(const char *path, const char *name)
{
	char *command = pfx_strfmt("nm %s 2>/dev/null", path), line[512];
	FILE *f = popen(command, "r");
	unsigned long long value, found = 0;
	char type, text[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %255s", &value, &type, text) == 3 && !strcmp(text, name))
			found = value;
	if (f)
		pclose(f);
	free(command);
	return found;
}

static void test_this_program(void **state)
{
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE};
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent"};
	struct pfx_symtab *tab;
	const struct pfx_symbol *sym;
	char self[512];
	uint64_t value;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = '\0';
	request.path = self;
	tab = load(&request, &options, 0, NULL);
	sym = symbol_named(tab, "test_this_program");
	assert_non_null(sym);
	assert_true(sym->is_func);
	/* With the usual linkers, code has a constant difference between address and file
	 * offset. */
	value = nm_value(self, "test_this_program");
	if (value)
		assert_int_equal((value - sym->start) % 0x1000, 0);
	assert_ptr_equal(pfx_symtab_find(tab, sym->start + 1), sym);
	assert_non_null(symbol_named(tab, "popen@plt"));
	pfx_symtab_free(tab);
}

static void test_vdso(void **state)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent"};
	struct pfx_sym_request request = {.kind = PFX_SYM_VDSO, .path = "[vdso]"};
	struct pfx_build_id id;
	struct pfx_symtab *tab;
	struct utsname uts;

	if (!image)
		skip();
	assert_int_equal(pfx_build_id_of_image(image, 4096, &id), 0);
	request.build_id = id.data;
	request.build_id_size = id.size;
	tab = load(&request, &options, 0, NULL);
	assert_string_equal(pfx_symtab_source(tab), "[vdso]");
	pfx_symtab_free(tab);
	id.data[0] ^= 1;
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	request.build_id_size = 0;
	request.osrelease = "2.6.18";
	request.arch = "x86_64";
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	/* the same system without a build ID: not used below a symfs */
	assert_int_equal(uname(&uts), 0);
	request.osrelease = uts.release;
	request.arch = uts.machine;
	pfx_symtab_free(load(&request, &options, 0, NULL));
	options.symfs = "/nonexistent";
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
}

/* --- code made while running --- */

static void test_perf_map(void **state)
{
	struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .pid = getpid(), .path = "//anon"};
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent"};
	struct pfx_error err;
	struct pfx_symtab *tab;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	pfx_symtab_free(load(&request, &options, -ENOENT, NULL));
	f = fopen(path, "w");
	fputs("7f0000001000 20 function one\n7f0000002000 10 old\nrubbish\n12 zz x\n"
	      "7f0000002000 30 LazyCompile:~new a.js:1\n7f0000003000 0 empty\n"
	      "7f0000004000 10 unfinished",
	      f);
	fclose(f);
	tab = load(&request, &options, 0, NULL);
	assert_int_equal(pfx_symtab_nr(tab), 3);
	expect_at(tab, 0x7f000000101f, "function one");
	expect_at(tab, 0x7f000000202f, "LazyCompile:~new a.js:1");
	expect_at(tab, 0x7f0000003000, NULL);
	expect_at(tab, 0x7f0000004000, "unfinished");
	assert_non_null(strstr(pfx_symtab_source(tab), path));
	pfx_symtab_free(tab);
	if (!geteuid() && !chown(path, 12345, 12345)) {
		pfx_symtab_free(load(&request, &options, -EACCES, &err));
		assert_non_null(strstr(err.text, "12345"));
		options.force = true;
		pfx_symtab_free(load(&request, &options, 0, NULL));
	}
	unlink(path);
}

#define SPARSE_BYTES ((off_t)1900 << 20)
#define NAME_BYTES   ((size_t)10 << 20)

/* A perf map with gaps, and with more lines than symbols: memory depends on the symbols. */
static void test_perf_map_memory(void **state)
{
	struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .pid = getpid(), .path = "//anon"};
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent", .force = true};
	uint64_t before, after;
	struct pfx_symtab *tab;
	char path[64], *name;
	FILE *f;

	name = malloc(NAME_BYTES);
	memset(name, 'n', NAME_BYTES);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fputs("1000 10 first\n", f);
	assert_int_equal(fseeko(f, SPARSE_BYTES, SEEK_SET), 0);
	fputs("\n2000 10 second\n3000 10 ", f);
	assert_int_equal(fwrite(name, NAME_BYTES, 1, f), 1);
	fputs("\n4000 10 third\n", f);
	assert_int_equal(fwrite(name, NAME_BYTES, 1, f), 1);
	fputs("\n5000 10 last", f);
	fclose(f);
	free(name);
	before = memory_use("VmRSS:");
	tab = load(&request, &options, 0, NULL);
	after = memory_use("VmRSS:");
	assert_int_equal(pfx_symtab_nr(tab), 5);
	expect_at(tab, 0x1000, "first");
	expect_at(tab, 0x2000, "second");
	expect_at(tab, 0x4000, "third");
	expect_at(tab, 0x5000, "last");
	name = (char *)pfx_symtab_find(tab, 0x3000)->name;
	assert_int_equal(strlen(name), PFX_NAME_LIMIT + 3);
	assert_string_equal(name + PFX_NAME_LIMIT - 1, "n...");
	assert_true(after < before + (8u << 20));
	pfx_symtab_free(tab);
	unlink(path);
}

/* Reused memory: a later line has all of its bytes, the earlier lines the rest. */
static void test_perf_map_used_again(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
	} expected[] = {
		{0x0fff, NULL},      {0x1000, "first"},   {0x107f, "first"},   {0x1080, "across"},
		{0x10ff, "across"},  {0x1100, "across"},  {0x117f, "across"},  {0x1180, "second"},
		{0x11ff, "second"},  {0x1200, NULL},      {0x1fff, NULL},      {0x2000, "large"},
		{0x2010, "large"},   {0x20ff, "large"},   {0x3000, "outer"},   {0x3040, "inner"},
		{0x304f, "inner"},   {0x3050, "outer"},   {0x30ff, "outer"},   {0x4000, "shorter"},
		{0x400f, "shorter"}, {0x4010, "longer"},  {0x401f, "longer"},  {0x5000, "touches"},
		{0x500f, "touches"}, {0x5010, "touched"}, {0x501f, "touched"}, {0x5020, NULL},
	};
	struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .pid = getpid(), .path = "//anon"};
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent"};
	struct pfx_symtab *tab;
	char path[64];
	size_t i;
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fputs("1000 100 first\n1100 100 second\n1080 100 across\n"
	      "2010 10 small\n2040 20 other\n2000 100 large\n"
	      "3000 100 outer\n3040 10 inner\n"
	      "4000 20 longer\n4000 10 shorter\n"
	      "5010 10 touched\n5000 10 touches\n",
	      f);
	fclose(f);
	tab = load(&request, &options, 0, NULL);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		expect_at(tab, expected[i].addr, expected[i].name);
	assert_int_equal(pfx_symtab_find(tab, 0x30ff)->start, 0x3000);
	pfx_symtab_free(tab);
	unlink(path);
}

/* --- damage --- */

/* The file is in memory: writing thousands of versions to a disk is slow. */
static void try_bytes(int fd, const uint8_t *bytes, size_t size)
{
	struct pfx_sym_options options = {.buildid_dir = "/nonexistent"};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE};
	struct pfx_symtab *tab;
	char path[64];
	size_t i;

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pwrite(fd, bytes, size, 0), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	request.path = path;
	if (!pfx_symtab_load(&tab, &request, &options, NULL))
		assert_true(pfx_symtab_nr(tab) > 0);
	for (i = 0; i < pfx_symtab_nr(tab); i++)
		assert_non_null(pfx_symtab_at(tab, i)->name);
	for (i = 0; i < 0x3000; i += 0x40)
		(void)pfx_symtab_find(tab, i);
	pfx_symtab_free(tab);
}

static void test_damaged(void **state)
{
	const struct make_elf m = {.symbols = usual,
				   .nr_symbols = sizeof(usual) / sizeof(*usual),
				   .build_id = "id",
				   .debuglink = "bad.debug",
				   .is_debug = true};
	char path[512], *bytes;
	struct tree t;
	int fd = memfd_create("damaged", MFD_CLOEXEC);
	size_t size, i;

	assert_true(fd >= 0);
	tree_init(&t);
	make_in(&t, "/good", &m);
	assert_int_equal(pfx_read_file(tree_path(&t, path, sizeof(path), "/good"), 1 << 20, &bytes,
				       &size, NULL),
			 0);
	for (i = 0; i < size; i += 3)
		try_bytes(fd, (const uint8_t *)bytes, i);
	for (i = 0; i < size; i++) {
		bytes[i] ^= (char)(1 << i % 8);
		try_bytes(fd, (const uint8_t *)bytes, size);
		bytes[i] ^= (char)(1 << i % 8);
		bytes[i] = (char)~bytes[i];
		try_bytes(fd, (const uint8_t *)bytes, size);
		bytes[i] = (char)~bytes[i];
	}
	free(bytes);
	close(fd);
	tree_fini(&t);
}

/* --- what CPUs do differently --- */

static void test_plt_x86(void **state)
{
	static const uint8_t lazy[16] = {0xff, 0x25, 0x10, 0, 0, 0, 0x68};
	static const uint8_t ibt[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff,
					0x25, 0xf0, 0xff, 0xff, 0xff};
	static const uint8_t push[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 3, 0, 0, 0};
	static const uint8_t header[16] = {0xff, 0x35, 1, 0, 0, 0, 0xff, 0x25};
	struct pfx_plt_code code = {lazy, 16, 0x1000, 0, 16};
	struct pfx_plt_entry entry;

	assert_true(pfx_plt_decode(pfx_arch_of_elf(EM_X86_64), &code, &entry));
	assert_int_equal(entry.slot, 0x1016);
	assert_false(entry.by_index);
	code.at = ibt;
	assert_true(pfx_plt_decode(pfx_arch_of_elf(EM_X86_64), &code, &entry));
	assert_int_equal(entry.slot, 0x1000 + 11 - 16);
	code.at = push;
	assert_true(pfx_plt_decode(pfx_arch_of_elf(EM_X86_64), &code, &entry));
	assert_true(entry.by_index);
	assert_int_equal(entry.slot, 3);
	code.at = header;
	assert_false(pfx_plt_decode(pfx_arch_of_elf(EM_X86_64), &code, &entry));
	code.at = lazy;
	code.size = 4;
	assert_false(pfx_plt_decode(pfx_arch_of_elf(EM_X86_64), &code, &entry));
	code.size = 16;
	assert_true(pfx_plt_decode(pfx_arch_of_elf(EM_386), &code, &entry));
	assert_int_equal(entry.slot, 0x10);
	assert_false(pfx_plt_decode(pfx_arch_of_elf(EM_S390), &code, &entry));
}

static void test_plt_arm64(void **state)
{
	/* adrp x16, +0x10000; ldr x17, [x16, #24]; add x16, x16, #24; br x17 */
	static const uint8_t bytes[16] = {0x90, 0,    0, 0x90, 0x11, 0x0e, 0x40, 0xf9,
					  0x10, 0x62, 0, 0x91, 0x20, 0x02, 0x1f, 0xd6};
	struct pfx_plt_code code = {bytes, 16, 0x3b0, 0, 16};
	struct pfx_plt_entry entry;

	assert_true(pfx_plt_decode(pfx_arch_of_elf(EM_AARCH64), &code, &entry));
	assert_int_equal(entry.slot, 0x10018);
	code.size = 12;
	assert_false(pfx_plt_decode(pfx_arch_of_elf(EM_AARCH64), &code, &entry));
}

static void test_markers(void **state)
{
	assert_true(pfx_elfsym_is_marker(pfx_arch_of_elf(EM_AARCH64), "$x"));
	assert_true(pfx_elfsym_is_marker(pfx_arch_of_elf(EM_ARM), "$d.12"));
	assert_false(pfx_elfsym_is_marker(pfx_arch_of_elf(EM_AARCH64), "$xyz"));
	assert_false(pfx_elfsym_is_marker(pfx_arch_of_elf(EM_AARCH64), "$"));
	assert_false(pfx_elfsym_is_marker(pfx_arch_of_elf(EM_X86_64), "$x"));
	assert_int_equal(pfx_elfsym_code_address(pfx_arch_of_elf(EM_ARM), 0x1001), 0x1000);
	assert_int_equal(pfx_elfsym_code_address(pfx_arch_of_elf(EM_X86_64), 0x1001), 0x1001);
	assert_true(pfx_elfsym_has_descriptors(pfx_arch_of_elf(EM_PPC64), 1));
	assert_false(pfx_elfsym_has_descriptors(pfx_arch_of_elf(EM_PPC64), 2));
}

static void expect_readable(const char *name, const char *text)
{
	char *have = pfx_demangle(name);

	if (text)
		assert_string_equal(have ? have : "(none)", text);
	else
		assert_null(have);
	free(have);
}

static void test_demangle(void **state)
{
	static char long_name[40000] = "_Z";

	expect_readable("main", NULL);
	expect_readable("", NULL);
	expect_readable("_start", NULL);
	if (!pfx_demangle_is_built_in())
		return;
	expect_readable("_ZN2ns1AIiE1fEiPKc", "ns::A<int>::f");
	expect_readable("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			"core::fmt::Write::write_fmt");
	expect_readable("_RNvC6_123foo3bar", "123foo::bar");
	memset(long_name + 2, '1', sizeof(long_name) - 3);
	expect_readable(long_name, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_labels_in_functions),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_debug_by_id),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_cached_program),
		cmocka_unit_test(test_stripped_later),
		cmocka_unit_test(test_this_program),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_perf_map),
		cmocka_unit_test(test_perf_map_memory),
		cmocka_unit_test(test_perf_map_used_again),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_plt_x86),
		cmocka_unit_test(test_plt_arm64),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_flat_symfs),
		cmocka_unit_test(test_cache_below_symfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

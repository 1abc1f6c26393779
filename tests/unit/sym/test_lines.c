/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions of programs that are compiled here, in all forms of debug
 * information that the installed compilers support. The reference is addr2line, for every address
 * of the program's own functions.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/dwarf/lines.h"
#include "sym/find/binary.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "unit/sym/symbol_named.h"

#define FRAMES_MAX 32
#define BYTES_MAX  700 /* of a function are compared */

/* The result for one address: names, files and lines, the innermost first. */
struct meaning {
	unsigned nr;
	char name[FRAMES_MAX][256], file[FRAMES_MAX][128];
	unsigned line[FRAMES_MAX];
};

static char dir[64] = "/tmp/pfx-lines-XXXXXX";

static const char c_source[] =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#define ALWAYS static inline __attribute__((always_inline))\n"
	"volatile unsigned sink;\n"
	"ALWAYS unsigned mix(unsigned x)\n"
	"{\n"
	"	for (int i = 0; i < 20; i++)\n"
	"		x = x * 1664525u + sink;\n"
	"	return x;\n"
	"}\n"
	"ALWAYS unsigned twice(unsigned x)\n"
	"{\n"
	"	x = mix(x);\n"
	"	if (x & 4) {\n"
	"		unsigned y = mix(x + 1);\n"
	"		sink = y;\n"
	"		return mix(y ^ 5) + 1;\n"
	"	}\n"
	"	return mix(x ^ 7);\n"
	"}\n"
	"__attribute__((noinline)) unsigned leaf(unsigned x)\n"
	"{\n"
	"	return twice(x) + 3;\n"
	"}\n"
	"__attribute__((noinline)) unsigned cold(unsigned x)\n"
	"{\n"
	"	if (__builtin_expect(x == 77, 0)) {\n"
	"		sink = leaf(x + 1);\n"
	"		abort();\n"
	"	}\n"
	"	return twice(leaf(x)) * mix(x);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	unsigned r = (unsigned)argc;\n"
	"	for (int i = 0; i < 5; i++)\n"
	"		r += cold(r) + leaf(r + (unsigned)strlen(argv[0]));\n"
	"	return (int)(r & 1);\n"
	"}\n";

static const char cc_source[] =
	"#include <algorithm>\n"
	"#include <map>\n"
	"#include <memory>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"namespace shop { namespace {\n"
	"struct Item { unsigned price; std::string name;\n"
	"	bool operator<(const Item &o) const { return price < o.price; }\n"
	"	virtual ~Item() {} virtual unsigned tax(unsigned x) const { return x / 5 + price; "
	"} };\n"
	"struct Gift : Item { unsigned tax(unsigned x) const override\n"
	"	{ return Item::tax(x) ^ 3; } };\n"
	"template <typename T> struct Cart {\n"
	"	std::vector<T> all; std::map<unsigned, std::string> names;\n"
	"	template <typename F> unsigned sum(F f) const\n"
	"	{ unsigned s = 0; for (auto &i : all) s += f(i); return s; }\n"
	"	void add(unsigned p) { T t; t.price = p; t.name = std::to_string(p);\n"
	"		names[p % 13] += t.name; all.push_back(t); } };\n"
	"} }\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	shop::Cart<shop::Item> cart; shop::Cart<shop::Gift> gifts;\n"
	"	struct Local { static unsigned twice(unsigned x) { return x * 2 + 1; } };\n"
	"	auto grow = [&](unsigned p) { cart.add(p); gifts.add(Local::twice(p)); };\n"
	"	for (unsigned i = 0; i < 40; i++) grow(i * 2654435761u);\n"
	"	std::sort(cart.all.begin(), cart.all.end());\n"
	"	std::sort(gifts.all.begin(), gifts.all.end(),\n"
	"		[](const shop::Gift &a, const shop::Gift &b) { return a.tax(1) < b.tax(2); "
	"});\n"
	"	return int(cart.sum([&](const shop::Item &i) { return i.tax(argc) & 7; }) & 1);\n"
	"}\n";

static void write_file(const char *name, const char *text)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

static bool run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char *fmt, ...)
{
	char command[1024];
	va_list args;
	size_t len;

	len = (size_t)snprintf(command, sizeof(command), "cd %s && (", dir);
	va_start(args, fmt);
	vsnprintf(command + len, sizeof(command) - len - 32, fmt, args);
	va_end(args);
	strcat(command, ") >/dev/null 2>&1");
	return system(command) == 0;
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("one.c", c_source);
	write_file("two.cc", cc_source);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -rf %s", dir);
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- what addr2line says --- */

/* "0x...", then a name and "file:line (discriminator 3)" for each frame. */
static bool read_meaning(FILE *from, char *line, size_t size, struct meaning *ret)
{
	char *colon;

	ret->nr = 0;
	while (fgets(line, (int)size, from) && strncmp(line, "0x", 2) != 0) {
		line[strcspn(line, "\n")] = 0;
		assert_true(ret->nr < FRAMES_MAX);
		snprintf(ret->name[ret->nr], sizeof(ret->name[0]), "%.200s", line);
		if (!fgets(line, (int)size, from))
			return false;
		colon = strrchr(line, ':');
		assert_non_null(colon);
		*colon = 0;
		ret->line[ret->nr] = (unsigned)strtoul(colon + 1, NULL, 10);
		snprintf(ret->file[ret->nr], sizeof(ret->file[0]), "%.100s", base_name(line));
		ret->nr++;
	}
	return ret->nr > 0;
}

/* --- what we say --- */

static void our_meaning(struct pfx_lines *lines, uint64_t offset, struct meaning *ret)
{
	const struct pfx_inlined *inlined;
	struct pfx_source source;
	uint32_t i, nr = pfx_lines_inlined(lines, offset, &inlined);
	bool known = pfx_lines_source(lines, offset, &source);

	memset(ret, 0, sizeof(*ret));
	assert_true(nr < FRAMES_MAX);
	for (i = 0; i <= nr; i++) {
		if (i)
			known = pfx_lines_call(lines, &inlined[i - 1], &source);
		snprintf(ret->name[i], sizeof(ret->name[0]), "%.200s",
			 i < nr ? inlined[i].name : "");
		snprintf(ret->file[i], sizeof(ret->file[0]), "%s",
			 known ? base_name(source.file) : "??");
		ret->line[i] = known ? source.line : 0;
	}
	ret->nr = nr + 1;
}

/* The outermost function is not compared by name: its symbol is shown. */
static bool is_same(const struct meaning *a, const struct meaning *b)
{
	unsigned i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if ((i + 1 < a->nr && strcmp(a->name[i], b->name[i]) != 0) ||
		    a->line[i] != b->line[i] || (a->line[i] && strcmp(a->file[i], b->file[i])))
			return false;
	return true;
}

static void print_meaning(const char *who, uint64_t vaddr, const struct meaning *m)
{
	unsigned i;

	for (i = 0; i < m->nr; i++)
		print_message("%s %#lx %s %s:%u\n", who, (unsigned long)vaddr, m->name[i],
			      m->file[i], m->line[i]);
}

struct tally {
	unsigned nr, nr_same, nr_inlined;
};

/* The references have errors of their own: the first one uses wrong names for inlined functions and
 * does not read all forms, the second one finds fewer lines. */
static const char *const judges[] = {
	"addr2line -aif -e",
	"llvm-symbolizer --output-style=GNU -a -i --no-demangle -e",
};
#define NR_JUDGES 2

/* One address, and the result of the comparison. */
struct verdict {
	uint64_t offset, vaddr;
	bool is_same, is_inlined;
};

struct program {
	const char *path;  /* of the running program */
	const char *judge; /* of the file for addr2line */
	struct pfx_lines *lines;
	struct pfx_symtab *tab;
	struct pfx_binary *binary;
	PFX_VEC(struct verdict) verdicts;
};

static void judge_one(const struct program *program, struct verdict *verdict,
		      const struct meaning *theirs, unsigned judge)
{
	struct meaning ours;

	our_meaning(program->lines, verdict->offset, &ours);
	verdict->is_inlined = ours.nr > 1;
	verdict->is_same = is_same(&ours, theirs);
	if (!verdict->is_same && getenv("PFX_TEST_VERBOSE")) {
		print_meaning("ours", verdict->offset, &ours);
		print_meaning(judge ? "llvm" : "bfd", verdict->offset, theirs);
	}
}

/* The next address without a match, or NULL. */
static struct verdict *next_open(const struct program *program, struct verdict *verdict)
{
	const struct verdict *end = program->verdicts.at + program->verdicts.nr;

	while (verdict < end && verdict->is_same)
		verdict++;
	return verdict < end ? verdict : NULL;
}

/* All addresses in one call: starting a reference program is slow. */
static void ask_judge(const struct program *program, unsigned judge)
{
	char *command = pfx_strfmt("cd %s && %s %s < asked 2>/dev/null", dir, judges[judge],
				   program->judge);
	char *asked = pfx_strfmt("%s/asked", dir), line[4096];
	struct verdict *first = program->verdicts.at, *verdict;
	struct meaning theirs;
	FILE *pipe, *file = fopen(asked, "w");

	assert_non_null(file);
	for (verdict = next_open(program, first); verdict;
	     verdict = next_open(program, verdict + 1))
		fprintf(file, "%#lx\n", (unsigned long)verdict->vaddr);
	fclose(file);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	verdict = fgets(line, sizeof(line), pipe) ? next_open(program, first) : NULL;
	for (; verdict && read_meaning(pipe, line, sizeof(line), &theirs);
	     verdict = next_open(program, verdict + 1))
		judge_one(program, verdict, &theirs, judge);
	pclose(pipe);
	free(asked);
	free(command);
}

static void add_symbol(struct program *program, const struct pfx_symbol *sym)
{
	struct verdict verdict = {.offset = sym->start};

	for (; verdict.offset < sym->end && verdict.offset - sym->start < BYTES_MAX &&
	       pfx_binary_vaddr(program->binary, verdict.offset, &verdict.vaddr);
	     verdict.offset++)
		pfx_vec_push(&program->verdicts, verdict);
}

static struct tally judge_all(struct program *program)
{
	struct tally tally = {.nr = (unsigned)program->verdicts.nr};
	unsigned i;

	for (i = 0; i < NR_JUDGES; i++)
		if (run("command -v %.*s", (int)strcspn(judges[i], " "), judges[i]) &&
		    next_open(program, program->verdicts.at))
			ask_judge(program, i);
	for (i = 0; i < tally.nr; i++) {
		tally.nr_same += program->verdicts.at[i].is_same;
		tally.nr_inlined += program->verdicts.at[i].is_inlined;
	}
	return tally;
}

static struct pfx_sym_request request_of(const char *path)
{
	return (struct pfx_sym_request){.kind = PFX_SYM_FILE, .path = path};
}

/* @worst: minimum percentage of addresses with the same result. */
static void expect_same(const struct tally *tally, const char *what, unsigned inlined, double worst)
{
	print_message("%s: %u of %u addresses, %u in inlined functions\n", what, tally->nr_same,
		      tally->nr, tally->nr_inlined);
	assert_true(tally->nr_inlined > inlined);
	assert_true(100.0 * tally->nr_same / tally->nr >= worst);
}

/* Compare all functions of the program, at most @limit of them. */
static struct tally compare(const char *path, const char *judge, unsigned limit)
{
	struct pfx_sym_options options = {.no_demangle = true, .buildid_dir = ""};
	struct pfx_sym_request request = request_of(path);
	struct program program = {.path = path, .judge = judge};
	const struct pfx_symbol *sym;
	struct pfx_error err = {0};
	struct tally tally;
	size_t i;

	assert_int_equal(pfx_symtab_load(&program.tab, &request, &options, &err), 0);
	assert_int_equal(pfx_binary_open(&program.binary, &request, &options, &err), 0);
	assert_int_equal(pfx_lines_open(&program.lines, &request, &options, &err), 0);
	for (i = 0; i < pfx_symtab_nr(program.tab) && limit; i++) {
		sym = pfx_symtab_at(program.tab, i);
		if (!sym->is_func || sym->end - sym->start < 4 || strstr(sym->name, "@plt"))
			continue;
		add_symbol(&program, sym);
		limit--;
	}
	tally = judge_all(&program);
	pfx_vec_free(&program.verdicts);
	pfx_lines_free(program.lines);
	pfx_binary_free(program.binary);
	pfx_symtab_free(program.tab);
	return tally;
}

static void skip_without_tools(const char *compiler)
{
	if (!run("command -v addr2line") || !run("command -v %s", compiler)) {
		print_message("SKIP: no addr2line or no %s\n", compiler);
		skip();
	}
}

/* The minimum percentage of addresses with the same result. */
#define WORST 99.0

/* The compiler and its options; the tool that packs its split debug information. */
struct build {
	const char *compiler, *flags, *source, *packer;
};

static void check(void **state)
{
	const struct build *build = *state;
	char *path = pfx_strfmt("%s/prog", dir);
	struct tally tally;

	skip_without_tools(build->compiler);
	if (!run("rm -f prog *.dwo && %s %s -o prog %s", build->compiler, build->flags,
		 build->source)) {
		free(path);
		print_message("SKIP: %s %s does not work here\n", build->compiler, build->flags);
		skip();
	}
	tally = compare(path, path, 40);
	assert_true(tally.nr > 100);
	expect_same(&tally, build->source, 50, WORST);
	free(path);
}

/* The same for a program with split debug information, which not all references read: they use a
 * copy without it. */
static void check_split(void **state)
{
	const struct build *build = *state;
	char *path = pfx_strfmt("%s/prog", dir), *judge = pfx_strfmt("%s/judge", dir);
	struct tally tally;

	skip_without_tools(build->compiler);
	if (run("rm -f prog* judge *.dwo && %s %s -o judge %s && %s %s -gsplit-dwarf -o prog %s",
		build->compiler, build->flags, build->source, build->compiler, build->flags,
		build->source)) {
		tally = compare(path, judge, 40);
		assert_true(tally.nr > 100);
		expect_same(&tally, build->source, 50, WORST);
	}
	free(path);
	free(judge);
}

/* Stripped, with its debug file beside it. */
static void test_separate(void **state)
{
	char *path = pfx_strfmt("%s/prog", dir), *debug = pfx_strfmt("%s/prog.debug", dir);
	struct tally tally;

	(void)state;
	skip_without_tools("objcopy");
	assert_true(run("gcc -O2 -g -Wl,--build-id -o prog one.c && "
			"objcopy --only-keep-debug prog prog.debug && strip -g prog && "
			"objcopy --add-gnu-debuglink=prog.debug prog"));
	tally = compare(path, debug, 60);
	expect_same(&tally, "separate", 50, WORST);
	free(path);
	free(debug);
}

/* The table of address ranges contains one unit but not the other. */
static void test_some_aranges(void **state)
{
	char *path = pfx_strfmt("%s/prog", dir), *judge = pfx_strfmt("%s/judge", dir);
	struct tally tally;

	(void)state;
	skip_without_tools("objcopy");
	assert_true(
		run("rm -f prog judge && echo 'int other(int x) { return x * 3; }' > other.c && "
		    "gcc -O2 -g -c one.c other.c && "
		    "objcopy -R .debug_aranges -R .rela.debug_aranges one.o bare.o && "
		    "gcc -o prog other.o bare.o && gcc -o judge other.o one.o"));
	tally = compare(path, judge, 40);
	expect_same(&tally, "some aranges", 50, WORST);
	free(path);
	free(judge);
}

/* The debug file of another build is not used. */
static void test_other_build(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/prog", dir), *text;
	struct pfx_sym_request request = request_of(path);
	struct pfx_error err = {0};
	struct pfx_lines *lines;

	(void)state;
	skip_without_tools("objcopy");
	assert_true(run("gcc -O2 -g -Wl,--build-id -o prog one.c && "
			"gcc -O1 -g -Wl,--build-id -o other one.c && "
			"objcopy --only-keep-debug other prog.debug && strip -g prog && "
			"objcopy --add-gnu-debuglink=prog.debug prog"));
	assert_int_equal(pfx_lines_open(&lines, &request, &options, &err), -ENODATA);
	text = pfx_strfmt("'%s.debug' is of another build", path);
	assert_string_equal(err.text, text);
	assert_int_equal(err.code, ESTALE);
	free(text);
	free(path);
}

/* Debug information that two programs share is in a third file. */
static void test_dwz(void **state)
{
	char *path = pfx_strfmt("%s/prog", dir);
	struct tally tally;

	(void)state;
	skip_without_tools("dwz");
	assert_true(run("rm -rf prog other && g++ -O2 -gdwarf-5 -std=c++17 -o prog two.cc && "
			"g++ -O2 -DX -gdwarf-5 -std=c++17 -o other two.cc && "
			"dwz -m shared.debug prog other"));
	tally = compare(path, path, 40);
	/* One reference loses the names here, and the other has some wrong ones. */
	expect_same(&tally, "dwz", 50, 95);
	free(path);
}

/* A named pipe in place of a file with split debug information: must not block. */
static void test_pipe_for_split_file(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/prog", dir);
	struct pfx_sym_request request = request_of(path);
	const struct pfx_inlined *inlined;
	struct pfx_source source;
	struct pfx_lines *lines;
	uint64_t offset;

	(void)state;
	assert_true(run("rm -f prog *.dwo && gcc -O2 -g -gsplit-dwarf -o prog one.c && "
			"for f in *.dwo; do rm $f && mkfifo $f; done"));
	alarm(900); /* against waiting for ever */
	assert_int_equal(pfx_lines_open(&lines, &request, &options, NULL), 0);
	for (offset = 0x1000; offset < 0x1400; offset++) {
		pfx_lines_source(lines, offset, &source);
		pfx_lines_inlined(lines, offset, &inlined);
	}
	alarm(0);
	pfx_lines_free(lines);
	assert_true(run("rm -f *.dwo"));
	free(path);
}

/* All units in one package, without their own files. Some llvm-dwp never finish with DWARF 5 of
 * gcc, so that combination is skipped. */
static void check_packed(void **state)
{
	const struct build *build = *state;
	char *path = pfx_strfmt("%s/prog", dir), *judge = pfx_strfmt("%s/judge", dir);
	struct tally tally;

	skip_without_tools(build->packer);
	skip_without_tools(build->compiler);
	if (!run("rm -f prog* judge *.dwo && %s %s -o judge %s && "
		 "%s %s -gsplit-dwarf -o prog %s && %s -e prog -o prog.dwp && "
		 "rm *.dwo",
		 build->compiler, build->flags, build->source, build->compiler, build->flags,
		 build->source, build->packer)) {
		print_message("SKIP: %s does not pack %s here\n", build->packer, build->flags);
		skip();
	}
	tally = compare(path, judge, 40);
	assert_true(tally.nr > 100);
	expect_same(&tally, build->source, 50, WORST);
	free(path);
	free(judge);
}

/* Several units; some have their base address only in the skeleton. */
static void check_package_of_many(void **state)
{
	const char *flags = *state;
	char *path = pfx_strfmt("%s/prog", dir), *judge = pfx_strfmt("%s/judge", dir);
	const char *build = "clang -O2 %s -Dmain=first -c -o 1.o one.c && "
			    "clang -O2 %s -Dmain=second -Dleaf=leaf2 -Dcold=cold2 -Dsink=sink2 -c "
			    "-o 2.o one.c && clang++ -O2 %s -std=c++17 -o %s two.cc 1.o 2.o";
	char *plain = pfx_strfmt(build, flags, flags, flags, "judge"), *split;
	char *split_flags = pfx_strfmt("%s -gsplit-dwarf", flags);
	struct tally tally;

	skip_without_tools("llvm-dwp");
	skip_without_tools("clang");
	split = pfx_strfmt(build, split_flags, split_flags, split_flags, "prog");
	assert_true(run("rm -f prog* *.dwo && %s", plain));
	assert_true(run("%s", split));
	if (!run("llvm-dwp -e prog -o prog.dwp && rm *.dwo"))
		skip();
	tally = compare(path, judge, 1000);
	expect_same(&tally, flags, 500, WORST);
	free(split_flags);
	free(plain);
	free(split);
	free(path);
	free(judge);
}

/* With sanitizers, which take time, one byte of four. */
#ifdef PFX_SANITIZED
#define STEP 4
#else
#define STEP 1
#endif

/* Change any byte of a package: any result, but no crash. */
static void test_damaged_package(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/prog", dir), *package = pfx_strfmt("%s/prog.dwp", dir);
	struct pfx_sym_request request = request_of(path);
	const struct pfx_inlined *inlined;
	struct pfx_lines *lines;
	struct pfx_symtab *tab;
	const struct pfx_symbol *leaf;
	unsigned nr_left_out = 0;
	long at, size;
	FILE *file;
	int byte;

	(void)state;
	skip_without_tools("llvm-dwp");
	assert_true(run("rm -f prog* *.dwo && gcc -O2 -gdwarf-4 -gsplit-dwarf -o prog one.c && "
			"llvm-dwp -e prog -o prog.dwp && rm *.dwo"));
	assert_int_equal(pfx_symtab_load(&tab, &request, &options, NULL), 0);
	leaf = symbol_named(tab, "leaf");
	assert_non_null(leaf);
	file = fopen(package, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	for (at = 0; at < size; at += STEP) {
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		byte = fgetc(file);
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		fputc(~byte, file);
		fflush(file);
		assert_int_equal(pfx_lines_open(&lines, &request, &options, NULL), 0);
		nr_left_out += !pfx_lines_inlined(lines, leaf->start + 8, &inlined);
		pfx_lines_free(lines);
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		fputc(byte, file);
	}
	fclose(file);
	assert_true(nr_left_out > 0 && nr_left_out < size);
	pfx_symtab_free(tab);
	free(path);
	free(package);
}

/* Moved together with its split debug information: the recorded path is invalid. */
static void test_moved(void **state)
{
	char *path = pfx_strfmt("%s/prog", dir), *judge = pfx_strfmt("%s/judge", dir);
	struct tally tally;

	(void)state;
	skip_without_tools("gcc");
	assert_true(run("rm -f prog* judge *.dwo && gcc -O2 -g -o judge one.c && mkdir made && "
			"cp one.c made && cd made && gcc -O2 -g -gsplit-dwarf -o prog one.c && "
			"mv prog *.dwo .. && cd .. && rm -r made"));
	tally = compare(path, judge, 40);
	expect_same(&tally, "moved", 50, WORST);
	free(path);
	free(judge);
}

/* The files of another build are detected by their IDs. */
static void test_other_package(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/prog", dir);
	struct pfx_sym_request request = request_of(path);
	const struct pfx_inlined *inlined;
	struct pfx_source source;
	struct pfx_lines *lines;
	struct pfx_symtab *tab;
	const struct pfx_symbol *leaf;
	struct pfx_split_gaps gaps;
	char *refused, *missing;

	(void)state;
	skip_without_tools("llvm-dwp");
	assert_true(run("rm -f prog* *.dwo && gcc -O1 -gdwarf-4 -gsplit-dwarf -o prog one.c && "
			"llvm-dwp -e prog -o other.dwp && rm *.dwo && "
			"gcc -O2 -gdwarf-4 -gsplit-dwarf -o prog one.c && rm *.dwo && "
			"mv other.dwp prog.dwp"));
	assert_int_equal(pfx_symtab_load(&tab, &request, &options, NULL), 0);
	assert_int_equal(pfx_lines_open(&lines, &request, &options, NULL), 0);
	leaf = symbol_named(tab, "leaf");
	assert_non_null(leaf);
	assert_true(pfx_lines_source(lines, leaf->start, &source));
	assert_int_equal(pfx_lines_inlined(lines, leaf->start + 8, &inlined), 0);
	refused = pfx_strfmt("%s.dwp", path);
	gaps = pfx_lines_gaps(lines);
	assert_string_equal(gaps.refused, refused);
	assert_int_equal(gaps.nr_refused, 1);
	assert_null(gaps.missing);
	free(refused);
	pfx_lines_free(lines);
	/* without the package there is no debug information */
	assert_true(run("rm prog.dwp"));
	assert_int_equal(pfx_lines_open(&lines, &request, &options, NULL), 0);
	assert_null(pfx_lines_gaps(lines).missing);
	assert_int_equal(pfx_lines_inlined(lines, leaf->start + 8, &inlined), 0);
	gaps = pfx_lines_gaps(lines);
	missing = pfx_strfmt("%s/prog-one.dwo", dir);
	assert_string_equal(gaps.missing, missing);
	assert_int_equal(gaps.nr_missing, 1);
	assert_null(gaps.refused);
	free(missing);
	pfx_lines_free(lines);
	pfx_symtab_free(tab);
	free(path);
}

static void test_known_places(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/prog", dir);
	struct pfx_sym_request request = request_of(path);
	const struct pfx_inlined *inlined = NULL;
	const struct pfx_symbol *leaf;
	struct pfx_source source;
	struct pfx_lines *lines;
	struct pfx_symtab *tab;
	uint64_t offset;
	uint32_t nr = 0;

	(void)state;
	assert_true(run("gcc -O2 -g -o prog one.c"));
	assert_int_equal(pfx_symtab_load(&tab, &request, &options, NULL), 0);
	assert_int_equal(pfx_lines_open(&lines, &request, &options, NULL), 0);
	leaf = symbol_named(tab, "leaf");
	assert_non_null(leaf);
	for (offset = leaf->start; offset < leaf->end && nr < 2; offset++)
		nr = pfx_lines_inlined(lines, offset, &inlined);
	assert_int_equal(nr, 2);
	assert_string_equal(inlined[0].name, "mix");
	assert_string_equal(inlined[1].name, "twice");
	assert_true(pfx_lines_call(lines, &inlined[1], &source));
	assert_int_equal(source.line, 23);
	assert_string_equal(base_name(source.file), "one.c");
	assert_false(pfx_lines_source(lines, 1ull << 60, &source));
	assert_int_equal(pfx_lines_inlined(lines, 1ull << 60, &inlined), 0);
	pfx_lines_free(lines);
	pfx_symtab_free(tab);
	free(path);
}

#define BUILD(test, compiler, flags, ...)                                       \
	(struct CMUnitTest)                                                     \
	{                                                                       \
		.name = #test " " compiler " " flags, .test_func = test,        \
		.initial_state = &(struct build){compiler, flags, __VA_ARGS__}, \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_places),
		BUILD(check, "gcc", "-O2 -gdwarf-4", "one.c"),
		BUILD(check, "gcc", "-O2 -gdwarf-5 -gdwarf64", "one.c"),
		BUILD(check, "gcc", "-O2 -gdwarf-5 -gsplit-dwarf", "one.c"),
		BUILD(check, "clang", "-O2 -gdwarf-5", "one.c"),
		BUILD(check, "g++", "-O2 -g -std=c++17", "two.cc"),
		BUILD(check_split, "gcc", "-O2 -gdwarf-4 -gdwarf64", "one.c"),
		cmocka_unit_test(test_separate),
		cmocka_unit_test(test_some_aranges),
		cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_pipe_for_split_file),
		BUILD(check_packed, "gcc", "-O2 -gdwarf-4", "one.c", "llvm-dwp"),
		BUILD(check_packed, "clang", "-O2 -gdwarf-5", "one.c", "llvm-dwp"),
		cmocka_unit_test_prestate(check_package_of_many, (void *)"-gdwarf-5"),
		cmocka_unit_test(test_damaged_package),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_other_package),
#ifndef PFX_SANITIZED
		/* More of what the same code reads. */
		BUILD(check, "gcc", "-O2 -gdwarf-5", "one.c"),
		BUILD(check, "gcc", "-O2 -gdwarf-4 -gdwarf64", "one.c"),
		BUILD(check, "gcc", "-O2 -g -gz", "one.c"),
		BUILD(check, "gcc", "-O3 -g -no-pie", "one.c"),
		BUILD(check, "gcc", "-O2 -gdwarf-4 -gsplit-dwarf", "one.c"),
		BUILD(check, "clang", "-O2 -gdwarf-4", "one.c"),
		BUILD(check, "clang", "-O2 -gdwarf-5 -gdwarf64", "one.c"),
		BUILD(check, "clang", "-O2 -gline-tables-only", "one.c"),
		BUILD(check, "g++", "-O2 -gdwarf-4 -std=c++17", "two.cc"),
		BUILD(check, "g++", "-O2 -gdwarf-5 -gdwarf64 -std=c++17", "two.cc"),
		BUILD(check, "clang++", "-O2 -g -std=c++17", "two.cc"),
		BUILD(check_split, "gcc", "-O2 -gdwarf-5 -gdwarf64", "one.c"),
		BUILD(check_split, "clang", "-O2 -gdwarf-5 -gdwarf64", "one.c"),
		BUILD(check_packed, "gcc", "-O2 -gdwarf-4", "one.c", "dwp"),
		BUILD(check_packed, "gcc", "-O2 -gdwarf-4 -gdwarf64", "one.c", "dwp"),
		BUILD(check_packed, "g++", "-O2 -gdwarf-4 -std=c++17", "two.cc", "llvm-dwp"),
		BUILD(check_packed, "clang", "-O2 -gdwarf-4", "one.c", "llvm-dwp"),
		BUILD(check_packed, "clang++", "-O2 -gdwarf-5 -std=c++17", "two.cc", "llvm-dwp"),
		cmocka_unit_test_prestate(check_package_of_many, (void *)"-gdwarf-4"),
#endif
	};
	struct pfx_sym_request request = request_of("/proc/self/exe");
	struct pfx_lines *lines = NULL;
	struct pfx_sym_options options = {0};
	int rc = pfx_lines_open(&lines, &request, &options, NULL);

	pfx_lines_free(lines);
	if (rc == -ENOTSUP) {
		puts("SKIP: built without libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

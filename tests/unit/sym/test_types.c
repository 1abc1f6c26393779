/* SPDX-License-Identifier: MIT */
/*
 * Data types in programs that are compiled here: the accesses of instructions in small functions
 * must be found, and no member that the function does not access; with both compilers, with and
 * without optimization, in several forms of debug information, for two machines. Also handwritten
 * debug information with cyclic types.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/find/binary.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "sym/types/types.h"
#include "unit/sym/symbol_named.h"

static char dir[64] = "/tmp/pfx-types-XXXXXX";

static const char source[] =
	"typedef unsigned long size;\n"
	"#define NOINLINE __attribute__((noinline))\n"
	"#define ALWAYS static inline __attribute__((always_inline))\n"
	"struct in { int x; long b; };\n"
	"struct node { long key; struct node *next; struct in in; char name[8]; };\n"
	"struct table { int n; struct in slots[16]; struct node *heads[64]; };\n"
	"typedef struct { char tag; union { int i; struct { short lo, hi; } half; }; } boxed;\n"
	"struct tail { long len; long rest[]; };\n"
	"struct table tab; int counter; static struct node *top; struct node nodes[100];\n"
	"static struct node pool[8]; static int used;\n"
	"NOINLINE long walk(struct node *n)\n"
	"{ long s = 0; for (; n; n = n->next) s += n->key + n->in.b; return s; }\n"
	"NOINLINE long slots(struct table *t)\n"
	"{ long s = 0; for (int i = 0; i < t->n; i++) s += t->slots[i].b; return s; }\n"
	"NOINLINE long heads(struct table *t, unsigned k)\n"
	"{ long s = 0; for (int i = 0; i < 64; i++)\n"
	"	s += t->heads[(k + i) % 64]->next->in.b; return s; }\n"
	"NOINLINE long globals(void)\n"
	"{ counter++; return tab.slots[3].b + tab.n + top->in.b; }\n"
	"NOINLINE long array(struct node *a, int n)\n"
	"{ long s = 0; for (int i = 0; i < n; i++) s += a[i].in.x; return s; }\n"
	"NOINLINE struct node *make(void)\n"
	"{ struct node *n = &pool[used++ & 7]; n->in.b = 3; n->next = top; top = n; return n; }\n"
	"NOINLINE long use(void) { return make()->in.b; }\n"
	"ALWAYS long inner(struct in *in) { return in->b + in->x; }\n"
	"NOINLINE long inlined(struct node *n) { return inner(&n->in); }\n"
	"NOINLINE int box(boxed *b, int hi) { return hi ? b->half.hi : b->i + b->tag; }\n"
	"NOINLINE long tail(struct tail *t)\n"
	"{ long s = 0; for (long i = 0; i < t->len; i++) s += t->rest[i]; return s; }\n"
	"NOINLINE long spill(struct node *n, struct table *t)\n"
	"{ long a = walk(n), b = slots(t); return a + b + n->key + t->n + walk(n->next); }\n"
	"NOINLINE long cases(int k, struct node *n, struct table *t)\n"
	"{ switch (k) { case 0: return n->key; case 1: return t->n; case 2: return n->in.x;\n"
	"  case 3: return walk(n); case 4: return slots(t) + n->in.b; default: return 7; } }\n"
	"struct ends { struct node *first; struct table *second; };\n"
	"NOINLINE long ends(struct ends *e) { return e->first->in.b + e->second->n; }\n"
	"NOINLINE long other(void *p, long n) { return *(long *)((char *)p + n); }\n"
	"NOINLINE long bytes(struct node *n, long k) { return *(long *)((char *)n + k); }\n"
	"int main(int c, char **v)\n"
	"{ (void)v; for (int i = 0; i < 64; i++) tab.heads[i] = make(); tab.n = 16;\n"
	"  struct ends e = {top, &tab};\n  return (int)(ends(&e) + walk(top) + slots(&tab) + "
	"heads(&tab, c) + globals() + array(nodes, c) +\n"
	"	use() + inlined(top) + spill(top, &tab) + cases(c, top, &tab) + other(&tab, c) +\n"
	"	bytes(nodes, c)); }\n";

/* The required types of a function. No other members of a struct are accepted. */
static const struct expected {
	const char *function;
	const char *found[5];
	const char *may[3]; /* also accepted */
	bool not_plain; /* not checked if the compiler multiplies by additions, or uses paired loads
			 */
} expected[] = {
	{"walk", {"struct node +0 (key)", "struct node +0x8 (next)", "struct node +0x18 (in.b)"}},
	{"slots", {"struct table +0 (n)", "struct table +0x10 (slots[].b)"}, {"*(slots[].b)"}},
	{"heads",
	 {"struct table +0x108 (heads)", "struct node +0x8 (next)", "struct node +0x18 (in.b)"},
	 {"*(heads)"}},
	{"globals",
	 {"struct table +0x40 (slots[].b)", "struct table +0 (n)", "struct node +0x18 (in.b)",
	  "int +0 (no field)", "struct node* +0 (no field)"}},
	{"array", {"struct node +0x10 (in.x)"}, {NULL}, true},
	{"make", {"struct node +0x18 (in.b)", "struct node +0x8 (next)"}, {NULL}, true},
	{"use", {"struct node +0x18 (in.b)"}},
	{"inlined", {"*b)", "*x)"}}, /* of the node, or of what is in it */
	{"box", {"boxed +0 (tag)", "boxed +0x4 (i)", "boxed +0x6 (half.hi)"}},
	{"tail", {"struct tail +0 (len)", "struct tail +0x8 (rest)"}, {"*(rest)"}},
	{"spill",
	 {"struct node +0 (key)", "struct table +0 (n)", "struct node +0x8 (next)"},
	 {NULL},
	 true},
	{"cases",
	 {"struct node +0 (key)", "struct table +0 (n)", "struct node +0x10 (in.x)",
	  "struct node +0x18 (in.b)"}},
	{"ends",
	 {"struct node +0x18 (in.b)", "struct table +0 (n)", "struct ends +0 (first)"},
	 {"struct ends +0x8 (second)"}},
	{"other", {NULL}},
	{"bytes", {NULL}},
};

static void write_file(const char *name, const char *text)
{
	char *path = pfx_strfmt("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

static bool run(const char *command)
{
	char *line = pfx_strfmt("cd %s && (%s) >/dev/null 2>&1", dir, command);
	int status = system(line);

	free(line);
	return !status;
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("one.c", source);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	char *command = pfx_strfmt("rm -rf %s", dir);

	run(command);
	free(command);
	return 0;
}

/* --- a program that is asked --- */

struct program {
	struct pfx_lines *lines;
	struct pfx_types *types;
	struct pfx_symtab *tab;
};

static void open_program(struct program *program, const char *name)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	char *path = pfx_strfmt("%s/%s", dir, name);
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};

	assert_int_equal(pfx_lines_open(&program->lines, &request, &options, NULL), 0);
	assert_int_equal(pfx_types_new(&program->types, program->lines, NULL), 0);
	assert_int_equal(pfx_symtab_load(&program->tab, &request, &options, NULL), 0);
	free(path);
}

static void close_program(struct program *program)
{
	pfx_types_free(program->types);
	pfx_lines_free(program->lines);
	pfx_symtab_free(program->tab);
}

static void text_of(const struct pfx_data *data, struct pfx_str *to)
{
	static const char *const words[] = {"(unknown)", "(stack operation)", "(stack canary)"};

	pfx_str_clear(to);
	if (data->kind != PFX_DATA_TYPE)
		pfx_str_add(to, words[data->kind]);
	else
		pfx_str_addf(to, "%s +%#lx (%s)", data->type, (unsigned long)data->offset,
			     *data->member ? data->member : "no field");
}

/* "*word" is what ends with the word. */
static bool matches(const char *pattern, const char *text)
{
	size_t len = strlen(text), end = strlen(pattern) - 1;

	if (*pattern != '*')
		return !strcmp(pattern, text);
	return len > end && !strcmp(text + len - end, pattern + 1);
}

static bool is_listed(const char *const *list, size_t nr, const char *text)
{
	size_t i;

	for (i = 0; i < nr && list[i]; i++)
		if (matches(list[i], text))
			return true;
	return false;
}

static bool is_of_struct(const struct pfx_data *data)
{
	return data->kind == PFX_DATA_TYPE && *data->member;
}

/* Query every byte of the function: those inside instructions are unknown. */
static void check_function(const struct program *program, const struct expected *e, bool is_plain,
			   const char *how)
{
	const struct pfx_symbol *sym = symbol_named(program->tab, e->function);
	bool found[5] = {0};
	struct pfx_str text = {0};
	struct pfx_data data;
	uint64_t at;
	unsigned i;

	assert_non_null(sym);
	for (at = sym->start; at < sym->end; at++) {
		data = pfx_types_find(program->types, at);
		text_of(&data, &text);
		for (i = 0; i < 5 && e->found[i]; i++)
			found[i] |= matches(e->found[i], text.at);
		if (is_of_struct(&data) && !is_listed(e->found, 5, text.at) &&
		    !is_listed(e->may, 3, text.at))
			fail_msg("%s, %s: wrong guess: %s", how, e->function, text.at);
	}
	for (i = 0; i < 5 && e->found[i] && !(is_plain && e->not_plain); i++)
		if (!found[i])
			fail_msg("%s, %s: %s is not found", how, e->function, e->found[i]);
	pfx_str_fini(&text);
}

static bool has_disassembler(void)
{
	struct pfx_decoder *decoder;

	if (pfx_decoder_new(&decoder, pfx_data_arch_find("x86_64"), NULL))
		return false;
	pfx_decoder_free(decoder);
	return true;
}

static void check_build(const char *command, bool is_plain)
{
	struct program program;
	size_t i;

	if (!run(command)) {
		print_message("not built here: %s\n", command);
		return;
	}
	open_program(&program, "one");
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_function(&program, &expected[i], is_plain, command);
	close_program(&program);
}

/* --- tests --- */

#define CROSS                                                                             \
	"clang --target=aarch64-linux-gnu -ffreestanding -nostdlib -fuse-ld=lld -static " \
	"-Wl,-e,main"

static void test_compiled(void **state)
{
	static const struct {
		const char *command;
		bool is_plain;
	} builds[] = {
		{"gcc -O0 -g one.c -o one", true},
		{"gcc -O1 -g one.c -o one", true},
		{"gcc -O2 -g one.c -o one"},
		{"gcc -O3 -g -fno-pie -no-pie one.c -o one"},
		{"gcc -O2 -gdwarf-4 -fomit-frame-pointer one.c -o one"},
		{"gcc -O2 -g -fno-omit-frame-pointer one.c -o one"},
		{"gcc -O2 -gdwarf-4 -fdebug-types-section one.c -o one"},
		{"gcc -O2 -g -gsplit-dwarf one.c -o one"},
		{"gcc -O2 -g one.c -o full && objcopy --only-keep-debug full one.debug && "
		 "objcopy --strip-debug --add-gnu-debuglink=one.debug full one"},
		{"clang -O0 -g one.c -o one", true},
		{"clang -O1 -g one.c -o one"},
		{"clang -O2 -g one.c -o one"},
		{"clang -O2 -gdwarf-4 one.c -o one"},
		{CROSS " -O0 -g one.c -o one", true},
		{CROSS " -O2 -g one.c -o one", true},
	};
	size_t i;

	(void)state;
	if (!has_disassembler() || !run("gcc --version"))
		skip();
	for (i = 0; i < sizeof(builds) / sizeof(builds[0]); i++)
		check_build(builds[i].command, builds[i].is_plain);
}

/* "name type offset size depth", a line for each member. */
static void layout_text(struct program *program, const char *function, const char *type,
			struct pfx_str *to)
{
	const struct pfx_symbol *sym = symbol_named(program->tab, function);
	const struct pfx_data_member *members;
	struct pfx_data data = {0};
	uint32_t i, nr = 0;
	uint64_t at;

	assert_non_null(sym);
	for (at = sym->start; at < sym->end && !nr; at++) {
		data = pfx_types_find(program->types, at);
		if (data.kind == PFX_DATA_TYPE && !strcmp(data.type, type))
			nr = pfx_types_layout(program->types, data.type_id, &members);
	}
	pfx_str_addf(to, "%lu:", (unsigned long)data.size);
	for (i = 0; i < nr; i++)
		pfx_str_addf(to, " %s/%s/%lu/%lu/%u", members[i].name, members[i].type,
			     (unsigned long)members[i].offset, (unsigned long)members[i].size,
			     members[i].depth);
}

static void test_layout(void **state)
{
	struct pfx_str text = {0};
	struct program program;

	(void)state;
	if (!has_disassembler() || !run("gcc -O1 -g one.c -o one"))
		skip();
	open_program(&program, "one");
	layout_text(&program, "walk", "struct node", &text);
	assert_string_equal(text.at,
			    "40: key/long int/0/8/0 next/struct node*/8/8/0 in/struct in/16/16/0 "
			    "x/int/16/4/1 b/long int/24/8/1 name/char[]/32/8/0");
	pfx_str_clear(&text);
	layout_text(&program, "box", "boxed", &text);
	assert_string_equal(text.at, "8: tag/char/0/1/0 /union (anonymous)/4/4/0 i/int/4/4/1 "
				     "half/struct (anonymous)/4/4/1 lo/short int/4/2/2 "
				     "hi/short int/6/2/2");
	assert_true(pfx_types_cover(program.types, symbol_named(program.tab, "walk")->start));
	assert_false(pfx_types_cover(program.types, symbol_named(program.tab, "_start")->start));
	pfx_str_fini(&text);
	close_program(&program);
}

/* Code without debug information: a second look-up of an instruction has the same result. */
static void test_twice(void **state)
{
	enum pfx_data_kind first;
	const struct pfx_symbol *sym;
	struct program program;
	unsigned nr_stack = 0;
	uint64_t at;

	(void)state;
	if (!has_disassembler() || !run("gcc -O1 -g one.c -o one"))
		skip();
	open_program(&program, "one");
	sym = symbol_named(program.tab, "_start");
	for (at = sym->start; at < sym->end; at++) {
		first = pfx_types_find(program.types, at).kind;
		assert_int_equal(pfx_types_find(program.types, at).kind, first);
		nr_stack += first == PFX_DATA_STACK;
	}
	assert_true(nr_stack > 0);
	close_program(&program);
}

/* Variables of another unit are found by their linkage names. */
static void test_namespace(void **state)
{
	static const char shared[] = "namespace far { struct spot { long x, y; };\n"
				     "extern struct spot spots[4]; extern struct spot *best; }\n";
	static const char used[] = "#include \"far.h\"\n"
				   "extern \"C\" long spots(void) { return far::spots[2].y; }\n"
				   "extern \"C\" long best(void) { return far::best->x; }\n";
	static const char defined[] =
		"#include \"far.h\"\n"
		"namespace far { struct spot spots[4]; struct spot *best = spots; }\n"
		"extern \"C\" long spots(void), best(void);\n"
		"int main() { return (int)(spots() + best()); }\n";
	static const struct expected wanted[] = {
		{"spots", {"struct spot +0x8 (y)"}},
		{"best", {"struct spot +0 (x)", "struct spot* +0 (no field)"}},
	};
	static const char command[] = "g++ -O1 -g far_used.cc far_main.cc -o far";
	struct program program;
	size_t i;

	if (!has_disassembler())
		skip();
	write_file("far.h", shared);
	write_file("far_used.cc", used);
	write_file("far_main.cc", defined);
	if (!run(command))
		skip();
	open_program(&program, "far");
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		check_function(&program, &wanted[i], false, command);
	close_program(&program);
}

/* Handwritten debug information: a function whose parameter, in the first register, points to
 * @type, one of the entries below. */
static const char by_hand[] =
	"	.text\n	.globl probe\n	.type probe, @function\n"
	"probe:	mov 8(%rdi), %rax\n	mov (%rax), %rax\n	mov 64(%rdi), %rax\n	ret\n"
	".Lend:	.size probe, .-probe\n"
	"	.section .debug_abbrev,\"\",@progbits\n"
	/* 1 unit, 2 function, 3 parameter, 4 pointer, 5 struct, 6 member, 7 typedef, 8 array,
	 * 9 range, 10 base */
	"	.uleb128 1,0x11\n	.byte 1,0x11,1,0x12,7,0,0\n"
	"	.uleb128 2,0x2e\n	.byte 1,0x11,1,0x12,7,0,0\n"
	"	.uleb128 3,0x05\n	.byte 0,0x49,0x13,0x02,0x18,0,0\n"
	"	.uleb128 4,0x0f\n	.byte 0,0x49,0x13,0x0b,0x0b,0,0\n"
	"	.uleb128 5,0x13\n	.byte 1,0x03,0x08,0x0b,0x0b,0,0\n"
	"	.uleb128 6,0x0d\n	.byte 0,0x03,0x08,0x49,0x13,0x38,0x0b,0,0\n"
	"	.uleb128 7,0x16\n	.byte 0,0x03,0x08,0x49,0x13,0,0\n"
	"	.uleb128 8,0x01\n	.byte 1,0x49,0x13,0,0\n"
	"	.uleb128 9,0x21\n	.byte 0,0x2f,0x06,0,0\n"
	"	.uleb128 10,0x24\n	.byte 0,0x03,0x08,0x0b,0x0b,0x3e,0x0b,0,0\n"
	"	.byte 0\n"
	"	.section .debug_info,\"\",@progbits\n"
	".Linfo:	.long .Lafter-.Lhead\n"
	".Lhead:	.value 4\n	.long .debug_abbrev\n	.byte 8\n"
	"	.uleb128 1\n	.quad probe, .Lend-probe\n"
	"	.uleb128 2\n	.quad probe, .Lend-probe\n"
	"	.uleb128 3\n	.long .Lpointer-.Linfo\n	.byte 1,0x55\n	.byte 0\n"
	".Lpointer: .uleb128 4\n	.long .L"
	"TYPE-.Linfo\n	.byte 8\n"
	/* a struct that contains itself */
	".Lself:	.uleb128 5\n	.asciz \"self\"\n	.byte 16\n"
	"	.uleb128 6\n	.asciz \"me\"\n	.long .Lself-.Linfo\n	.byte 0\n"
	"	.uleb128 6\n	.asciz \"other\"\n	.long .Lself-.Linfo\n	.byte 8\n	"
	".byte 0\n"
	/* typedefs of each other */
	".Lround:	.uleb128 7\n	.asciz \"round\"\n	.long .Lback-.Linfo\n"
	".Lback:	.uleb128 7\n	.asciz \"back\"\n	.long .Lround-.Linfo\n"
	/* an array of itself, with a huge count */
	".Lmany:	.uleb128 8\n	.long .Lmany-.Linfo\n"
	"	.uleb128 9\n	.long 0x7fffffff\n	.byte 0\n"
	/* a pointer to itself */
	".Lloop:	.uleb128 4\n	.long .Lloop-.Linfo\n	.byte 8\n"
	/* a struct that ends before its members */
	".Lshort:	.uleb128 5\n	.asciz \"short\"\n	.byte 4\n"
	"	.uleb128 6\n	.asciz \"far\"\n	.long .Lloop-.Linfo\n	.byte 8\n	"
	".byte 0\n"
	/* not types: the function, the unit, an offset inside an entry */
	".Lplain:	.uleb128 10\n	.asciz \"num\"\n	.byte 8, 5\n"
	".Lnothing = .Linfo + 11\n"
	".Lmiddle = .Lplain + 2\n"
	"	.byte 0\n.Lafter:\n";

static void make_by_hand(const char *type)
{
	const char *mark = strstr(by_hand, "TYPE");
	char *text = pfx_strfmt("%.*s%s%s", (int)(mark - by_hand), by_hand, type, mark + 4);

	write_file("hand.s", text);
	free(text);
}

/* A type that contains itself has a bounded list of members, in a bounded depth. */
static void check_layout(const struct program *program, const struct pfx_data *data)
{
	const struct pfx_data_member *members;
	uint32_t i, nr = pfx_types_layout(program->types, data->type_id, &members);

	assert_true(nr <= 4096);
	for (i = 0; i < nr; i++)
		assert_true(members[i].depth < 16 && *members[i].name);
	assert_int_equal(nr > 0, data->kind == PFX_DATA_TYPE && !strcmp(data->type, "struct self"));
}

static void check_by_hand(const char *type, const char *first)
{
	const struct pfx_symbol *sym;
	struct pfx_str text = {0};
	struct program program;
	struct pfx_data data;
	uint64_t at;

	make_by_hand(type);
	assert_true(run("gcc -nostdlib -shared hand.s -o hand"));
	open_program(&program, "hand");
	sym = symbol_named(program.tab, "probe");
	assert_non_null(sym);
	data = pfx_types_find(program.types, sym->start);
	text_of(&data, &text);
	assert_int_equal(strncmp(text.at, first, strlen(first)), 0);
	for (at = sym->start; at < sym->end; at++)
		pfx_types_find(program.types, at);
	check_layout(&program, &data);
	pfx_str_fini(&text);
	close_program(&program);
}

static void test_circles(void **state)
{
	(void)state;
	if (!has_disassembler() || !run("gcc --version") || !run("uname -m | grep -q x86_64"))
		skip();
	check_by_hand("plain", "num +0 (no field)");
	check_by_hand("round", "(unknown)");
	check_by_hand("many", "(unknown)");
	check_by_hand("short", "(unknown)");
	check_by_hand("nothing", "(unknown)");
	check_by_hand("middle", "(unknown)");
	check_by_hand("loop", "...******** +0 (no field)");
	check_by_hand("self", "struct self +0x8 (me.me.");
}

/* Classification from the instruction alone. */
static void test_alone(void **state)
{
	static const struct {
		const char *machine;
		uint8_t code[12];
		enum pfx_data_kind kind;
	} lines[] = {
		{"x86_64", {0x55}, PFX_DATA_STACK},               /* push %rbp */
		{"x86_64", {0xc3}, PFX_DATA_STACK},               /* ret */
		{"x86_64", {0xe8, 0, 0, 0, 0}, PFX_DATA_STACK},   /* call */
		{"x86_64", {0xc9}, PFX_DATA_STACK},               /* leave */
		{"x86_64", {0x48, 0x8b, 0x07}, PFX_DATA_UNKNOWN}, /* mov (%rdi),%rax */
		{"x86_64", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28}, PFX_DATA_CANARY}, /* %fs:0x28 */
		{"x86_64", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x30}, PFX_DATA_UNKNOWN},
		{"i386", {0x65, 0xa1, 0x14}, PFX_DATA_CANARY}, /* %gs:0x14 */
		{"i386", {0x50}, PFX_DATA_STACK},
		{"arm64", {0xfd, 0x7b, 0xbf, 0xa9}, PFX_DATA_STACK},     /* stp x29,x30,[sp,-16]! */
		{"aarch64", {0x00, 0x00, 0x40, 0xf9}, PFX_DATA_UNKNOWN}, /* ldr x0,[x0] */
	};
	const struct pfx_data_arch *arch;
	struct pfx_decoder *decoder;
	struct pfx_op op;
	size_t i;

	(void)state;
	assert_null(pfx_data_arch_find("vax"));
	assert_null(pfx_data_arch_find(NULL));
	if (!has_disassembler())
		skip();
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		arch = pfx_data_arch_find(lines[i].machine);
		assert_non_null(arch);
		assert_int_equal(pfx_decoder_new(&decoder, arch, NULL), 0);
		pfx_decode(decoder, lines[i].code, sizeof(lines[i].code), 0x401000, &op);
		assert_true(op.len);
		assert_int_equal(pfx_types_of_op(arch, &op), lines[i].kind);
		pfx_decoder_free(decoder);
	}
}

/* Programs without debug information, and without a disassembler. */
static void test_none(void **state)
{
	struct pfx_sym_options options = {.buildid_dir = ""};
	struct pfx_error err = {0};
	struct pfx_lines *lines;
	struct pfx_types *types;
	char *path = pfx_strfmt("%s/%s", dir, "one");
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};

	(void)state;
	if (!run("gcc -O2 -g one.c -o one")) {
		free(path);
		skip();
	}
	if (!pfx_lines_open(&lines, &request, &options, NULL)) {
		if (pfx_types_new(&types, lines, &err)) {
			assert_int_equal(err.code, ENOTSUP);
			assert_true(*err.text);
		} else {
			pfx_types_free(types);
		}
		pfx_lines_free(lines);
	}
	pfx_types_free(NULL);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),   cmocka_unit_test(test_twice),
		cmocka_unit_test(test_compiled), cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_circles),  cmocka_unit_test(test_alone),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

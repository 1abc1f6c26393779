/* SPDX-License-Identifier: MIT */
/* Event words that are refused: the sentence, and the lines below the words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu_fixture.h"

#define SAMPLING_TERMS                                                                             \
	", branch_type, time, call-graph, stack-size, max-stack, inherit, no-inherit, overwrite, " \
	"no-overwrite, aux-output"

struct refused {
	const char *machine, *words;
	const char *text;
	const char *below; /* the line with the caret and those behind it */
};

static const struct refused table[] = {
	{"none", "cycles:uuu", "modifier 'u' is given twice", "         ^"},
	{"none", "g1:{cycles,instructions}", "the name of a tracepoint is missing before '{'",
	 "     ^"},
	{"none", "{}", "an event is missing before '}'", "   ^"},
	{"none", "{cycles", "no '}' that ends the group", "  ^"},
	{"none", "cycles}", "',' is missing before '}'", "        ^"},
	{"none", "{cycles,{instructions}}", "a group cannot hold a group", "          ^"},
	{"none", "cycles,", "an event is missing at the end", "         ^"},
	{"none", ",cycles", "an event is missing before ','", "  ^"},
	{"none", "cycles,,cs", "an event is missing before ','", "         ^"},
	{"none", "", "no event is named", ""},
	{"none", ",", "an event is missing before ','", "  ^"},
	{"none", "cycles:z", "unknown modifier 'z'",
	 "         ^\nmodifiers are u k h G H I p P S D e W"},
	{"none", "cycles:pppp", "more than three times 'p'", "         ^~~~"},
	{"none", "cycles:PP", "modifier 'P' is given twice", "         ^"},
	{"none", "cycles/foo/", "unknown term 'foo'",
	 "         ^~~\nterms are config, config1, config2, config3, config4, period, freq, "
	 "name" SAMPLING_TERMS},
	{"none", "L1-icache-stores",
	 "the kernel does not count 'L1-icache-stores': this cache has no such operation",
	 "  ^~~~~~~~~~~~~~~~"},
	{"none", "iTLB-stores",
	 "the kernel does not count 'iTLB-stores': this cache has no such operation",
	 "  ^~~~~~~~~~~"},
	{"none", "LLC-access-misses", "unknown event 'LLC-access-misses'",
	 "  ^~~~~~~~~~~~~~~~~\ndid you mean 'LLC-load-misses'?"},
	{"none", "LLC-foo", "unknown event 'LLC-foo'", "  ^~~~~~~"},
	{"none", "LLC-", "unknown event 'LLC-'", "  ^~~~"},
	{"none", "L1", "unknown event 'L1'", "  ^~"},
	{"none", "branch-stores",
	 "the kernel does not count 'branch-stores': this cache has no such operation",
	 "  ^~~~~~~~~~~~~"},
	{"none", "L1-dcache-loads-loads", "unknown event 'L1-dcache-loads-loads'",
	 "  ^~~~~~~~~~~~~~~~~~~~~\ndid you mean 'L1-dcache-loads'?"},
	{"none", "r", "unknown event 'r'", "  ^"},
	{"none", "rg", "unknown event 'rg'", "  ^~"},
	{"none", "R1a8", "unknown event 'R1a8'",
	 "  ^~~~\na raw code is a small 'r' and hexadecimal digits, as in r1a8"},
	{"none", "r1ffffffffffffffff", "unknown event 'r1ffffffffffffffff'",
	 "  ^~~~~~~~~~~~~~~~~~"},
	{"none", "r0x1a8", "unknown event 'r0x1a8'",
	 "  ^~~~~~\na raw code is a small 'r' and hexadecimal digits, as in r1a8"},
	{"none", "4:1a8", "'1a8' is no number of 64 bits", "    ^~~"},
	{"none", "sched:nope", "tracepoint system 'sched' has no event 'nope'", "  ^~~~~~~~~~"},
	{"none", "nosys:ev", "no tracepoint system is called 'nosys'", "  ^~~~~~~~"},
	{"none", "sched:", "the name of a tracepoint is missing at the end", "        ^"},
	{"none", ":sched_switch", "an event is missing before ':'", "  ^"},
	{"none", "sched:sched_switch/config=5/", "a tracepoint takes no term 'config'",
	 "                     ^~~~~~"},
	{"none", "sched:sched_switch/call-graph/", "term 'call-graph' needs a value",
	 "                     ^~~~~~~~~~\nvalues are fp, dwarf, lbr and no"},
	{"none", "sched:[!s]*", "no tracepoint matches 'sched:[!s]*'", "  ^~~~~~~~~~~"},
	{"none", "sched:sched_[sw]*_w*", "no tracepoint matches 'sched:sched_[sw]*_w*'",
	 "  ^~~~~~~~~~~~~~~~~~~~"},
	{"none", "mem:", "an address is missing at the end", "      ^"},
	{"none", "mem:0x1000/", "a length is missing at the end", "             ^"},
	{"none", "mem:0x1000:rr", "access 'rr' names a letter twice", "             ^~"},
	{"none", "mem:0x1000:q", "unknown modifier 'q'",
	 "             ^\nmodifiers are u k h G H I p P S D e W"},
	{"none", "mem:zz", "'zz' is no address", "      ^~"},
	{"none", "nonsense", "unknown event 'nonsense'", "  ^~~~~~~~"},
	{"none", "cycles;cs", "',' is missing before ';'", "        ^"},
	{"none", "cycles:u:k", "',' is missing before ':'", "          ^"},
	{"none", "{cycles:pp,instructions}:pp", "more than three times 'p'",
	 "                           ^~"},
	{"x86", "intel_pt", "unknown event 'intel_pt'",
	 "  ^~~~~~~~\n'intel_pt' is a PMU: write 'intel_pt/.../' with an event or terms"},
	{"x86", "cpu/edge=2/", "value of term 'edge' is above 1, the most it holds",
	 "           ^"},
	{"x86", "cpu/event=0x100/", "value of term 'event' is above 255, the most it holds",
	 "            ^~~~~"},
	{"x86", "cpu/foo=1/", "PMU 'cpu' has no event or term 'foo'",
	 "      ^~~\nterms are any, big, cmask, edge, event, frontend, in_tx, inv, ldlat, "
	 "offcore_rsp, split, umask, cache-misses, cpu-cycles, ld-wait, mem-loads, mem-loads-aux, "
	 "odd, topdown-slots, config, config1, config2, config3, config4, period, freq, "
	 "name" SAMPLING_TERMS},
	{"x86", "cpu/event=0x3c", "no '/' that ends the terms", "     ^"},
	{"x86", "nopmu/event=1/", "no PMU is called 'nopmu'",
	 "  ^~~~~\nPMUs of this machine are software, tracepoint, cpu, breakpoint, intel_pt, msr, "
	 "uncore_imc_0, uncore_imc_1, uncore_cbox_0, power"},
	{"x86", "cpu/ld-wait/", "event 'ld-wait' needs a value for 'umask': add 'umask=N'",
	 "      ^~~~~~~"},
	{"x86", "cpu/event=xx/", "'xx' of term 'event' is no number of 64 bits", "            ^~"},
	{"x86", "cpu", "unknown event 'cpu'",
	 "  ^~~\n'cpu' is a PMU: write 'cpu/.../' with an event or terms"},
	{"x86", "/event=1/", "an event is missing before '/'", "  ^"},
	{"x86", "cpu/event=0x3c/uu", "modifier 'u' is given twice", "                 ^"},
	{"x86", "cpu/event=0x3c,/", "a term is missing before '/'", "                 ^"},
	{"x86", "cpu/,event=1/", "a term is missing before ','", "      ^"},
	{"x86", "cpu/event=/", "a value is missing before '/'", "            ^"},
	{"x86", "cpu/=1/", "a term is missing before '='", "      ^"},
	{"x86", "cpu/event=-1/", "'-1' of term 'event' is no number of 64 bits", "            ^~"},
	{"x86", "cpu/event=0x/", "'0x' of term 'event' is no number of 64 bits", "            ^~"},
	{"x86", "cpu/event=1x/", "'1x' of term 'event' is no number of 64 bits", "            ^~"},
	{"x86", "cpu/config=0x1ffffffffffffffff/",
	 "'0x1ffffffffffffffff' of term 'config' is no number of 64 bits",
	 "             ^~~~~~~~~~~~~~~~~~~"},
	{"x86", "cpu/period=abc/", "'abc' of term 'period' is no number of 64 bits",
	 "             ^~~"},
	{"x86", "cpu/name=/", "a value is missing before '/'", "           ^"},
	{"x86", "cpu/name/", "term 'name' needs a text", "      ^~~~"},
	{"x86", "cpu/mem-loads,mem-loads/", "'mem-loads' is a second event between these slashes",
	 "                ^~~~~~~~~"},
	{"x86", "cpu/mem-loads,topdown-slots/",
	 "'topdown-slots' is a second event between these slashes",
	 "                ^~~~~~~~~~~~~"},
	{"x86", "CPU/event=1/", "no PMU is called 'CPU'",
	 "  ^~~\nPMUs of this machine are software, tracepoint, cpu, breakpoint, intel_pt, msr, "
	 "uncore_imc_0, uncore_imc_1, uncore_cbox_0, power"},
	{"x86", "cpu/rzz/", "PMU 'cpu' has no event or term 'rzz'",
	 "      ^~~\nterms are any, big, cmask, edge, event, frontend, in_tx, inv, ldlat, "
	 "offcore_rsp, split, umask, cache-misses, cpu-cycles, ld-wait, mem-loads, mem-loads-aux, "
	 "odd, topdown-slots, config, config1, config2, config3, config4, period, freq, "
	 "name" SAMPLING_TERMS},
	{"x86", "cpu/cmask=256/", "value of term 'cmask' is above 255, the most it holds",
	 "            ^~~"},
	{"x86", "tsc/u/", "PMU 'msr' has no event or term 'u'",
	 "      ^\nterms are event, aperf, tsc, config, config1, config2, config3, config4, "
	 "period, freq, name" SAMPLING_TERMS},
	{"hyb", "cpu/event=1/", "no PMU is called 'cpu'",
	 "  ^~~\nPMUs of this machine are software, cpu_core, cpu_atom"},
	{"arm", "cmn_0/type=1/", "no PMU is called 'cmn_0'",
	 "  ^~~~~\nPMUs of this machine are armv8_pmuv3_0, armv8_cortex_a72, arm_spe_0, arm_cmn_0"},
	{"none", "%sdt_app:stop", "tracepoint system 'sdt_app' has no event 'stop'",
	 "  ^~~~~~~~~~~~~\ndid you mean 'sdt_app:start'?\na probe has to be made before it can be "
	 "recorded"},
	{"none", "sched_waking", "unknown event 'sched_waking'",
	 "  ^~~~~~~~~~~~\ndid you mean 'sched:sched_waking'?"},
	{"none", "cycels:u", "unknown event 'cycels'", "  ^~~~~~\ndid you mean 'cycles'?"},
	{"none", "sched:sched_swich:u", "tracepoint system 'sched' has no event 'sched_swich'",
	 "  ^~~~~~~~~~~~~~~~~\ndid you mean 'sched:sched_switch'?"},
	{"none", "schedd:sched_switch", "no tracepoint system is called 'schedd'",
	 "  ^~~~~~~~~~~~~~~~~~~\ndid you mean 'sched:sched_switch'?"},
	{"none", "sched:nope*", "no tracepoint matches 'sched:nope*'", "  ^~~~~~~~~~~"},
	{"none", "mem:0x1000/0", "a breakpoint watches 1 to 512 bytes", "             ^"},
	{"none", "mem:0x1000/513", "a breakpoint watches 1 to 512 bytes", "             ^~~"},
	{"none", "mem:0x10000000000000000", "'0x10000000000000000' is no address",
	 "      ^~~~~~~~~~~~~~~~~~~"},
	{"none", "5000000000:1", "'5000000000' is no type of an event", "  ^~~~~~~~~~"},
	{"none", "4:", "a number is missing at the end", "    ^"},
	{"none", "cycles:ub", "modifier 'b' (counting by BPF) is only for counting", "          ^"},
	{"none", "cycles:R", "unknown modifier 'R'",
	 "         ^\nmodifiers are u k h G H I p P S D e W"},
	{"none", "cycles:u,", "an event is missing at the end", "           ^"},
	{"none", "cycles/period=5", "no '/' that ends the terms", "        ^"},
	{"none", "cycles/period=5,/", "a term is missing before '/'", "                  ^"},
	{"none", "cycles/period 5/", "',' or '/' is missing before '5'", "                ^"},
	{"none", "cycles/name='x/", "a quote begins here and does not end", "              ^"},
	{"none", "cycles/percore/", "term 'percore' is not supported", "         ^~~~~~~"},
	{"none", "cycles/call-graph=best/", "'best' is no value for term 'call-graph'",
	 "                    ^~~~\nvalues are fp, dwarf, lbr and no"},
	{"none", "cycles/branch_type=any_jump/", "'any_jump' is no value for term 'branch_type'",
	 "                     ^~~~~~~~\nu k hv any any_call any_ret ind_call ind_jmp call cond "
	 "abort_tx in_tx no_tx stack "
	 "no_flags no_cycles save_type hw_index priv counter"},
	{"none", "cycles/stack-size=65529/", "'65529' is no value for term 'stack-size'",
	 "                    ^~~~~\nbytes up to 65528"},
	{"none", "cycles/max-stack=0/", "'0' is no value for term 'max-stack'",
	 "                   ^\na number of frames up to 65535"},
	{"none", "cycles/period=99999999999999999999/",
	 "'99999999999999999999' of term 'period' is no number of 64 bits",
	 "                ^~~~~~~~~~~~~~~~~~~~"},
	{"none", "cycles u", "',' is missing before 'u'", "         ^"},
	{"none", "cy(cles", "unknown event 'cy'", "  ^~\ndid you mean 'cs'?"},
	{"none", "\"cycles\"", "a quote begins here and does not end", "  ^"},
	{"none", "{cycles,cs}:", "a modifier is missing at the end", "              ^"},
	{"none", "{cycles,cs}:q", "unknown modifier 'q'",
	 "              ^\nmodifiers are u k h G H I p P S D e W"},
	{"none", "{cycles cs}", "',' or '}' is missing before 'cs'", "          ^~"},
	{"none", "{cycles,}", "an event is missing before '}'", "          ^"},
	{"none", "{,cycles}", "an event is missing before ','", "   ^"},
	{"none", "cpu/event=1/", "no PMU is called 'cpu'",
	 "  ^~~\nPMUs of this machine are software"},
	{"x86", "cpu/cycles,umask=1/",
	 "term 'umask' does not go with an event of the kernel's own names", "             ^~~~~"},
	{"x86", "cpu/odd/", "the kernel's definition of 'odd' cannot be read", "      ^~~"},
	{"x86", "cpu/broken=1/", "PMU 'cpu' has no event or term 'broken'",
	 "      ^~~~~~\nterms are any, big, cmask, edge, event, frontend, in_tx, inv, ldlat, "
	 "offcore_rsp, split, umask, cache-misses, cpu-cycles, ld-wait, mem-loads, mem-loads-aux, "
	 "odd, topdown-slots, config, config1, config2, config3, config4, period, freq, "
	 "name" SAMPLING_TERMS},
	{"x86", "cpu/umsk=1/", "PMU 'cpu' has no event or term 'umsk'",
	 "      ^~~~\ndid you mean 'umask'?"},
	{"x86", "cpuu/event=1/", "no PMU is called 'cpuu'", "  ^~~~\ndid you mean 'cpu'?"},
	{"x86", "uncore_imc_2/event=1/", "no PMU is called 'uncore_imc_2'",
	 "  ^~~~~~~~~~~~\ndid you mean 'uncore_imc_0'?"},
	{"x86", "cpu/ld-wait,umask=300/", "value of term 'umask' is above 255, the most it holds",
	 "                    ^~~"},
	{"x86", "cpu/split=0x1000/", "value of term 'split' is above 4095, the most it holds",
	 "            ^~~~~~"},
	{"x86", "cpu/ldlat=65536/", "value of term 'ldlat' is above 65535, the most it holds",
	 "            ^~~~~"},
	{"x86", "topdown-slot", "unknown event 'topdown-slot'",
	 "  ^~~~~~~~~~~~\ndid you mean 'topdown-slots'?"},
	{"x86", "mem-loads/ldlt=4/", "PMU 'cpu' has no event or term 'ldlt'",
	 "            ^~~~\ndid you mean 'ldlat'?"},
	{"x86", "cpu/event=1/zz", "unknown modifier 'z'",
	 "              ^\nmodifiers are u k h G H I p P S D e W"},
	{"hyb", "cpu_atom/mem-loads,ldlat=5/", "PMU 'cpu_atom' has no event or term 'ldlat'",
	 "                     ^~~~~\nterms are event, umask, cpu-cycles, instructions, mem-loads, "
	 "config, config1, config2, config3, config4, period, freq, name" SAMPLING_TERMS},
	{"arm", "arm_spe_0/min_latency=4096/",
	 "value of term 'min_latency' is above 4095, the most it holds",
	 "                        ^~~~"},
	{"arm", "armv8_cortex_a72/l1d_cache/",
	 "PMU 'armv8_cortex_a72' has no event or term 'l1d_cache'",
	 "                   ^~~~~~~~~\nterms are event, cpu_cycles, config, config1, config2, "
	 "config3, config4, period, freq, name" SAMPLING_TERMS},
	{"arm", "arm_cmn/eventid=2048/", "value of term 'eventid' is above 2047, the most it holds",
	 "                  ^~~~"},
};

static struct tree machines;

static void check(const struct refused *row)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	const char *below;
	size_t len = strlen(row->words);

	if (fixture_parse(&machines, row->machine, row->words, &list, &err) != -EINVAL)
		fail_msg("'%s' was not refused", row->words);
	assert_int_equal(list.specs.nr, 0);
	assert_int_equal(list.nr_groups, 0);
	assert_string_equal(err.text, row->text);
	below = strchr(err.hint, '\n');
	if (below) {
		assert_int_equal(strncmp(err.hint, "  ", 2), 0);
		assert_int_equal(strncmp(err.hint + 2, row->words, len), 0);
		assert_string_equal(below + 1, row->below);
	} else {
		assert_string_equal(err.hint, row->below);
	}
	pfx_event_list_fini(&list);
}

static void sentences(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check(&table[i]);
}

/* A long text is cut around the bad word, and the caret stays below it. */
static void long_words_are_cut(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	char words[512] = "";
	const char *second, *caret;
	int i;

	for (i = 0; i < 40; i++)
		strcat(words, "cycles,");
	strcat(words, "cycels");
	for (i = 0; i < 20; i++)
		strcat(words, ",cycles");
	assert_int_equal(fixture_parse(&machines, "x86", words, &list, &err), -EINVAL);
	second = strchr(err.hint, '\n');
	assert_non_null(second);
	assert_in_range(second - err.hint, 40, 90);
	caret = strchr(second, '^');
	assert_non_null(caret);
	assert_int_equal(strncmp(err.hint + (caret - second - 1), "cycels", 6), 0);
	pfx_event_list_fini(&list);
}

/* What a terminal would obey is not repeated. */
static void foreign_bytes_are_escaped(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(fixture_parse(&machines, "x86", "cycles:\033[31m", &list, &err), -EINVAL);
	assert_null(strchr(err.text, '\033'));
	assert_null(strchr(err.hint, '\033'));
	assert_int_equal(fixture_parse(&machines, "x86", "cpu/name=\"\001\"x/", &list, &err),
			 -EINVAL);
	assert_null(strchr(err.hint, '\001'));
	pfx_event_list_fini(&list);
}

/* Every beginning and every missing character of some long words: an answer, never a crash. */
static void every_cut(void **state)
{
	static const char words[] = "g1{cpu/mem-loads,ldlat=5,name='a b'/ppu,cs:k}:SD,"
				    "sched:sched_*,mem:0x1000/8:w:u,r1a8,4:0x3c/period=7/,"
				    "uncore_imc/event=1/";
	size_t len = strlen(words), i;
	struct pfx_event_list list;
	struct pfx_error err;
	char text[256];
	int ret;

	for (i = 0; i < 2 * len; i++) {
		list = (struct pfx_event_list){0};
		strcpy(text, words);
		if (i < len)
			text[i] = '\0';
		else
			memmove(text + i - len, text + i - len + 1, 2 * len - i);
		ret = fixture_parse(&machines, "x86", text, &list, &err);
		if (ret)
			assert_int_equal(list.specs.nr, 0);
		else
			assert_true(list.specs.nr > 0);
		pfx_event_list_fini(&list);
	}
}

static void tracefs_that_is_not_there(void **state)
{
	struct pfx_pmu_roots roots = {"/nonexistent", "/nonexistent"};
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(pfx_events_parse(&list, "sched:sched_switch", &roots, &err), -EINVAL);
	assert_string_equal(err.text, "no tracepoint system is called 'sched'");
	assert_int_equal(pfx_events_parse(&list, "cycles:u", &roots, &err), 0);
	assert_string_equal(pfx_tracefs(&roots, &err), "/nonexistent");
	pfx_event_list_fini(&list);
}

static int make_machines(void **state)
{
	fixture_init(&machines);
	return 0;
}

static int remove_machines(void **state)
{
	tree_fini(&machines);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(foreign_bytes_are_escaped),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(tracefs_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}

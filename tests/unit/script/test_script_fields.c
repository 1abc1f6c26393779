/* SPDX-License-Identifier: MIT */
/* The words of `script -F`, and the fields that an event prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "script/script_fields.h"

#define BASIC (PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME)

static struct pfx_event event_of(uint32_t type, uint64_t sample_type)
{
	return (struct pfx_event){.attr = {.type = type, .sample_type = sample_type},
				  .name = "try"};
}

/* The names of the fields in the order of their bits. */
static void names_of(uint64_t fields, struct pfx_str *to)
{
	uint64_t bit;

	for (bit = 1; bit; bit <<= 1)
		if (fields & bit)
			pfx_str_addf(to, "%s%s", to->len ? " " : "", pfx_script_field_name(bit));
}

struct line {
	const char *words[3]; /* values of several -F */
	uint32_t type;
	uint64_t sample_type;
	const char *expected; /* fields, or the error */
};

static const struct line good[] = {
	/* defaults */
	{{NULL}, PFX_TYPE_HARDWARE, BASIC, "comm tid time event ip sym dso symoff period"},
	{{NULL},
	 PFX_TYPE_HARDWARE,
	 BASIC | PFX_SAMPLE_CPU,
	 "comm tid time cpu event ip sym dso symoff period"},
	{{NULL}, PFX_TYPE_HARDWARE, PFX_SAMPLE_IP, "comm event ip sym dso symoff period"},
	{{NULL}, PFX_TYPE_HARDWARE, 0, "comm event period"},
	{{NULL},
	 PFX_TYPE_SOFTWARE,
	 BASIC,
	 "comm tid time event ip sym dso symoff period bpf-output"},
	{{NULL}, PFX_TYPE_TRACEPOINT, BASIC | PFX_SAMPLE_RAW, "comm tid time event trace"},
	{{NULL}, PFX_TYPE_TRACEPOINT, BASIC, "comm tid time event"},
	{{NULL},
	 PFX_TYPE_RAW,
	 BASIC | PFX_SAMPLE_ADDR | PFX_SAMPLE_WEIGHT,
	 "comm tid time event ip sym dso addr symoff period weight"},
	{{NULL}, PFX_TYPE_FIRST_DYNAMIC + 3, BASIC, "comm tid time event ip sym dso symoff period"},
	/* lists */
	{{"comm"}, PFX_TYPE_HARDWARE, BASIC, "comm"},
	{{"ip,comm"}, PFX_TYPE_HARDWARE, BASIC, "comm ip"},
	{{"comm,,ip,"}, PFX_TYPE_HARDWARE, BASIC, "comm ip"},
	{{"comm", "ip"}, PFX_TYPE_HARDWARE, BASIC, "ip"},
	{{"comm,trace"}, PFX_TYPE_HARDWARE, BASIC, "comm"},
	{{"comm,trace"}, PFX_TYPE_TRACEPOINT, BASIC | PFX_SAMPLE_RAW, "comm trace"},
	{{"trace"}, PFX_TYPE_HARDWARE, BASIC, ""},
	/* changes */
	{{"+pid"}, PFX_TYPE_HARDWARE, BASIC, "comm tid pid time event ip sym dso symoff period"},
	{{"-comm,-sym"}, PFX_TYPE_HARDWARE, BASIC, "tid time event ip dso period"},
	{{"+pid,-tid"}, PFX_TYPE_HARDWARE, BASIC, "comm pid time event ip sym dso symoff period"},
	{{"comm", "+ip"}, PFX_TYPE_HARDWARE, BASIC, "comm ip"},
	{{"+pid", "-pid"},
	 PFX_TYPE_HARDWARE,
	 BASIC,
	 "comm tid time event ip sym dso symoff period"},
	/* branch stacks may be empty */
	{{"+brstack"},
	 PFX_TYPE_HARDWARE,
	 BASIC,
	 "comm tid time event ip sym dso symoff period brstack"},
	{{"ip,brstacksym,brstackoff"}, PFX_TYPE_HARDWARE, BASIC, "ip brstacksym brstackoff"},
	/* kinds of events */
	{{"hw:comm"}, PFX_TYPE_HARDWARE, BASIC, "comm"},
	{{"hw:comm"}, PFX_TYPE_TRACEPOINT, BASIC | PFX_SAMPLE_RAW, "comm tid time event trace"},
	{{"hw:"}, PFX_TYPE_HARDWARE, BASIC, ""},
	{{"hw:", "trace:comm"}, PFX_TYPE_HARDWARE, BASIC, ""},
	{{"sw:+pid,-tid"},
	 PFX_TYPE_SOFTWARE,
	 BASIC,
	 "comm pid time event ip sym dso symoff period bpf-output"},
	{{"cache:ip"}, PFX_TYPE_HW_CACHE, BASIC, "ip"},
	{{"break:ip"}, PFX_TYPE_BREAKPOINT, BASIC, "ip"},
	{{"raw:ip"}, PFX_TYPE_RAW, BASIC, "ip"},
	{{"synth:ip"}, 0x80000000u, BASIC, "ip"},
	{{"brstack,ip"}, PFX_TYPE_HARDWARE, BASIC | PFX_SAMPLE_BRANCH_STACK, "ip brstack"},
	{{"other:ip"}, 17, BASIC, "ip"},
	{{"ip,sym", "hw:comm"}, PFX_TYPE_HARDWARE, BASIC, "comm"},
};

static const struct line bad[] = {
	{{"nonsense"}, 0, BASIC, "'nonsense' is not a field"},
	{{"comm,tme"}, 0, BASIC, "'tme' is not a field"},
	{{"xx:comm"}, 0, BASIC, "'xx' is not a kind of event"},
	{{"hw:nonsense"}, 0, BASIC, "'nonsense' is not a field"},
	{{"comm,+ip"}, 0, BASIC, "fields are either listed or changed with + and -, not both"},
	{{"+comm,ip"}, 0, BASIC, "fields are either listed or changed with + and -, not both"},
	{{""}, 0, BASIC, "-F names no field"},
	{{"+addr"},
	 0,
	 BASIC,
	 "the samples of event 'try' were recorded without ADDR, which field 'addr' needs"},
	{{"comm,cpu"},
	 0,
	 BASIC,
	 "the samples of event 'try' were recorded without CPU, which field 'cpu' needs"},
	{{"hw:trace"}, 0, BASIC, "samples of kind 'hw' have no field 'trace'"},
	{{"ip,srcline", "-ip"}, 0, BASIC, "field 'srcline' needs field 'ip'"},
	{{"srccode"}, 0, BASIC, "field 'srccode' needs field 'ip'"},
	{{"brstackinsn"},
	 0,
	 BASIC | PFX_SAMPLE_BRANCH_STACK,
	 "the code between branches is known only where all of them were recorded"},
	{{"+iregs"},
	 0,
	 BASIC,
	 "the samples of event 'try' were recorded without REGS_INTR, which field 'iregs' needs"},
	{{"ip,symoff"}, 0, BASIC, "field 'symoff' needs field 'sym'"},
};

/* Parse all -F and return the event's fields. */
static int apply(const struct line *line, uint64_t *ret, struct pfx_error *err)
{
	struct pfx_event event = event_of(line->type, line->sample_type);
	struct pfx_script_fields fields;
	uint64_t lacking;
	size_t i;
	int rc;

	pfx_script_fields_init(&fields);
	for (i = 0; i < 3 && line->words[i]; i++) {
		rc = pfx_script_fields_parse(&fields, line->words[i], err);
		if (rc < 0)
			return rc;
	}
	return pfx_script_fields_for(&fields, &event, ret, &lacking, err);
}

static void test_good(void **state)
{
	struct pfx_error err;
	uint64_t fields;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct pfx_str text = {0};

		if (apply(&good[i], &fields, &err) < 0)
			fail_msg("'%s': %s", good[i].words[0], err.text);
		names_of(fields, &text);
		if (strcmp(pfx_str_get(&text), good[i].expected))
			fail_msg("row %zu: '%s', not '%s'", i, pfx_str_get(&text),
				 good[i].expected);
		pfx_str_fini(&text);
	}
}

static void test_bad(void **state)
{
	struct pfx_error err;
	uint64_t fields;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (apply(&bad[i], &fields, &err) >= 0)
			fail_msg("'%s' was taken", bad[i].words[0]);
		assert_string_equal(err.text, bad[i].expected);
	}
}

static void test_what_lacks_is_told(void **state)
{
	struct pfx_event event = event_of(PFX_TYPE_HARDWARE, PFX_SAMPLE_IP);
	struct pfx_script_fields fields;
	uint64_t have, lacking;

	pfx_script_fields_init(&fields);
	assert_int_equal(pfx_script_fields_for(&fields, &event, &have, &lacking, NULL), 0);
	assert_int_equal(lacking, PFX_SCRIPT_TID | PFX_SCRIPT_TIME | PFX_SCRIPT_CPU);
	assert_int_equal(have & lacking, 0);
	assert_int_equal(pfx_script_fields_parse(&fields, "ip,brstack", NULL), 0);
	assert_int_equal(pfx_script_fields_for(&fields, &event, &have, &lacking, NULL), 0);
	assert_int_equal(lacking, PFX_SCRIPT_BRSTACK);
}

static void test_near_names(void **state)
{
	struct pfx_script_fields fields;
	struct pfx_error err;

	pfx_script_fields_init(&fields);
	assert_true(pfx_script_fields_parse(&fields, "ip,perid", &err) < 0);
	assert_string_equal(err.hint, "ip,perid\n   ^ did you mean 'period'?");
	assert_true(pfx_script_fields_parse(&fields, "trce:ip", &err) < 0);
	assert_string_equal(err.hint, "trce:ip\n^ did you mean 'trace'?");
	assert_true(pfx_script_fields_parse(&fields, "hw:ip,trace", &err) < 0);
	assert_string_equal(err.hint, "hw:ip,trace\n      ^ it is only for other kinds");
	assert_true(pfx_script_fields_parse(&fields, "comm,+ip", &err) < 0);
	assert_non_null(strstr(err.hint, "comm,+ip\n     ^ '-F comm,ip' prints"));
	assert_true(pfx_script_fields_parse(&fields, "zzzzzzzzzzzz", &err) < 0);
	assert_non_null(strstr(err.hint, "pfx script -h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_what_lacks_is_told),
		cmocka_unit_test(test_near_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

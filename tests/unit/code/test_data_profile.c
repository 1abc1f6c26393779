/* SPDX-License-Identifier: MIT */
/* Types of accessed data with the cost of their members, and their statistics, without a binary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code/data_profile.h"

static const struct pfx_dso dsos[2] = {{.id = 1, .name = "/bin/a"}, {.id = 2, .name = "/bin/b"}};

/* struct node { long key; struct { int x, y; } in; long rest[]; }; */
static const struct pfx_data_member members[] = {
	{"key", "long", 0, 8, 0}, {"in", "struct in", 8, 8, 0}, {"x", "int", 8, 4, 1},
	{"y", "int", 12, 4, 1},   {"rest", "long[]", 16, 0, 0},
};

static struct pfx_data_profile *profile;

static int begin(void **state)
{
	(void)state;
	profile = pfx_data_profile_new(2);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pfx_data_profile_free(profile);
	return 0;
}

static void add(const struct pfx_dso *dso, struct pfx_data data, uint32_t event, uint64_t period,
		const char *mnemonic)
{
	struct pfx_data_access access = {
		.dso = dso,
		.data = &data,
		.lack = PFX_LACK_MEMORY,
		.mnemonic = mnemonic,
		.event = event,
		.cost = {period, 1},
	};

	if (data.kind == PFX_DATA_TYPE && !strcmp(data.type, "struct node")) {
		access.members = members;
		access.nr_members = sizeof(members) / sizeof(*members);
	}
	pfx_data_profile_add(profile, &access);
}

static struct pfx_data node(uint64_t offset)
{
	return (struct pfx_data){.kind = PFX_DATA_TYPE,
				 .type = "struct node",
				 .member = "",
				 .offset = offset,
				 .size = 16,
				 .type_id = 3};
}

static uint64_t period_of(const struct pfx_data_type *type, uint32_t member, uint32_t event)
{
	return pfx_cost_of(&type->member_costs[member], event).period;
}

static void test_members(void **state)
{
	const struct pfx_data_type *type;
	struct pfx_data first = node(0);

	(void)state;
	assert_true(pfx_data_profile_is_new(profile, &dsos[0], &first));
	add(&dsos[0], node(0), 0, 10, NULL);
	assert_false(pfx_data_profile_is_new(profile, &dsos[0], &first));
	add(&dsos[0], node(12), 0, 5, NULL);
	add(&dsos[0], node(12), 1, 7, NULL);
	add(&dsos[0], node(400), 0, 1, NULL); /* in the flexible array */
	pfx_data_profile_sort(profile);
	assert_int_equal(profile->nr_types, 1);
	type = &profile->types[0];
	assert_int_equal(pfx_cost_of(&type->costs, 0).period, 16);
	assert_int_equal(pfx_cost_of(&type->costs, 0).nr_samples, 3);
	assert_int_equal(period_of(type, 0, 0), 10);
	assert_int_equal(period_of(type, 1, 0), 5);
	assert_int_equal(period_of(type, 2, 0), 0);
	assert_int_equal(period_of(type, 3, 0), 5);
	assert_int_equal(period_of(type, 3, 1), 7);
	assert_int_equal(period_of(type, 4, 0), 1);
	assert_int_equal(profile->totals[0].period, 16);
	assert_int_equal(profile->totals[1].period, 7);
}

/* The same name in another binary, or with another size, is another type. */
static void test_types(void **state)
{
	struct pfx_data large = node(0), counter = node(0);

	(void)state;
	large.size = 24;
	counter.type = "int";
	counter.size = 4;
	add(&dsos[0], node(0), 0, 10, NULL);
	add(&dsos[1], node(0), 0, 30, NULL);
	add(&dsos[0], large, 0, 20, NULL);
	add(&dsos[0], counter, 0, 30, NULL);
	pfx_data_profile_sort(profile);
	assert_int_equal(profile->nr_types, 4);
	assert_string_equal(profile->types[0].name, "int");
	assert_int_equal(profile->types[0].nr_members, 0);
	assert_ptr_equal(profile->types[1].dso, &dsos[1]);
	assert_int_equal(profile->types[2].size, 24);
	assert_int_equal(profile->types[3].size, 16);
	assert_true(pfx_data_type_is(&profile->types[3], "node"));
	assert_true(pfx_data_type_is(&profile->types[3], "struct node"));
	assert_false(pfx_data_type_is(&profile->types[3], "struct"));
	assert_false(pfx_data_type_is(&profile->types[3], "nod"));
	assert_true(pfx_data_type_is(&profile->types[0], "int"));
	assert_string_equal(pfx_data_type_bare("union u"), "u");
}

static void test_statistics(void **state)
{
	const struct pfx_data unknown = {.kind = PFX_DATA_UNKNOWN, .type = "", .member = ""};
	const struct pfx_data stack = {.kind = PFX_DATA_STACK, .type = "", .member = ""};
	char word[] = "mov";

	(void)state;
	add(&dsos[0], unknown, 0, 1, "add");
	add(&dsos[0], node(0), 0, 1, word);
	strcpy(word, "???"); /* it was copied */
	add(&dsos[0], unknown, 0, 1, "mov");
	add(&dsos[0], stack, 1, 1, "push");
	add(NULL, unknown, 1, 1, "(unknown)");
	pfx_data_profile_sort(profile);
	assert_int_equal(profile->nr_samples, 5);
	assert_int_equal(profile->nr_known, 2);
	assert_int_equal(profile->nr_lacking[PFX_LACK_MEMORY], 3);
	assert_int_equal(profile->nr_types, 1);
	assert_int_equal(profile->nr_insns, 4);
	assert_string_equal(profile->insns[0].mnemonic, "mov");
	assert_int_equal(profile->insns[0].nr_known, 1);
	assert_int_equal(profile->insns[0].nr_unknown, 1);
	assert_string_equal(profile->insns[3].mnemonic, "push");
}

static void test_nothing(void **state)
{
	(void)state;
	pfx_data_profile_sort(profile);
	assert_int_equal(profile->nr_types, 0);
	assert_int_equal(profile->nr_insns, 0);
	pfx_data_profile_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_members, begin, end),
		cmocka_unit_test_setup_teardown(test_types, begin, end),
		cmocka_unit_test_setup_teardown(test_statistics, begin, end),
		cmocka_unit_test_setup_teardown(test_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

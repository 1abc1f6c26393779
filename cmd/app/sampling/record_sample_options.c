/* SPDX-License-Identifier: MIT */
/*
 * Options of `pfx record` about the contents of a sample: call chains, branches, registers, the
 * clock. Parses words to numbers; the kernel is only queried for the set of all registers and the
 * resolution of a clock.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>

#include "arch/arch.h"
#include "base/ns.h"
#include "base/str.h"
#include "base/words.h"
#include "cmd/app/commands.h"
#include "cmd/app/sampling/record_options.h"
#include "record/plan/reg_words.h"
#include "record/plan/stack_words.h"
#include "sys/host/perm.h"

/* --- call chains --- */

/* -g: fp unless the configuration says otherwise. */
static int take_default_mode(const char *dump_size, struct pfx_stack_options *ret,
			     struct pfx_error *err)
{
	static const char *const keys[] = {"call-graph.record-mode", "record.call-graph"};
	const char *mode = NULL;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if ((mode = pfx_config_get(keys[i])))
			return pfx_config_check(
				keys[i], pfx_stack_words_parse(mode, dump_size, ret, err), err);
	return pfx_stack_words_parse("fp", dump_size, ret, err);
}

/* Also where the mode copies no stacks, so that a wrong value does not stay unseen. */
static int check_dump_size(const char *size, struct pfx_error *err)
{
	struct pfx_stack_options ignored = {0};

	if (!size)
		return 0;
	return pfx_config_check("call-graph.dump-size",
				pfx_stack_words_parse("dwarf", size, &ignored, err), err);
}

int pfx_record_opt_callgraph(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	/* As in perf, the number of frames is kept until another one is given. */
	struct pfx_stack_options graph = {.max_frames = o->rec.callgraph.max_frames};
	const char *dump_size = pfx_config_get("call-graph.dump-size");
	int rc = check_dump_size(dump_size, err);

	/* -g does not change a mode that was given before. */
	if (!unset && !arg && o->rec.callgraph.mode != PFX_CALLGRAPH_NONE)
		return 0;
	if (!unset && !rc)
		rc = arg ? pfx_stack_words_parse(arg, dump_size, &graph, err)
			 : take_default_mode(dump_size, &graph, err);
	if (rc >= 0)
		o->rec.callgraph = graph;
	return rc;
}

/* --- branches --- */

static int check_branches(const struct pfx_record_options *o, struct pfx_error *err)
{
	if (!o->branch_any || !o->branch_filter)
		return 0;
	pfx_error_set(err, EINVAL, "-b and -j exclude each other");
	pfx_error_hint(err, "-b is the same as -j any");
	return -EINVAL;
}

int pfx_record_opt_branch_any(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;

	(void)arg;
	o->branch_any = !unset;
	o->rec.branch_type = unset ? 0 : PFX_BRANCH_ANY;
	return check_branches(o, err);
}

int pfx_record_opt_branch_filter(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	char word[64], shown[128];
	const char *bad;
	size_t len;

	arg = unset || arg ? arg : "any";
	if (pfx_record_once(&o->said.branches, arg, "-j", err) < 0) {
		pfx_error_hint(err, "commas join kinds, like -j any_call,u");
		return -EINVAL;
	}
	o->branch_filter = !unset;
	o->rec.branch_type = 0;
	if (unset)
		return 0;
	if (pfx_branch_filter_parse(arg, strlen(arg), &o->rec.branch_type, &bad, &len))
		return check_branches(o, err);
	snprintf(word, sizeof(word), "%.*s", (int)len, bad);
	pfx_error_set(err, EINVAL, "'%s' is not a kind of branch",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "kinds are %s", pfx_branch_filter_words());
	return -EINVAL;
}

/* --- registers --- */

/* Without words: all registers. */
static int once(const char **said, const char *arg, bool unset, const char *option,
		struct pfx_error *err)
{
	int rc = pfx_record_once(said, unset || arg ? arg : "", option, err);

	if (rc < 0)
		pfx_error_hint(err, "commas join registers, like %s",
			       option[1] == 'I' ? "-Iax,ip" : "--user-regs=ax,ip");
	return rc;
}

int pfx_record_opt_user_regs(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = once(&o->said.user_regs, arg, unset, "--user-regs", err);

	if (rc < 0)
		return rc;
	o->rec.user_regs = 0;
	o->list_user_regs = arg && strcmp(arg, "?") == 0;
	if (unset || o->list_user_regs)
		return 0;
	return pfx_reg_words_parse(arg, false, &o->rec.user_regs, err);
}

int pfx_record_opt_intr_regs(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	int rc = once(&o->said.intr_regs, arg, unset, "-I", err);

	if (rc < 0)
		return rc;
	o->rec.intr_regs = 0;
	o->list_intr_regs = arg && strcmp(arg, "?") == 0;
	if (unset || o->list_intr_regs)
		return 0;
	return pfx_reg_words_parse(arg, true, &o->rec.intr_regs, err);
}

bool pfx_record_list_regs(const struct pfx_record_options *o)
{
	struct pfx_str names = {0};

	if (!o->list_user_regs && !o->list_intr_regs)
		return false;
	pfx_reg_words_add(&names, o->list_intr_regs);
	printf("available registers:%s\n", pfx_str_get(&names));
	pfx_str_fini(&names);
	return true;
}

/* --- the clock --- */

static const struct {
	const char *name;
	clockid_t id;
} clocks[] = {
	{"monotonic", CLOCK_MONOTONIC},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW},
	{"realtime", CLOCK_REALTIME},
	{"boottime", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
	{"mono", CLOCK_MONOTONIC},
	{"raw", CLOCK_MONOTONIC_RAW},
	{"real", CLOCK_REALTIME},
	{"boot", CLOCK_BOOTTIME},
};

void pfx_record_add_clocks(struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		pfx_str_addf(to, " %s", clocks[i].name);
}

static bool find_clock(const char *word, int32_t *ret)
{
	uint64_t number;
	size_t i;

	if (pfx_parse_u64(word, &number) && number <= INT32_MAX) {
		*ret = (int32_t)number;
		return true;
	}
	if (!strncasecmp(word, "CLOCK_", 6))
		word += 6;
	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcasecmp(word, clocks[i].name)) {
			*ret = clocks[i].id;
			return true;
		}
	}
	return false;
}

int pfx_record_opt_clockid(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	struct timespec res;
	char shown[128];

	if (pfx_record_once(&o->said.clock, arg, "-k", err) < 0)
		return -EINVAL;
	o->rec.use_clockid = !unset;
	if (unset)
		return 0;
	if (!find_clock(arg, &o->rec.clockid)) {
		pfx_error_set(err, EINVAL, "there is no clock '%s'",
			      pfx_escape(shown, sizeof(shown), arg));
	} else if (clock_getres(o->rec.clockid, &res) < 0) {
		pfx_error_set(err, EINVAL, "this system has no clock %d", o->rec.clockid);
	} else {
		o->rec.clock_res_ns = pfx_ns_of(&res);
		return 0;
	}
	pfx_error_hint(err, "clocks are monotonic (mono), monotonic_raw (raw), realtime (real), "
			    "boottime (boot), tai, or their numbers");
	return -EINVAL;
}

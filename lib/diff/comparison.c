/* SPDX-License-Identifier: MIT */
#include "diff/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff/tree.h"
#include "stat/recorded.h"

/* --- files --- */

void pfx_comparison_add_file(struct pfx_comparison *c, const char *path, uint32_t side)
{
	char **name, *longer;

	pfx_vec_push(&c->files, ((struct pfx_compared_file){.path = path, .side = side}));
	name = pfx_vec_slot(&c->names, side);
	longer = *name ? pfx_strfmt("%s, %s", *name, path) : pfx_strdup(path);
	free(*name);
	*name = longer;
}

void pfx_compared_file_describe(struct pfx_compared_file *file, const struct pfx_meta *meta)
{
	const struct pfx_env *env = meta ? &meta->env : NULL;

	if (env && env->arch && env->cpudesc)
		file->machine = pfx_strfmt("%s, %s", env->arch, env->cpudesc);
}

static struct pfx_diff_amounts *amounts_of(struct pfx_comparison *c)
{
	if (!c->amounts)
		c->amounts = pfx_diff_amounts_new(c->model.nr_sides);
	return c->amounts;
}

int pfx_comparison_add_counts(struct pfx_comparison *c, const struct pfx_compared_file *file,
			      struct pfx_recording *recording, struct pfx_error *err)
{
	struct pfx_diff_amounts *amounts = amounts_of(c), *sums = NULL;
	const struct pfx_recorded_rows rows = {.is_chosen = true, .by = PFX_STAT_BY_ALL};
	struct pfx_recorded_counts *recorded = pfx_recorded_counts_new(recording, &rows);
	struct pfx_recorded_table table;
	uint64_t end = 0;
	uint32_t i;
	int rc;

	while ((rc = pfx_recorded_counts_next(recorded, &table, err)) > 0) {
		if (table.is_interval && !sums)
			sums = pfx_diff_amounts_new(1);
		pfx_diff_amounts_add_counts(table.is_interval ? sums : amounts,
					    table.is_interval ? 0 : file->side, table.counts);
		if (!table.is_interval)
			pfx_diff_amounts_add(amounts, file->side, PFX_DIFF_TOTAL_TIME, "",
					     (double)table.at_ns);
		end = table.at_ns;
	}
	for (i = 0; sums && i < pfx_diff_nr_amounts(sums); i++) {
		const struct pfx_diff_amount *sum = pfx_diff_amount_at(sums, i);

		pfx_diff_amounts_add(amounts, file->side, sum->name, sum->unit,
				     sum->sides[0].mean * sum->sides[0].n);
	}
	if (sums)
		pfx_diff_amounts_add(amounts, file->side, PFX_DIFF_TOTAL_TIME, "", (double)end);
	pfx_diff_amounts_free(sums);
	pfx_recorded_counts_free(recorded);
	return rc;
}

/* What events of recordings count, and how long a run took. */
static void add_amounts(struct pfx_comparison *c)
{
	struct pfx_diff_amounts *amounts = amounts_of(c);
	const struct pfx_profile *profile;
	const struct pfx_compared_file *file;
	uint32_t k;
	size_t i;

	for (i = 0; i < c->files.nr; i++) {
		file = &c->files.at[i];
		profile = file->profile;
		if (profile && profile->last_time > profile->first_time)
			pfx_diff_amounts_add(amounts, file->side, PFX_DIFF_TOTAL_TIME, "",
					     (double)(profile->last_time - profile->first_time));
		for (k = 0; profile && k < profile->nr_events; k++)
			pfx_diff_amounts_add(amounts, file->side, profile->events[k].name, "",
					     (double)profile->events[k].period);
	}
	c->look.amounts = amounts;
}

/* --- comparing --- */

/* The first profile of a side; NULL: none of its files has samples. */
static const struct pfx_profile *profile_of(const struct pfx_comparison *c, bool is_old)
{
	size_t i;

	for (i = 0; i < c->files.nr; i++)
		if (c->files.at[i].profile && !c->files.at[i].side == is_old)
			return c->files.at[i].profile;
	return NULL;
}

static int refuse_events(const struct pfx_comparison *c, struct pfx_error *err)
{
	const struct pfx_profile *old = profile_of(c, true), *new = profile_of(c, false);
	char a[128], b[128];

	if (!old || !new) {
		pfx_error_set(err, EINVAL,
			      "counts and samples cannot be compared: %s files have "
			      "counts only",
			      old ? "the new" : "the old");
		pfx_error_hint(err,
			       "compare two files of 'pfx record', or two of 'pfx stat record'");
		return -EINVAL;
	}
	if (!old->nr_events || !new->nr_events)
		return pfx_error_set(err, EINVAL, "the recordings have no events to compare");
	pfx_error_set(err, EINVAL,
		      "the recordings have no event in common: '%s' has '%s', '%s' '%s'",
		      c->names.at[0], pfx_escape(a, sizeof(a), old->events[0].name), c->names.at[1],
		      pfx_escape(b, sizeof(b), new->events[0].name));
	pfx_error_hint(err, "events are matched by name; record both with the same -e");
	return -EINVAL;
}

static struct pfx_diff *make_diff(const struct pfx_comparison *c,
				  const struct pfx_diff_options *options)
{
	struct pfx_diff *diff = pfx_diff_new(options);
	size_t i;

	for (i = 0; i < c->files.nr; i++)
		if (c->files.at[i].profile)
			pfx_diff_add_run(diff, c->files.at[i].side, c->files.at[i].profile);
	pfx_diff_finish(diff);
	return diff;
}

/* The comparison of subtrees or chains, with noise of its own. */
static void make_tree(struct pfx_comparison *c, const struct pfx_diff_options *of)
{
	struct pfx_diff_options options = pfx_diff_tree_options(of);

	if (c->form == PFX_COMPARISON_FOLDED) {
		options = *of;
		options.keys[0] = PFX_DIFF_COMM;
		options.keys[1] = PFX_DIFF_CHAIN;
		options.nr_keys = 2;
		options.inclusive = options.noise = false;
	}
	c->tree = make_diff(c, &options);
	if (c->form == PFX_COMPARISON_TREE)
		c->look.tree = c->tree;
	if (options.noise && c->with_noise)
		c->look.tree_noise = c->tree_noise =
			pfx_diff_noise_new(c->tree, c->look.how.weight, PFX_DIFF_CONFIDENCE);
}

static void make_total(struct pfx_comparison *c, const struct pfx_diff_options *of)
{
	struct pfx_diff_options options = *of;

	options.keys[0] = PFX_DIFF_DSO;
	options.keys[1] = PFX_DIFF_SYM;
	options.nr_keys = 2;
	options.inclusive = true;
	c->total = make_diff(c, &options);
}

/* Rules about total would otherwise be about self. */
static int check_chains(const struct pfx_comparison *c, struct pfx_error *err)
{
	const struct pfx_profile *profile;
	char shown[128];
	size_t i;

	for (i = 0; i < c->files.nr; i++) {
		profile = c->files.at[i].profile;
		if (!profile || !profile->nr_rows || profile->nodes.nr > profile->nr_stacks + 1)
			continue;
		pfx_error_set(err, EINVAL, "'%s' has no call chains, which rules about total need",
			      pfx_escape(shown, sizeof(shown), c->files.at[i].path));
		pfx_error_hint(err, "record with -g");
		return -EINVAL;
	}
	return 0;
}

static int check_rules(struct pfx_comparison *c, struct pfx_error *err)
{
	struct pfx_diff_gate gate = {
		.self = c->diff,
		.total = c->total,
		.amounts = c->amounts,
		.weight = c->look.how.weight,
		.ignore_noise = c->ignore_noise,
		.min_samples = c->min_samples,
		.min_share = c->min_share,
	};
	int rc = c->total ? check_chains(c, err) : 0;
	size_t i;

	for (i = 0; i < c->rules.nr && !rc; i++)
		rc = pfx_diff_rule_check(&gate, &c->rules.at[i], pfx_vec_slot(&c->verdicts, i),
					 err);
	pfx_diff_gate_fini(&gate);
	c->look.rules = c->rules.at;
	c->look.verdicts = c->verdicts.at;
	c->look.nr_rules = (uint32_t)c->verdicts.nr;
	return rc;
}

int pfx_comparison_make(struct pfx_comparison *c, struct pfx_error *err)
{
	struct pfx_diff_options others;

	c->model.binaries = c->binaries;
	c->diff = make_diff(c, &c->model);
	c->look.how.diff = c->diff;
	if (!pfx_diff_nr_events(c->diff) && (profile_of(c, true) || profile_of(c, false)))
		return refuse_events(c, err);
	add_amounts(c);
	if (c->with_noise && pfx_diff_nr_events(c->diff))
		c->look.noise = c->noise =
			pfx_diff_noise_new(c->diff, c->look.how.weight, PFX_DIFF_CONFIDENCE);
	others = c->model;
	others.renames = pfx_diff_found_renames(c->diff);
	others.binaries = NULL;
	if (pfx_comparison_has_total(c))
		make_total(c, &others);
	if (c->form != PFX_COMPARISON_ROWS)
		make_tree(c, &others);
	return check_rules(c, err);
}

void pfx_comparison_fini(struct pfx_comparison *c)
{
	size_t i;

	pfx_diff_noise_free(c->noise);
	pfx_diff_noise_free(c->tree_noise);
	pfx_diff_free(c->diff);
	pfx_diff_free(c->total);
	pfx_diff_free(c->tree);
	pfx_diff_amounts_free(c->amounts);
	for (i = 0; i < c->rules.nr; i++)
		pfx_diff_rule_fini(&c->rules.at[i]);
	for (i = 0; i < c->names.nr; i++)
		free(c->names.at[i]);
	for (i = 0; i < c->files.nr; i++) {
		pfx_profile_free(c->files.at[i].profile);
		free(c->files.at[i].machine);
	}
	pfx_vec_free(&c->rules);
	pfx_vec_free(&c->verdicts);
	pfx_vec_free(&c->files);
	pfx_vec_free(&c->names);
	*c = (struct pfx_comparison){0};
}

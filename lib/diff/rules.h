/* SPDX-License-Identifier: MIT */
/*
 * Rules that a comparison must keep, for continuous integration:
 *
 *	self > +5%                  no function's own weight grows by more than 5 percent of it
 *	total:parse_.* > +2 points  with callees: no function that the pattern matches
 *	total-time > +3%            the time of a run
 *	instructions > +1%          a count of `stat record`, or an event of the recordings
 *
 * A rule names what must not happen. Patterns are POSIX extended regular expressions for the whole
 * name of a function.
 */
#ifndef PFX_DIFF_RULES_H
#define PFX_DIFF_RULES_H

#include <regex.h>

#include "diff/amounts.h"
#include "diff/noise.h"

enum pfx_diff_subject {
	PFX_DIFF_RULE_SELF,
	PFX_DIFF_RULE_TOTAL,
	PFX_DIFF_RULE_AMOUNT,
};

enum pfx_diff_unit {
	PFX_DIFF_BY_PERCENT, /* of the old weight */
	PFX_DIFF_BY_POINTS,  /* of the share of all samples */
	PFX_DIFF_BY_MS,      /* of CPU time; of total-time */
	PFX_DIFF_BY_SAMPLES,
	PFX_DIFF_BY_NUMBER, /* of the count */
};

struct pfx_diff_rule {
	char *text, *name; /* name: of the amount */
	enum pfx_diff_subject subject;
	bool has_pattern, is_less;
	regex_t pattern;
	double limit;
	enum pfx_diff_unit unit;
};

/* -EINVAL with a caret below what cannot be read; then there is nothing to free. */
int pfx_diff_rule_parse(struct pfx_diff_rule *ret, const char *text, struct pfx_error *err);
void pfx_diff_rule_fini(struct pfx_diff_rule *rule);

/* What rules are checked against. Borrows everything but the noise. */
struct pfx_diff_gate {
	const struct pfx_diff *self;
	const struct pfx_diff *total; /* inclusive; NULL: no rule needs it */
	const struct pfx_diff_amounts *amounts;
	enum pfx_diff_footing weight; /* of percentages */
	bool ignore_noise;
	uint64_t min_samples; /* rows with fewer on both sides do not count */
	/* In percent of all samples: rules in % do not count rows with less on both sides, whose
	 * changes are large and do not matter. */
	double min_share;
	struct pfx_diff_noise *noise[2][PFX_DIFF_NR_WEIGHTS]; /* private */
};

#define PFX_DIFF_MIN_SHARE 0.5 /* the default */

/* What is over the limit of a rule: the row that is the most, or an amount. */
struct pfx_diff_case {
	uint32_t nr_rows; /* 0: nothing */
	const struct pfx_diff_row *row;
	const struct pfx_diff_amount *amount;
	const char *name, *event; /* of the function or amount; of the event, NULL: an amount */
	uint32_t side;
	double old, new;
	double change; /* in the unit of the rule; INFINITY for a new row */
};

/* What became of a rule. */
struct pfx_diff_verdict {
	bool is_broken;
	bool noise_is_unknown; /* one run a side: the change may be noise */
	uint32_t nr_matching;  /* rows that it is about */
	uint32_t nr_countable; /* of these, those with enough samples; 0: nothing could break it */
	enum pfx_diff_footing weight; /* of the rows' old and new weights */
	double min_share;             /* that counted; 0: of any */
	struct pfx_diff_case worst;   /* that breaks it */
	struct pfx_diff_case within;  /* that would break it, but is within noise */
	struct pfx_diff_case small;   /* that would break it, but has too small a share */
};

/* Why nothing could break the rule: a pattern that no function matches, or too few samples; NULL: a
 * row could. */
const char *pfx_diff_verdict_idle(const struct pfx_diff_rule *rule,
				  const struct pfx_diff_verdict *verdict);

/* -EINVAL: the recordings do not have what the rule is about. */
int pfx_diff_rule_check(struct pfx_diff_gate *gate, const struct pfx_diff_rule *rule,
			struct pfx_diff_verdict *ret, struct pfx_error *err);
void pfx_diff_gate_fini(struct pfx_diff_gate *gate);
/* A case of the verdict: "fb +23.11% (35.24% -> 43.43%, +8.19 points)". Names are escaped. */
void pfx_diff_case_text(const struct pfx_diff_rule *rule, const struct pfx_diff_verdict *verdict,
			const struct pfx_diff_case *of, struct pfx_str *to);
/* Why a rule is not broken though something is over its limit: "within noise: " and the case, and
 * what has too small a share. Nothing if the rule is broken, or nothing is over it. */
void pfx_diff_verdict_excuse(const struct pfx_diff_rule *rule,
			     const struct pfx_diff_verdict *verdict, struct pfx_str *to);

#endif

/* SPDX-License-Identifier: MIT */
/* Student's distribution. */
#ifndef PFX_STAT_STUDENT_H
#define PFX_STAT_STUDENT_H

/* The probability that |t| is at least @t (not negative), with @df degrees of freedom (at least
 * 1). */
double pfx_student_tails(double t, double df);
/* The t for which that is @probability: above 0 and below 1. Relative error below 1e-6. */
double pfx_student_critical(double probability, double df);

#endif

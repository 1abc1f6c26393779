/* SPDX-License-Identifier: MIT */
/*
 * With t = sqrt(df) tan(a), the density becomes a power of the cosine, which is integrated by
 * Simpson's rule from a to the right angle.
 */
#include "stat/student.h"

#include <math.h>

#define STEPS     400 /* even */
#define HALVINGS  60
#define PI        3.14159265358979323846
#define LARGEST_T 1e7

/* The integral of cos^power from @from to @to; divided by cos(from)^power, which may be tiny. */
static double cosines(double from, double to, double power)
{
	double step = (to - from) / STEPS, sum = 0, scale = cos(from), cosine;
	int i;

	for (i = 0; i <= STEPS; i++) {
		cosine = cos(from + i * step) / scale;
		sum += (i == 0 || i == STEPS ? 1
			: i % 2              ? 4
					     : 2) *
		       (cosine > 0  ? pow(cosine, power)
			: power > 0 ? 0
				    : 1);
	}
	return sum * step / 3;
}

double pfx_student_tails(double t, double df)
{
	double from = atan(t / sqrt(df)), power = df - 1, to = PI / 2;
	/* Where the power is large, nearly all of the area is close to its start. */
	double enough = power > 0 ? from + 40 / (power * tan(from) + sqrt(power)) : to;
	double factor = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(PI);

	if (from >= to)
		return 0;
	to = enough < to ? enough : to;
	return 2 * factor * cosines(from, to, power) * pow(cos(from), power);
}

double pfx_student_critical(double probability, double df)
{
	double low = 0, high = 1, mid;
	int i;

	while (high < LARGEST_T && pfx_student_tails(high, df) > probability)
		high *= 2;
	for (i = 0; i < HALVINGS; i++) {
		mid = (low + high) / 2;
		if (pfx_student_tails(mid, df) > probability)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

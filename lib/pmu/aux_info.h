/* SPDX-License-Identifier: MIT */
/*
 * PMUs that write traces into an AUX area: which ones there are, and what a decoder of the trace
 * must know about the PMU and the recording, as words for an AUXTRACE_INFO record.
 */
#ifndef PFX_PMU_AUX_INFO_H
#define PFX_PMU_AUX_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"
#include "event/attr.h"
#include "pmu/sysfs/roots.h"

/* The numbers are those of AUXTRACE_INFO. */
enum pfx_aux_kind {
	PFX_AUX_NONE = 0,
	PFX_AUX_INTEL_PT = 1,
	PFX_AUX_INTEL_BTS = 2,
	PFX_AUX_CS_ETM = 3,
	PFX_AUX_ARM_SPE = 4,
	PFX_AUX_HISI_PTT = 6,
};

/* By the name of the PMU, which may be NULL. */
enum pfx_aux_kind pfx_aux_kind_of(const char *pmu);

/* Bits of the config (word 0 or 2) that the format @term of the PMU fills; 0: it has none. */
uint64_t pfx_aux_format(const struct pfx_pmu_roots *roots, const char *pmu, const char *term);
/* A number of the PMU's directory, like "caps/min_interval", in the base it is written in (16
 * behind 0x or with @hex); false when there is none. */
bool pfx_aux_number(const struct pfx_pmu_roots *roots, const char *pmu, const char *file, bool hex,
		    uint64_t *ret);

/* What the recorder knows. */
struct pfx_aux_facts {
	enum pfx_aux_kind kind;
	const char *pmu;
	const struct pfx_attr *attr; /* as it was opened */
	const char *filter;          /* of addresses; NULL: none */
	bool snapshot;               /* the newest bytes are written on demand */
	bool per_cpu;                /* one area a CPU, not one a thread */
	unsigned switches; /* 0: unknown, 2: of the recorded tasks, 3: of all tasks of a CPU */
	/* From the control page: how the CPU's counter of cycles becomes time. */
	bool has_time_zero;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;
	uint32_t tsc_ctc_n, tsc_ctc_d; /* of the clocks in the trace; 0: not told */
	const struct pfx_list *cpus;   /* that are traced; of CoreSight each has words */
};

/* The record AUXTRACE_INFO, appended to @to. */
int pfx_aux_info(const struct pfx_aux_facts *facts, const struct pfx_pmu_roots *roots,
		 struct pfx_buffer *to, struct pfx_error *err);

#endif

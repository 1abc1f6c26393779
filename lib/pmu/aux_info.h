/* SPDX-License-Identifier: MIT */
/*
 * PMUs that write traces into an AUX area: their kinds, and the AUXTRACE_INFO record with the data
 * about PMU and recording that decoders of the trace need.
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

/* Bits of the config (word 0 or 2) of the PMU's format @term; 0: no such format. */
uint64_t pfx_aux_format(const struct pfx_pmu_roots *roots, const char *pmu, const char *term);
/* A number of the PMU's directory, like "caps/min_interval", in the base it is written in (16 after
 * 0x or with @hex); false if there is none. */
bool pfx_aux_number(const struct pfx_pmu_roots *roots, const char *pmu, const char *file, bool hex,
		    uint64_t *ret);

/* Input from the recorder. */
struct pfx_aux_facts {
	enum pfx_aux_kind kind;
	const char *pmu;
	const struct pfx_attr *attr; /* as it was opened */
	const char *filter;          /* address filter; NULL: none */
	bool snapshot;               /* the newest bytes are written on demand */
	bool per_cpu;                /* one area per CPU, not per thread */
	unsigned switches; /* context switches are recorded: 0 unknown, 2 for the recorded tasks, 3
			      for all tasks of a CPU */
	/* From the control page: the conversion of CPU timestamps to time. */
	bool has_time_zero;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;
	uint32_t tsc_ctc_n, tsc_ctc_d; /* ratio of the clocks in the trace; 0: unknown */
	const struct pfx_list *cpus;   /* the traced CPUs; CoreSight has words for each */
};

/* Append the AUXTRACE_INFO record to @to. */
int pfx_aux_info(const struct pfx_aux_facts *facts, const struct pfx_pmu_roots *roots,
		 struct pfx_buffer *to, struct pfx_error *err);

#endif

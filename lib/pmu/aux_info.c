/* SPDX-License-Identifier: MIT */
/*
 * AUXTRACE_INFO: type:32 0:32 words[]. The words of each kind are listed above the function that
 * makes them. Numbers are read from the PMU's directory in sysfs; data from the kernel's control
 * page and the CPU are passed by the caller.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/str.h"
#include "event/abi.h"
#include "pmu/aux_info.h"

#define DEVICES   "bus/event_source/devices"
#define PATH_SIZE 512

enum pfx_aux_kind pfx_aux_kind_of(const char *pmu)
{
	static const struct {
		const char *name;
		enum pfx_aux_kind kind;
		bool has_number; /* "arm_spe_0" */
	} kinds[] = {
		{"intel_pt", PFX_AUX_INTEL_PT, false}, {"intel_bts", PFX_AUX_INTEL_BTS, false},
		{"cs_etm", PFX_AUX_CS_ETM, false},     {"arm_spe_", PFX_AUX_ARM_SPE, true},
		{"hisi_ptt", PFX_AUX_HISI_PTT, true},
	};
	size_t i;

	for (i = 0; pmu && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].has_number ? !strncmp(pmu, kinds[i].name, strlen(kinds[i].name))
					: !strcmp(pmu, kinds[i].name))
			return kinds[i].kind;
	return PFX_AUX_NONE;
}

/* The first line of a file of the PMU. */
static bool read_file(const struct pfx_pmu_roots *roots, const char *pmu, const char *file,
		      char *line, size_t size)
{
	const char *sysfs = roots && roots->sysfs ? roots->sysfs : "/sys";
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/%s", sysfs, pmu, file);
	return pfx_read_line(path, line, size) >= 0;
}

bool pfx_aux_number(const struct pfx_pmu_roots *roots, const char *pmu, const char *file, bool hex,
		    uint64_t *ret)
{
	char line[64], *end;

	*ret = 0;
	if (!read_file(roots, pmu, file, line, sizeof(line)))
		return false;
	errno = 0;
	*ret = strtoull(line, &end, hex ? 16 : 0);
	return end != line && !errno;
}

/* "config:0-7,12" to the bits. */
uint64_t pfx_aux_format(const struct pfx_pmu_roots *roots, const char *pmu, const char *term)
{
	char file[128], line[128], *at;
	unsigned long first, last;
	uint64_t bits = 0;

	snprintf(file, sizeof(file), "format/%s", term);
	if (!read_file(roots, pmu, file, line, sizeof(line)) || strncmp(line, "config", 6))
		return 0;
	at = strchr(line, ':');
	while (at) {
		first = last = strtoul(at + 1, &at, 10);
		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		if (first > last || last > 63)
			return 0;
		bits |= (~0ull >> (63 - (last - first))) << first;
		at = strchr(at, ',');
	}
	return bits;
}

static uint64_t number(const struct pfx_pmu_roots *roots, const struct pfx_aux_facts *f,
		       const char *file)
{
	uint64_t value;

	pfx_aux_number(roots, f->pmu, file, false, &value);
	return value;
}

static void put_clock(const struct pfx_aux_facts *f, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, f->time_shift);
	pfx_buffer_u64(to, f->time_mult);
	pfx_buffer_u64(to, f->time_zero);
	pfx_buffer_u64(to, f->has_time_zero);
}

/*
 * type, shift, mult, zero, has zero, bits of tsc, bits of noretcomp, switches, snapshot, per CPU,
 * bits of mtc, bits of mtc_period, tsc:ctc n, d, bits of cyc, max_nonturbo_ratio, length of the
 * filter with its NUL and padding, filter, event_trace
 */
static void put_intel_pt(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots,
			 struct pfx_buffer *to)
{
	put_clock(f, to);
	pfx_buffer_u64(to, pfx_aux_format(roots, f->pmu, "tsc"));
	pfx_buffer_u64(to, pfx_aux_format(roots, f->pmu, "noretcomp"));
	pfx_buffer_u64(to, f->switches);
	pfx_buffer_u64(to, f->snapshot);
	pfx_buffer_u64(to, f->per_cpu);
	pfx_buffer_u64(to, pfx_aux_format(roots, f->pmu, "mtc"));
	pfx_buffer_u64(to, pfx_aux_format(roots, f->pmu, "mtc_period"));
	pfx_buffer_u64(to, f->tsc_ctc_n);
	pfx_buffer_u64(to, f->tsc_ctc_d);
	pfx_buffer_u64(to, pfx_aux_format(roots, f->pmu, "cyc"));
	pfx_buffer_u64(to, number(roots, f, "max_nonturbo_ratio"));
	pfx_buffer_u64(to, f->filter ? strlen(f->filter) : 0);
	if (f->filter)
		pfx_buffer_cstr(to, f->filter, 8);
	pfx_buffer_u64(to, number(roots, f, "caps/event_trace"));
}

/* type, shift, mult, zero, has zero, snapshot */
static void put_intel_bts(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots,
			  struct pfx_buffer *to)
{
	(void)roots;
	put_clock(f, to);
	pfx_buffer_u64(to, f->snapshot);
}

/* type, per CPU */
static void put_arm_spe(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots,
			struct pfx_buffer *to)
{
	(void)roots;
	pfx_buffer_u64(to, f->per_cpu);
}

static void put_nothing(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots,
			struct pfx_buffer *to)
{
	(void)f;
	(void)roots;
	(void)to;
}

/* --- CoreSight --- */

#define ETM3_MAGIC 0x3030303030303030ull
#define ETM4_MAGIC 0x4040404040404040ull
#define ETE_MAGIC  0x5050505050505050ull
/* The default trace id of a CPU; AUX_OUTPUT_HW_ID records override it. */
#define TRACE_ID(cpu) (0x10 + 2 * (uint64_t)(cpu))

static uint64_t cpu_number(const struct pfx_pmu_roots *roots, const struct pfx_aux_facts *f,
			   int cpu, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "cpu%d/%s", cpu, file);
	return number(roots, f, path);
}

/* Converts options from the attr's config to the trace unit's configuration register. */
static uint64_t etm4_config(uint64_t config)
{
	static const struct {
		uint8_t option, bit;
	} moves[] = {{8, 3}, {12, 4}, {14, 6}, {15, 7}, {15, 15}, {28, 11}, {29, 12}};
	uint64_t ret = 0;
	size_t i;

	for (i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		ret |= (config >> moves[i].option & 1) << moves[i].bit;
	return ret;
}

/* magic, cpu, number of words that follow, config, id, registers */
static void put_etm(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots, int cpu,
		    struct pfx_buffer *to)
{
	static const char *const etm4[] = {"trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2",
					   "trcidr/trcidr8", "mgmt/trcauthstatus"};
	static const char *const etm3[] = {"mgmt/etmccer", "mgmt/etmidr"};
	uint64_t devarch = cpu_number(roots, f, cpu, "mgmt/trcdevarch");
	bool is_ete = (devarch & 0xffff) == 0x5a13;
	bool is_etm4 = cpu_number(roots, f, cpu, "trcidr/trcidr1") != 0;
	const char *const *files = is_etm4 ? etm4 : etm3;
	size_t nr = is_etm4 ? 5 : 2, i;

	pfx_buffer_u64(to, is_ete ? ETE_MAGIC : is_etm4 ? ETM4_MAGIC : ETM3_MAGIC);
	pfx_buffer_u64(to, (uint64_t)cpu);
	pfx_buffer_u64(to, 2 + nr + is_ete);
	pfx_buffer_u64(to, is_etm4 ? etm4_config(f->attr->config) : f->attr->config);
	pfx_buffer_u64(to, TRACE_ID(cpu));
	for (i = 0; i < nr; i++)
		pfx_buffer_u64(to, cpu_number(roots, f, cpu, files[i]));
	if (is_ete)
		pfx_buffer_u64(to, devarch);
}

/* version, type << 32 | number of CPUs, snapshot, and the words of each CPU */
static void put_cs_etm(const struct pfx_aux_facts *f, const struct pfx_pmu_roots *roots,
		       struct pfx_buffer *to)
{
	size_t i;

	pfx_buffer_u64(to, (uint64_t)f->attr->type << 32 | f->cpus->nr);
	pfx_buffer_u64(to, f->snapshot);
	for (i = 0; i < f->cpus->nr; i++)
		put_etm(f, roots, f->cpus->at[i], to);
}

int pfx_aux_info(const struct pfx_aux_facts *facts, const struct pfx_pmu_roots *roots,
		 struct pfx_buffer *to, struct pfx_error *err)
{
	typedef void (*put_fn)(const struct pfx_aux_facts *, const struct pfx_pmu_roots *,
			       struct pfx_buffer *);
	static const put_fn puts[] = {
		[PFX_AUX_INTEL_PT] = put_intel_pt, [PFX_AUX_INTEL_BTS] = put_intel_bts,
		[PFX_AUX_CS_ETM] = put_cs_etm,     [PFX_AUX_ARM_SPE] = put_arm_spe,
		[PFX_AUX_HISI_PTT] = put_nothing,
	};
	size_t start = to->len;

	pfx_buffer_u32(to, PFX_RECORD_AUXTRACE_INFO);
	pfx_buffer_u32(to, 0);
	pfx_buffer_u32(to, facts->kind);
	pfx_buffer_u32(to, 0);
	/* CoreSight has its version here */
	pfx_buffer_u64(to, facts->kind == PFX_AUX_CS_ETM ? 1 : facts->attr->type);
	puts[facts->kind](facts, roots, to);
	if (to->len - start <= UINT16_MAX) {
		pfx_buffer_patch16(to, start + 6, (uint16_t)(to->len - start));
		return 0;
	}
	to->len = start;
	return pfx_error_set(err, E2BIG, "the description of the trace does not fit into a record");
}

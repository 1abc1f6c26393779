/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a program with samples at all places: its symbols, its code, jumps, lines and types
 * as the model of annotate has them, in both forms. The first byte chooses the machine in the ELF
 * header and the style, the rest is the file.
 */
#include <elf.h>

#include "code/read_costs.h"
#include "fuzz/reading.h"
#include "kit/kit.h"
#include "out/code/code_json.h"
#include "out/code/code_text.h"

#define SIZE_MAX_OF_FILE (1u << 18)
#define BASE             0x10000000ull
#define SAMPLES          48
#define FUNCTIONS_MAX    8
#define INSNS_MAX        20000 /* of a function that is printed */
#define MACHINE_AT       18    /* in an ELF header */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t machines[] = {0,      EM_X86_64, EM_386,   EM_AARCH64,
				   EM_ARM, EM_S390,   EM_PPC64, EM_RISCV};

/* Samples all over a mapping of the file, half of them with a caller. */
static struct pfx_recording *make_recording(const char *path, size_t size)
{
	const struct pfx_kit_options options = {0};
	struct pfx_recording *recording = NULL;
	struct pfx_buffer bytes = {0};
	struct pfx_str text = {0};
	uint64_t ip;
	unsigned i;

	pfx_str_addf(&text,
		     "event e sample=ip,tid,time,period,callchain ids=1\n"
		     "event f sample=ip,tid,time,period,callchain ids=2\n"
		     "feature arch str=x86_64\n"
		     "mmap2 pid=1 tid=1 addr=0x%llx len=0x%zx prot=5 flags=2 %s\n",
		     BASE, size, path);
	for (i = 0; i < SAMPLES; i++) {
		ip = BASE + size * i / SAMPLES;
		pfx_str_addf(&text,
			     "sample ip=0x%llx pid=1 tid=1 time=%u period=%u id=%u "
			     "chain=user,0x%llx,0x%llx\n",
			     (unsigned long long)ip, i + 1, i + 1, i % 3 ? 1 : 2,
			     (unsigned long long)ip, (unsigned long long)(BASE + size / 2 + i));
	}
	if (!pfx_kit_build(pfx_str_get(&text), &options, &bytes, NULL))
		recording = open_recording(bytes.at, bytes.len);
	pfx_buffer_fini(&bytes);
	pfx_str_fini(&text);
	return recording;
}

static void print(const struct pfx_code *code, const struct pfx_meta *meta, uint8_t style)
{
	const struct pfx_cost wholes[] = {{1000, SAMPLES}, {1000, SAMPLES}};
	const struct pfx_code_events events = {(const struct pfx_event *const *)meta->events,
					       meta->nr_events, wholes};
	const struct pfx_code_style how = {
		.value = style % 3,
		.raw = style & 8,
		.print_lines = style & 16,
		.short_form = style & 32,
		.colours = style & 64,
		.context = style & 128 ? style % 5 : UINT32_MAX,
	};
	struct pfx_code_json json = {0};
	struct pfx_str text = {0};
	const struct pfx_code_output output = {.text = &text};

	pfx_code_text(code, &how, &events, &output);
	pfx_str_clear(&text);
	pfx_code_json_begin(&json, meta, wholes, &text);
	pfx_code_json_add(&json, code, &output);
	pfx_code_json_end(&json, &text);
	pfx_str_fini(&text);
}

static void annotate(struct pfx_recording *recording, uint8_t style)
{
	struct pfx_resolve_options resolving = {.inlines = true, .sym = {.buildid_dir = ""}};
	const struct pfx_code_options options = {.intel = style & 8, .with_data = style & 32};
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	const struct pfx_code_function *functions;
	struct pfx_filter filter = {0};
	struct pfx_costs *costs;
	struct pfx_error err;
	struct pfx_code *code;
	uint32_t i, nr;

	pfx_recording_resolve(recording, &resolving);
	costs = pfx_costs_new(pfx_recording_resolver(recording));
	pfx_costs_read(costs,
		       &(struct pfx_costs_reading){
			       .recording = recording, .filter = &filter, .no_chains = style & 16},
		       &err);
	nr = pfx_costs_functions(costs, meta->nr_events, &functions);
	for (i = 0; i < nr && i < FUNCTIONS_MAX; i++) {
		if (pfx_code_new(&code, pfx_recording_resolver(recording), costs, &functions[i],
				 &options, &err))
			continue;
		if (code->nr_insns < INSNS_MAX)
			print(code, meta, style);
		pfx_code_free(code);
	}
	pfx_costs_free(costs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t machine = size ? machines[data[0] % sizeof(machines)] : 0;
	struct pfx_recording *recording = NULL;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && size > 64 && size <= SIZE_MAX_OF_FILE &&
	    !pfx_write_full(fd, data + 1, size - 1) &&
	    (!machine || pwrite(fd, &machine, 1, MACHINE_AT) == 1))
		recording = make_recording(path, size - 1);
	if (recording)
		annotate(recording, data[0]);
	pfx_recording_free(recording);
	close(fd);
	return 0;
}

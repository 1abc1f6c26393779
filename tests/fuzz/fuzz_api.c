/* SPDX-License-Identifier: MIT */
/* Any bytes as a recording through the public doors: every accessor of every record, and questions
 * about what was loaded; and as a binary with symbols. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pfx/pfx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* reads are not optimised away */

static uint64_t use_sample(struct pfx_input *input)
{
	struct pfx_branch_info branch = PFX_INIT(struct pfx_branch_info);
	struct pfx_raw_field field = PFX_INIT(struct pfx_raw_field);
	struct pfx_frame frame = PFX_INIT(struct pfx_frame);
	uint32_t stack = pfx_input_stack(input), i;
	uint64_t sum = pfx_input_time(input) + (uint8_t)*pfx_input_comm(input);

	for (i = 0; i < pfx_input_nr_frames(input, stack); i++) {
		pfx_input_frame(input, stack, i, &frame);
		sum += frame.address;
	}
	for (i = 0; i < pfx_input_nr_branches(input); i++) {
		pfx_input_branch(input, i, &branch);
		sum += branch.from;
	}
	for (i = 0; i < pfx_input_nr_fields(input); i++) {
		pfx_input_field(input, i, &field);
		sum += field.nr_bytes ? *(const uint8_t *)field.bytes : field.number;
		pfx_input_find_field(input, field.name, &field);
	}
	return sum;
}

static void use_recording(struct pfx_input *input)
{
	struct pfx_losses losses = PFX_INIT(struct pfx_losses);
	struct pfx_thread_info thread = PFX_INIT(struct pfx_thread_info);
	struct pfx_event_info event = PFX_INIT(struct pfx_event_info);
	const char *name, *value;
	uint32_t i;

	for (i = 0; i < pfx_input_nr_threads(input); i++)
		pfx_input_thread_info(input, i, &thread);
	for (i = 0; i < pfx_input_nr_events(input); i++)
		pfx_input_event_info(input, i, &event);
	for (i = 0; pfx_input_header(input, i, &name, &value); i++)
		;
	pfx_input_losses(input, &losses);
}

static void use_binaries(struct pfx_input *input)
{
	struct pfx_binary_info binary = PFX_INIT(struct pfx_binary_info);
	uint32_t i;

	pfx_input_find_binaries(input, PFX_BINARIES_WITH_SAMPLES, NULL, NULL);
	for (i = 0; i < pfx_input_nr_binaries(input); i++) {
		pfx_input_binary(input, i, &binary);
		sink += (uint8_t)*binary.path + (binary.id_bytes ? *binary.build_id : 0);
	}
	pfx_input_find_binaries(input, 0, NULL, NULL);
}

static struct pfx_input *open_memory(int fd)
{
	struct pfx_input_options options = PFX_INIT(struct pfx_input_options);
	struct pfx_input *input;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.flags = PFX_INPUT_FORCE;
	options.kallsyms = options.vmlinux = "/dev/null";
	pfx_input_open(&input, path, &options, NULL);
	return input;
}

static void read_all(int fd)
{
	struct pfx_input *input = open_memory(fd);
	size_t size;

	while (input && pfx_input_next(input, NULL) > 0) {
		pfx_input_bytes(input, &size);
		if (pfx_input_is_sample(input))
			sink += use_sample(input);
	}
	if (input) {
		use_recording(input);
		use_binaries(input);
	}
	pfx_input_close(input);
}

static void use_columns(struct pfx_samples *samples)
{
	struct pfx_column_data column = PFX_INIT(struct pfx_column_data);
	const uint32_t *stacks;
	uint32_t frames[16], nr, kind;
	const char *dso;
	size_t i;

	for (kind = PFX_COLUMN_TIME; kind <= PFX_COLUMN_STACK; kind++)
		if (pfx_samples_column(samples, kind, &column, NULL))
			return;
	stacks = column.data;
	for (i = 0; i < column.nr; i++) {
		nr = pfx_samples_stack(samples, stacks[i], frames, 16);
		if (nr)
			sink += (uint8_t)*pfx_samples_function(samples, frames[0], &dso);
	}
	for (kind = 0; kind < pfx_samples_nr_events(samples); kind++)
		sink += (uint8_t)*pfx_samples_event_name(samples, kind);
}

/* The bytes as a binary. */
static void name_addresses(int fd)
{
	struct pfx_symbols_options options = PFX_INIT(struct pfx_symbols_options);
	struct pfx_frame frame = PFX_INIT(struct pfx_frame);
	struct pfx_symbols *symbols;
	uint64_t address;
	char path[32];
	uint32_t nr;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.flags = PFX_INPUT_INLINES | PFX_INPUT_LINES | PFX_INPUT_FORCE;
	if (pfx_symbols_of_file(&symbols, path, &options, NULL))
		return;
	for (address = 0; address < 0x2000; address += 0x100)
		for (nr = pfx_symbols_find(symbols, address); nr; nr--)
			pfx_symbols_frame(symbols, nr - 1, &frame);
	pfx_symbols_free(symbols);
}

static void ask(int fd)
{
	struct pfx_input *input = open_memory(fd);
	struct pfx_samples *samples = NULL;
	struct pfx_answer *answer;

	if (input)
		pfx_samples_load(&samples, input, PFX_LOAD_TIMES, NULL);
	pfx_input_close(input);
	if (!samples)
		return;
	use_columns(samples);
	pfx_samples_table(samples, NULL, &answer, NULL);
	pfx_answer_free(answer);
	pfx_samples_tree(samples, NULL, &answer, NULL);
	pfx_answer_free(answer);
	if (!pfx_samples_timeline(samples, NULL, 7, &answer, NULL))
		sink += pfx_answer_nr_rows(answer) ? *pfx_answer_cells(answer, 0) : 0;
	pfx_answer_free(answer);
	pfx_samples_diff(samples, samples, NULL, &answer, NULL);
	pfx_answer_free(answer);
	pfx_samples_free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_all(fd);
	ask(fd);
	name_addresses(fd);
	close(fd);
	return 0;
}

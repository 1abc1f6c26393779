/* SPDX-License-Identifier: MIT */
/*
 * `pfx buildid-list`: build IDs and their files, for a recording, an ELF file or the running
 * kernel. A recording is read through the door of libpfx, pfx/input.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "api/for_program.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "out/term/term.h"
#include "sym/elf/buildid.h"
#include "sym/kernel/system_buildid.h"
#include "sys/synth/synth.h"

#define NAME     "buildid-list"
#define ID_WIDTH (2 * PFX_BUILD_ID_SIZE) /* hexadecimal digits */

struct buildid_options {
	const char *input;
	bool force, strict, with_hits, kernel, kernel_maps;
	int verbose;
};

#define AT(field) offsetof(struct buildid_options, field)
static const struct pfx_option buildid_options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file",
	 "recording or ELF file to read, - is a recording on standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to another user"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'H', "with-hits", AT(with_hits), NULL, "list only binaries with samples"},
	{PFX_OPT_BOOL, 'k', "kernel", AT(kernel), NULL, "show the running kernel's build ID"},
	{PFX_OPT_BOOL, 'm', "kernel-maps", AT(kernel_maps), NULL,
	 "show build IDs and addresses of the running kernel and its modules"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "print how many build IDs, binaries and samples were found"},
	{.kind = PFX_OPT_END},
};

static void add_id(struct pfx_str *to, const uint8_t *id, uint8_t size)
{
	uint8_t i;

	for (i = 0; i < size; i++)
		pfx_str_hex0(to, id[i], 2);
	if (!size)
		pfx_str_pad(to, ' ', ID_WIDTH);
}

static void add_line(struct pfx_str *to, const struct pfx_input *input, uint32_t i)
{
	struct pfx_binary_info binary = PFX_INIT(struct pfx_binary_info);

	pfx_input_binary(input, i, &binary);
	add_id(to, binary.build_id, (uint8_t)binary.id_bytes);
	pfx_str_addc(to, ' ');
	pfx_str_add_foreign(to, binary.path);
	pfx_str_addc(to, '\n');
}

static int flush(struct pfx_str *out, struct pfx_error *err)
{
	int rc = pfx_out_write(out, 0, err);

	pfx_str_fini(out);
	return rc;
}

/* --- this machine --- */

static int show_id(const struct pfx_build_id *id, struct pfx_error *err)
{
	struct pfx_str out = {0};

	add_id(&out, id->data, id->size);
	pfx_str_addc(&out, '\n');
	return flush(&out, err);
}

static int show_kernel(struct pfx_error *err)
{
	struct pfx_build_id id;
	int rc = pfx_build_id_of_kernel(&id);

	if (rc < 0)
		return pfx_error_sys(err, -rc, "the running kernel does not tell its build id");
	return show_id(&id, err);
}

static void add_kernel_map(struct pfx_str *to, const struct pfx_mmap *map)
{
	bool is_kernel = !strncmp(map->filename, PFX_KERNEL_NAME, strlen(PFX_KERNEL_NAME));
	struct pfx_build_id id;

	pfx_system_build_id(map->filename, &id);
	add_id(to, id.data, id.size);
	pfx_str_addc(to, ' ');
	pfx_str_hex(to, map->addr, 16);
	pfx_str_addc(to, ' ');
	pfx_str_hex(to, map->addr + map->len, 16);
	pfx_str_addc(to, ' ');
	if (is_kernel)
		pfx_str_add(to, PFX_KERNEL_NAME);
	else
		pfx_str_add_foreign(to, map->filename);
	pfx_str_addc(to, '\n');
}

/* The mappings are synthesized as for a recording; the kernel's is the first record. */
static int show_kernel_maps(struct pfx_error *err)
{
	const struct pfx_synth_options exact = {.exact = true};
	struct pfx_buffer records = {0};
	struct pfx_record rec;
	struct pfx_str out = {0};
	struct pfx_body body;
	size_t at;

	if (pfx_synth_kernel(&exact, &records, err) < 0) {
		const struct pfx_mmap unknown = {.len = UINT64_MAX, .filename = PFX_KERNEL_NAME};

		pfx_print_note(NAME, "%s", err->text);
		add_kernel_map(&out, &unknown);
	}
	pfx_synth_modules(&exact, &records, NULL);
	for (at = 0; at < records.len; at += rec.size) {
		pfx_record_init(&rec, records.at + at, false, at);
		if (!pfx_record_decode(&rec, NULL, &body, NULL))
			add_kernel_map(&out, &body.mmap);
	}
	pfx_buffer_fini(&records);
	return flush(&out, err);
}

/* --- a recording --- */

static void note_source(const struct pfx_input *input, const struct pfx_binaries *found)
{
	struct pfx_losses losses = PFX_INIT(struct pfx_losses);

	pfx_input_losses(input, &losses);
	if (found->from_table)
		pfx_print_note(NAME, "%u build ids in the recording's table",
			       (unsigned)pfx_input_nr_binaries(input));
	else
		pfx_print_note(NAME, "%llu samples are in %u of %u binaries",
			       (unsigned long long)losses.nr_samples,
			       (unsigned)found->nr_with_samples, (unsigned)found->nr_known);
}

static int list_recording(const struct buildid_options *options, struct pfx_input *input,
			  struct pfx_error *err)
{
	struct pfx_binaries found = PFX_INIT(struct pfx_binaries);
	struct pfx_str out = {0};
	uint32_t i;
	int rc = pfx_input_find_binaries(input, options->with_hits ? PFX_BINARIES_WITH_SAMPLES : 0,
					 &found, err);

	for (i = 0; !rc && i < pfx_input_nr_binaries(input); i++)
		add_line(&out, input, i);
	if (!rc && options->verbose)
		note_source(input, &found);
	return rc < 0 ? rc : flush(&out, err);
}

static int show_recording(const struct buildid_options *options, struct pfx_input **ret,
			  struct pfx_error *err)
{
	struct pfx_input_options how = PFX_INIT(struct pfx_input_options);
	int rc;

	how.flags = (options->force ? PFX_INPUT_FORCE : 0) |
		    (options->strict ? PFX_INPUT_STRICT : 0) | PFX_INPUT_NO_SYMBOLS;
	rc = pfx_input_open(ret, pfx_recording_path(options->input), &how, err);
	if (rc < 0)
		return rc;
	pfx_pager_for(NAME);
	return list_recording(options, *ret, err);
}

/* True for a regular ELF file with a build ID; all else is read as a recording. */
static bool is_elf_with_id(const char *path, struct pfx_build_id *ret)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return !pfx_build_id_of_file(path, ret, NULL);
}

static int run_checked(const struct buildid_options *options)
{
	struct pfx_input *input = NULL;
	struct pfx_build_id id;
	struct pfx_error err = {0};
	int code, rc;

	if (options->kernel)
		rc = show_kernel(&err);
	else if (options->kernel_maps)
		rc = show_kernel_maps(&err);
	else if (is_elf_with_id(options->input, &id))
		rc = show_id(&id, &err);
	else
		rc = show_recording(options, &input, &err);
	code = pfx_recording_exit_code(NAME, rc, &err);
	if (input)
		pfx_recording_note(NAME, pfx_input_recording(input));
	pfx_input_close(input);
	return code;
}

static int run_buildid_list(int argc, char **argv)
{
	struct buildid_options options = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_buildid_list, argc, argv, &options, &code);

	if (at < 0)
		return code;
	if (pfx_recording_check_word(NAME, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	return run_checked(&options);
}

const struct pfx_command pfx_cmd_buildid_list = {
	.name = NAME,
	.args = "",
	.summary = "list the build IDs of a recording, a file or the kernel",
	.options = buildid_options,
	.run = run_buildid_list,
};

/* SPDX-License-Identifier: MIT */
/*
 * The door for symbols without a recording: a session with the mappings of a process, read from
 * /proc as the recorder does, or with one mapping of a whole file, whose addresses are file
 * offsets.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "api/api_internal.h"
#include "api/describe_place_internal.h"
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/io.h"
#include "base/str.h"
#include "pfx/symbols.h"
#include "sys/synth/synth.h"

#define FILE_PID   1
#define FILE_BYTES (1ull << 46) /* of the mapping of a file: any offset */

struct pfx_symbols {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct utsname host;
	uint32_t flags;
	uint32_t pid;
	bool is_file;
	PFX_VEC(struct pfx_place *) frames; /* the last result */
};

static void apply(struct pfx_symbols *symbols, const struct pfx_buffer *records)
{
	struct pfx_record rec;
	size_t at;

	for (at = 0; at + PFX_RECORD_HEADER_SIZE <= records->len; at += rec.size) {
		struct pfx_cursor header =
			pfx_cursor_make(records->at + at, PFX_RECORD_HEADER_SIZE, false);

		rec = (struct pfx_record){.bytes = records->at + at};
		rec.type = pfx_cursor_u32(&header);
		rec.misc = pfx_cursor_u16(&header);
		rec.size = pfx_cursor_u16(&header);
		pfx_session_apply(symbols->session, &rec);
	}
}

static int make(struct pfx_symbols **ret, const struct pfx_symbols_options *options,
		struct pfx_error *err)
{
	struct pfx_symbols_options o = PFX_INIT(struct pfx_symbols_options);
	struct pfx_resolve_options resolving = {.full_source_path = true};
	struct pfx_symbols *symbols;
	int rc;

	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	rc = pfx_api_take(&o, sizeof(o), options, "pfx_symbols_options", err);
	if (rc)
		return rc;
	rc = pfx_check_directory("symfs", o.symfs, err);
	if (!rc)
		rc = pfx_check_directory("build_id_dir", o.build_id_dir, err);
	if (rc)
		return rc;
	resolving.sym.symfs = o.symfs;
	resolving.sym.buildid_dir = o.build_id_dir;
	resolving.sym.force = o.flags & PFX_INPUT_FORCE;
	resolving.max_stack = o.max_stack;
	resolving.inlines = o.flags & PFX_INPUT_INLINES;
	*ret = symbols = pfx_calloc(1, sizeof(*symbols));
	symbols->flags = o.flags;
	symbols->meta = pfx_meta_new();
	uname(&symbols->host);
	symbols->meta->env.arch = symbols->host.machine;
	symbols->meta->env.osrelease = symbols->host.release;
	pfx_meta_update(symbols->meta);
	symbols->session = pfx_session_new(symbols->meta);
	symbols->resolver = pfx_resolver_new(symbols->session, &resolving);
	return 0;
}

int pfx_symbols_of_process(struct pfx_symbols **ret, int32_t pid,
			   const struct pfx_symbols_options *options, struct pfx_error *err)
{
	const struct pfx_synth_options synth = {.forks = true};
	struct pfx_buffer records = {0};
	int rc = make(ret, options, err);

	if (rc)
		return rc;
	(*ret)->pid = (uint32_t)pid;
	rc = pfx_synth_process(&synth, (uint32_t)pid, &records, err);
	if (!rc)
		apply(*ret, &records);
	pfx_buffer_fini(&records);
	if (rc) {
		pfx_symbols_free(*ret);
		*ret = NULL;
	}
	return pfx_api_rc(rc, err);
}

static int check_file(const char *path, struct pfx_error *err)
{
	struct pfx_mapping file;
	char shown[256];
	bool is_elf;
	int rc = pfx_map_file(path, &file, err);

	if (rc)
		return rc;
	is_elf = file.size > EI_NIDENT && !memcmp(file.data, ELFMAG, SELFMAG);
	pfx_unmap(&file);
	return is_elf ? 0
		      : pfx_error_set(err, EBADMSG, "'%s' is not an ELF file",
				      pfx_escape(shown, sizeof(shown), path));
}

static int map_file(struct pfx_symbols **ret, const char *path,
		    const struct pfx_symbols_options *options, struct pfx_error *err)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2, .misc = PFX_MODE_USER};
	struct pfx_buffer records = {0};
	char *whole = realpath(path, NULL);
	int rc = make(ret, options, err);

	if (!rc) {
		(*ret)->pid = FILE_PID;
		(*ret)->is_file = true;
		body.mmap = (struct pfx_mmap){.pid = FILE_PID,
					      .tid = FILE_PID,
					      .len = FILE_BYTES,
					      .prot = PROT_READ | PROT_EXEC,
					      .flags = MAP_PRIVATE,
					      .filename = whole ? whole : path};
		pfx_record_encode(&body, NULL, &records);
		apply(*ret, &records);
	}
	pfx_buffer_fini(&records);
	free(whole);
	return rc;
}

int pfx_symbols_of_file(struct pfx_symbols **ret, const char *path,
			const struct pfx_symbols_options *options, struct pfx_error *err)
{
	int rc;

	if (!ret)
		return pfx_api_missing("ret", err);
	*ret = NULL;
	if (!path)
		return pfx_api_missing("path", err);
	rc = check_file(path, err);
	if (!rc)
		rc = map_file(ret, path, options, err);
	return pfx_api_rc(rc, err);
}

void pfx_symbols_free(struct pfx_symbols *symbols)
{
	if (!symbols)
		return;
	pfx_vec_free(&symbols->frames);
	pfx_resolver_free(symbols->resolver);
	pfx_session_free(symbols->session);
	pfx_meta_free(symbols->meta);
	free(symbols);
}

/* --- questions --- */

static struct pfx_thread *thread_of(struct pfx_symbols *symbols)
{
	return pfx_session_thread(symbols->session, symbols->pid, symbols->pid);
}

/* Keep the frames of a chain, which the resolver may overwrite. */
static uint32_t keep_frames(struct pfx_symbols *symbols, uint32_t chain)
{
	struct pfx_place **places;
	uint32_t nr = chain ? pfx_chain_frames(symbols->resolver, chain, &places) : 0, i;

	symbols->frames.nr = 0;
	for (i = 0; i < nr; i++)
		pfx_vec_push(&symbols->frames, places[i]);
	return nr;
}

/* An address of the file as its offset, by which it is mapped. */
static bool to_offset(struct pfx_symbols *symbols, uint64_t *address)
{
	const struct pfx_place *any =
		pfx_resolve(symbols->resolver, thread_of(symbols), PFX_MODE_USER, 0);

	return pfx_place_offset(symbols->resolver, any, *address, address);
}

uint32_t pfx_symbols_find(struct pfx_symbols *symbols, uint64_t address)
{
	struct pfx_sample sample = {.cpumode = PFX_MODE_USER, .ip = address};
	struct pfx_thread *thread;

	if (!symbols)
		return 0;
	thread = thread_of(symbols);
	symbols->frames.nr = 0;
	if (symbols->is_file && !to_offset(symbols, &sample.ip))
		return 0;
	if (!pfx_resolve(symbols->resolver, thread, PFX_MODE_USER, sample.ip)->map)
		return 0;
	return keep_frames(symbols, pfx_resolve_lone_chain(symbols->resolver, thread, &sample));
}

/* The words and the bytes of a state are copied by nobody: NULL has none. */
static bool is_complete(const struct pfx_stack_state *state)
{
	return (state->regs || !state->regs_mask) && (state->stack || !state->stack_size);
}

static uint32_t unwind(struct pfx_symbols *symbols, const struct pfx_stack_state *state)
{
	struct pfx_stack_state s = PFX_INIT(struct pfx_stack_state);
	struct pfx_sample sample = {
		.type = PFX_SAMPLE_IP | PFX_SAMPLE_REGS_USER | PFX_SAMPLE_STACK_USER,
		.cpumode = PFX_MODE_USER,
		.pid = symbols->pid,
		.tid = symbols->pid,
		.time = PFX_NO_TIME,
		.regs_user.abi = 2,
	};

	symbols->frames.nr = 0;
	if (symbols->is_file || pfx_api_take(&s, sizeof(s), state, "pfx_stack_state", NULL) ||
	    !is_complete(&s))
		return 0;
	sample.regs_user.mask = s.regs_mask;
	sample.regs_user.values = (struct pfx_words){
		.at = (const uint8_t *)s.regs, .nr = (uint64_t)__builtin_popcountll(s.regs_mask)};
	sample.stack = (struct pfx_bytes){s.stack, s.stack_size};
	sample.stack_dyn_size = s.stack_size;
	return keep_frames(symbols,
			   pfx_resolve_chain_id(symbols->resolver, thread_of(symbols), &sample));
}

uint32_t pfx_symbols_unwind(struct pfx_symbols *symbols, const struct pfx_stack_state *state)
{
	return symbols && state ? unwind(symbols, state) : 0;
}

void pfx_symbols_frame(struct pfx_symbols *symbols, uint32_t i, struct pfx_frame *ret)
{
	struct pfx_frame frame;

	if (!symbols)
		return;
	pfx_api_describe(symbols->resolver, symbols->frames.at[i], symbols->flags, &frame);
	pfx_api_give(ret, &frame, sizeof(frame));
}

/* SPDX-License-Identifier: MIT */
/*
 * JIT code that is in no file: read from the memory of its process while that runs, but only if it
 * is the recorded process and the code has not been replaced: it started before the recording
 * ended, has the recorded files mapped at the recorded addresses (which are random), and its perf
 * map still has the same function at the same address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/str.h"
#include "sym/jit/jit_files.h"
#include "sym/jit/process_memory.h"
#include "sym/symtab_load.h"
#include "unwind/resolve_internal.h"

#define PROT_EXECUTE 4

/* A process whose memory is read. */
struct pfx_process_code {
	struct pfx_process_memory *memory;
	struct pfx_symtab *now; /* of the perf map as it is now */
};

void pfx_process_code_free(struct pfx_process_code *code)
{
	if (!code)
		return;
	pfx_process_memory_free(code->memory);
	pfx_symtab_free(code->now);
	free(code);
}

/* Pids of another machine mean other processes here. */
static bool is_this_machine(const struct pfx_resolver *resolver)
{
	const struct pfx_env *env = &pfx_session_meta(resolver->session)->env;
	struct utsname here;

	return !resolver->options.sym.symfs && !uname(&here) && env->hostname &&
	       !strcmp(env->hostname, here.nodename) &&
	       (!env->osrelease || !strcmp(env->osrelease, here.release));
}

/* Compares the executable maps of files: there is at least one, and all are there. */
static int check_maps(struct pfx_resolver *resolver, struct pfx_thread *thread,
		      const struct pfx_process_memory *memory, struct pfx_error *err)
{
	const struct pfx_map *map;
	uint32_t i, nr = 0;
	char shown[256];

	for (i = 0; (map = pfx_session_map_at(resolver->session, thread, i)); i++) {
		if (map->dso->kind != PFX_DSO_FILE || !(map->prot & PROT_EXECUTE))
			continue;
		nr++;
		if (!pfx_process_has_map(memory, map->dso->name, map->start, map->end))
			return pfx_error_set(
				err, ESTALE,
				"process %u is not the recorded one: it has '%s' at another "
				"address",
				thread->pid, pfx_escape(shown, sizeof(shown), map->dso->name));
	}
	return nr ? 0
		  : pfx_error_set(err, ESTALE,
				  "the recording does not show whether process %u is the recorded "
				  "one",
				  thread->pid);
}

static int check_process(struct pfx_resolver *resolver, int32_t pid,
			 const struct pfx_process_memory *memory, struct pfx_error *err)
{
	struct pfx_thread *thread =
		pfx_session_thread(resolver->session, (uint32_t)pid, (uint32_t)pid);
	int64_t until = resolver->options.recorded_until;

	if (thread->exited || (until && pfx_process_started(memory) > until))
		return pfx_error_set(err, ESTALE,
				     "process %d is not the recorded one: it started later", pid);
	return check_maps(resolver, thread, memory, err);
}

/* Load the perf map as it is now. A map that an earlier process with this pid left is ignored. */
static int load_map(struct pfx_resolver *resolver, const struct pfx_dso *dso,
		    struct pfx_process_code *code, struct pfx_error *err)
{
	struct pfx_sym_request request = pfx_resolver_request(resolver, dso);
	struct pfx_jit_file file;
	struct stat st;
	int rc;

	request.build_id = NULL;
	request.build_id_size = 0;
	rc = pfx_jit_file_open(&request, &resolver->options.sym, &file, err);
	if (rc)
		return rc;
	rc = fstat(file.fd, &st) ? -errno : 0;
	close(file.fd);
	pfx_jit_file_free(&file);
	if (rc)
		return pfx_error_sys(err, -rc, "cannot read a perf map");
	if (st.st_mtime < pfx_process_started(code->memory))
		return pfx_error_set(err, ESTALE, "the perf map of process %d is older than it",
				     dso->anon_pid);
	return pfx_symtab_load(&code->now, &request, &resolver->options.sym, err);
}

int pfx_process_code_new(struct pfx_process_code **ret, struct pfx_resolver *resolver,
			 const struct pfx_dso *dso, struct pfx_error *err)
{
	struct pfx_process_code *code;
	int rc;

	if (dso->anon_pid < 0)
		return pfx_error_set(err, ENOENT, "it is not the memory of a single process");
	if (!is_this_machine(resolver))
		return pfx_error_set(err, ENOENT,
				     "process %d, which has it in memory, ran on another machine",
				     dso->anon_pid);
	code = pfx_calloc(1, sizeof(*code));
	rc = pfx_process_memory_open(&code->memory, dso->anon_pid, err);
	if (rc == -ESRCH)
		pfx_error_hint(
			err, "a jitdump keeps such code: node --perf-prof, recorded with -k mono");
	if (!rc)
		rc = check_process(resolver, dso->anon_pid, code->memory, err);
	if (!rc)
		rc = load_map(resolver, dso, code, err);
	*ret = rc ? NULL : code;
	if (rc)
		pfx_process_code_free(code);
	return rc;
}

/* Whether the perf map still has the function. */
static bool is_unchanged(struct pfx_resolver *resolver, const struct pfx_process_code *code,
			 const struct pfx_place *place)
{
	const struct pfx_symtab *tab = pfx_resolver_symtab(resolver, place->dso);
	const struct pfx_symbol *was = pfx_symtab_find(tab, place->addr), *is;

	is = was ? pfx_symtab_find(code->now, was->start) : NULL;
	return is && is->start == was->start && is->end == was->end && !strcmp(is->name, was->name);
}

int pfx_process_place_code(struct pfx_resolver *resolver, const struct pfx_process_code *code,
			   const struct pfx_place *place, struct pfx_code_bytes *to,
			   struct pfx_error *err)
{
	if (!is_unchanged(resolver, code, place))
		return pfx_error_set(
			err, ESTALE,
			"the perf map of process %d no longer has that function at its "
			"address",
			place->dso->anon_pid);
	to->got = pfx_process_memory_read(code->memory, place->ip, to->at, to->size);
	return to->got ? 0
		       : pfx_error_set(err, ENOENT, "process %d no longer has it in memory",
				       place->dso->anon_pid);
}

/* SPDX-License-Identifier: MIT */
/*
 * Opening the symbols and the debug information of a DSO: makes a request from the DSO's properties
 * for lib/sym, and keeps what was opened.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "sym/find/request.h"
#include "sym/symtab_load.h"
#include "unwind/resolve.h"
#include "unwind/resolve_internal.h"

static enum pfx_sym_kind sym_kind(const struct pfx_dso *dso)
{
	switch (dso->kind) {
	case PFX_DSO_KERNEL:
		return PFX_SYM_KERNEL;
	case PFX_DSO_MODULE:
		return PFX_SYM_MODULE;
	case PFX_DSO_VDSO:
		return PFX_SYM_VDSO;
	case PFX_DSO_ANON:
		return PFX_SYM_PERF_MAP;
	case PFX_DSO_JITDUMP:
		return PFX_SYM_JITDUMP;
	default:
		return PFX_SYM_FILE;
	}
}

static bool is_guest(const struct pfx_dso *dso)
{
	return dso->kind == PFX_DSO_KERNEL && !strncmp(dso->name, "[guest.", 7);
}

/* False for kinds of dsos that never have symbols. */
static bool may_have_symbols(const struct pfx_dso *dso)
{
	if (dso->kind == PFX_DSO_ANON)
		return dso->anon_pid >= 0;
	return dso->kind != PFX_DSO_BPF && dso->kind != PFX_DSO_OTHER && !is_guest(dso);
}

/* For a guest's kernel only the files in the options are used. False without such options. @path
 * owns a path made here until the symbols are loaded. */
static bool guest_options(const struct pfx_dso *dso, struct pfx_sym_options *options,
			  struct pfx_str *path)
{
	static const char prefix[] = "[guest.kernel.kallsyms.";
	const char *pid = strncmp(dso->name, prefix, sizeof(prefix) - 1) ? NULL : dso->name;

	options->vmlinux = options->guest_vmlinux;
	options->kallsyms = options->guest_kallsyms;
	if (pid && options->guest_mount) {
		pid += sizeof(prefix) - 1;
		pfx_str_addf(path, "%s/%.*s/proc/kallsyms", options->guest_mount,
			     (int)strspn(pid, "0123456789"), pid);
		options->kallsyms = path->at;
	}
	return options->vmlinux || options->kallsyms;
}

/* The recorded kallsyms of its kernel may contain a module's symbols. */
static void name_kernel(const struct pfx_resolver *resolver, struct pfx_sym_request *request)
{
	const struct pfx_dso *dso;
	uint32_t i, nr = pfx_session_nr_dsos(resolver->session);

	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(resolver->session, i);
		if (dso->kind != PFX_DSO_KERNEL || is_guest(dso) || !dso->build_id_size)
			continue;
		request->kernel_build_id = dso->build_id;
		request->kernel_build_id_size = dso->build_id_size;
		request->kernel_ref_addr = dso->kernel_ref_addr;
		request->kernel_ref_name = dso->kernel_ref_name;
		return;
	}
}

struct pfx_sym_request pfx_resolver_request(const struct pfx_resolver *resolver,
					    const struct pfx_dso *dso)
{
	const struct pfx_env *env = &pfx_session_meta(resolver->session)->env;
	struct pfx_sym_request request;

	pfx_session_update(resolver->session);
	request = (struct pfx_sym_request){
		.kind = sym_kind(dso),
		.path = dso->name,
		.build_id = dso->build_id_size ? dso->build_id : NULL,
		.build_id_size = dso->build_id_size,
		.pid = dso->anon_pid,
		.osrelease = env->osrelease,
		.arch = env->arch,
		.kernel_ref_addr = dso->kernel_ref_addr,
		.kernel_ref_name = dso->kernel_ref_name,
		.module = dso->kind == PFX_DSO_MODULE ? dso->short_name : NULL,
		.module_addr = dso->module_addr,
	};
	if (dso->kind == PFX_DSO_MODULE)
		name_kernel(resolver, &request);
	return request;
}

void pfx_symbols_load_begin(const struct pfx_resolver *resolver, const struct pfx_dso *dso,
			    struct pfx_symbols_load *load)
{
	*load = (struct pfx_symbols_load){
		.dso = dso,
		.request = pfx_resolver_request(resolver, dso),
		.options = resolver->options.sym,
	};
	if (is_guest(dso) ? !guest_options(dso, &load->options, &load->path)
			  : !may_have_symbols(dso)) {
		load->request.kind = PFX_SYM_FILE;
		load->request.path = "";
	}
}

void pfx_symbols_load_run(struct pfx_symbols_load *load)
{
	load->rc = pfx_symtab_load(&load->tab, &load->request, &load->options, &load->err);
}

void pfx_symbols_load_end(struct pfx_resolver *resolver, struct pfx_symbols_load *load)
{
	struct pfx_dso_symbols *symbols = pfx_vec_slot(&resolver->symbols, load->dso->id);

	symbols->tab = load->tab;
	if (load->rc)
		symbols->error = pfx_arena_strdup(&resolver->arena, load->err.text);
	pfx_str_fini(&load->path);
}

bool pfx_symbols_are_loaded(const struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	return dso->id < resolver->symbols.nr && resolver->symbols.at[dso->id].tab;
}

/* --- debug information --- */

static bool has_lines(const struct pfx_dso *dso)
{
	switch (dso->kind) {
	case PFX_DSO_FILE:
	case PFX_DSO_VDSO:
	case PFX_DSO_JITDUMP:
		return true;
	case PFX_DSO_KERNEL:
	case PFX_DSO_MODULE:
		return strncmp(dso->name, "[guest.", 7) != 0;
	default:
		return false;
	}
}

struct pfx_dso_lines *pfx_dso_lines_at(struct pfx_resolver *resolver, const struct pfx_dso *dso)
{
	return dso && has_lines(dso) ? pfx_vec_slot(&resolver->lines, dso->id) : NULL;
}

void pfx_dso_lines_set(struct pfx_dso_lines *entry, struct pfx_lines *lines, int rc,
		       const struct pfx_error *err)
{
	entry->looked_for = true;
	entry->lines = lines;
	entry->has_file = !rc || rc == -ENODATA;
	entry->lack = rc == -ENODATA && err->code == ESTALE ? pfx_strdup(err->text) : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * The names of libpfm4: parsing and listing them. The library itself detects the CPU. Its tables
 * take long to load, so it is loaded at first use.
 */
#include "pmu/pfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/str.h"

static struct {
	__typeof__(&pfm_initialize) initialize;
	__typeof__(&pfm_strerror) strerror;
	__typeof__(&pfm_get_os_event_encoding) get_os_event_encoding;
	__typeof__(&pfm_get_event_info) get_event_info;
	__typeof__(&pfm_get_event_attr_info) get_event_attr_info;
	__typeof__(&pfm_get_pmu_info) get_pmu_info;
	__typeof__(&pfm_get_event_next) get_event_next;
	bool is_loaded;
} library;

#define LOOK_UP(handle, name) \
	pfx_dl_function(handle, "pfm_" #name, (void *)&library.name, sizeof(library.name))

static bool load(void)
{
	char name[32];
	void *handle;

	if (library.is_loaded)
		return true;
	snprintf(name, sizeof(name), "libpfm.so.%d", PFM_MAJ_VERSION(LIBPFM_VERSION));
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	library.is_loaded = handle && LOOK_UP(handle, initialize) && LOOK_UP(handle, strerror) &&
			    LOOK_UP(handle, get_os_event_encoding) &&
			    LOOK_UP(handle, get_event_info) &&
			    LOOK_UP(handle, get_event_attr_info) && LOOK_UP(handle, get_pmu_info) &&
			    LOOK_UP(handle, get_event_next);
	return library.is_loaded;
}

static int begin(struct pfx_error *err)
{
	int rc;

	if (!load())
		return pfx_error_set(err, ENOTSUP, "libpfm4 is not installed");
	rc = library.initialize();
	return rc == PFM_SUCCESS ? 0
				 : pfx_error_set(err, ENOTSUP, "libpfm4 does not start: %s",
						 library.strerror(rc));
}

static void take_attr(struct pfx_attr *to, const struct perf_event_attr *from)
{
	to->type = from->type;
	to->config = from->config;
	to->config1 = from->config1;
	to->config2 = from->config2;
	to->size = PFX_ATTR_SIZE_VER7;
	to->flags = (from->exclude_user ? PFX_ATTR_EXCLUDE_USER : 0) |
		    (from->exclude_kernel ? PFX_ATTR_EXCLUDE_KERNEL : 0) |
		    (from->exclude_hv ? PFX_ATTR_EXCLUDE_HV : 0) |
		    (from->exclude_host ? PFX_ATTR_EXCLUDE_HOST : 0) |
		    (from->exclude_guest ? PFX_ATTR_EXCLUDE_GUEST : 0) |
		    (from->pinned ? PFX_ATTR_PINNED : 0) |
		    (from->exclusive ? PFX_ATTR_EXCLUSIVE : 0);
	pfx_attr_set_precise(to, from->precise_ip);
}

static int add_event(struct pfx_event_list *list, const char *name, struct pfx_error *err)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	struct pfx_event_spec *spec;
	char shown[256];
	int rc;

	rc = library.get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (rc != PFM_SUCCESS)
		return pfx_error_set(err, EINVAL, "libpfm4 says of '%s': %s",
				     pfx_escape(shown, sizeof(shown), name), library.strerror(rc));
	spec = pfx_vec_add(&list->specs);
	*spec = (struct pfx_event_spec){.name = pfx_strdup(name), .scale = 1};
	take_attr(&spec->attr, &attr);
	spec->exclude_guest_default = attr.exclude_guest;
	if (attr.sample_period) {
		spec->attr.sample_period = attr.sample_period;
		spec->has_freq = attr.freq;
		spec->has_period = !attr.freq;
	}
	return 0;
}

/* A single event is not a group. */
static void make_group(struct pfx_event_list *list, size_t first)
{
	size_t i;

	if (list->specs.nr - first < 2)
		return;
	list->nr_groups++;
	for (i = first; i < list->specs.nr; i++)
		list->specs.at[i].group = list->nr_groups;
}

static int parse_words(struct pfx_event_list *list, const char *at, struct pfx_error *err)
{
	size_t len, first = 0;
	bool in_group = false;
	char *name;
	int rc;

	for (; *at; at += len) {
		len = strcspn(at, ",{}");
		if (!len) {
			len = 1;
			if (*at != ',' && in_group == (*at == '{'))
				return pfx_error_set(err, EINVAL, "a '%c' has no place here", *at);
			if (*at == '}')
				make_group(list, first);
			in_group = *at == ',' ? in_group : *at == '{';
			first = *at == '{' ? list->specs.nr : first;
			continue;
		}
		name = pfx_strndup(at, len);
		rc = add_event(list, name, err);
		free(name);
		if (rc)
			return rc;
	}
	return in_group ? pfx_error_set(err, EINVAL, "no '}' that ends the group") : 0;
}

int pfx_pfm_parse(struct pfx_event_list *list, const char *words, struct pfx_error *err)
{
	size_t first = list->specs.nr;
	uint32_t nr_groups = list->nr_groups;
	int rc = begin(err);

	if (rc)
		return rc;
	rc = parse_words(list, words, err);
	if (!rc && list->specs.nr == first)
		rc = pfx_error_set(err, EINVAL, "no event is named");
	if (!rc)
		return 0;
	while (list->specs.nr > first)
		pfx_event_spec_fini(&list->specs.at[--list->specs.nr]);
	list->nr_groups = nr_groups;
	return rc;
}

static void add_name(struct pfx_catalog *catalog, const pfm_pmu_info_t *pmu,
		     const pfm_event_info_t *event, const pfm_event_attr_info_t *mask)
{
	struct pfx_catalog_event *row = pfx_vec_add(&catalog->events);
	const char *text = mask ? mask->desc : event->desc;
	char *name = pfx_strfmt("%s::%s%s%s", pmu->name, event->name, mask ? ":" : "",
				mask ? mask->name : "");

	*row = (struct pfx_catalog_event){
		.kind = PFX_CATALOG_VENDOR,
		.name = pfx_arena_strdup(&catalog->arena, name),
		.topic = pmu->desc,
		.text = text && *text ? text : NULL,
	};
	free(name);
}

static void add_events_of(struct pfx_catalog *catalog, const pfm_pmu_info_t *pmu, int at)
{
	pfm_event_attr_info_t mask = {.size = sizeof(mask)};
	pfm_event_info_t event = {.size = sizeof(event)};
	int i;

	if (library.get_event_info(at, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return;
	add_name(catalog, pmu, &event, NULL);
	for (i = 0; i < event.nattrs; i++)
		if (library.get_event_attr_info(at, i, PFM_OS_PERF_EVENT, &mask) == PFM_SUCCESS &&
		    mask.type == PFM_ATTR_UMASK)
			add_name(catalog, pmu, &event, &mask);
}

int pfx_pfm_catalog(struct pfx_catalog *catalog, struct pfx_error *err)
{
	pfm_pmu_info_t pmu;
	int rc = begin(err), i, at;

	if (rc)
		return rc;
	for (i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (library.get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !pmu.is_present)
			continue;
		for (at = pmu.first_event; at != -1; at = library.get_event_next(at))
			add_events_of(catalog, &pmu, at);
	}
	return 0;
}

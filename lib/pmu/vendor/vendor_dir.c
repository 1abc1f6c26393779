/* SPDX-License-Identifier: MIT */
/*
 * Vendor events from a directory at run time. Two layouts are supported: the kernel's, where a line
 * of mapfile.csv refers to a directory of the CPU, and the one that Intel publishes, where each
 * line refers to a file. The result is merged with the built-in table; rows of the directory have
 * precedence.
 */
#include "pmu/vendor/vendor_dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/dir_names.h"
#include "base/io.h"
#include "base/str.h"
#include "pmu/vendor/vendor_internal.h"

#define PATH_SIZE     512
#define LINE_WORDS    8
#define MAPFILE_LIMIT (4u << 20)

struct pfx_vendor_dir {
	struct pfx_vendor_cpu_row row;
	struct pfx_vendor_load load;
};

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* As pfx_read_file(), but only for regular files, since reading a FIFO would block. */
static int read_text(const char *path, size_t limit, char **ret, size_t *ret_size,
		     struct pfx_error *err)
{
	char shown[256];
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return pfx_error_set(err, EINVAL, "'%s' is not a regular file",
				     pfx_escape(shown, sizeof(shown), path));
	return pfx_read_file(path, limit, ret, ret_size, err);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* "virtual-memory.json" to "virtual memory"; all files of metrics are one topic. */
static const char *topic_of(struct pfx_vendor_load *load, const char *path)
{
	const char *name = pfx_file_name(path);
	char *topic, *at;

	name += strncmp(name, "usual-", 6) ? 0 : 6;
	topic = pfx_arena_strdup(&load->arena, name);
	if (ends_with(topic, "metrics.json"))
		return "metrics";
	topic[strlen(topic) - strlen(".json")] = '\0';
	for (at = topic; *at; at++)
		*at = *at == '-' ? ' ' : *at;
	return topic;
}

static int read_objects(struct pfx_vendor_load *load, const char *path,
			struct pfx_vendor_objects *ret, struct pfx_error *err)
{
	char shown[256], *text;
	size_t size;
	int rc;

	if (++load->nr_files > PFX_VENDOR_FILES_MAX || load->bytes > PFX_VENDOR_ALL_LIMIT)
		return pfx_error_set(err, EFBIG, "too many vendor events at '%s'",
				     pfx_escape(shown, sizeof(shown), path));
	rc = read_text(path, PFX_VENDOR_FILE_LIMIT, &text, &size, err);
	if (rc < 0)
		return rc;
	load->bytes += size;
	rc = pfx_vendor_parse_json(text, size, path, &load->arena, ret, err);
	free(text);
	return rc;
}

static int read_events(struct pfx_vendor_load *load, const char *path, const char *pmu,
		       struct pfx_error *err)
{
	struct pfx_vendor_objects objects = {0};
	const char *topic = topic_of(load, path);
	int rc = read_objects(load, path, &objects, err);
	size_t i;

	load->path = path;
	for (i = 0; rc >= 0 && i < objects.list.nr; i++)
		pfx_vendor_add_object(load, &objects.list.at[i], topic, pmu);
	pfx_vec_free(&objects.list);
	return rc;
}

/* The entries of a directory; names that are too long are skipped. */
struct walk {
	const char *dir;
	struct pfx_name_list names;
	size_t next;
	const char *name;
	char path[PATH_SIZE];
};

static void begin_walk(struct walk *walk, struct pfx_vendor_load *load, const char *dir)
{
	*walk = (struct walk){.dir = dir};
	pfx_names_of_dir(&walk->names, &load->arena, dir);
}

static bool walk_on(struct walk *walk)
{
	while (walk->next < walk->names.names.nr) {
		walk->name = walk->names.names.at[walk->next++];
		if (snprintf(walk->path, sizeof(walk->path), "%s/%s", walk->dir, walk->name) <
		    (int)sizeof(walk->path))
			return true;
	}
	pfx_vec_free(&walk->names.names);
	return false;
}

/* All JSON files of a directory and below, except those of devices ("sys"). */
static int read_folder(struct pfx_vendor_load *load, const char *dir, unsigned depth,
		       struct pfx_error *err)
{
	struct walk walk;
	int rc = 0;

	begin_walk(&walk, load, dir);
	while (walk_on(&walk)) {
		if (rc < 0)
			continue;
		if (ends_with(walk.path, ".json"))
			rc = read_events(load, walk.path, "", err);
		else if (depth < PFX_VENDOR_DIR_DEPTH && strcmp(walk.name, "sys") &&
			 is_dir(walk.path))
			rc = read_folder(load, walk.path, depth + 1, err);
	}
	return rc;
}

/* The directories "sys" below the architecture's: events of devices, for every CPU. */
static int read_devices(struct pfx_vendor_load *load, const char *dir, unsigned depth,
			struct pfx_error *err)
{
	struct walk walk;
	int rc = 0;

	begin_walk(&walk, load, dir);
	while (walk_on(&walk)) {
		if (rc < 0 || ends_with(walk.path, ".json") || !is_dir(walk.path))
			continue;
		if (!strcmp(walk.name, "sys"))
			rc = read_folder(load, walk.path, 0, err);
		else if (depth < PFX_VENDOR_DIR_DEPTH)
			rc = read_devices(load, walk.path, depth + 1, err);
	}
	return rc;
}

/* The files next to the mapfile: the standard events of an architecture. */
static int read_standard(struct pfx_vendor_load *load, const char *dir, struct pfx_error *err)
{
	struct walk walk;
	int rc = 0;

	begin_walk(&walk, load, dir);
	while (walk_on(&walk))
		if (rc >= 0 && ends_with(walk.path, ".json"))
			rc = read_objects(load, walk.path, &load->standard, err);
	return rc;
}

/* Metrics of every CPU, in a directory beside the architectures'; none is fine. */
static int read_common(struct pfx_vendor_load *load, const char *dir, struct pfx_error *err)
{
	const char *const below[] = {"", "common/"};
	char path[PATH_SIZE];
	struct stat st;
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(below) / sizeof(below[0]) && rc >= 0; i++)
		if (snprintf(path, sizeof(path), "%s/../common/%smetrics.json", dir, below[i]) <
			    (int)sizeof(path) &&
		    !stat(path, &st))
			rc = read_events(load, path, "", err);
	return rc;
}

struct map_line {
	const char *words[LINE_WORDS];
	size_t nr;
};

static struct map_line split(char *line)
{
	struct map_line ret = {0};
	char *word;

	while (ret.nr < LINE_WORDS && (word = strsep(&line, ",")))
		ret.words[ret.nr++] = word;
	return ret;
}

/* In Intel's lines for hybrid CPUs, the last word is the core type of the file. */
static const char *pmu_of_role(const struct map_line *line)
{
	const char *role = line->nr > 6 ? line->words[6] : "";

	if (!strcasecmp(role, "Atom"))
		return "cpu_atom";
	return strcasecmp(role, "Core") ? "" : "cpu_core";
}

static bool is_kind_of_events(const char *kind)
{
	return strstr(kind, "core") != NULL; /* core, hybridcore, uncore, offcore */
}

/* A CPU's directory, and the files of its family beside it, whose objects name the CPU. */
static int read_model(struct pfx_vendor_load *load, const char *dir, struct pfx_error *err)
{
	char family[PATH_SIZE], *model;
	int rc;

	snprintf(family, sizeof(family), "%s", dir);
	model = strrchr(family, '/');
	*model++ = '\0';
	load->model = model;
	rc = read_folder(load, family, PFX_VENDOR_DIR_DEPTH, err);
	load->model = NULL;
	return rc < 0 ? rc : read_folder(load, dir, 0, err);
}

/* One line of the CPU: a directory in the kernel's layout, a file in Intel's. */
static int read_place(struct pfx_vendor_load *load, const char *dir, const struct map_line *line,
		      struct pfx_error *err)
{
	char path[PATH_SIZE], shown[256];
	const char *place = line->words[2];

	while (*place == '/')
		place++;
	if (strstr(place, "..") ||
	    snprintf(path, sizeof(path), "%s/%s", dir, place) >= (int)sizeof(path))
		return pfx_error_set(err, EBADMSG, "mapfile.csv names '%s'",
				     pfx_escape(shown, sizeof(shown), place));
	if (!ends_with(path, ".json"))
		return read_model(load, path, err);
	return is_kind_of_events(line->words[3]) ? read_events(load, path, pmu_of_role(line), err)
						 : 0;
}

/* Count a line of the mapfile that can fit no CPU. */
static void check_line(struct pfx_vendor_load *load, const char *dir, const struct map_line *line,
		       size_t nr)
{
	char map[PATH_SIZE + 16], shown[128], what[256];

	if (!*line->words[0] || *line->words[0] == '#' || pfx_vendor_is_pattern(line->words[0]))
		return;
	snprintf(map, sizeof(map), "%s/mapfile.csv", dir);
	load->path = map;
	snprintf(what, sizeof(what), "'%s' is not a regular expression for a CPU",
		 pfx_escape(shown, sizeof(shown), line->words[0]));
	pfx_vendor_mistake(load, nr, what);
	load->path = NULL;
}

/* Read the CPU's first line with a directory, or all lines with files. Returns their number. */
static int read_map(struct pfx_vendor_load *load, const char *dir, const char *cpuid, char *text,
		    struct pfx_error *err)
{
	struct map_line line;
	char *at, *rest = text;
	bool is_folder = false;
	int found = 0, rc = 0;
	size_t nr = 1;

	strsep(&rest, "\n"); /* names of the columns */
	while (rc >= 0 && !is_folder && (at = strsep(&rest, "\n"))) {
		at[strcspn(at, "\r")] = '\0';
		line = split(at);
		check_line(load, dir, &line, ++nr);
		if (*at == '#' || line.nr < 4 || !pfx_vendor_fits(line.words[0], cpuid))
			continue;
		is_folder = !ends_with(line.words[2], ".json");
		if (is_folder && (found || strcmp(line.words[3], "core") != 0)) {
			is_folder = false;
			continue;
		}
		found++;
		rc = is_folder ? read_standard(load, dir, err) : 0;
		if (rc >= 0 && is_folder)
			rc = read_devices(load, dir, 0, err);
		if (rc >= 0 && is_folder)
			rc = read_common(load, dir, err);
		if (rc >= 0)
			rc = read_place(load, dir, &line, err);
	}
	return rc < 0 ? rc : found;
}

/* The directory with mapfile.csv: @dir itself, the architecture's below it, or that of a kernel
 * tree. */
static bool find_map(const char *dir, const char *arch, char path[PATH_SIZE])
{
	const char *const between[] = {"", "/", "/arch/"};
	char map[PATH_SIZE + 16];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		snprintf(path, PATH_SIZE, "%s%s%s", dir, between[i], i ? arch : "");
		snprintf(map, sizeof(map), "%s/mapfile.csv", path);
		if (!stat(map, &st))
			return true;
	}
	return false;
}

static int compare_events(const void *a, const void *b)
{
	const struct pfx_vendor_event *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : strcmp(x->pmu, y->pmu);
}

static int compare_metrics(const void *a, const void *b)
{
	const struct pfx_vendor_metric *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : strcmp(x->pmu, y->pmu);
}

/* Rows of the same name and PMU are ordered by the other members, independent of reading order. */
static int compare_whole_events(const void *a, const void *b)
{
	const struct pfx_vendor_event *x = a, *y = b;
	int order = compare_events(x, y);

	if (!order)
		order = strcmp(x->compat, y->compat);
	return order ? order : strcmp(x->terms, y->terms);
}

static int compare_whole_metrics(const void *a, const void *b)
{
	const struct pfx_vendor_metric *x = a, *y = b;
	int order = compare_metrics(x, y);

	if (!order)
		order = strcmp(x->compat, y->compat);
	return order ? order : strcmp(x->expr, y->expr);
}

/* Sorted, and each row once. */
static void sort(struct pfx_vendor_rows *rows)
{
	size_t i, kept = 0;

	if (rows->events.nr)
		qsort(rows->events.at, rows->events.nr, sizeof(*rows->events.at),
		      compare_whole_events);
	for (i = 0; i < rows->events.nr; i++)
		if (!kept ||
		    compare_whole_events(&rows->events.at[kept - 1], &rows->events.at[i]) != 0)
			rows->events.at[kept++] = rows->events.at[i];
	rows->events.nr = kept;
	if (rows->metrics.nr)
		qsort(rows->metrics.at, rows->metrics.nr, sizeof(*rows->metrics.at),
		      compare_whole_metrics);
	for (i = kept = 0; i < rows->metrics.nr; i++)
		if (!kept ||
		    compare_whole_metrics(&rows->metrics.at[kept - 1], &rows->metrics.at[i]) != 0)
			rows->metrics.at[kept++] = rows->metrics.at[i];
	rows->metrics.nr = kept;
}

/* Add an event of the built-in table, or only its sentences to the same event of the directory. */
static void join_event(struct pfx_vendor_rows *rows, size_t nr,
		       const struct pfx_vendor_event *event)
{
	struct pfx_vendor_event *same =
		nr ? bsearch(event, rows->events.at, nr, sizeof(*event), compare_events) : NULL;

	if (!same) {
		pfx_vec_push(&rows->events, *event);
	} else if (!*same->text && !strcmp(same->compat, event->compat)) {
		same->text = event->text;
		same->details = event->details;
	}
}

static void join_metric(struct pfx_vendor_rows *rows, size_t nr,
			const struct pfx_vendor_metric *metric)
{
	struct pfx_vendor_metric *same =
		nr ? bsearch(metric, rows->metrics.at, nr, sizeof(*metric), compare_metrics) : NULL;

	if (!same) {
		pfx_vec_push(&rows->metrics, *metric);
	} else if (!*same->text && !strcmp(same->compat, metric->compat)) {
		same->text = metric->text;
		same->details = metric->details;
	}
}

/* Add the rows of the built-in table that the directory does not have. */
static void join(struct pfx_vendor_load *load, const struct pfx_vendor_cpu_row *cpu)
{
	struct pfx_vendor_rows *rows = &load->rows;
	size_t nr_events, nr_metrics, i;
	struct pfx_vendor_event event;
	struct pfx_vendor_metric metric;

	sort(rows);
	nr_events = rows->events.nr;
	nr_metrics = rows->metrics.nr;
	for (i = 0; cpu && i < pfx_vendor_nr_events(cpu); i++) {
		pfx_vendor_event_at(cpu, i, &load->arena, &event);
		join_event(rows, nr_events, &event);
	}
	for (i = 0; cpu && i < pfx_vendor_nr_metrics(cpu); i++) {
		pfx_vendor_metric_at(cpu, i, &load->arena, &metric);
		join_metric(rows, nr_metrics, &metric);
	}
	sort(rows);
}

void pfx_vendor_dir_free(struct pfx_vendor_dir *dir)
{
	if (!dir)
		return;
	pfx_vec_free(&dir->load.standard.list);
	pfx_vec_free(&dir->load.rows.events);
	pfx_vec_free(&dir->load.rows.metrics);
	pfx_arena_clear(&dir->load.arena);
	free(dir);
}

const struct pfx_vendor_cpu_row *pfx_vendor_dir_cpu(const struct pfx_vendor_dir *dir)
{
	return &dir->row;
}

/* The first mistake, and how many there are. */
static int report(const struct pfx_vendor_load *load, struct pfx_error *err)
{
	if (load->nr_mistakes > 1)
		pfx_error_set(err, EBADMSG, "%s (and %zu more mistakes)", load->mistake.text,
			      load->nr_mistakes - 1);
	else if (load->nr_mistakes)
		pfx_error_set(err, EBADMSG, "%s", load->mistake.text);
	return load->nr_mistakes < INT_MAX ? (int)load->nr_mistakes : INT_MAX;
}

int pfx_vendor_dir_read(struct pfx_vendor_dir **ret, const char *path, const char *arch,
			const char *cpuid, struct pfx_error *err)
{
	char place[PATH_SIZE], map[PATH_SIZE + 16], shown[256], *text;
	struct pfx_vendor_dir *dir;
	int rc;

	*ret = NULL;
	pfx_escape(shown, sizeof(shown), path);
	if (!find_map(path, arch, place))
		return pfx_error_set(err, ENOENT, "'%s' has no mapfile.csv", shown);
	snprintf(map, sizeof(map), "%s/mapfile.csv", place);
	rc = read_text(map, MAPFILE_LIMIT, &text, NULL, err);
	if (rc < 0)
		return rc;
	dir = pfx_calloc(1, sizeof(*dir));
	rc = read_map(&dir->load, place, cpuid, text, err);
	free(text);
	if (rc > 0) {
		join(&dir->load, pfx_vendor_find_cpu(arch, cpuid));
		dir->row.read = &dir->load.rows;
		*ret = dir;
		return report(&dir->load, err);
	}
	if (rc == 0 && report(&dir->load, err))
		rc = -EBADMSG;
	pfx_vendor_dir_free(dir);
	if (rc == 0)
		return pfx_error_set(err, ENODATA, "'%s' has no events for this CPU, '%s'", shown,
				     cpuid);
	return rc;
}

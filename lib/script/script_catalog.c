/* SPDX-License-Identifier: MIT */
/*
 * Finds scripts: in the directories of $PFX_SCRIPTS, the user's directory, $PERF_EXEC_PATH/scripts,
 * and the one installed with pfx; in each as NAME.py or python/NAME.py. Comments at the start of a
 * script contain its description, its arguments and its events.
 */
#include "script/script_catalog.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>
#include <fnmatch.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/words.h"

#define SHELL_SCRIPT_MAX (64u << 10)
#define HEAD_LINES       40 /* lines of a script that are searched for comments */

struct folders {
	char **at;
	size_t nr, cap;
};

struct names {
	char **at;
	size_t nr, cap;
};

static void add_folder(struct folders *folders, const char *base, const char *rest)
{
	struct pfx_str text = {0};

	pfx_str_add(&text, base);
	pfx_str_add(&text, rest);
	pfx_vec_push(folders, text.at);
}

/* Next to the directory of the program: the same in the build tree and when installed. */
static void add_own_folder(struct folders *folders)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len <= 0)
		return;
	path[len] = '\0';
	add_folder(folders, dirname(dirname(path)), "/share/pfx/scripts");
}

char **pfx_script_folders(void)
{
	const char *own = getenv("PFX_SCRIPTS"), *config = getenv("XDG_CONFIG_HOME");
	const char *home = pfx_home(), *perfs = getenv("PERF_EXEC_PATH");
	struct folders folders = {0};
	char *copy = own ? pfx_strdup(own) : NULL, *rest = copy, *word;

	while ((word = strsep(&rest, ":")))
		if (*word)
			add_folder(&folders, word, "");
	free(copy);
	if (config && *config)
		add_folder(&folders, config, "/pfx/scripts");
	else if (home && *home)
		add_folder(&folders, home, "/.config/pfx/scripts");
	if (perfs && *perfs)
		add_folder(&folders, perfs, "/scripts");
	add_own_folder(&folders);
	pfx_vec_push(&folders, NULL);
	return folders.at;
}

void pfx_script_folders_free(char **folders)
{
	size_t i;

	for (i = 0; folders && folders[i]; i++)
		free(folders[i]);
	free(folders);
}

char *pfx_script_root(void)
{
	const char *perfs = getenv("PERF_EXEC_PATH");
	struct folders folders = {0};
	char *root;

	if (perfs && *perfs)
		return pfx_strdup(perfs);
	add_own_folder(&folders);
	root = folders.nr ? pfx_strdup(dirname(folders.at[0])) : pfx_strdup("");
	pfx_vec_push(&folders, NULL);
	pfx_script_folders_free(folders.at);
	return root;
}

static char *find_in(const char *folder, const char *name)
{
	static const char *const forms[] = {"%s/%s.py", "%s/python/%s.py", "%s/%s.pl",
					    "%s/perl/%s.pl"};
	char *path;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		path = NULL;
		if (asprintf(&path, forms[i], folder, name) >= 0 && access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *pfx_script_find(const char *name)
{
	char **folders, *path = NULL;
	size_t i;

	if (!*name || *name == '.' || strchr(name, '/'))
		return NULL;
	folders = pfx_script_folders();
	for (i = 0; folders[i] && !path; i++)
		path = find_in(folders[i], name);
	pfx_script_folders_free(folders);
	return path;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

bool pfx_script_is_perl(const char *path)
{
	return ends_with(path, ".pl");
}

static bool is_script_file(const char *name)
{
	return ends_with(name, ".py") || ends_with(name, ".pl");
}

char *pfx_script_find_or_file(const char *word)
{
	if (is_script_file(word) && !access(word, R_OK))
		return pfx_strdup(word);
	return pfx_script_find(word);
}

/* perf's folders have a shell script for each: python/NAME.py has python/bin/NAME-report. */
static char *beside(const char *path, const char *end)
{
	const char *name = pfx_file_name(path);
	const char *dot = strrchr(name, '.');

	return pfx_strfmt("%.*sbin/%.*s-%s", (int)(name - path), path,
			  (int)(dot ? dot - name : (long)strlen(name)), name, end);
}

/* The options of the first "perf record OPTIONS $@" in it, without quotes. */
static void add_recorder_options(const char *path, struct pfx_str *to)
{
	static const char call[] = "perf record ";
	char *text, *at, *end;

	if (pfx_read_plain_file(path, SHELL_SCRIPT_MAX, &text, NULL, NULL) < 0)
		return;
	for (at = text; (at = strstr(at, "\\\n"));)
		memcpy(at, "  ", 2);
	at = strstr(text, call);
	end = at ? at + strcspn(at, "$\n") : NULL;
	for (at = at ? at + sizeof(call) - 1 : NULL; at && at < end; at++)
		if (*at != '"')
			pfx_str_addc(to, *at == '\t' ? ' ' : *at);
	free(text);
}

/* "# key: value" or "#key: value"; false if the file cannot be read. */
static bool add_comment(const char *path, const char *key, struct pfx_str *to)
{
	int fd = pfx_open_plain(path, 0, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t key_len = strlen(key);
	char line[512];
	int i;

	if (!file)
		return false;
	for (i = 0; i < HEAD_LINES && fgets(line, sizeof(line), file); i++) {
		size_t skipped = line[0] == '#' ? 1 + (line[1] == ' ') : 0;

		if (!skipped || strncmp(line + skipped, key, key_len) != 0 ||
		    strncmp(line + skipped + key_len, ": ", 2) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		pfx_str_add(to, line + skipped + key_len + 2);
		break;
	}
	fclose(file);
	return true;
}

bool pfx_script_comment(const char *path, const char *key, struct pfx_str *to)
{
	bool is_record = !strcmp(key, "record");
	char *other;

	if (!add_comment(path, key, to))
		return false;
	if (to->len)
		return true;
	other = beside(path, is_record ? "record" : "report");
	if (is_record)
		add_recorder_options(other, to);
	else
		add_comment(other, key, to);
	free(other);
	return true;
}

bool pfx_script_is_picture(const char *path)
{
	struct pfx_str text = {0};
	bool is_picture = pfx_script_comment(path, "picture", &text) && text.len;

	pfx_str_fini(&text);
	return is_picture;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_names(struct names *names, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t len;

	while (dir && (entry = readdir(dir))) {
		len = strlen(entry->d_name);
		if (is_script_file(entry->d_name) && entry->d_name[0] != '.')
			pfx_vec_push(names, pfx_strndup(entry->d_name, len - 3));
	}
	if (dir)
		closedir(dir);
}

static void add_row(const char *name, struct pfx_str *to)
{
	struct pfx_str left = {0}, args = {0}, what = {0};
	char *path = pfx_script_find(name);

	if (path) {
		pfx_script_comment(path, "args", &args);
		pfx_script_comment(path, "description", &what);
		pfx_str_addf(&left, "%s %s", name, pfx_str_get(&args));
		pfx_str_add(to, "  ");
		pfx_str_add_escaped(to, left.at, left.len);
		pfx_str_pad(to, ' ', left.len < 36 ? 36 - left.len : 0);
		pfx_str_addc(to, ' ');
		pfx_str_add_escaped(to, pfx_str_get(&what), what.len);
		pfx_str_addc(to, '\n');
	}
	free(path);
	pfx_str_fini(&left);
	pfx_str_fini(&args);
	pfx_str_fini(&what);
}

static void add_names_below(struct names *names, const char *folder, const char *language)
{
	char *below = pfx_strfmt("%s/%s", folder, language);

	add_names(names, below);
	free(below);
}

/* From all directories, in the order of names, with duplicates. */
static struct names all_names(void)
{
	char **folders = pfx_script_folders();
	struct names names = {0};
	size_t i;

	for (i = 0; folders[i]; i++) {
		add_names(&names, folders[i]);
		add_names_below(&names, folders[i], "python");
		add_names_below(&names, folders[i], "perl");
	}
	if (names.nr)
		qsort(names.at, names.nr, sizeof(*names.at), by_name);
	pfx_script_folders_free(folders);
	return names;
}

static void free_names(struct names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->at[i]);
	pfx_vec_free(names);
}

void pfx_script_catalog(struct pfx_str *to)
{
	struct names names = all_names();
	size_t i;

	for (i = 0; i < names.nr; i++)
		if (!i || strcmp(names.at[i], names.at[i - 1]) != 0)
			add_row(names.at[i], to);
	free_names(&names);
}

char *pfx_script_nearest(const char *name)
{
	struct names names = all_names();
	const char *near = pfx_nearest(name, (const char *const *)names.at, names.nr);
	char *copy = near ? pfx_strdup(near) : NULL;

	free_names(&names);
	return copy;
}

/* --- events --- */

/*
 * A recording has what a script is for: an event that its first lines record, or one that it has a
 * function for. A script that takes all events is for every recording.
 */

#define SCRIPT_SIZE_MAX (16u << 20)
#define SHOWN_MAX       2 /* events in the message */

/* "sched:sched_switch", also with '*'; not a modifier as in "cycles:u", nor a PMU's event. */
static bool is_tracepoint(const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_*";
	size_t len = strspn(word, letters);

	return len && word[len] == ':' && strlen(word + len + 1) > 4 &&
	       strspn(word + len + 1, letters) == strlen(word + len + 1);
}

static bool is_recorded(const struct pfx_meta *meta, const char *pattern)
{
	size_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (!fnmatch(pattern, meta->events[i]->name, 0))
			return true;
	return false;
}

/* Whether the script has a function SYSTEM__EVENT or SYSTEM::EVENT for a recorded event. */
static bool handles_one(const char *text, const struct pfx_meta *meta)
{
	const char *name, *colon;
	bool found = false;
	char *function;
	size_t i, j;

	for (i = 0; i < meta->nr_events && !found; i++) {
		name = meta->events[i]->name;
		colon = strchr(name, ':');
		for (j = 0; colon && j < 2 && !found; j++) {
			function = pfx_strfmt("%.*s%s%s", (int)(colon - name), name,
					      j ? "::" : "__", colon + 1);
			found = strstr(text, function) != NULL;
			free(function);
		}
	}
	return found;
}

static bool takes_any(const char *text)
{
	return strstr(text, "process_event") || strstr(text, "trace_unhandled");
}

/* True if one of the events that the script's first lines record is in the recording. */
static bool has_wanted(const char *path, const struct pfx_meta *meta, struct pfx_str *ret_wanted)
{
	struct pfx_str comment = {0};
	char *words, *word, *rest = NULL;
	bool found = false;
	size_t nr = 0;

	pfx_script_comment(path, "record", &comment);
	words = pfx_strdup(pfx_str_get(&comment));
	for (word = strtok_r(words, " ,{}", &rest); word && !found;
	     word = strtok_r(NULL, " ,{}", &rest)) {
		if (!is_tracepoint(word))
			continue;
		found = is_recorded(meta, word);
		if (++nr <= SHOWN_MAX)
			pfx_str_addf(ret_wanted, "%s%s", nr > 1 ? ", " : "", word);
	}
	if (nr > SHOWN_MAX)
		pfx_str_add(ret_wanted, " and others");
	free(words);
	pfx_str_fini(&comment);
	return found;
}

bool pfx_script_lacks_events(const char *path, const struct pfx_meta *meta,
			     struct pfx_str *ret_wanted)
{
	bool lacks;
	char *text;

	if (pfx_read_file(path, SCRIPT_SIZE_MAX, &text, NULL, NULL) < 0)
		return false;
	lacks = !takes_any(text) && !has_wanted(path, meta, ret_wanted) && ret_wanted->len &&
		!handles_one(text, meta);
	free(text);
	return lacks;
}

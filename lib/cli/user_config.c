/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: git's form, "[section]" and "key = value". All files are read at the first
 * query; later files override earlier ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/settings/settings.h"
#include "base/str.h"
#include "cli/cli_note.h"
#include "cli/config.h"
#include "cli/personality.h"

#define PERF_SYSTEM_FILE "/etc/perfconfig"
#define PERF_USER_FILE   ".perfconfig"
#define SYSTEM_FILE      "/etc/pfxconfig"
#define USER_FILE        "pfx/config"

/* A file, and the number of settings that are of it or of earlier files. */
struct origin {
	char *path;
	size_t end;
};

static struct {
	bool loaded;
	struct pfx_settings settings;
	PFX_VEC(struct origin) origins;
} config;

/* What is read: where to, and from which files. */
struct loading {
	struct pfx_settings *to;
	bool keeps_unknown;
	bool is_quiet; /* what is wrong with the files was printed before */
	enum pfx_config_level level;
};

/* Add the settings of a file's text, with a note of the line that ends it. */
static void read_text(const struct loading *loading, const char *path, const char *text,
		      bool only_known)
{
	struct pfx_settings read = {0};
	unsigned line = pfx_settings_read(&read, text);
	struct pfx_setting *setting;
	size_t i;

	for (i = 0; i < read.list.nr; i++) {
		setting = &read.list.at[i];
		if (only_known && !pfx_config_is_known(setting->key))
			continue;
		pfx_vec_push(&loading->to->list, *setting);
		*setting = (struct pfx_setting){0};
	}
	pfx_settings_clear(&read);
	if (loading->to == &config.settings)
		pfx_vec_push(&config.origins,
			     ((struct origin){pfx_strdup(path), config.settings.list.nr}));
	if (line && !loading->is_quiet)
		pfx_cli_note(NULL,
			     "line %u of '%s' is not a valid setting; the rest of the "
			     "file is not used",
			     line, path);
}

enum { OF_PERF = 1, OF_USER = 2, NAMED = 4 };

static void read_config(const struct loading *loading, const char *path, int flags)
{
	struct pfx_error err = {0};
	struct stat st;
	char *text;

	if (!(flags & NAMED) && loading->level != PFX_CONFIG_ALL &&
	    loading->level != ((flags & OF_USER) ? PFX_CONFIG_USER : PFX_CONFIG_SYSTEM))
		return;
	if (stat(path, &st) < 0) {
		if ((flags & NAMED) && !loading->is_quiet)
			pfx_cli_note(NULL, "cannot read the configuration '%s': %s", path,
				     strerror(errno));
		return;
	}
	if ((flags & OF_USER) && st.st_uid && st.st_uid != geteuid()) {
		if (!loading->is_quiet)
			pfx_cli_note(NULL, "'%s' belongs to another user and is not used", path);
		return;
	}
	if (pfx_read_file(path, PFX_CONFIG_SIZE_MAX, &text, NULL, &err) < 0) {
		if (!loading->is_quiet)
			pfx_cli_note(NULL, "%s", err.text);
		return;
	}
	read_text(loading, path, text, (flags & OF_PERF) && !loading->keeps_unknown);
	free(text);
}

static void read_in_home(const struct loading *loading, const char *dir, const char *file,
			 int flags)
{
	char *path;

	if (!dir || !*dir)
		return;
	path = pfx_strfmt("%s/%s", dir, file);
	read_config(loading, path, flags);
	free(path);
}

static bool env_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0");
}

static void read_perf_files(const struct loading *loading, const char *home)
{
	const char *only = getenv("PERF_CONFIG");

	if (only) {
		read_config(loading, only, OF_PERF | NAMED);
		return;
	}
	if (!env_is_set("PERF_CONFIG_NOSYSTEM"))
		read_config(loading, PERF_SYSTEM_FILE, OF_PERF);
	if (!env_is_set("PERF_CONFIG_NOGLOBAL"))
		read_in_home(loading, home, PERF_USER_FILE, OF_PERF | OF_USER);
}

static void load(const struct loading *loading)
{
	const char *only = getenv("PFX_CONFIG"), *home = pfx_home();
	const char *xdg = getenv("XDG_CONFIG_HOME");

	if (only) {
		read_config(loading, only, NAMED);
		return;
	}
	read_perf_files(loading, home);
	read_config(loading, SYSTEM_FILE, 0);
	if (xdg && *xdg)
		read_in_home(loading, xdg, USER_FILE, OF_USER);
	else
		read_in_home(loading, home, ".config/" USER_FILE, OF_USER);
}

static void load_once(void)
{
	if (!config.loaded)
		load(&(struct loading){.to = &config.settings});
	config.loaded = true;
}

void pfx_config_read(enum pfx_config_level level, struct pfx_settings *to)
{
	load(&(struct loading){
		.to = to, .keeps_unknown = true, .level = level, .is_quiet = config.loaded});
}

char *pfx_config_file(enum pfx_config_level level)
{
	bool is_perf = pfx_has_habit(PFX_HABIT_CONFIG_FILE), is_system = level == PFX_CONFIG_SYSTEM;
	const char *only = getenv(is_perf ? "PERF_CONFIG" : "PFX_CONFIG"), *home = pfx_home();
	const char *xdg = getenv("XDG_CONFIG_HOME");

	if (only && *only)
		return pfx_strdup(only);
	if (is_system)
		return pfx_strdup(is_perf ? PERF_SYSTEM_FILE : SYSTEM_FILE);
	if (!is_perf && xdg && *xdg)
		return pfx_strfmt("%s/" USER_FILE, xdg);
	if (!home || !*home)
		return NULL;
	return pfx_strfmt("%s/%s", home, is_perf ? PERF_USER_FILE : ".config/" USER_FILE);
}

const char *pfx_config_get_nth(const char *key, size_t n)
{
	size_t i;

	load_once();
	for (i = 0; i < config.settings.list.nr; i++)
		if (!strcmp(config.settings.list.at[i].key, key) && !n--)
			return config.settings.list.at[i].value;
	return NULL;
}

/* The number of settings up to the one that counts; 0: the key is not set. */
static size_t find(const char *key)
{
	size_t i;

	load_once();
	for (i = config.settings.list.nr; i; i--)
		if (!strcmp(config.settings.list.at[i - 1].key, key))
			break;
	return i;
}

const char *pfx_config_get(const char *key)
{
	size_t nr = find(key);

	return nr ? config.settings.list.at[nr - 1].value : NULL;
}

/* The file of the setting that counts. */
static const char *file_of(const char *key)
{
	size_t nr = find(key), i;

	for (i = 0; nr && i < config.origins.nr; i++)
		if (nr <= config.origins.at[i].end)
			return config.origins.at[i].path;
	return "?";
}

int pfx_config_check(const char *key, int rc, struct pfx_error *err)
{
	char hint[sizeof(err->hint)], text[sizeof(err->text)], path[256];

	if (rc >= 0)
		return rc;
	memcpy(hint, err->hint, sizeof(hint));
	memcpy(text, err->text, sizeof(text));
	pfx_error_set(err, err->code, "%s of the configuration '%s': %.300s", key,
		      pfx_escape(path, sizeof(path), file_of(key)), text);
	pfx_error_hint(err, "%s", hint);
	return rc;
}

void pfx_config_note_wrong(const char *key, const char *wanted)
{
	char path[256], value[128];

	pfx_cli_note(NULL, "'%s' is not %s: %s in '%s' is not used",
		     pfx_escape(value, sizeof(value), pfx_config_get(key)), wanted, key,
		     pfx_escape(path, sizeof(path), file_of(key)));
}

const char *pfx_config_get_valid(const char *key)
{
	const char *value = pfx_config_get(key);
	char wanted[128];

	if (!value || pfx_config_is_valid(key, value, wanted, sizeof(wanted)))
		return value;
	pfx_config_note_wrong(key, wanted);
	return NULL;
}

bool pfx_config_get_bool(const char *key, bool *ret)
{
	if (pfx_config_is_bool(key, ret))
		return true;
	if (pfx_config_get(key))
		pfx_config_note_wrong(key, "yes or no");
	return false;
}

bool pfx_config_is_bool(const char *key, bool *ret)
{
	const char *value = pfx_config_get(key);

	return value && pfx_config_parse_bool(value, ret);
}

void pfx_config_clear(void)
{
	size_t i;

	for (i = 0; i < config.origins.nr; i++)
		free(config.origins.at[i].path);
	pfx_vec_free(&config.origins);
	pfx_settings_clear(&config.settings);
	config.loaded = false;
}

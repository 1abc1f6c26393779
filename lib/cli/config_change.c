/* SPDX-License-Identifier: MIT */
/* Settings of configuration files as text, and changing them in their files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/late_file.h"
#include "base/settings/settings.h"
#include "cli/cli_note.h"
#include "cli/config.h"
#include "cli/personality.h"

/* --- showing --- */

/* The section of a key is all but its last word. */
static size_t section_len(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? (size_t)(dot - key) : strlen(key);
}

static bool same_section(const char *a, const char *b)
{
	size_t len = section_len(a);

	return len == section_len(b) && !strncmp(a, b, len);
}

static const struct pfx_setting *find(const struct pfx_settings *settings, const char *key)
{
	const struct pfx_setting *found = NULL;
	size_t i;

	for (i = 0; i < settings->list.nr; i++)
		if (!strcmp(settings->list.at[i].key, key))
			found = &settings->list.at[i];
	return found;
}

/* Whether an earlier setting, of the same key or only the same section, was at a place before @i.
 */
static bool is_repeated(const struct pfx_settings *settings, size_t i, bool is_section)
{
	const char *key = settings->list.at[i].key;
	size_t k;

	for (k = 0; k < i; k++)
		if (is_section ? same_section(settings->list.at[k].key, key)
			       : !strcmp(settings->list.at[k].key, key))
			return true;
	return false;
}

static void add_line(const struct pfx_setting *setting, struct pfx_str *to)
{
	pfx_str_addf(to, "%s=", setting->key);
	pfx_str_add_escaped(to, setting->value, strlen(setting->value));
	pfx_str_addc(to, '\n');
}

/* Section by section, each key once, with its last value. */
static void add_all(const struct pfx_settings *settings, struct pfx_str *to)
{
	size_t i, k;

	for (i = 0; i < settings->list.nr; i++) {
		if (is_repeated(settings, i, true))
			continue;
		for (k = i; k < settings->list.nr; k++)
			if (same_section(settings->list.at[k].key, settings->list.at[i].key) &&
			    !is_repeated(settings, k, false))
				add_line(find(settings, settings->list.at[k].key), to);
	}
}

int pfx_config_show(enum pfx_config_level level, int nr, char *const *keys, struct pfx_str *to,
		    struct pfx_error *err)
{
	struct pfx_settings settings = {0};
	const struct pfx_setting *setting;
	int i, rc = 0;

	pfx_config_read(level, &settings);
	if (!nr)
		add_all(&settings, to);
	for (i = 0; i < nr && rc >= 0; i++) {
		rc = pfx_settings_check_key(keys[i], err);
		setting = rc < 0 ? NULL : find(&settings, keys[i]);
		if (setting)
			add_line(setting, to);
	}
	pfx_settings_clear(&settings);
	return rc;
}

/* --- writing --- */

/* Make the folders that @path is in. */
static int make_folders(const char *path, struct pfx_error *err)
{
	char *folder = pfx_strdup(path), *slash;
	int rc = 0;

	for (slash = strchr(folder + 1, '/'); rc >= 0 && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0777) < 0 && errno != EEXIST)
			rc = pfx_error_sys(err, errno, "cannot make the folder '%s'", folder);
		*slash = '/';
	}
	free(folder);
	return rc;
}

/* Replace the file as a whole, with its permissions; a link stays a link. */
static int replace(const char *path, const struct pfx_str *text, struct pfx_error *err)
{
	struct stat st = {.st_mode = S_IFREG | 0644};
	struct pfx_late_file file;
	char *target;
	int rc;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return pfx_error_set(err, EINVAL, "'%s' is not a file: it is not written", path);
	target = realpath(path, NULL);
	rc = pfx_late_file_open(&file, target ? target : path, st.st_mode & 07777);
	if (rc >= 0) {
		rc = pfx_write_full(file.fd, pfx_str_get(text), text->len);
		rc = pfx_late_file_close(&file, rc);
	}
	free(target);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write '%s'", path) : 0;
}

/* perf writes any value, so that by its name a note says so. */
static int check_value(const char *key, const char *value, struct pfx_error *err)
{
	char wanted[128], shown[128];
	bool is_perf = pfx_has_habit(PFX_HABIT_CONFIG_FILE);

	if (!is_perf && !pfx_config_is_known(key))
		pfx_cli_note("config", "no command uses %s (see 'pfx help config')", key);
	if (pfx_config_is_valid(key, value, wanted, sizeof(wanted)))
		return 0;
	pfx_escape(shown, sizeof(shown), value);
	if (!is_perf)
		return pfx_error_set(err, EINVAL, "%s takes %s, not '%s'", key, wanted, shown);
	pfx_cli_note("config", "%s takes %s, so '%s' has no effect", key, wanted, shown);
	return 0;
}

/* "key=value" in the text of the file. */
static int change(struct pfx_str *text, const char *path, const char *word, struct pfx_error *err)
{
	const char *equals = strchr(word, '=');
	char *key = pfx_strndup(word, (size_t)(equals - word));
	struct pfx_str changed = {0};
	struct pfx_error why = {0};
	int rc = pfx_settings_check_key(key, err);

	if (rc >= 0 && !equals[1])
		rc = pfx_error_set(err, EINVAL, "'%s' has no value: write %s=VALUE", key, key);
	if (rc >= 0)
		rc = check_value(key, equals + 1, err);
	if (rc >= 0) {
		rc = pfx_settings_change(pfx_str_get(text), key, equals + 1, &changed, &why);
		if (rc < 0)
			pfx_error_set(err, EBADMSG, "'%s' is not changed: %s", path, why.text);
	}
	free(key);
	if (rc >= 0) {
		pfx_str_fini(text);
		*text = changed;
	} else {
		pfx_str_fini(&changed);
	}
	return rc;
}

static int read_old(const char *path, struct pfx_str *text, struct pfx_error *err)
{
	char *old;
	int rc;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	rc = pfx_read_file(path, PFX_CONFIG_SIZE_MAX, &old, NULL, err);
	if (rc >= 0) {
		pfx_str_add(text, old);
		free(old);
	}
	return rc;
}

int pfx_config_write(enum pfx_config_level level, int nr, char *const *words, struct pfx_error *err)
{
	char *path = pfx_config_file(level);
	struct pfx_str text = {0};
	int i, rc;

	if (!path)
		return pfx_error_set(err, ENOENT, "$HOME is not set: there is no file of the user");
	rc = read_old(path, &text, err);
	for (i = 0; i < nr && rc >= 0; i++)
		rc = change(&text, path, words[i], err);
	if (rc >= 0)
		rc = make_folders(path, err);
	if (rc >= 0)
		rc = replace(path, &text, err);
	pfx_str_fini(&text);
	free(path);
	return rc;
}

/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: git's form, "[section]" and "key = value". All files are read at the first
 * query; later files override earlier ones.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "cmd/app/commands.h"

#define CONFIG_SIZE_MAX (1u << 20) /* limit for the size of a file */

static const struct pfx_config_key config_keys[] = {
	{"alias.WORD", "the command and options that 'pfx WORD' runs"},
	{"annotate.disassembler_style", "att or intel: annotate -M"},
	{"annotate.hide_src_code", "yes or no: annotate shows no source lines (default no)"},
	{"annotate.show_nr_samples",
	 "yes or no: annotate shows numbers of samples instead of percentages"},
	{"annotate.show_total_period",
	 "yes or no: annotate shows sums of periods instead of percentages"},
	{"annotate.source-path",
	 "from=to: folder 'from' of sources is now 'to', in annotate; may be given several times"},
	{"buildid.dir", "directory of the build-ID cache (default ~/.debug)"},
	{"call-graph.dump-size",
	 "bytes of stack that record --call-graph dwarf copies (default 8192)"},
	{"call-graph.order", "caller or callee: what report shows first"},
	{"call-graph.print-limit", "entries of a call graph that report shows at each place"},
	{"call-graph.print-type", "graph, fractal, flat, folded or none"},
	{"call-graph.record-mode", "what record -g does: fp (default), dwarf or no"},
	{"call-graph.sort-key", "function or address: what makes two frames the same"},
	{"call-graph.threshold", "percentage below which report hides a branch (default 0.5)"},
	{"color.ui", "yes or auto (on a terminal), no or never, or always"},
	{"debuginfod.max-size",
	 "the largest file that is fetched from a server (default 2G; 0: no limit)"},
	{"debuginfod.max-time",
	 "seconds after which a file that is fetched is given up (default 600; 0: no limit)"},
	{"debuginfod.urls",
	 "servers that report, script and buildid-cache ask for what is not here, or "
	 "system for those of $DEBUGINFOD_URLS"},
	{"hist.percentage",
	 "relative or absolute: what report's percentages are of when samples are filtered"},
	{"pager.CMD", "yes, no, or the pager to use for the command CMD"},
	{"record.build-id",
	 "cache, no-cache, skip, mmap or no-mmap: what record does with build IDs"},
	{"record.call-graph", "as call-graph.record-mode"},
	{"report.children", "yes or no: add up callees in report (default yes)"},
	{"report.group", "yes or no: members of an event group side by side (default yes)"},
	{"report.percent-limit", "percentage below which report hides an entry"},
	{"report.skip-empty", "yes or no: leave out events without samples (default yes)"},
	{"report.sort_order", "default of report --sort"},
	{"stat.big-num", "yes or no: digits in groups in stat (default yes)"},
	{"stat.no-csv-summary",
	 "yes or no: print no word 'summary' before the summary's fields (-x)"},
	{"tui.CMD", "yes or no: report and annotate show a screen on a terminal (default yes)"},
	{"unwind.style", "rows, libunwind or libdw: the unwinder for stack dumps"},
};

struct setting {
	char *key, *value;
};

static struct {
	bool loaded;
	PFX_VEC(struct setting) settings;
} config;

/* A file being read. */
struct source {
	const char *path, *at;
	unsigned line;
	bool only_known; /* only the keys above are used */
	char section[128];
};

const struct pfx_config_key *pfx_config_keys(size_t *ret_nr)
{
	*ret_nr = sizeof(config_keys) / sizeof(*config_keys);
	return config_keys;
}

static bool is_known(const char *key)
{
	size_t i;

	if (!strncmp(key, "pager.", 6) || !strncmp(key, "alias.", 6) || !strncmp(key, "tui.", 4))
		return true;
	for (i = 0; i < sizeof(config_keys) / sizeof(*config_keys); i++)
		if (!strcmp(key, config_keys[i].name))
			return true;
	return false;
}

static void remember(const struct source *src, const char *name, const char *value)
{
	struct setting *s;
	char *key = pfx_strfmt("%s.%s", src->section, name);

	if (src->only_known && !is_known(key)) {
		free(key);
		return;
	}
	s = pfx_vec_add(&config.settings);
	s->key = key;
	s->value = pfx_strdup(value);
}

static void skip_line(struct source *src)
{
	src->at += strcspn(src->at, "\n");
}

/* "[name]" or "[name "sub"]", which is name.sub. Names are lower case, the quoted part is
 * unchanged. */
static bool read_section(struct source *src)
{
	size_t n = 0;
	bool quoted = false;

	for (src->at++; *src->at && *src->at != '\n'; src->at++) {
		char c = *src->at;

		if (c == ']' && !quoted)
			break;
		if (n + 2 >= sizeof(src->section))
			return false;
		if (c == '"')
			quoted = !quoted;
		else if (isblank((unsigned char)c) && !quoted)
			src->section[n++] = '.';
		else if (quoted || isalnum((unsigned char)c) || strchr("-_.", c))
			src->section[n++] = quoted ? c : (char)tolower((unsigned char)c);
		else
			return false;
	}
	src->section[n] = '\0';
	if (*src->at != ']' || !n)
		return false;
	src->at++;
	return true;
}

/* The character for an escape sequence; 0 if invalid. */
static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '"':
	case '\\':
		return c;
	default:
		return 0;
	}
}

/* The value up to the end of the line: blanks outside quotes at both ends are dropped, # and ;
 * start a comment, a backslash at the end continues on the next line. */
static bool read_value(struct source *src, struct pfx_str *value)
{
	bool quoted = false;
	size_t kept = 0;

	src->at += strspn(src->at, " \t");
	for (; *src->at && *src->at != '\n'; src->at++) {
		char c = *src->at;

		if (!quoted && (c == '#' || c == ';')) {
			skip_line(src);
			break;
		}
		if (c == '"') {
			quoted = !quoted;
			kept = value->len;
			continue;
		}
		if (c == '\\' && src->at[1] == '\n') {
			src->at++;
			src->line++;
			continue;
		}
		if (c == '\\') {
			c = unescape(*++src->at);
			if (!c)
				return false;
		}
		pfx_str_addc(value, c);
		if (quoted || !isspace((unsigned char)c))
			kept = value->len;
	}
	value->len = kept;
	if (value->at)
		value->at[kept] = '\0';
	return !quoted;
}

/* "name = value", or a name alone, which means true. */
static bool read_setting(struct source *src)
{
	struct pfx_str value = {0};
	char name[128];
	size_t n = 0;
	bool ok = true;

	for (; isalnum((unsigned char)*src->at) || *src->at == '-' || *src->at == '_'; src->at++) {
		if (n + 1 >= sizeof(name))
			return false;
		name[n++] = (char)tolower((unsigned char)*src->at);
	}
	name[n] = '\0';
	src->at += strspn(src->at, " \t");
	if (!n || !src->section[0])
		return false;
	if (*src->at == '=') {
		src->at++;
		ok = read_value(src, &value);
	} else if (strchr("\n#;", *src->at)) {
		skip_line(src);
		pfx_str_add(&value, "true");
	} else {
		ok = false;
	}
	if (ok)
		remember(src, name, pfx_str_get(&value));
	pfx_str_fini(&value);
	return ok;
}

static bool read_line_of(struct source *src)
{
	src->at += strspn(src->at, " \t\r");
	if (!*src->at || *src->at == '\n')
		return true;
	if (*src->at == '#' || *src->at == ';') {
		skip_line(src);
		return true;
	}
	if (*src->at == '[')
		return read_section(src);
	return read_setting(src);
}

static void read_text(struct source *src)
{
	if (!strncmp(src->at, "\xef\xbb\xbf", 3))
		src->at += 3;
	while (*src->at) {
		if (!read_line_of(src)) {
			pfx_print_note(NULL,
				       "line %u of '%s' is not a valid setting; the rest of the "
				       "file is not used",
				       src->line, src->path);
			return;
		}
		if (*src->at == '\n') {
			src->at++;
			src->line++;
		}
	}
}

enum { OF_PERF = 1, OF_USER = 2, NAMED = 4 };

static void read_config(const char *path, int flags)
{
	struct source src = {path, NULL, 1, flags & OF_PERF, ""};
	struct pfx_error err = {0};
	struct stat st;
	char *text;

	if (stat(path, &st) < 0) {
		if (flags & NAMED)
			pfx_print_note(NULL, "cannot read the configuration '%s': %s", path,
				       strerror(errno));
		return;
	}
	if ((flags & OF_USER) && st.st_uid && st.st_uid != geteuid()) {
		pfx_print_note(NULL, "'%s' belongs to another user and is not used", path);
		return;
	}
	if (pfx_read_file(path, CONFIG_SIZE_MAX, &text, NULL, &err) < 0) {
		pfx_print_note(NULL, "%s", err.text);
		return;
	}
	src.at = text;
	read_text(&src);
	free(text);
}

static void read_in_home(const char *dir, const char *file, int flags)
{
	char *path;

	if (!dir || !*dir)
		return;
	path = pfx_strfmt("%s/%s", dir, file);
	read_config(path, flags);
	free(path);
}

static bool env_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0");
}

static void read_perf_files(const char *home)
{
	const char *only = getenv("PERF_CONFIG");

	if (only) {
		read_config(only, OF_PERF | NAMED);
		return;
	}
	if (!env_is_set("PERF_CONFIG_NOSYSTEM"))
		read_config("/etc/perfconfig", OF_PERF);
	if (!env_is_set("PERF_CONFIG_NOGLOBAL"))
		read_in_home(home, ".perfconfig", OF_PERF | OF_USER);
}

static void load(void)
{
	const char *only = getenv("PFX_CONFIG"), *home = pfx_home();
	const char *xdg = getenv("XDG_CONFIG_HOME");

	config.loaded = true;
	if (only) {
		read_config(only, NAMED);
		return;
	}
	read_perf_files(home);
	read_config("/etc/pfxconfig", 0);
	if (xdg && *xdg)
		read_in_home(xdg, "pfx/config", OF_USER);
	else
		read_in_home(home, ".config/pfx/config", OF_USER);
}

const char *pfx_config_get_nth(const char *key, size_t n)
{
	size_t i;

	if (!config.loaded)
		load();
	for (i = 0; i < config.settings.nr; i++)
		if (!strcmp(config.settings.at[i].key, key) && !n--)
			return config.settings.at[i].value;
	return NULL;
}

const char *pfx_config_get(const char *key)
{
	size_t i;

	if (!config.loaded)
		load();
	for (i = config.settings.nr; i; i--)
		if (!strcmp(config.settings.at[i - 1].key, key))
			return config.settings.at[i - 1].value;
	return NULL;
}

bool pfx_config_get_bool(const char *key, bool *ret)
{
	static const char *const words[] = {"yes", "true", "on", "1", "no", "false", "off", "0"};
	const char *value = pfx_config_get(key);
	size_t i;

	if (!value)
		return false;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcasecmp(value, words[i])) {
			*ret = i < sizeof(words) / sizeof(*words) / 2;
			return true;
		}
	}
	return false;
}

void pfx_config_clear(void)
{
	size_t i;

	for (i = 0; i < config.settings.nr; i++) {
		free(config.settings.at[i].key);
		free(config.settings.at[i].value);
	}
	pfx_vec_free(&config.settings);
	config.loaded = false;
}

/* SPDX-License-Identifier: MIT */
/* The keys of the configuration that commands use, and what values they take. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"
#include "cli/config.h"

static const struct pfx_config_key config_keys[] = {
	{"alias.WORD", "the command and options that 'pfx WORD' runs"},
	{"annotate.disassembler_style", "att or intel: annotate -M", PFX_CONFIG_WORD, "att|intel"},
	{"annotate.hide_src_code", "yes or no: annotate shows no source lines (default no)",
	 PFX_CONFIG_BOOL},
	{"annotate.show_nr_samples",
	 "yes or no: annotate shows numbers of samples instead of percentages", PFX_CONFIG_BOOL},
	{"annotate.show_total_period",
	 "yes or no: annotate shows sums of periods instead of percentages", PFX_CONFIG_BOOL},
	{"annotate.source-path",
	 "from=to: folder 'from' of sources is now 'to', in annotate; may be given several times"},
	{"buildid.dir", "directory of the build-ID cache (default ~/.debug)"},
	{"call-graph.dump-size",
	 "bytes of stack that record --call-graph dwarf copies (default 8192)", PFX_CONFIG_NUMBER},
	{"call-graph.order", "caller or callee: what report shows first", PFX_CONFIG_WORD,
	 "caller|callee"},
	{"call-graph.print-limit", "entries of a call graph that report shows at each place",
	 PFX_CONFIG_NUMBER},
	{"call-graph.print-type", "graph, fractal, flat, folded or none", PFX_CONFIG_WORD,
	 "graph|fractal|flat|folded|none"},
	{"call-graph.record-mode", "what record -g does: fp (default), dwarf or no"},
	{"call-graph.sort-key", "function or address: what makes two frames the same",
	 PFX_CONFIG_WORD, "function|address|symoff|srcline"},
	{"call-graph.threshold", "percentage below which report hides a branch (default 0.5)",
	 PFX_CONFIG_PERCENT},
	{"color.ui", "yes or auto (on a terminal), no or never, or always"},
	{"debuginfod.max-size",
	 "the largest file that is fetched from a server (default 2G; 0: no limit)",
	 PFX_CONFIG_SIZE},
	{"debuginfod.max-time",
	 "seconds after which a file that is fetched is given up (default 600; 0: no limit)",
	 PFX_CONFIG_SECONDS},
	{"debuginfod.urls",
	 "servers that report, script and buildid-cache ask for what is not here, or "
	 "system for those of $DEBUGINFOD_URLS"},
	{"hist.percentage",
	 "relative or absolute: what report's percentages are of when samples are filtered",
	 PFX_CONFIG_WORD, "relative|absolute"},
	{"pager.CMD", "yes, no, or the pager to use for the command CMD"},
	{"record.build-id",
	 "cache, no-cache, skip, mmap or no-mmap: what record does with build IDs", PFX_CONFIG_WORD,
	 "cache|no-cache|skip|mmap|no-mmap"},
	{"record.call-graph", "as call-graph.record-mode"},
	{"report.children", "yes or no: add up callees in report (default yes)", PFX_CONFIG_BOOL},
	{"report.group", "yes or no: members of an event group side by side (default yes)",
	 PFX_CONFIG_BOOL},
	{"report.percent-limit", "percentage below which report hides an entry",
	 PFX_CONFIG_PERCENT},
	{"report.skip-empty", "yes or no: leave out events without samples (default yes)",
	 PFX_CONFIG_BOOL},
	{"report.sort_order", "default of report --sort"},
	{"stat.big-num", "yes or no: digits in groups in stat (default yes)", PFX_CONFIG_BOOL},
	{"stat.no-csv-summary",
	 "yes or no: print no word 'summary' before the summary's fields (-x)", PFX_CONFIG_BOOL},
	{"top.call-graph", "like dwarf,caller: call chains in top, as for --call-graph"},
	{"top.children", "yes or no: add up callees in top (default yes)", PFX_CONFIG_BOOL},
	{"tui.CMD", "yes or no: report and annotate show a screen on a terminal (default yes)"},
	{"tui.background",
	 "auto (the terminal is asked, default), dark or light: the colours of screens",
	 PFX_CONFIG_WORD, "auto|dark|light"},
	{"unwind.style", "rows, libunwind or libdw: the unwinder for stack dumps", PFX_CONFIG_WORD,
	 "rows|libunwind|libdw"},
};

#define NR_KEYS (sizeof(config_keys) / sizeof(*config_keys))

const struct pfx_config_key *pfx_config_keys(size_t *ret_nr)
{
	*ret_nr = NR_KEYS;
	return config_keys;
}

static const struct pfx_config_key *find(const char *key)
{
	for (size_t i = 0; i < NR_KEYS; i++)
		if (!strcmp(key, config_keys[i].name))
			return &config_keys[i];
	return NULL;
}

bool pfx_config_is_known(const char *key)
{
	return !strncmp(key, "pager.", 6) || !strncmp(key, "alias.", 6) ||
	       !strncmp(key, "tui.", 4) || find(key);
}

bool pfx_config_parse_bool(const char *value, bool *ret)
{
	static const char *const words[] = {"yes", "true", "on", "1", "no", "false", "off", "0"};
	const size_t nr = sizeof(words) / sizeof(*words);

	for (size_t i = 0; i < nr; i++) {
		if (!strcasecmp(value, words[i])) {
			*ret = i < nr / 2;
			return true;
		}
	}
	return false;
}

/* Whether @value is one of "att|intel". */
static bool is_word(const char *words, const char *value)
{
	size_t len = strlen(value);
	const char *at;

	for (at = words; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (len && !strncmp(at, value, len) && (at[len] == '|' || !at[len]))
			return true;
	}
	return false;
}

/* "att|intel" as "att or intel". */
static void add_words(const char *words, char *out, size_t size)
{
	struct pfx_str text = {0};
	size_t len;

	for (; *words; words += len + (words[len] == '|')) {
		len = strcspn(words, "|");
		if (text.len)
			pfx_str_add(&text, strchr(words, '|') ? ", " : " or ");
		pfx_str_addn(&text, words, len);
	}
	snprintf(out, size, "%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

bool pfx_config_is_valid(const char *key, const char *value, char *wanted, size_t size)
{
	static const char *const kinds[] = {
		[PFX_CONFIG_BOOL] = "yes or no",
		[PFX_CONFIG_PERCENT] = "a percentage",
		[PFX_CONFIG_NUMBER] = "a number",
		[PFX_CONFIG_SECONDS] = "a number of seconds",
		[PFX_CONFIG_SIZE] = "a size such as 500M",
	};
	const struct pfx_config_key *row = find(key);
	uint64_t number;
	double percent;
	bool yes;

	if (!row || row->kind == PFX_CONFIG_TEXT)
		return true;
	if (row->kind == PFX_CONFIG_WORD)
		add_words(row->words, wanted, size);
	else
		snprintf(wanted, size, "%s", kinds[row->kind]);
	switch (row->kind) {
	case PFX_CONFIG_BOOL:
		return pfx_config_parse_bool(value, &yes);
	case PFX_CONFIG_PERCENT:
		return pfx_parse_percent(value, &percent);
	case PFX_CONFIG_SIZE:
		return pfx_parse_size(value, &number);
	case PFX_CONFIG_NUMBER:
	case PFX_CONFIG_SECONDS:
		return pfx_parse_u64(value, &number);
	default:
		return is_word(row->words, value);
	}
}

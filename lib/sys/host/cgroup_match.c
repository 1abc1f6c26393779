/* SPDX-License-Identifier: MIT */
/*
 * Expands a list of cgroup names and patterns. A pattern is an extended regular expression that
 * matches anywhere in a path below the mount; names are not checked.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pattern/pattern.h"
#include "base/str.h"
#include "sys/host/cgroup.h"

#define DEPTH_MAX 64     /* depth limit */
#define NAMES_MAX 100000 /* each has its own counters: far more than can be opened */

struct search {
	regex_t regex;
	struct pfx_str path; /* below the mount, "a/b" */
	struct pfx_cgroup_names *found;
};

static void add(struct pfx_cgroup_names *to, const char *name)
{
	size_t i;

	for (i = 0; i < to->names.nr; i++)
		if (!strcmp(to->names.at[i], name))
			return;
	if (to->names.nr < NAMES_MAX)
		pfx_vec_push(&to->names, pfx_strdup(name));
}

static void visit(struct search *s, int fd, unsigned depth);

static void visit_entry(struct search *s, int dir_fd, const char *name, unsigned depth)
{
	size_t len = s->path.len;
	int fd;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	pfx_str_addf(&s->path, "%s%s", len ? "/" : "", name);
	if (!regexec(&s->regex, pfx_str_get(&s->path), 0, NULL, 0))
		add(s->found, pfx_str_get(&s->path));
	visit(s, fd, depth + 1);
	s->path.len = len;
	s->path.at[len] = '\0';
}

/* Takes the descriptor. */
static void visit(struct search *s, int fd, unsigned depth)
{
	DIR *dir = depth < DEPTH_MAX ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
			visit_entry(s, dirfd(dir), entry->d_name, depth);
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_matching(struct pfx_cgroup_names *to, const char *pattern, const char *root,
			struct pfx_error *err)
{
	size_t first = to->names.nr;
	struct search s = {.found = to};
	char shown[256], reason[128];
	int fd, rc;

	if (!pfx_pattern_compile(&s.regex, pattern, REG_NOSUB, reason, sizeof(reason)))
		return pfx_error_set(err, EINVAL, "pattern '%s' of cgroups is wrong: %s",
				     pfx_escape(shown, sizeof(shown), pattern), reason);
	rc = pfx_cgroup_open("/", root, &fd, err);
	if (rc >= 0)
		visit(&s, fd, 0);
	regfree(&s.regex);
	pfx_str_fini(&s.path);
	if (to->names.nr > first)
		qsort(to->names.at + first, to->names.nr - first, sizeof(*to->names.at), compare);
	else if (rc >= 0)
		rc = pfx_error_set(err, ENOENT, "no cgroup matches '%s'",
				   pfx_escape(shown, sizeof(shown), pattern));
	return rc;
}

int pfx_cgroup_find(const char *words, const char *root, struct pfx_cgroup_names *ret,
		    struct pfx_error *err)
{
	size_t len;
	char *word;
	int rc = 0;

	for (; words && rc >= 0; words = words[len] ? words + len + 1 : NULL) {
		len = strcspn(words, ",");
		word = len ? pfx_strndup(words, len) : pfx_strdup("/");
		if (strpbrk(word, "{}[]()|*+?^$"))
			rc = add_matching(ret, word, root, err);
		else
			add(ret, word);
		free(word);
	}
	return rc;
}

void pfx_cgroup_names_fini(struct pfx_cgroup_names *names)
{
	size_t i;

	for (i = 0; i < names->names.nr; i++)
		free(names->names.at[i]);
	pfx_vec_free(&names->names);
}

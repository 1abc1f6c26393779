/* SPDX-License-Identifier: MIT */
/*
 * The objects of a vendor's JSON file as pairs of texts, by json-c. The file is untrusted: its
 * size, depth and counts are bounded.
 */
#include <errno.h>
#include <json-c/json.h>

#include "base/str.h"
#include "pmu/vendor/vendor_internal.h"

/* Numbers and words are kept as text; nested values are skipped. */
static void keep_object(struct json_object *from, struct pfx_arena *arena,
			struct pfx_vendor_objects *to)
{
	size_t room = (size_t)json_object_object_length(from), nr = 0;
	struct pfx_vendor_pair *pairs;

	if (room > PFX_VENDOR_KEYS_MAX)
		room = PFX_VENDOR_KEYS_MAX;
	pairs = pfx_arena_array(arena, struct pfx_vendor_pair, room + 1);
	json_object_object_foreach(from, key, value)
	{
		if (nr == room)
			break;
		if (!value || json_object_is_type(value, json_type_object) ||
		    json_object_is_type(value, json_type_array))
			continue;
		pairs[nr].key = pfx_arena_strdup(arena, key);
		pairs[nr++].value = pfx_arena_strdup(arena, json_object_get_string(value));
	}
	pfx_vec_push(&to->list, ((struct pfx_vendor_object){pairs, nr, 0}));
}

static int keep_list(struct json_object *list, const char *path, struct pfx_arena *arena,
		     struct pfx_vendor_objects *to, struct pfx_error *err)
{
	size_t nr = json_object_array_length(list), i;
	struct json_object *object;
	char shown[256];

	if (nr > PFX_VENDOR_ROWS_MAX)
		return pfx_error_set(err, EFBIG, "'%s' has %zu events, more than %d",
				     pfx_escape(shown, sizeof(shown), path), nr,
				     PFX_VENDOR_ROWS_MAX);
	for (i = 0; i < nr; i++) {
		object = json_object_array_get_idx(list, i);
		if (json_object_is_type(object, json_type_object))
			keep_object(object, arena, to);
	}
	return 0;
}

static int keep_root(struct json_object *root, const char *path, struct pfx_arena *arena,
		     struct pfx_vendor_objects *to, struct pfx_error *err)
{
	struct json_object *list = root;

	if (json_object_is_type(root, json_type_object) &&
	    !json_object_object_get_ex(root, "Events", &list))
		return 0;
	if (!json_object_is_type(list, json_type_array))
		return 0;
	return keep_list(list, path, arena, to, err);
}

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1, i;

	for (i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

static int bad_json(const char *text, const char *path, struct json_tokener *tokener,
		    struct pfx_error *err)
{
	enum json_tokener_error why = json_tokener_get_error(tokener);
	char shown[256];

	return pfx_error_set(
		err, EBADMSG, "%s:%zu: not valid JSON: %s", pfx_escape(shown, sizeof(shown), path),
		line_of(text, json_tokener_get_parse_end(tokener)),
		why == json_tokener_continue ? "it ends too early" : json_tokener_error_desc(why));
}

/* The end of the string that begins at @at. */
static size_t end_of_string(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at;
}

/* Set the lines where the objects of the list begin; json-c does not keep them. The objects are
 * those directly in a list, which is the whole text or a value of the whole. */
static void set_lines(const char *text, size_t size, struct pfx_vendor_object *objects, size_t nr)
{
	size_t line = 1, depth = 0, list = 0, found = 0, at;

	for (at = 0; at < size && found < nr; at++) {
		char c = text[at];

		line += c == '\n';
		if (c == '"')
			at = end_of_string(text, size, at);
		if (c == '{' && list && depth == list)
			objects[found++].line = line;
		if (c == '[' && depth < 2)
			list = depth + 1;
		depth += c == '{' || c == '[';
		depth -= depth && (c == '}' || c == ']');
		if (depth < list)
			list = 0;
	}
}

int pfx_vendor_parse_json(const char *text, size_t size, const char *path, struct pfx_arena *arena,
			  struct pfx_vendor_objects *ret, struct pfx_error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(PFX_VENDOR_JSON_DEPTH);
	struct json_object *root = NULL;
	size_t first = ret->list.nr;
	int rc;

	if (tokener)
		root = json_tokener_parse_ex(tokener, text, (int)size);
	if (root)
		rc = keep_root(root, path, arena, ret, err);
	else
		rc = tokener ? bad_json(text, path, tokener, err) : -ENOMEM;
	if (rc >= 0 && ret->list.nr > first)
		set_lines(text, size, ret->list.at + first, ret->list.nr - first);
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
	return rc;
}

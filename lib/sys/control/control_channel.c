/* SPDX-License-Identifier: MIT */
/*
 * The channel of --control: descriptors or named pipes, for lines of commands and for answers. The
 * listener executes the commands.
 */
#include "sys/control/control_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"

/* The answer to an executed command; perf sends the NUL, too. */
static const char ack[] = "ack\n";

/* "3" or "3,4" */
static bool is_fds(const char *word)
{
	uint64_t fd;
	size_t len = strcspn(word, ",");
	char copy[16];

	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, word, len);
	copy[len] = '\0';
	if (!pfx_parse_u64(copy, &fd) || fd > INT_MAX)
		return false;
	return !word[len] || (pfx_parse_u64(word + len + 1, &fd) && fd <= INT_MAX);
}

int pfx_control_channel_check(const char *words, struct pfx_error *err)
{
	char shown[128];

	if ((strncmp(words, "fd:", 3) == 0 && is_fds(words + 3)) ||
	    (strncmp(words, "fifo:", 5) == 0 && words[5] && words[5] != ','))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a control channel",
		      pfx_escape(shown, sizeof(shown), words));
	pfx_error_hint(err,
		       "give --control fd:N[,M] or --control fifo:PATH[,PATH], the second one for "
		       "answers");
	return -EINVAL;
}

static int open_fifo(const char *path, int *ret_fd, struct pfx_error *err)
{
	char shown[256];

	*ret_fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	pfx_error_sys(err, errno, "cannot open '%s' for --control",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "make it with mkfifo");
	return -err->code;
}

static int open_fifos(struct pfx_control_channel *channel, const char *words, struct pfx_error *err)
{
	const char *comma = strchr(words, ',');
	char *first = comma ? pfx_strndup(words, (size_t)(comma - words)) : pfx_strdup(words);
	int rc = open_fifo(first, &channel->fd, err);

	channel->own_fds = true;
	free(first);
	return rc < 0 || !comma ? rc : open_fifo(comma + 1, &channel->ack_fd, err);
}

static int take_fds(struct pfx_control_channel *channel, const char *words, struct pfx_error *err)
{
	const char *comma = strchr(words, ',');
	int flags;

	channel->fd = atoi(words);
	channel->ack_fd = comma ? atoi(comma + 1) : -1;
	flags = fcntl(channel->fd, F_GETFL);
	if (flags < 0 || (comma && fcntl(channel->ack_fd, F_GETFL) < 0))
		return pfx_error_set(err, EBADF, "--control: descriptor %d is not open",
				     flags < 0 ? channel->fd : channel->ack_fd);
	fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK);
	return 0;
}

int pfx_control_channel_open(struct pfx_control_channel *channel, const char *words,
			     struct pfx_error *err)
{
	channel->fd = channel->ack_fd = -1;
	if (!words)
		return 0;
	if (strncmp(words, "fd:", 3) == 0)
		return take_fds(channel, words + 3, err);
	return open_fifos(channel, words + 5, err);
}

void pfx_control_channel_close(struct pfx_control_channel *channel)
{
	if (!channel->own_fds)
		return;
	if (channel->fd >= 0)
		close(channel->fd);
	if (channel->ack_fd >= 0)
		close(channel->ack_fd);
	channel->own_fds = false;
}

static void take_line(const struct pfx_control_channel *channel,
		      const struct pfx_control_listener *to, char *line)
{
	size_t len = strlen(line);

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		line[--len] = '\0';
	if (!len)
		return;
	if (!to->obey(to->context, line))
		to->tell(to->context, PFX_CONTROL_UNKNOWN, line);
	else if (channel->ack_fd >= 0 &&
		 write(channel->ack_fd, ack, sizeof(ack)) != (ssize_t)sizeof(ack))
		to->tell(to->context, PFX_CONTROL_UNANSWERED, line);
}

/* Split the input into lines; lines too long for a command are dropped. */
static void take_bytes(struct pfx_control_channel *channel, const struct pfx_control_listener *to,
		       const char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (bytes[i] && bytes[i] != '\n') {
			channel->line[channel->len] = bytes[i];
			channel->len += channel->len + 1 < sizeof(channel->line);
			continue;
		}
		channel->line[channel->len] = '\0';
		channel->len = 0;
		take_line(channel, to, channel->line);
	}
}

bool pfx_control_channel_read(struct pfx_control_channel *channel,
			      const struct pfx_control_listener *to)
{
	char bytes[512];
	ssize_t size;

	do {
		size = read(channel->fd, bytes, sizeof(bytes));
		if (size > 0)
			take_bytes(channel, to, bytes, (size_t)size);
	} while (size > 0 || (size < 0 && errno == EINTR));
	if (size == 0)
		take_bytes(channel, to, "\n", 1); /* the last command may lack its newline */
	return size != 0;
}

const char *pfx_control_words(const char *line, const char *command)
{
	size_t len = strlen(command);

	if (strncmp(line, command, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + strspn(line + len, " ");
}

bool pfx_control_is_list_form(const char *words)
{
	return !*words || (words[0] == '-' && words[1] && strchr("vgF", words[1]) && !words[2]);
}

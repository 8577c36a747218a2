/* SPDX-License-Identifier: BSD-2-Clause */
/* serve.c - connections, answers, and the text that they share. */
#include "export/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "export/export.h"
#include "rocetune/err.h"

#define SECOND_NS INT64_C(1000000000)
#define MS_NS     INT64_C(1000000)

/* A text of a snapshot; answers that are on their way hold it. */
struct page {
	unsigned holders;
	char *text; /* owned */
	size_t bytes;
};

/* Since when a connection owes a whole request, or takes its answer. */
struct slot {
	int fd; /* -1: it is free */
	int64_t since_ns;
};

struct rt_server {
	struct MHD_Daemon *daemon;
	struct rt_bearer token;
	const struct rt_watch_snapshot *snapshot; /* NULL: none yet */
	const struct rt_totals *totals;
	int64_t taken_ns;
	struct page *pages[2]; /* of the snapshot, by whether it is OpenMetrics */
	struct slot slots[RT_SERVE_CONNECTIONS];
};

/* --- pages --------------------------------------------------------------------------------- */

static void release_page(void *context)
{
	struct page *page = context;

	if (!page || --page->holders)
		return;
	free(page->text);
	free(page);
}

/* Made when somebody asks, once for each snapshot.  NULL: no memory. */
static struct page *take_page(struct rt_server *server, bool open_metrics)
{
	struct page **at = &server->pages[open_metrics], *page = *at;

	if (!page) {
		page = calloc(1, sizeof(*page));
		if (!page ||
		    rt_export_text(server->snapshot, server->totals, open_metrics,
				   &page->text, &page->bytes, NULL) < 0) {
			free(page);
			return NULL;
		}
		page->holders = 1;
		*at = page;
	}
	page->holders++;
	return page;
}

static void drop_pages(struct rt_server *server)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(server->pages); i++)
		release_page(rt_steal(&server->pages[i]));
}

void rt_server_set(struct rt_server *server, const struct rt_watch_snapshot *snapshot,
		   const struct rt_totals *totals, int64_t taken_ns)
{
	drop_pages(server);
	server->snapshot = snapshot;
	server->totals = totals;
	server->taken_ns = taken_ns;
}

/* --- answers ------------------------------------------------------------------------------- */

static struct MHD_Response *respond_metrics(struct rt_server *server, bool open_metrics)
{
	struct page *page = server->snapshot ? take_page(server, open_metrics) : NULL;
	struct MHD_Response *response;
	char age[24];

	if (!page)
		return NULL;
	response = MHD_create_response_from_buffer_with_free_callback_cls(
		page->bytes, page->text, release_page, page);
	if (!response) {
		release_page(page);
		return NULL;
	}
	snprintf(age, sizeof(age), "%" PRId64,
		 (rt_monotonic_ns() - server->taken_ns) / SECOND_NS);
	MHD_add_response_header(response, MHD_HTTP_HEADER_AGE, age);
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept");
	MHD_add_response_header(
		response, MHD_HTTP_HEADER_CONTENT_TYPE,
		open_metrics
			? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			: "text/plain; version=0.0.4; charset=utf-8");
	return response;
}

static struct MHD_Response *respond_text(const char *text, const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return response;
}

static struct MHD_Response *respond_error(unsigned status)
{
	static const struct {
		unsigned status;
		const char *text, *header, *value;
	} rows[] = {
		{ 401, "The bearer token is wanted.\n",
		  MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"rocetune\"" },
		{ 404, "It is at /metrics.\n", NULL, NULL },
		{ 405, "GET and HEAD, no other.\n", MHD_HTTP_HEADER_ALLOW,
		  "GET, HEAD" },
		{ 413, "Nothing is taken here.\n", MHD_HTTP_HEADER_CONNECTION,
		  "close" },
		{ 503, "No sample yet, or no memory.\n", MHD_HTTP_HEADER_RETRY_AFTER,
		  "1" },
	};
	struct MHD_Response *response;
	size_t i = 0;

	while (i + 1 < RT_ARRAY_SIZE(rows) && rows[i].status != status)
		i++;
	response = respond_text(rows[i].text, "text/plain; charset=utf-8");
	if (response && rows[i].header)
		MHD_add_response_header(response, rows[i].header, rows[i].value);
	return response;
}

static struct MHD_Response *respond(struct rt_server *server, struct rt_answer *answer)
{
	static const char page[] = "<!DOCTYPE html>\n<title>rocetune</title>\n"
				   "<p><a href=\"/metrics\">Metrics</a>\n";
	struct MHD_Response *response;

	if (answer->body == RT_ANSWER_PAGE)
		return respond_text(page, "text/html; charset=utf-8");
	if (answer->body == RT_ANSWER_ERROR)
		return respond_error(answer->status);
	response = respond_metrics(server, answer->open_metrics);
	if (response)
		return response;
	answer->status = 503;
	return respond_error(503);
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* A request is answered when it is whole; one with a body is not waited for. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
			      const char *url, const char *method, const char *version,
			      const char *data, size_t *data_bytes, void **seen)
{
	static char was_seen;
	struct rt_server *server = context;
	const char *length = header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	const struct rt_request request = {
		.method = method,
		.path = url,
		.accept = header_of(connection, MHD_HTTP_HEADER_ACCEPT),
		.authorization = header_of(connection, MHD_HTTP_HEADER_AUTHORIZATION),
		.has_body = (length && strcmp(length, "0") != 0) ||
			    header_of(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING),
	};
	struct rt_answer answer;
	struct MHD_Response *response;
	enum MHD_Result result;

	(void)version;
	(void)data;
	if (!*seen && !request.has_body) {
		*seen = &was_seen;
		return MHD_YES;
	}
	if (*data_bytes)
		return MHD_NO;
	answer = rt_request_answer(&request, &server->token);
	response = respond(server, &answer);
	if (!response)
		return MHD_NO;
	result = MHD_queue_response(connection, answer.status, response);
	MHD_destroy_response(response);
	return result;
}

/* Paths are compared as they came: no byte of 0 ends one early. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

/* --- connections --------------------------------------------------------------------------- */

static void start(struct rt_server *server, struct MHD_Connection *connection,
		  void **ret_slot)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	for (size_t i = 0; info && i < RT_ARRAY_SIZE(server->slots); i++)
		if (server->slots[i].fd < 0) {
			server->slots[i] = (struct slot){ info->connect_fd,
							  rt_monotonic_ns() };
			*ret_slot = &server->slots[i];
			return;
		}
}

static void notice(void *context, struct MHD_Connection *connection, void **slot,
		   enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		start(context, connection, slot);
	else if (*slot)
		((struct slot *)*slot)->fd = -1;
}

/* The next request has its own time. */
static void completed(void *context, struct MHD_Connection *connection, void **seen,
		      enum MHD_RequestTerminationCode how)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	(void)context;
	(void)seen;
	(void)how;
	if (info && info->socket_context)
		((struct slot *)info->socket_context)->since_ns = rt_monotonic_ns();
}

/* Who sends a byte now and then is never silent. */
static void end_late(struct rt_server *server, int64_t now_ns)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(server->slots); i++) {
		struct slot *slot = &server->slots[i];

		if (slot->fd >= 0 && now_ns - slot->since_ns >= RT_SERVE_LATE_NS) {
			shutdown(slot->fd, SHUT_RDWR);
			slot->since_ns = now_ns;
		}
	}
}

static int64_t first_late_ns(const struct rt_server *server)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < RT_ARRAY_SIZE(server->slots); i++)
		if (server->slots[i].fd >= 0 &&
		    server->slots[i].since_ns + RT_SERVE_LATE_NS < first_ns)
			first_ns = server->slots[i].since_ns + RT_SERVE_LATE_NS;
	return first_ns;
}

/* --- the loop's side ----------------------------------------------------------------------- */

int rt_server_open(int fd, const struct rt_bearer *token, struct rt_server **ret_server,
		   struct rt_err *err)
{
	struct rt_server *server = calloc(1, sizeof(*server));

	if (!server) {
		close(fd);
		return rt_err_sys(err, -ENOMEM, "cannot serve");
	}
	server->token = *token;
	for (size_t i = 0; i < RT_ARRAY_SIZE(server->slots); i++)
		server->slots[i].fd = -1;
	server->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET,
		fd, MHD_OPTION_CONNECTION_LIMIT, RT_SERVE_CONNECTIONS,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, RT_SERVE_PER_ADDRESS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)RT_SERVE_REQUEST_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, RT_SERVE_IDLE_S,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
		keep_escapes, NULL, MHD_OPTION_NOTIFY_CONNECTION, notice, server,
		MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
	if (!server->daemon) {
		close(fd);
		free(server);
		return rt_err_set(err, -EIO, "cannot serve: libmicrohttpd refuses");
	}
	*ret_server = server;
	return 0;
}

void rt_server_close(struct rt_server *server)
{
	if (!server)
		return;
	MHD_stop_daemon(server->daemon);
	drop_pages(server);
	free(server);
}

int rt_server_fd(const struct rt_server *server)
{
	return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

uint64_t rt_server_wait_ns(const struct rt_server *server, int64_t now_ns)
{
	const int64_t late_ns = first_late_ns(server) - now_ns;
	uint64_t wait_ns = late_ns > 0 ? (uint64_t)late_ns : 0;
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(server->daemon, &ms) == MHD_YES && ms * MS_NS < wait_ns)
		wait_ns = ms * MS_NS;
	return wait_ns;
}

void rt_server_run(struct rt_server *server, int64_t now_ns)
{
	end_late(server, now_ns);
	MHD_run(server->daemon);
}

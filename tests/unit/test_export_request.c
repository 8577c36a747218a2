/* SPDX-License-Identifier: BSD-2-Clause */
/* What the exporter answers to whom, where it listens, and the file it writes. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/own.h"
#include "export/export.h"
#include "export/listen.h"
#include "export/request.h"
#include "export/textfile.h"
#include "rocetune/err.h"

#define TOKEN "0123456789abcdef-._~+/=="

/* --- answers ------------------------------------------------------------------------------- */

static void test_paths_and_methods(void **state)
{
	static const struct {
		const char *method, *path;
		unsigned status;
		enum rt_answer_body body;
		bool has_body;
	} cases[] = {
		{ "GET", "/metrics", 200, RT_ANSWER_METRICS, false },
		{ "HEAD", "/metrics", 200, RT_ANSWER_METRICS, false },
		{ "GET", "/", 200, RT_ANSWER_PAGE, false },
		{ "GET", "/metrics/", 404, RT_ANSWER_ERROR, false },
		{ "GET", "/../metrics", 404, RT_ANSWER_ERROR, false },
		{ "GET", "", 404, RT_ANSWER_ERROR, false },
		{ "GET", "*", 404, RT_ANSWER_ERROR, false },
		{ "POST", "/metrics", 405, RT_ANSWER_ERROR, false },
		{ "POST", "/metrics", 405, RT_ANSWER_ERROR, true },
		{ "get", "/metrics", 405, RT_ANSWER_ERROR, false },
		{ "", "", 405, RT_ANSWER_ERROR, false },
		{ "GET", "/metrics", 413, RT_ANSWER_ERROR, true },
	};
	const struct rt_bearer nobody = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_request request = { .method = cases[i].method,
						    .path = cases[i].path,
						    .has_body = cases[i].has_body };
		const struct rt_answer answer = rt_request_answer(&request, &nobody);

		print_message("# %s %s: %u\n", cases[i].method, cases[i].path,
			      answer.status);
		assert_int_equal(answer.status, cases[i].status);
		assert_int_equal(answer.body, cases[i].body);
		assert_false(answer.open_metrics);
	}
}

static void test_formats_by_accept(void **state)
{
	static const struct {
		const char *accept;
		bool open;
	} cases[] = {
		{ NULL, false },
		{ "", false },
		{ "*/*", false },
		{ "text/plain", false },
		{ "application/openmetrics-text", true },
		{ "Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", true },
		/* Prometheus 2.42, as Debian 12 has it. */
		{ "application/openmetrics-text;version=1.0.0,"
		  "application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  true },
		/* Prometheus 3. */
		{ "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q="
		  "0.6,"
		  "application/openmetrics-text;version=0.0.1;q=0.5,text/"
		  "plain;version=1.0.0;"
		  "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		  true },
		/* Its preference for the older format. */
		{ "text/plain;version=0.0.4;q=0.6,application/"
		  "openmetrics-text;version=1.0.0;q=0.5",
		  false },
		{ "application/openmetrics-text;version=0.0.1", false },
		{ "application/openmetrics-text;version=2.0.0", false },
		{ "application/openmetrics-text,text/plain", true },
		{ "application/openmetrics-text;q=0", false },
		{ "application/openmetrics-text;q=0.000", false },
		{ "application/openmetrics-text;q=0.001", true },
		{ "application/openmetrics-text;q=rubbish", false },
		{ "application/openmetrics-text;q=-1", false },
		{ "application/openmetrics-text;q=9", false },
		{ "application/openmetrics-text;q=", false },
		{ ",,; ;=,application/openmetrics-text ;q=0.9 , ,", true },
		{ "application/openmetrics-textual", false },
		{ "xapplication/openmetrics-text", false },
		{ "application/openmetrics-text;version=\"1.0.0\"", true },
	};
	const struct rt_bearer nobody = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_request request = { .method = "GET",
						    .path = "/metrics",
						    .accept = cases[i].accept };

		print_message("# %s\n", cases[i].accept ? cases[i].accept : "(none)");
		assert_int_equal(rt_request_answer(&request, &nobody).open_metrics,
				 cases[i].open);
	}
}

static void test_only_who_has_the_token_is_answered(void **state)
{
	static const struct {
		const char *authorization;
		unsigned status;
	} cases[] = {
		{ "Bearer " TOKEN, 200 },
		{ "bearer   " TOKEN, 200 },
		{ NULL, 401 },
		{ "", 401 },
		{ "Bearer", 401 },
		{ "Bearer ", 401 },
		{ "Basic " TOKEN, 401 },
		{ "Bearer" TOKEN, 401 },
		{ TOKEN, 401 },
		{ "Bearer " TOKEN "=", 401 },
		{ "Bearer " TOKEN " ", 401 },
		{ "Bearer 0123456789abcdef-._~+/=", 401 },
		{ "Bearer 0123456789abcdeF-._~+/==", 401 },
	};
	struct rt_bearer bearer = { 0 };

	(void)state;
	assert_int_equal(
		rt_bearer_set("file", TOKEN "\r\n", strlen(TOKEN) + 2, &bearer, NULL),
		0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_request request = { .method = "GET",
						    .path = i % 2 ? "/metrics" : "/",
						    .authorization =
							    cases[i].authorization };

		assert_int_equal(rt_request_answer(&request, &bearer).status,
				 cases[i].status);
	}
}

static void test_a_token_is_a_secret_of_one_line(void **state)
{
	static const struct {
		const char *text;
		int result;
	} cases[] = {
		{ TOKEN, 0 },
		{ TOKEN "\n", 0 },
		{ "", -EINVAL },
		{ "\n", -EINVAL },
		{ "short", -EINVAL },
		{ "0123456789abcdef\n0123456789abcdef\n", -EINVAL },
		{ "0123456789 abcdef0", -EINVAL },
		{ "=0123456789abcdef0", -EINVAL },
		{ "================", -EINVAL },
		{ "0123456789\xc3\xa4"
		  "abcdef0",
		  -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_bearer bearer = { 0 };
		struct rt_err err = { 0 };
		const int r = rt_bearer_set("/x/token", cases[i].text,
					    strlen(cases[i].text), &bearer, &err);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(bearer.wanted, r == 0);
		assert_int_equal(err.code, r);
		/* Said is where, and never what. */
		assert_null(strstr(err.msg, "abcdef"));
	}
}

static void test_a_token_that_everybody_reads_is_refused(void **state)
{
	char path[] = "/tmp/rt-token-XXXXXX";
	struct rt_bearer bearer = { 0 };
	struct rt_err err = { 0 };
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, TOKEN "\n", strlen(TOKEN) + 1), strlen(TOKEN) + 1);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(rt_bearer_read(path, &bearer, &err), -EPERM);
	assert_non_null(strstr(err.msg, "chmod"));
	assert_int_equal(fchmod(fd, 0640), 0);
	assert_int_equal(rt_bearer_read(path, &bearer, NULL), 0);
	assert_true(bearer.wanted);
	unlink(path);
	assert_int_equal(rt_bearer_read(path, &bearer, NULL), -ENOENT);
	close(fd);
}

/* --- places -------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
	static const struct {
		const char *text, *where; /* where: as far as the port, which is any */
		int result;
	} cases[] = {
		{ "127.0.0.1:0", "http://127.0.0.1:", 0 },
		{ ":0", "http://127.0.0.1:", 0 },
		{ "0.0.0.0:0", "http://0.0.0.0:", 0 },
		{ "localhost:0", "", -EINVAL },
		{ "127.0.0.1:", "", -EINVAL },
		{ "127.0.0.1:65536", "", -EINVAL },
		{ "127.0.0.1:-1", "", -EINVAL },
		{ "127.0.0.1:80x", "", -EINVAL },
		{ "127.0.0.1:18446744073709551617", "", -EINVAL },
		{ "[::1", "", -EINVAL },
		{ "[::1]0", "", -EINVAL },
		{ "[::1]x:0", "", -EINVAL },
		{ "1.2.3:0", "", -EINVAL },
		{ "0123456789012345678901234567890123456789012345678901234567890123:0",
		  "", -EINVAL },
		{ "192.0.2.1:0", "", -EADDRNOTAVAIL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char where[RT_WHERE_BYTES] = "";
		struct rt_err err = { 0 };
		const int fd = rt_listen_tcp(cases[i].text, where, &err);

		print_message("# '%s': %s %s\n", cases[i].text, where, err.msg);
		assert_int_equal(fd < 0 ? fd : 0, cases[i].result);
		assert_int_equal(strncmp(where, cases[i].where, strlen(cases[i].where)),
				 0);
		if (fd >= 0)
			close(fd);
	}
}

static void test_ipv6_where_there_is_some(void **state)
{
	char where[RT_WHERE_BYTES] = "";
	const int fd = rt_listen_tcp("[::1]:0", where, NULL);

	(void)state;
	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL) {
		print_message("# skipped: no IPv6 here\n");
		skip();
	}
	assert_true(fd >= 0);
	assert_int_equal(strncmp(where, "http://[::1]:", 13), 0);
	close(fd);
}

static int make_folder(void **state)
{
	char *folder = strdup("/tmp/rt-export-XXXXXX");

	*state = folder && mkdtemp(folder) ? folder : NULL;
	return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
	const int r = rmdir(*state);

	free(*state);
	return r;
}

static void test_a_unix_socket_takes_the_place_of_a_dead_one(void **state)
{
	char path[80], where[RT_WHERE_BYTES];
	struct stat status;
	int first, second;

	snprintf(path, sizeof(path), "%s/s", (char *)*state);
	first = rt_listen_unix(path, NULL, where, NULL);
	assert_true(first >= 0);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISSOCK(status.st_mode));
	assert_int_equal(status.st_mode & 07777, 0660);
	/* It lives. */
	assert_int_equal(rt_listen_unix(path, NULL, where, NULL), -EADDRINUSE);
	close(first);
	second = rt_listen_unix(path, NULL, where, NULL);
	assert_true(second >= 0);
	close(second);
	rt_listen_forget(path);
	assert_int_equal(lstat(path, &status), -1);
}

static void test_what_is_no_socket_stays(void **state)
{
	char path[80], where[RT_WHERE_BYTES];
	struct rt_err err = { 0 };
	FILE *file;

	snprintf(path, sizeof(path), "%s/s", (char *)*state);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(rt_listen_unix(path, NULL, where, &err), -EEXIST);
	rt_listen_forget(path);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	/* Nor is a link to nowhere followed. */
	assert_int_equal(symlink("/tmp/rt-export-nowhere", path), 0);
	assert_int_equal(rt_listen_unix(path, NULL, where, &err), -EEXIST);
	assert_int_equal(unlink(path), 0);
}

static void test_a_socket_of_another_kind_is_somebodys(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char where[RT_WHERE_BYTES];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", (char *)*state);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(rt_listen_unix(address.sun_path, NULL, where, NULL),
			 -EADDRINUSE);
	assert_int_equal(unlink(address.sun_path), 0);
	close(fd);
}

static void test_paths_of_sockets_are_short(void **state)
{
	char path[200], where[RT_WHERE_BYTES];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(rt_listen_unix(path, NULL, where, NULL), -ENAMETOOLONG);
	assert_int_equal(rt_listen_unix("", NULL, where, NULL), -ENAMETOOLONG);
}

/* --- files --------------------------------------------------------------------------------- */

static void test_node_exporter_would_read_it(void **state)
{
	static const struct {
		const char *path;
		int result;
	} cases[] = {
		{ "x.prom", 0 },       { "/a/b.c/x.prom", 0 },
		{ "x.txt", -EINVAL },  { "/a/b.prom/", -EINVAL },
		{ ".prom", -EINVAL },  { "/a/.prom", -EINVAL },
		{ "x.PROM", -EINVAL }, { "", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };

		assert_int_equal(rt_textfile_check(cases[i].path, &err),
				 cases[i].result);
		assert_true(err.code == 0 || strstr(err.msg, ".prom"));
	}
}

static void test_a_file_is_replaced_whole(void **state)
{
	char path[80], part[120], got[16] = "";
	const mode_t before = umask(0077);
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "%s/x.prom", (char *)*state);
	snprintf(part, sizeof(part), "%s/.x.prom.%d", (char *)*state, (int)getpid());
	/* What was left by a process that died. */
	file = fopen(part, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(rt_textfile_write(path, "old\n", 4, NULL), 0);
	assert_int_equal(rt_textfile_write(path, "new\n", 4, NULL), 0);
	umask(before);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(got, 1, sizeof(got), file), 4);
	assert_string_equal(got, "new\n");
	fclose(file);
	assert_int_equal(lstat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	assert_int_equal(access(part, F_OK), -1);
	unlink(path);
}

static void test_a_file_that_cannot_be_leaves_nothing(void **state)
{
	char path[80], part[120];
	struct rt_err err = { 0 };

	snprintf(path, sizeof(path), "%s/x.prom", (char *)*state);
	snprintf(part, sizeof(part), "%s/.x.prom.%d", (char *)*state, (int)getpid());
	assert_int_equal(rt_textfile_write("/nonexistent/x.prom", "x", 1, &err),
			 -ENOENT);
	/* The place is a folder's. */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(rt_textfile_write(path, "x", 1, &err) < 0);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(rmdir(path), 0);
}

#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

RT_UNIT_MAIN(cmocka_unit_test(test_paths_and_methods),
	     cmocka_unit_test(test_formats_by_accept),
	     cmocka_unit_test(test_only_who_has_the_token_is_answered),
	     cmocka_unit_test(test_a_token_is_a_secret_of_one_line),
	     cmocka_unit_test(test_a_token_that_everybody_reads_is_refused),
	     cmocka_unit_test(test_addresses),
	     cmocka_unit_test(test_ipv6_where_there_is_some),
	     IN_FOLDER(test_a_unix_socket_takes_the_place_of_a_dead_one),
	     IN_FOLDER(test_what_is_no_socket_stays),
	     IN_FOLDER(test_a_socket_of_another_kind_is_somebodys),
	     cmocka_unit_test(test_paths_of_sockets_are_short),
	     cmocka_unit_test(test_node_exporter_would_read_it),
	     IN_FOLDER(test_a_file_is_replaced_whole),
	     IN_FOLDER(test_a_file_that_cannot_be_leaves_nothing))

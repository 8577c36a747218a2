/* SPDX-License-Identifier: BSD-2-Clause */
/* check_lldp.c - who was heard by LLDP: live, in a capture, by lldpd. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/own.h"
#include "model/dcbx.h"
#include "pktio/lldp_listen.h"
#include "rocetune/err.h"
#include "run/check_parts.h"
#include "run/program.h"
#include "wire/lldp_peers.h"

#define ANSWER_MAX_MS 5000

int rt_check_ask_lldpd(struct rt_lldp_peers *peers, struct rt_err *err)
{
	static const char *const argv[] = { "lldpcli",   "-f",      "json", "show",
					    "neighbors", "details", NULL };
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	RT_AUTO(rt_auto_free) char *text = NULL;
	int r = rt_program_read(argv, ANSWER_MAX_MS, RT_DOC_MAX_BYTES, &text, err);

	if (r == 0)
		r = rt_doc_parse("lldpcli", text, strlen(text), &doc, err);
	return r < 0 ? r : rt_lldpcli_read(doc, peers, err);
}

/* --- sources ------------------------------------------------------------------------------ */

static bool heard_on(const struct rt_lldp_peers *peers, const char *netdev)
{
	for (size_t i = 0; i < peers->count; i++)
		if (strcmp(peers->items[i].interface, netdev) == 0)
			return true;
	return false;
}

static bool heard_on_all(const struct rt_lldp_peers *peers, const char *const *netdevs,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!heard_on(peers, netdevs[i]))
			return false;
	return true;
}

static int listen_live(const struct rt_check_request *request,
		       const char *const *netdevs, size_t count,
		       struct rt_lldp_peers *peers, struct rt_err *err)
{
	/* That lldpd is not there, or says what is not understood, is no failure. */
	if (rt_check_ask_lldpd(peers, NULL) == 0 && heard_on_all(peers, netdevs, count))
		return 0;
	if (request->listening)
		request->listening(request->user, RT_LLDP_LISTEN_MS);
	return rt_lldp_listen(netdevs, count, RT_LLDP_LISTEN_MS, peers, err);
}

/* No capture begins with a bracket or blanks; of a pipe nothing may be taken. */
static bool is_json(const char *path)
{
	RT_AUTO(rt_auto_fclose) FILE *file = NULL;
	struct stat is;
	int c;

	if (strcmp(path, "-") == 0 || (stat(path, &is) == 0 && !S_ISREG(is.st_mode)))
		return true;
	file = fopen(path, "rb");
	if (!file)
		return false;
	do
		c = getc(file);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	return c == '{' || c == '[';
}

static int read_file(const char *path, struct rt_lldp_peers *peers, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r;

	if (!is_json(path))
		return rt_lldp_read_capture(path, peers, err);
	r = rt_doc_read(path, &doc, err);
	return r < 0 ? r : rt_lldpcli_read(doc, peers, err);
}

int rt_check_hear(const struct rt_check_request *request, const char *const *netdevs,
		  size_t count, struct rt_lldp_peers *ret_peers, struct rt_err *err)
{
	int r;

	if (strcmp(request->lldp, "live") == 0)
		return listen_live(request, netdevs, count, ret_peers, err);
	r = read_file(request->lldp, ret_peers, err);
	if (r == 0 && !ret_peers->count)
		r = rt_err_set(err, -ENODATA, "--lldp %s: there is no LLDP in it",
			       rt_file_name(request->lldp));
	return r;
}

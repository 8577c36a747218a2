/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_meet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hostlist.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "run/lab_env.h"
#include "run/stress_plan.h"
#include "traffic/module.h"
#include "traffic/rendezvous.h"
#include "traffic/tcp.h"

#define LOOK_NS INT64_C(200000000) /* how often somebody who waits looks up */

bool rt_stress_is_launched(void)
{
	return getenv("PMIX_RANK") != NULL;
}

static int run_launched(const struct rt_stress_asked *asked,
			struct rt_outcome *ret_outcome, struct rt_err *err)
{
	const struct rt_module *module;
	struct rt_rendezvous *rendezvous;
	int r = rt_module_open("pmix", &module, err);

	if (r < 0)
		return r;
	if (!module->join)
		return rt_err_set(err, -ELIBBAD, "the pmix module cannot join");
	r = module->join(&rendezvous, err);
	if (r < 0)
		return r;
	if (rendezvous->root)
		r = rt_run_stress(rendezvous, asked, ret_outcome, err);
	else
		r = rt_agent_run(rendezvous, asked->own, err);
	rendezvous->ops->close(rendezvous);
	return r;
}

/* --- a coordinator ---------------------------------------------------------------- */

static void note(const struct rt_stress_meeting *meeting, const char *text)
{
	if (meeting->note)
		meeting->note(meeting->context, text);
}

/* The token there is, or a fresh one, which people must then carry to the agents. */
static int get_token(const struct rt_stress_meeting *meeting,
		     struct rt_token *ret_token, bool *ret_fresh, struct rt_err *err)
{
	int r = rt_token_read(meeting->token_file, ret_token, err);

	*ret_fresh = r == -ENOENT && !meeting->token_file;
	return *ret_fresh ? rt_token_new(ret_token, err) : r;
}

/* Where to dial: a host that listens everywhere is called by its name. */
static void dial_address(const struct rt_rendezvous *root, char *text, size_t bytes)
{
	const char *address = rt_tcp_address(root);
	const char *port = strrchr(address, ':');
	char host[256] = "";

	if ((strncmp(address, "0.0.0.0:", 8) == 0 ||
	     strncmp(address, "[::]:", 5) == 0) &&
	    gethostname(host, sizeof(host) - 1) == 0)
		snprintf(text, bytes, "%s%s", host, port);
	else
		snprintf(text, bytes, "%s", address);
}

static void tell_way(const struct rt_stress_meeting *meeting,
		     const struct rt_rendezvous *root, const struct rt_token *token,
		     bool fresh)
{
	char text[RT_ERR_MSG_BYTES + 300], address[300];

	dial_address(root, address, sizeof(address));
	snprintf(text, sizeof(text),
		 "waiting for %u hosts: %s%s%srocetune agent --join %s", root->size,
		 fresh ? RT_TOKEN_ENVIRONMENT "=" : "", fresh ? token->text : "",
		 fresh ? " " : "", address);
	note(meeting, text);
}

/* In short waits, so that who has had enough is heard. */
static int wait_for_all(const struct rt_stress_meeting *meeting,
			struct rt_rendezvous *root, const struct rt_stress_watch *watch,
			struct rt_err *err)
{
	const int64_t until_ns = rt_monotonic_ns() + (int64_t)meeting->wait_ns;
	int r;

	for (;;) {
		const int64_t look_ns = rt_monotonic_ns() + LOOK_NS;

		r = rt_tcp_meet(root, look_ns < until_ns ? look_ns : until_ns, err);
		if (watch && watch->cancelled && *watch->cancelled)
			return rt_err_set(err, -EINTR,
					  "interrupted while waiting for hosts");
		if (r != -ETIMEDOUT || look_ns >= until_ns)
			return r;
	}
}

static int run_coordinator(const struct rt_stress_meeting *meeting,
			   struct rt_tcp_serve *serve,
			   const struct rt_stress_asked *asked,
			   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_stress_asked here = { asked->wish, NULL, asked->watch };
	struct rt_rendezvous *root;
	struct rt_token token;
	bool fresh;
	int r = get_token(meeting, &token, &fresh, err);

	serve->token = &token;
	serve->note = meeting->note;
	serve->context = meeting->context;
	if (r == 0)
		r = rt_tcp_serve(serve, &root, err);
	if (r < 0)
		return r;
	tell_way(meeting, root, &token, fresh);
	r = wait_for_all(meeting, root, asked->watch, err);
	if (r == 0)
		r = rt_run_stress(root, &here, ret_outcome, err);
	root->ops->close(root);
	return r;
}

/* r of one option, said with its name. */
static int of_option(const char *option, int r, const struct rt_err *why,
		     struct rt_err *err)
{
	if (r == -EINVAL || r == -E2BIG)
		return rt_err_set(err, -EDOM, "%s: %s", option, why->msg);
	return r < 0 ? rt_err_set(err, r, "%s: %s", option, why->msg) : 0;
}

static int read_meeting(const struct rt_stress_meeting *meeting,
			struct rt_tcp_place *place, struct rt_hostlist *hosts,
			struct rt_err *err)
{
	struct rt_err why = { 0 };
	int r = 0;

	if (meeting->listen)
		r = of_option("--listen",
			      rt_tcp_place_read(meeting->listen, true, place, &why),
			      &why, err);
	if (r == 0 && meeting->hosts)
		r = of_option("--hosts",
			      rt_hostlist_read(meeting->hosts, RT_RENDEZVOUS_MAX_RANKS,
					       hosts, &why),
			      &why, err);
	return r;
}

int rt_stress_meet(const struct rt_stress_meeting *meeting,
		   const struct rt_stress_asked *asked, struct rt_outcome *ret_outcome,
		   struct rt_err *err)
{
	RT_AUTO(rt_hostlist_free) struct rt_hostlist hosts = { 0 };
	struct rt_tcp_place place = { .port = RT_TCP_PORT };
	struct rt_tcp_serve serve = { 0 };
	struct rt_stress_wish wish = *asked->wish;
	const struct rt_stress_asked here = { &wish, asked->own, asked->watch };
	int r = read_meeting(meeting, &place, &hosts, err);

	*ret_outcome = (struct rt_outcome){ 0 };
	if (r < 0)
		return r;
	if (!wish.link_bps.known)
		wish.link_bps = rt_lab_env_rate_bps();
	if (rt_stress_is_launched())
		return run_launched(&here, ret_outcome, err);
	if (!meeting->hosts && !meeting->agents.known)
		return rt_err_set(err, -EDESTADDRREQ, "there is no way to any host");
	serve.host = place.host;
	serve.port = place.port;
	serve.size = (uint32_t)(meeting->hosts ? hosts.count : meeting->agents.value);
	serve.names = meeting->hosts ? (const char *const *)hosts.names : NULL;
	r = rt_stress_rehearse(&wish, serve.size, err);
	return r < 0 ? r : run_coordinator(meeting, &serve, &here, ret_outcome, err);
}

/* --- an agent --------------------------------------------------------------------- */

/* A lab is slower than its interfaces and its profile say. */
static int heed_lab(struct rt_agent_options *options, const char **name,
		    struct rt_lab_env *env, struct rt_err *err)
{
	int r = rt_lab_env_read(env, err);

	if (r < 0 || !env->host)
		return r;
	options->place = env->said;
	options->config.laws = &env->laws;
	options->config.line_rate_bps = env->rate_bps;
	options->config.faults = env->faults;
	options->lab_folder = env->folder;
	options->lab_host = env->host;
	if (!*name)
		*name = env->host;
	return 0;
}

int rt_agent_join(const struct rt_agent_join *join,
		  const struct rt_agent_options *options, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous;
	struct rt_tcp_place place;
	struct rt_token token;
	struct rt_tcp_join config = { .token = &token, .name = join->name };
	struct rt_agent_options here = *options;
	RT_AUTO(rt_auto_free) struct rt_lab_env *env = calloc(1, sizeof(*env));
	struct rt_err why = { 0 };
	int r = of_option("--join",
			  rt_tcp_place_read(join->coordinator, false, &place, &why),
			  &why, err);

	if (!env)
		return rt_err_sys(err, -ENOMEM, "cannot hold an agent");
	if (r == 0)
		r = heed_lab(&here, &config.name, env, err);
	if (r == 0)
		r = rt_token_read(join->token_file, &token, err);
	if (r < 0)
		return r;
	config.host = place.host;
	config.port = place.port;
	config.deadline_ns = rt_monotonic_ns() + (int64_t)join->wait_ns;
	r = rt_tcp_join(&config, &rendezvous, err);
	if (r < 0)
		return r;
	r = rt_agent_run(rendezvous, &here, err);
	rendezvous->ops->close(rendezvous);
	return r;
}

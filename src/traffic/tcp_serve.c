/* SPDX-License-Identifier: BSD-2-Clause */
/* How a coordinator comes to be, and what is left when it goes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rocetune/err.h"
#include "traffic/tcp_root.h"

#define MEMORY_BYTES ((size_t)1 << 30)
#define FILES_BESIDE 64u

void rt_tcp_root_free(struct rt_tcp_root *root)
{
	for (uint32_t i = 0; root->guests && i < root->guest_count; i++)
		if (root->guests[i].state != RT_TCP_FREE)
			rt_tcp_guest_free(&root->guests[i]);
	for (uint32_t i = 0; root->ranks && i < root->base.size; i++)
		rt_tcp_rank_forget(root, &root->ranks[i]);
	if (root->listen_fd >= 0)
		close(root->listen_fd);
	if (root->base.fd >= 0)
		close(root->base.fd);
	free(root->guests);
	free(root->ranks);
	free(root);
}

/* A connection a rank needs a file each, and the usual soft limit is 1024. */
static int allow_files(uint32_t count, struct rt_err *err)
{
	const rlim_t wanted = (rlim_t)count + FILES_BESIDE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return 0;
	if (limit.rlim_max < wanted)
		return rt_err_set(err, -EMFILE,
				  "%u connections are more than the %llu open files "
				  "allowed here; raise it with ulimit -n",
				  count, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return rt_err_sys(err, -errno, "cannot raise the limit of open files");
	return 0;
}

static int name_ranks(struct rt_tcp_root *root, struct rt_err *err)
{
	for (uint32_t i = 0; i < root->base.size; i++) {
		struct rt_tcp_rank *member = &root->ranks[i];

		if (!root->config.names) {
			snprintf(member->name, sizeof(member->name), "rank %u", i);
			continue;
		}
		if (!rt_tcp_name_is_fine(root->config.names[i]))
			return rt_err_set(err, -EINVAL, "\"%s\" is no name of a host",
					  root->config.names[i]);
		snprintf(member->name, sizeof(member->name), "%s",
			 root->config.names[i]);
	}
	return 0;
}

static int root_new(const struct rt_tcp_serve *config, uint32_t spare,
		    struct rt_tcp_root **ret_root, struct rt_err *err)
{
	struct rt_tcp_root *root;
	int r;

	if (!config->size || config->size > RT_RENDEZVOUS_MAX_RANKS)
		return rt_err_set(err, -EINVAL, "%u ranks: 1 to %u can meet",
				  config->size, RT_RENDEZVOUS_MAX_RANKS);
	r = allow_files(config->size + spare, err);
	if (r < 0)
		return r;
	root = calloc(1, sizeof(*root));
	if (!root)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u ranks", config->size);
	root->base = (struct rt_rendezvous){
		.ops = &rt_tcp_root_ops,
		.rank = RT_RANK_NONE,
		.size = config->size,
		.root = true,
		.fd = epoll_create1(EPOLL_CLOEXEC),
	};
	root->config = *config;
	root->listen_fd = -1;
	root->budget.most = config->memory_bytes ? config->memory_bytes : MEMORY_BYTES;
	root->news.stop_rank = RT_RANK_NONE;
	root->guest_count = config->size + spare;
	root->guests = calloc(root->guest_count, sizeof(*root->guests));
	root->ranks = calloc(config->size, sizeof(*root->ranks));
	if (root->base.fd < 0 || !root->guests || !root->ranks)
		r = rt_err_sys(err, -ENOMEM, "cannot hold %u ranks", config->size);
	else
		r = name_ranks(root, err);
	if (r < 0) {
		rt_tcp_root_free(root);
		return r;
	}
	*ret_root = root;
	return 0;
}

int rt_tcp_serve(const struct rt_tcp_serve *config, struct rt_rendezvous **ret_root,
		 struct rt_err *err)
{
	struct rt_tcp_root *root;
	int r;

	if (!config->token)
		return rt_err_set(err, -EINVAL, "a coordinator needs a token");
	r = root_new(config, RT_TCP_SPARE_GUESTS, &root, err);
	if (r < 0)
		return r;
	r = rt_tcp_door_open(root, err);
	if (r < 0) {
		rt_tcp_root_free(root);
		return r;
	}
	*ret_root = &root->base;
	return 0;
}

int rt_tcp_serve_fds(const struct rt_tcp_serve *config, const int *fds,
		     struct rt_rendezvous **ret_root, struct rt_err *err)
{
	struct rt_tcp_root *root = NULL;
	int r = root_new(config, 0, &root, err);

	for (uint32_t i = 0; i < config->size; i++) {
		struct rt_tcp_guest *guest;
		int watched;

		if (r < 0) {
			close(fds[i]);
			continue;
		}
		guest = &root->guests[i];
		guest->state = RT_TCP_JOINED;
		guest->rank = i;
		root->ranks[i].state = RT_TCP_PRESENT;
		root->ranks[i].guest = guest;
		watched = rt_tcp_guest_watch(root, guest, fds[i], RT_TCP_RUNNING);
		if (watched < 0)
			r = rt_err_sys(err, watched, "cannot watch rank %u", i);
	}
	if (r < 0) {
		if (root)
			rt_tcp_root_free(root);
		return r;
	}
	root->joined = config->size;
	root->begun = true;
	snprintf(root->address, sizeof(root->address), "this host");
	*ret_root = &root->base;
	return 0;
}

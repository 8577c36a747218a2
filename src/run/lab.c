/* SPDX-License-Identifier: BSD-2-Clause */
/* lab.c - up, show, down: journeys of a lab that lives on its own. */
#include "run/lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "kern/netns.h"
#include "lab/lab.h"
#include "rocetune/err.h"
#include "run/lab_plan.h"

/* --- up --------------------------------------------------------------------------------- */

static int start(const struct rt_lab_store *store, const struct rt_lab_request *request,
		 const struct rt_lab_plan *plan, char removed[160],
		 struct rt_lab_state *ret_state, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *scenario = NULL, *profile = NULL;
	struct rt_lab_setup setup = {
		.name = request->name ? request->name : RT_LAB_DEFAULT_NAME,
		.topology = &plan->topology,
		.laws = &plan->laws,
		.seed = plan->scenario.seed,
		.profile = plan->scenario.profile,
		.said = plan->scale.said,
		.faults = request->faults,
	};
	int r = rt_netns_prepare(&setup.user_namespace, err);

	if (r < 0)
		return r;
	/* Commands on its hosts read it again, from other folders. */
	if (request->scenario)
		setup.scenario = scenario = realpath(request->scenario, NULL);
	if (strchr(plan->scenario.profile, '/'))
		profile = realpath(plan->scenario.profile, NULL);
	if (profile)
		setup.profile = profile;
	memcpy(setup.prio_of_dscp, plan->prio_of_dscp, sizeof(setup.prio_of_dscp));
	return rt_lab_start(store, &setup, removed, ret_state, err);
}

int rt_run_lab_up(const struct rt_lab_request *request, struct rt_outcome *ret_outcome,
		  struct rt_err *err)
{
	struct rt_lab_store store = { .fd = -1 };
	struct rt_lab_state state = { 0 };
	char removed[160] = "";
	struct rt_lab_plan plan;
	int r = rt_lab_plan_make(request, 0, &plan, err);

	if (r < 0)
		return r;
	/* Before a user namespace may make us look like root. */
	r = rt_lab_store_open(true, &store, err);
	if (r == 0)
		r = start(&store, request, &plan, removed, &state, err);
	if (r == 0)
		r = rt_lab_picture_give(&store, &state, removed, ret_outcome, err);
	rt_lab_store_close(&store);
	rt_lab_plan_free(&plan);
	return r;
}

/* --- show ------------------------------------------------------------------------------- */

int rt_run_lab_show(const char *name, struct rt_outcome *ret_outcome,
		    struct rt_err *err)
{
	struct rt_lab_store store;
	struct rt_lab_state state;
	int r = rt_lab_store_open(false, &store, err);

	if (r < 0)
		return r;
	r = rt_lab_find(&store, name ? name : RT_LAB_DEFAULT_NAME, &state, err);
	if (r == 0)
		r = rt_lab_picture_give(&store, &state, "", ret_outcome, err);
	rt_lab_store_close(&store);
	return r;
}

struct list {
	struct rt_lab_row *labs; /* owned */
	size_t count;
	char note[64]; /* when there are none; "" */
};

static const struct rt_field row_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_row, name, "of the lab"),
	RT_FIELD_CHARS_OF(struct rt_lab_row, state, "up, or what is wrong"),
	RT_FIELD_CHARS_OF(struct rt_lab_row, topology, "how it is cabled"),
	RT_FIELD(struct rt_lab_row, OPT_U64, hosts, COUNT, "in it"),
	RT_FIELD(struct rt_lab_row, OPT_U64, rate_bps, BPS, "of their links"),
	RT_FIELD(struct rt_lab_row, OPT_U64, pid, NONE, "of its process"),
};
static RT_TABLE(row_table, rt_lab_row, "lab_row", "Labs", "A lab of this user.",
		row_fields);

static const struct rt_field list_fields[] = {
	RT_FIELD_CHARS_OF(struct list, note, "of an empty list",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct list, labs, count, &row_table, "by name"),
};
RT_TABLE(rt_lab_list_table, list, "lab_list", "Labs",
	 "The labs of this user, also those that died and left notes.", list_fields);

static void release_list(void *object)
{
	struct list *list = object;

	free(list->labs);
	free(list);
}

static void fill_row(const struct rt_lab_store *store, const char *name,
		     struct rt_lab_row *row)
{
	struct rt_lab_state state;
	struct rt_err why = { 0 };
	int pidfd = -1;

	snprintf(row->name, sizeof(row->name), "%s", name);
	if (rt_lab_find(store, name, &state, &why) < 0) {
		snprintf(row->state, sizeof(row->state), "%.199s", why.msg);
		return;
	}
	/* Somebody holds the folder, but is it who stands in the state? */
	if (rt_lab_pidfd(&state, &pidfd, &why) < 0) {
		snprintf(row->state, sizeof(row->state), "%.199s", why.msg);
		rt_lab_state_free(&state);
		return;
	}
	close(pidfd);
	snprintf(row->state, sizeof(row->state), "up");
	snprintf(row->topology, sizeof(row->topology), "%s", state.topology);
	row->pid = RT_KNOWN_U64(state.pid);
	row->hosts = RT_KNOWN_U64(state.host_count);
	row->rate_bps = RT_KNOWN_U64(state.rate_bps);
	rt_lab_state_free(&state);
}

int rt_run_lab_list(struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_names names = { 0 };
	struct rt_lab_store store;
	struct list *list;
	int r = rt_lab_store_open(false, &store, err);

	if (r < 0)
		return r;
	r = rt_lab_store_names(&store, &names, err);
	list = r < 0 ? NULL : calloc(1, sizeof(*list));
	if (list)
		list->labs = calloc(names.count + 1, sizeof(*list->labs));
	if (r == 0 && (!list || !list->labs)) {
		free(list);
		r = rt_err_sys(err, -ENOMEM, "the list of labs");
	}
	for (size_t i = 0; r == 0 && i < names.count; i++)
		fill_row(&store, names.items[i], &list->labs[list->count++]);
	if (r == 0 && !list->count)
		snprintf(list->note, sizeof(list->note),
			 "there is no lab: rocetune lab up makes one");
	rt_names_free(&names);
	rt_lab_store_close(&store);
	if (r == 0)
		*ret_outcome = (struct rt_outcome){ .table = &rt_lab_list_table,
						    .object = list,
						    .release = release_list };
	return r;
}

/* --- down ------------------------------------------------------------------------------- */

static const struct rt_field ended_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_ended, name, "of the lab"),
	RT_FIELD(struct rt_lab_ended, OPT_U64, pid, NONE,
		 "of its process; unknown: it was dead before", .flags = RT_FIELD_META),
	RT_FIELD_CHARS_OF(struct rt_lab_ended, how, "it ended"),
};
RT_TABLE(rt_lab_ended_table, rt_lab_ended, "lab_down", "Lab ended",
	 "What became of a lab: nothing of it is left.", ended_fields);

static int end(const struct rt_lab_store *store, const char *name,
	       struct rt_lab_ended *ended, struct rt_err *err)
{
	struct rt_lab_state state;
	struct rt_err why = { 0 };
	bool killed = false;
	int r = rt_lab_find(store, name, &state, &why);

	snprintf(ended->name, sizeof(ended->name), "%s", name);
	if (r == 0) {
		ended->pid = RT_KNOWN_U64(state.pid);
		r = rt_lab_stop(store, &state, &killed, &why);
		rt_lab_state_free(&state);
		snprintf(ended->how, sizeof(ended->how), "%s",
			 killed ? "it did not end when asked to and was killed"
				: "it was asked to end, and did");
	}
	/* Also when it died just now. */
	if (r == -ESRCH) {
		r = rt_lab_forget(store, name, &why);
		snprintf(ended->how, sizeof(ended->how),
			 "its process was dead already: its notes were removed");
	}
	return r < 0 ? rt_err_set(err, r, "%s", why.msg) : 0;
}

int rt_run_lab_down(const char *name, struct rt_outcome *ret_outcome,
		    struct rt_err *err)
{
	struct rt_lab_ended *ended = calloc(1, sizeof(*ended));
	struct rt_lab_store store;
	int r = ended ? rt_lab_store_open(false, &store, err)
		      : rt_err_sys(err, -ENOMEM, "the lab's end");

	if (r == 0) {
		r = end(&store, name ? name : RT_LAB_DEFAULT_NAME, ended, err);
		rt_lab_store_close(&store);
	}
	if (r < 0) {
		free(ended);
		return r;
	}
	*ret_outcome = (struct rt_outcome){ .table = &rt_lab_ended_table,
					    .object = ended,
					    .release = free };
	return 0;
}

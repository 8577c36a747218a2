/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/scenario_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

#define US   UINT64_C(1000000) /* in ps */
#define GBPS UINT64_C(1000000000)

/* --- reading ------------------------------------------------------------ */

static const struct rt_scenario_key *find_key(const char *section, const char *name)
{
	const struct rt_scenario_key *key = rt_scenario_keys;

	while (key->name &&
	       (strcmp(key->section, section) != 0 || strcmp(key->name, name) != 0))
		key++;
	return key->name ? key : NULL;
}

/* text: the value as the user wrote it. */
static int check_bounds(const struct rt_scenario_key *key, uint64_t value,
			const char *text, struct rt_err *err)
{
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES];

	if (value >= key->min && value <= key->max)
		return 0;
	return rt_err_set(err, -EINVAL, "%s: %s is outside %s to %s%s", key->name, text,
			  rt_unit_format_exact(key->unit, key->min, low),
			  rt_unit_format_exact(key->unit, key->max, high),
			  value < key->min && rt_unit_is_bare(key->unit, text)
				  ? " (bare means bytes: is a unit missing?)"
				  : "");
}

int rt_scenario_check(const char *section, const char *name, uint64_t value,
		      struct rt_err *err)
{
	const struct rt_scenario_key *key = find_key(section, name);
	char text[RT_UNIT_TEXT_BYTES];

	if (!key)
		return rt_err_set(err, -ENOENT, "no key %s in a scenario", name);
	return check_bounds(key, value, rt_unit_format_exact(key->unit, value, text),
			    err);
}

static int set_number(const struct rt_scenario_reader *in,
		      const struct rt_scenario_key *key, const struct rt_node *node,
		      void *at)
{
	struct rt_err why = { 0 };
	uint64_t value;

	if (rt_unit_parse(key->unit, node->text, &value, &why) < 0)
		return rt_node_err(in->err, -EINVAL, in->doc, node, "%s: %s", key->name,
				   why.msg);
	if (check_bounds(key, value, node->text, &why) < 0)
		return rt_node_err(in->err, -EINVAL, in->doc, node, "%s", why.msg);
	if (key->type == RT_KEY_U32)
		*(uint32_t *)at = (uint32_t)value;
	else if (key->type == RT_KEY_U64)
		*(uint64_t *)at = value;
	else
		*(struct rt_opt_u64 *)at = RT_KNOWN_U64(value);
	return 0;
}

static int find_name(const struct rt_scenario_reader *in,
		     const struct rt_scenario_key *key, const struct rt_node *node,
		     const struct rt_name **ret_name)
{
	const char *words[64], *near;
	size_t count = 0, used = 0;
	char all[500] = "";

	if (node->kind != RT_NODE_SCALAR)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a word, not %s", key->name,
				   rt_node_kind_name(node->kind));
	*ret_name = rt_name_find(key->names, node->text);
	if (*ret_name)
		return 0;
	for (const struct rt_name *row = key->names; row->name && count < 64; row++)
		words[count++] = row->name;
	near = rt_text_nearest(node->text, words, count);
	if (near)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: unknown %.60s: did you mean %s?", key->name,
				   node->text, near);
	for (size_t i = 0; i < count && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i ? ", " : "", words[i]);
	return rt_node_err(in->err, -EINVAL, in->doc, node,
			   "%s: unknown %.60s: there are %s", key->name, node->text,
			   all);
}

static int set_options(const struct rt_scenario_reader *in,
		       const struct rt_scenario_key *key, const struct rt_node *node,
		       unsigned *at)
{
	const struct rt_name *name;

	if (node->kind != RT_NODE_SEQ)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a list of names, not %s", key->name,
				   rt_node_kind_name(node->kind));
	rt_node_for_each (item, node) {
		int r = find_name(in, key, item, &name);

		if (r < 0)
			return r;
		*at |= name->value;
	}
	return 0;
}

static int set_key(const struct rt_scenario_reader *in,
		   const struct rt_scenario_key *key, const struct rt_node *node,
		   void *base)
{
	void *at = (char *)base + key->offset;
	const struct rt_name *name = NULL;
	int r;

	if (key->type == RT_KEY_OPTIONS)
		return set_options(in, key, node, at);
	if (key->type == RT_KEY_FLOWS)
		return rt_scenario_read_flows(in, node, base);
	if (key->type == RT_KEY_SIZES)
		return rt_scenario_read_sizes(in, node, base);
	if (key->type == RT_KEY_CHECKS)
		return rt_scenario_read_checks(in, node, base);
	if (node->kind != RT_NODE_SCALAR)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants a value, not %s", key->name,
				   rt_node_kind_name(node->kind));
	if (key->type == RT_KEY_ENUM) {
		r = find_name(in, key, node, &name);
		if (r == 0)
			*(unsigned *)at = name->value;
		return r;
	}
	if (key->type != RT_KEY_CHARS)
		return set_number(in, key, node, at);
	if (strlen(node->text) > key->max)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: longer than %u characters", key->name,
				   (unsigned)key->max);
	snprintf(at, (size_t)key->max + 1, "%s", node->text);
	return 0;
}

/* Keys of the top are also the names of sections. */
static const char *const section_names[] = { "topology", "workload", "model" };

static int unknown_key(const struct rt_scenario_reader *in, const char *section,
		       const struct rt_node *node)
{
	const char *words[64], *near;
	size_t count = 0;

	for (const struct rt_scenario_key *key = rt_scenario_keys; key->name; key++)
		if (strcmp(key->section, section) == 0 && count < 60)
			words[count++] = key->name;
	for (size_t i = 0; i < RT_ARRAY_SIZE(section_names) && !*section; i++)
		words[count++] = section_names[i];
	near = rt_text_nearest(node->key, words, count);
	return rt_node_key_err(
		in->err, -EINVAL, in->doc, node, "unknown key '%.60s'%s%s%s%s%s",
		node->key, *section ? " in " : "", section,
		near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int rt_scenario_read_section(const struct rt_scenario_reader *in, const char *section,
			     const struct rt_node *map, void *base)
{
	if (map->kind != RT_NODE_MAP)
		return rt_node_err(in->err, -EINVAL, in->doc, map,
				   "%s: wants a map of keys, not %s", section,
				   rt_node_kind_name(map->kind));
	rt_node_for_each (node, map) {
		const struct rt_scenario_key *key = find_key(section, node->key);
		int r = key ? set_key(in, key, node, base)
			    : unknown_key(in, section, node);

		if (r < 0)
			return r;
	}
	return 0;
}

static const struct rt_workload_spec default_workload = {
	.kind = RT_WORKLOAD_INCAST,
	.qps = 1,
	.size_bytes = 1000000,
	.load_ppb = RT_PPB / 2,
	.arrivals = 1000,
};

static int read_workload(const struct rt_scenario_reader *in,
			 const struct rt_node *node, struct rt_scenario *scenario)
{
	struct rt_workload_spec *spec = &scenario->workloads[scenario->workload_count];

	if (scenario->workload_count == RT_SIM_MAX_WORKLOADS)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "more than %u workloads", RT_SIM_MAX_WORKLOADS);
	scenario->workload_count++;
	*spec = default_workload;
	return rt_scenario_read_section(in, "workload", node, spec);
}

/* One map, or a list of maps. */
static int read_workloads(const struct rt_scenario_reader *in,
			  const struct rt_node *node, struct rt_scenario *scenario)
{
	if (node->kind != RT_NODE_SEQ)
		return read_workload(in, node, scenario);
	rt_node_for_each (item, node) {
		int r = read_workload(in, item, scenario);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_top(const struct rt_scenario_reader *in, const struct rt_node *node,
		    struct rt_scenario *scenario)
{
	const struct rt_scenario_key *key = find_key("", node->key);

	if (strcmp(node->key, "topology") == 0 || strcmp(node->key, "model") == 0)
		return rt_scenario_read_section(in, node->key, node, scenario);
	if (strcmp(node->key, "workload") == 0)
		return read_workloads(in, node, scenario);
	return key ? set_key(in, key, node, scenario) : unknown_key(in, "", node);
}

/* Where the document says what place names, or the nearest thing around it. */
static const struct rt_node *node_of(const struct rt_node *root,
				     const struct rt_scenario_place *place)
{
	const struct rt_node *node = root, *section = NULL, *key = NULL;

	if (place->section)
		section = rt_node_get(root, place->section);
	if (section && section->kind == RT_NODE_SEQ) {
		node = section->child;
		for (size_t i = 0; node->next && i < place->workload; i++)
			node = node->next;
		section = node;
	}
	if (place->key)
		key = rt_node_get(section ? section : root, place->key);
	if (key)
		return key;
	return section ? section : root;
}

/*
 * Keys that only some kinds of workload look at; the defaults of most hide whether
 * they were given.
 */
static int check_workload_keys(const struct rt_scenario_reader *in,
			       const struct rt_node *map, unsigned kind)
{
#define OF(id) (1u << RT_WORKLOAD_##id)
	const unsigned random = OF(POISSON) | OF(POISSON_INCAST);
	const unsigned pairs = OF(INCAST) | OF(PERMUTATION) | OF(ALLTOALL) |
			       OF(OUTCAST) | OF(RING);
	const struct {
		const char *key;
		unsigned kinds;
	} rows[] = {
		{ "load", random },
		{ "arrivals", random },
		{ "size_cdf", random },
		{ "flows", OF(FLOWS) },
		{ "size", pairs | random },
		{ "senders", pairs }, /* finish says more of these two */
		{ "receiver", pairs | OF(POISSON_INCAST) },
		{ "sender", OF(OUTCAST) },
		{ "receivers", OF(OUTCAST) },
		{ "duration", pairs },
		{ "qps", pairs },
		{ "stagger", pairs },
		{ "jitter", pairs },
	};
#undef OF
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_node *node = rt_node_get(map, rows[i].key);

		if (!node || rows[i].kinds >> kind & 1)
			continue;
		if (strcmp(rows[i].key, "size") == 0)
			return rt_node_key_err(in->err, -EINVAL, in->doc, node,
					       "size: has no effect on listed flows: "
					       "each has its own, write it there");
		return rt_node_key_err(in->err, -EINVAL, in->doc, node,
				       "%s: has no effect on a workload of this kind: "
				       "leave it out",
				       rows[i].key);
	}
	if (rt_node_get(map, "size_cdf") && rt_node_get(map, "size"))
		return rt_node_key_err(in->err, -EINVAL, in->doc,
				       rt_node_get(map, "size"),
				       "size and size_cdf: leave one out");
	if (rt_node_get(map, "duration") && rt_node_get(map, "size"))
		return rt_node_key_err(in->err, -EINVAL, in->doc,
				       rt_node_get(map, "size"),
				       "size and duration: a flow ends by one of the "
				       "two, leave the other out");
	return 0;
}

static int check_idle_keys(const struct rt_scenario_reader *in,
			   const struct rt_node *root,
			   const struct rt_scenario *scenario)
{
	const struct rt_node *node = rt_node_get(root, "workload");
	int r = 0;

	if (node->kind == RT_NODE_SEQ)
		node = node->child;
	for (size_t i = 0; r == 0 && i < scenario->workload_count; i++) {
		r = check_workload_keys(in, node, scenario->workloads[i].kind);
		node = node->next;
	}
	return r;
}

/* What a star has none of; the defaults of these keys hide whether they were given. */
static int check_star(const struct rt_scenario_reader *in, const struct rt_node *root,
		      const struct rt_scenario *scenario)
{
	static const char *const keys[] = { "leaves", "spines", "fabric_speed",
					    "fabric_delay" };
	const struct rt_node *section = rt_node_get(root, "topology");
	const struct rt_node *ecmp = rt_node_get(rt_node_get(root, "model"), "ecmp");

	if (scenario->topology.kind != RT_TOPOLOGY_STAR)
		return 0;
	if (ecmp)
		return rt_node_key_err(in->err, -EINVAL, in->doc, ecmp,
				       "ecmp: a star has one way between two hosts; "
				       "write topology.kind: leaf-spine or leave it "
				       "out");
	for (size_t i = 0; i < RT_ARRAY_SIZE(keys); i++) {
		const struct rt_node *node = rt_node_get(section, keys[i]);

		if (node)
			return rt_node_key_err(in->err, -EINVAL, in->doc, node,
					       "%s: a star has one switch; write kind: "
					       "leaf-spine or leave it out",
					       keys[i]);
	}
	return 0;
}

/* What was read is the caller's, also when it is wrong. */
static int read_keys(const struct rt_doc *doc, bool may_open,
		     struct rt_scenario *scenario, struct rt_err *err)
{
	const struct rt_scenario_reader in = { doc, err, may_open };
	struct rt_scenario_place place = { 0 };
	struct rt_err why = { 0 };

	if (!doc->root || doc->root->kind != RT_NODE_MAP)
		return rt_err_set(err, -EINVAL, "%s:1:1: a scenario is a map of keys",
				  doc->name);
	rt_node_for_each (node, doc->root) {
		int r = read_top(&in, node, scenario);

		if (r < 0)
			return r;
	}
	if (!scenario->workload_count)
		return rt_node_err(err, -EINVAL, doc, doc->root,
				   "no workload: say who sends to whom");
	if (check_idle_keys(&in, doc->root, scenario) < 0)
		return -EINVAL;
	if (check_star(&in, doc->root, scenario) < 0)
		return -EINVAL;
	if (rt_scenario_finish_at(scenario, &place, &why) == 0)
		return 0;
	if (place.item)
		return rt_scenario_item_err(&in, node_of(doc->root, &place), place.item,
					    why.msg);
	return rt_node_key_err(err, -EINVAL, doc, node_of(doc->root, &place), "%s",
			       why.msg);
}

static int read_doc(const struct rt_doc *doc, bool may_open, bool on_hosts,
		    struct rt_scenario *ret_scenario, struct rt_err *err)
{
	struct rt_scenario scenario;
	int r;

	rt_scenario_init(&scenario);
	scenario.on_hosts = on_hosts;
	r = read_keys(doc, may_open, &scenario, err);
	if (r < 0) {
		rt_scenario_free(&scenario);
		return r;
	}
	*ret_scenario = scenario;
	return 0;
}

void rt_scenario_init(struct rt_scenario *scenario)
{
	*scenario = (struct rt_scenario){
		.topology = { .kind = RT_TOPOLOGY_STAR,
			      .leaves = 4,
			      .spines = 2,
			      .speed_bps = 100 * GBPS,
			      .delay_ps = 1 * US,
			      .fabric_delay_ps = 1 * US },
		.seed = 1,
	};
}

void rt_scenario_free(struct rt_scenario *scenario)
{
	for (size_t i = 0; i < scenario->workload_count; i++) {
		free(scenario->workloads[i].flows);
		free(scenario->workloads[i].sizes);
	}
	scenario->workload_count = 0;
	free(scenario->checks);
	scenario->checks = NULL;
	scenario->check_count = 0;
}

/* A profile that is a file is looked for beside the scenario first. */
static void find_profile(const char *path, struct rt_scenario *scenario)
{
	const char *slash = strrchr(path, '/'), *end = strrchr(scenario->profile, '.');
	char beside[sizeof(scenario->profile)];
	int length;

	if (!slash || !end || strcmp(end, ".yaml") != 0 || *scenario->profile == '/')
		return;
	length = snprintf(beside, sizeof(beside), "%.*s/%s", (int)(slash - path), path,
			  scenario->profile);
	if (length > 0 && (size_t)length < sizeof(beside) && access(beside, R_OK) == 0)
		memcpy(scenario->profile, beside, sizeof(beside));
}

static int read_file(const char *path, bool on_hosts, struct rt_scenario *ret_scenario,
		     struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_read(path, &doc, err);

	if (r == 0)
		r = read_doc(doc, true, on_hosts, ret_scenario, err);
	if (r == 0)
		find_profile(path, ret_scenario);
	return r;
}

int rt_scenario_read(const char *path, struct rt_scenario *ret_scenario,
		     struct rt_err *err)
{
	return read_file(path, false, ret_scenario, err);
}

int rt_scenario_read_for_hosts(const char *path, struct rt_scenario *ret_scenario,
			       struct rt_err *err)
{
	return read_file(path, true, ret_scenario, err);
}

int rt_scenario_parse(const char *name, const char *text, size_t bytes,
		      struct rt_scenario *ret_scenario, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_parse(name, text, bytes, &doc, err);

	return r < 0 ? r : read_doc(doc, false, false, ret_scenario, err);
}

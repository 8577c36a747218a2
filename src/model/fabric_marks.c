/* SPDX-License-Identifier: BSD-2-Clause */
/* fabric_marks.c - which priority, DSCP and ECN bits a workload's flows have. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "model/fabric_config.h"
#include "model/topology.h"
#include "rocetune/err.h"

static const struct rt_fabric_class *
class_of_prio(const struct rt_fabric_config *config, uint8_t prio)
{
	for (unsigned i = 0; i < config->class_count; i++)
		if (config->classes[i].prio == prio)
			return &config->classes[i];
	return NULL;
}

static const struct rt_fabric_class *
class_of_name(const struct rt_fabric_config *config, const char *name)
{
	for (unsigned i = 0; i < config->class_count; i++)
		if (strcmp(config->classes[i].name, name) == 0)
			return &config->classes[i];
	return NULL;
}

uint8_t rt_fabric_config_lossless(const struct rt_fabric_config *config)
{
	uint8_t mask = 0;

	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		if (!(config->options & RT_MODEL_NO_PFC) &&
		    config->pg[RT_PORT_HOST][prio].lossless)
			mask |= (uint8_t)(1u << prio);
	return mask;
}

uint8_t rt_fabric_config_prio(const struct rt_fabric_config *config, uint8_t dscp)
{
	if (dscp == config->data_dscp)
		return config->data_prio;
	if (dscp == config->cnp_dscp)
		return config->cnp_prio;
	for (unsigned i = 0; i < config->class_count; i++)
		if (config->classes[i].dscp_mask >> dscp & 1)
			return config->classes[i].prio;
	/* Class selectors (RFC 2474): the three bits that were IP precedence. */
	return dscp >> 3;
}

uint8_t rt_fabric_config_dscp(const struct rt_fabric_config *config, uint8_t prio)
{
	const struct rt_fabric_class *class = class_of_prio(config, prio);

	if (prio == config->data_prio)
		return config->data_dscp;
	if (prio == config->cnp_prio)
		return config->cnp_dscp;
	return class ? class->dscp : (uint8_t)(prio << 3);
}

static int unknown_class(const struct rt_fabric_config *config, size_t index,
			 const char *name, struct rt_err *err)
{
	char all[300] = "";
	struct rt_line line = { all, sizeof(all), 0 };

	if (!config->class_count)
		return rt_err_set(
			err, -EINVAL,
			"workload %zu: class %s is of a profile, and there is "
			"none: name one, or write prio instead",
			index + 1, name);
	for (unsigned i = 0; i < config->class_count; i++)
		rt_line_put(&line, "%s%s", i ? ", " : "", config->classes[i].name);
	return rt_err_set(err, -EINVAL,
			  "workload %zu: the profile has no class %s, only %s",
			  index + 1, name, all);
}

static void mark(const struct rt_fabric_config *config,
		 const struct rt_fabric_class *class,
		 const struct rt_workload_spec *spec, struct rt_flow_marks *marks)
{
	const bool not_ect = class ? class->not_ect : config->not_ect;

	if (spec->ecn != RT_MARK_OF_CLASS)
		marks->ecn = (uint8_t)(spec->ecn - 1);
	else
		marks->ecn = not_ect ? RT_ECN_NOT_ECT : RT_ECN_ECT0;
}

int rt_fabric_config_marks(const struct rt_fabric_config *config,
			   const struct rt_scenario *scenario, size_t index,
			   struct rt_flow_marks *ret_marks, struct rt_err *err)
{
	const struct rt_workload_spec *spec = &scenario->workloads[index];
	struct rt_flow_marks marks = { .prio = config->data_prio,
				       .dscp = config->data_dscp };
	const struct rt_fabric_class *class = NULL;

	if (*spec->class) {
		class = class_of_name(config, spec->class);
		if (!class)
			return unknown_class(config, index, spec->class, err);
		marks.prio = class->prio;
		marks.dscp = class->dscp;
	}
	if (spec->prio.known) {
		marks.prio = (uint8_t)spec->prio.value;
		marks.dscp = rt_fabric_config_dscp(config, marks.prio);
	}
	if (spec->dscp.known) {
		marks.dscp = (uint8_t)spec->dscp.value;
		if (!spec->prio.known)
			marks.prio = rt_fabric_config_prio(config, marks.dscp);
	}
	if (rt_fabric_config_prio(config, marks.dscp) != marks.prio)
		return rt_err_set(
			err, -EINVAL,
			"workload %zu: DSCP %u is of priority %u here, not of "
			"%u: write one of the two, or a profile that maps it "
			"there",
			index + 1, marks.dscp,
			rt_fabric_config_prio(config, marks.dscp), marks.prio);
	if (!class && marks.prio != config->data_prio)
		class = class_of_prio(config, marks.prio);
	mark(config, class, spec, &marks);
	*ret_marks = marks;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/outcome.h"

#include "analysis/diagnosis.h"
#include "kern/image.h"
#include "model/align.h"
#include "model/criteria.h"
#include "model/finding.h"
#include "model/profile_reader.h"
#include "model/rules_profile.h"
#include "model/rules_switch.h"
#include "model/switch_build.h"
#include "rocetune/sim.h"
#include "run/analyze.h"
#include "run/apply.h"
#include "run/check.h"
#include "run/gate.h"
#include "run/host.h"
#include "run/lab.h"
#include "run/lab_run.h"
#include "run/live_capture.h"
#include "run/pasted.h"
#include "run/persist.h"
#include "run/probe.h"
#include "run/profile.h"
#include "run/recover.h"
#include "run/sim.h"
#include "run/sim_rules.h"
#include "run/stress.h"
#include "run/stress_rules.h"
#include "run/switch.h"
#include "run/watch_table.h"
#include "watch/recording_lines.h"
#include "watch/verdict.h"

void rt_outcome_release(struct rt_outcome *outcome)
{
	if (outcome->release)
		outcome->release(outcome->object);
	*outcome = (struct rt_outcome){ 0 };
}

const struct rt_table *const rt_outcome_kinds[] = {
	&rt_analyze_table,
	&rt_checked_links_table,
	&rt_profile_list_table,
	&rt_profile_show_table,
	&rt_profile_checks_table,
	&rt_profile_diff_table,
	&rt_profile_knobs_table,
	&rt_import_table,
	&rt_headroom_table,
	&rt_tos_table,
	&rt_sim_table,
	&rt_sim_keys_table,
	&rt_stress_table,
	&rt_applied_table,
	&rt_history_table,
	&rt_recovered_table,
	&rt_persisted_table,
	&rt_answers_table, /* written into bundles */
	&rt_host_list_table,
	&rt_show_table,
	&rt_snapshot_table,
	&rt_host_diff_table,
	&rt_pasted_table,
	&rt_lab_picture_table,
	&rt_lab_list_table,
	&rt_lab_ended_table,
	&rt_lab_run_table,
	&rt_lab_state_table,
	&rt_captured_table,
	&rt_probed_table,
	&rt_probe_listening_table,
	&rt_watched_table,
	&rt_line_head_table,
	&rt_line_sample_table,
	NULL,
};

const struct rt_rule_set rt_outcome_rules[] = {
	{ "Reading a profile", rt_profile_reader_rules, &rt_profile_reader_rule_count },
	{ "Judging a profile (profile check)", rt_profile_rules,
	  &rt_profile_rule_count },
	{ "Changing a port (apply)", rt_gate_rules, &rt_gate_rule_count },
	{ "Reading a switch configuration (check, profile import)",
	  rt_switch_reader_rules, &rt_switch_reader_rule_count },
	{ "Judging a switch configuration (check, profile import)", rt_switch_rules,
	  &rt_switch_rule_count },
	{ "The two ends of a link (check)", rt_align_rules, &rt_align_rule_count },
	{ "Simulation (sim)", rt_sim_rules, &rt_sim_rule_count },
	{ "Stress traffic (stress)", rt_stress_rules, &rt_stress_rule_count },
	{ "Checks of a scenario (sim, stress, lab run)", rt_criteria_rules,
	  &rt_criteria_rule_count },
	{ "A run in the lab (lab run)", rt_lab_run_rules, &rt_lab_run_rule_count },
	{ "Captures (analyze)", rt_diagnosis_rules, &rt_diagnosis_rule_count },
	{ "The way to a host (probe)", rt_probe_rules, &rt_probe_rule_count },
	{ "Watching (top, exporter)", rt_watch_rules, &rt_watch_rule_count },
	{ 0 },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: what a rule leaves behind, and in which order it is told. */
#include "unit.h"

#include <string.h>

#include "base/own.h"
#include "model/finding.h"

static const struct rt_rule rules[] = {
	{ .id = "i", .severity = RT_SEVERITY_INFO },
	{ .id = "u", .severity = RT_SEVERITY_UNKNOWN },
	{ .id = "w", .severity = RT_SEVERITY_WARN, .basis = RT_BASIS_OBSERVED },
	{ .id = "e", .severity = RT_SEVERITY_ERROR },
};

static void test_worst_comes_first_and_equals_keep_their_order(void **state)
{
	static const unsigned added[] = { 0, 2, 3, 2, 1, 3, 0 };
	static const char *const sorted[] = { "e 2", "e 5", "w 1", "w 3",
					      "u 4", "i 0", "i 6" };
	struct rt_findings findings = { 0 };

	(void)state;
	for (unsigned i = 0; i < RT_ARRAY_SIZE(added); i++)
		rt_findings_add(&findings, &rules[added[i]], "", "%s %u",
				rules[added[i]].id, i);
	rt_findings_sort(&findings);
	assert_int_equal(findings.count, RT_ARRAY_SIZE(sorted));
	for (size_t i = 0; i < RT_ARRAY_SIZE(sorted); i++)
		assert_string_equal(findings.items[i].evidence, sorted[i]);
	rt_findings_free(&findings);
	assert_int_equal(findings.count, 0);
}

static void test_worst_is_that_of_the_worst(void **state)
{
	struct rt_findings findings = { 0 };

	(void)state;
	assert_int_equal(rt_findings_worst(&findings), RT_SEVERITY_INFO);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rules); i++) {
		rt_findings_add(&findings, &rules[i], "", "%s", "");
		assert_int_equal(rt_findings_worst(&findings), rules[i].severity);
	}
	rt_findings_add(&findings, &rules[0], "", "%s", "");
	assert_int_equal(rt_findings_worst(&findings), RT_SEVERITY_ERROR);
	rt_findings_free(&findings);
}

static void test_a_finding_is_that_of_its_rule_in_clean_words(void **state)
{
	struct rt_findings findings = { 0 };
	char long_text[2000];

	(void)state;
	memset(long_text, 'a', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	rt_findings_add(&findings, &rules[2], "x.yaml:1\033", "%s", "\033[2J");
	rt_findings_add(&findings, &rules[2], long_text, "%s", long_text);
	assert_string_equal(findings.items[0].id, "w");
	assert_int_equal(findings.items[0].basis, RT_BASIS_OBSERVED);
	assert_string_equal(findings.items[0].where, "x.yaml:1?");
	assert_string_equal(findings.items[0].evidence, "?[2J");
	assert_int_equal(strlen(findings.items[1].where),
			 sizeof(findings.items[1].where) - 1);
	assert_int_equal(strlen(findings.items[1].evidence),
			 sizeof(findings.items[1].evidence) - 1);
	rt_findings_free(&findings);
}

static void test_in_brief_there_is_all_but_the_evidence(void **state)
{
	struct rt_findings findings = { .brief = true };

	(void)state;
	rt_findings_add(&findings, &rules[2], "x.yaml:1\033", "%s", "many words");
	rt_findings_fold(&findings, 3);
	/* In the place of another one nothing of that is left. */
	findings.count = 0;
	rt_findings_add(&findings, &rules[1], "x", "%s", "more words");
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.items[0].id, rules[1].id);
	assert_int_equal(findings.items[0].severity, rules[1].severity);
	assert_string_equal(findings.items[0].where, "x");
	assert_string_equal(findings.items[0].evidence, "");
	assert_int_equal(findings.items[0].folded, 0);
	rt_findings_free(&findings);
}

RT_UNIT_MAIN(cmocka_unit_test(test_in_brief_there_is_all_but_the_evidence),
	     cmocka_unit_test(test_worst_comes_first_and_equals_keep_their_order),
	     cmocka_unit_test(test_worst_is_that_of_the_worst),
	     cmocka_unit_test(test_a_finding_is_that_of_its_rule_in_clean_words))

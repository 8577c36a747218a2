/* SPDX-License-Identifier: BSD-2-Clause */
/* journal.c - a journal as a record, as values, and what may stand there. */
#include "host/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/doc.h"
#include "base/own.h"
#include "base/record.h"
#include "host/plan_parts.h"
#include "rocetune/err.h"

const struct rt_name rt_journal_status_names[] = {
	{ "planned", RT_JOURNAL_PLANNED, "nothing was written yet" },
	{ "writing", RT_JOURNAL_WRITING, "anything between old and new" },
	{ "unconfirmed", RT_JOURNAL_UNCONFIRMED, "new until the deadline, then old" },
	{ "committed", RT_JOURNAL_COMMITTED, "all is new" },
	{ "rolled-back", RT_JOURNAL_ROLLED_BACK, "all is old again" },
	{ "closed", RT_JOURNAL_CLOSED, "given up: it could not be undone" },
	{ 0 },
};

static const struct rt_field value_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_journal_value, knob, "name of the knob"),
	RT_FIELD_CHARS_OF(struct rt_journal_value, value, "what it holds"),
};

static RT_TABLE(value_table, rt_journal_value, "journal_value", "Values",
		"A knob and its value.", value_fields);

static const struct rt_field write_fields[] = {
	RT_FIELD(struct rt_journal_write, U32, step, NONE, "which write, from 1"),
	RT_FIELD_CHARS_OF(struct rt_journal_write, knob, "name of the knob"),
	RT_FIELD_CHARS_OF(struct rt_journal_write, old_value, "what it held",
			  .label = "old"),
	RT_FIELD_CHARS_OF(struct rt_journal_write, new_value, "what it shall hold",
			  .label = "new"),
	RT_FIELD_CHARS_OF(struct rt_journal_write, inverse,
			  "the line that undoes it by hand", .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_journal_write, BOOL, disturbed, NONE,
		 "written again because another write disturbs it",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(struct rt_journal_write, BOOL, one_way, NONE,
		 "what it was cannot be had again in full",
		 .flags = RT_FIELD_ZERO_QUIET),
};

RT_TABLE(rt_journal_write_table, rt_journal_write, "journal_write", "Writes",
	 "A knob that a change writes or disturbs.", write_fields);

static const struct rt_field journal_fields[] = {
	RT_FIELD(struct rt_journal, U32, version, NONE, "of this format"),
	RT_FIELD(struct rt_journal, ENUM, status, NONE, "how far it came",
		 .names = rt_journal_status_names),
	RT_FIELD_CHARS_OF(struct rt_journal, id, "name of the journal"),
	RT_FIELD_CHARS_OF(struct rt_journal, boot_id, "of the kernel that was changed"),
	RT_FIELD_CHARS_OF(struct rt_journal, pci, "PCI address of the NIC"),
	RT_FIELD(struct rt_journal, MAC, mac, NONE, "of the netdev"),
	RT_FIELD_CHARS_OF(struct rt_journal, ibdev, "RDMA device"),
	RT_FIELD(struct rt_journal, U32, port, NONE, "of the RDMA device"),
	RT_FIELD_CHARS_OF(struct rt_journal, netdev, "network device"),
	RT_FIELD_CHARS_OF(struct rt_journal, driver, "whose rows the names are of"),
	RT_FIELD_CHARS_OF(struct rt_journal, profile, "what was applied"),
	RT_FIELD_CHARS_OF(struct rt_journal, undoes, "the change that this one undoes"),
	RT_FIELD(struct rt_journal, OPT_U64, deadline_ns, NS,
		 "CLOCK_BOOTTIME when an unconfirmed change is undone"),
	RT_FIELD_LIST_OF(struct rt_journal, writes, write_count,
			 &rt_journal_write_table, "what is written, in order"),
	RT_FIELD_LIST_OF(struct rt_journal, between, between_count, &value_table,
			 "what knobs may hold for a while"),
	RT_FIELD_LIST_OF(struct rt_journal, old, old_count, &value_table,
			 "all that the port was"),
	RT_FIELD_CHARS_OF(struct rt_journal, began, "when, UTC",
			  .flags = RT_FIELD_META),
	RT_FIELD_CHARS_OF(struct rt_journal, ended, "when, UTC",
			  .flags = RT_FIELD_META),
	RT_FIELD_CHARS_OF(struct rt_journal, result, "how it ended",
			  .flags = RT_FIELD_META),
};

RT_TABLE(rt_journal_table, rt_journal, "journal", "Journal",
	 "A change of one port: what was, what shall be, how far it came.",
	 journal_fields);

void rt_journal_free(struct rt_journal *journal)
{
	if (!journal)
		return;
	free(journal->writes);
	free(journal->between);
	free(journal->old);
	*journal = (struct rt_journal){ 0 };
}

void rt_journal_now(char text[32])
{
	const time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
		*text = '\0';
}

static const char *raw_text(const struct rt_raw_value *raw, char buf[24])
{
	if (!raw || !raw->known)
		return "unknown";
	snprintf(buf, 24, "%" PRIu64, raw->number);
	return buf;
}

char *rt_journal_text(const struct rt_qos *qos, const char *knob,
		      char buf[RT_KNOB_TEXT_BYTES])
{
	const struct rt_knob *row = rt_knob_find(knob);
	char digits[24];

	if (row)
		return rt_knob_format(row, &qos->knobs[row - rt_knobs], buf);
	snprintf(buf, RT_KNOB_TEXT_BYTES, "%s",
		 raw_text(rt_qos_raw(qos, knob), digits));
	return buf;
}

struct rt_journal_write *rt_journal_find(const struct rt_journal *journal,
					 const char *knob)
{
	for (size_t i = 0; i < journal->write_count; i++)
		if (strcmp(journal->writes[i].knob, knob) == 0)
			return &journal->writes[i];
	return NULL;
}

bool rt_journal_is_at(const struct rt_journal *journal, const struct rt_device *device)
{
	return device->port == journal->port &&
	       (*journal->pci ? strcmp(device->pci, journal->pci) == 0
			      : strcmp(device->ibdev, journal->ibdev) == 0);
}

/* --- reading ----------------------------------------------------------------------- */

/* More than one plan has, or a knob twice: no program of ours wrote that. */
static int check_writes(const char *name, const struct rt_journal *journal,
			struct rt_err *err)
{
	if (journal->write_count > RT_JOURNAL_WRITES_MOST)
		return rt_err_set(
			err, -EINVAL, "%s: %zu writes, a journal has %u at most", name,
			journal->write_count, (unsigned)RT_JOURNAL_WRITES_MOST);
	for (size_t i = 0; i < journal->write_count; i++)
		if (rt_journal_find(journal, journal->writes[i].knob) !=
		    &journal->writes[i])
			return rt_err_set(err, -EINVAL, "%s: \"%s\" is written twice",
					  name, journal->writes[i].knob);
	return 0;
}

static int check_version(const char *name, const struct rt_journal *journal,
			 struct rt_err *err)
{
	if (journal->version == RT_JOURNAL_VERSION)
		return 0;
	return rt_err_set(err, -EINVAL,
			  "%s: a journal of version %u, and this program knows version "
			  "%u: use the program that wrote it",
			  name, journal->version, RT_JOURNAL_VERSION);
}

int rt_journal_parse(const char *name, const char *text, size_t bytes,
		     struct rt_journal *ret_journal, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	struct rt_journal journal = { 0 };
	int r = rt_doc_parse(name, text, bytes, &doc, err);

	if (r == 0)
		r = rt_record_read_envelope(doc, &rt_journal_table, &journal, err);
	if (r < 0)
		return r;
	r = check_version(name, &journal, err);
	if (r == 0)
		r = check_writes(name, &journal, err);
	if (r < 0)
		rt_journal_free(&journal);
	else
		*ret_journal = journal;
	return r;
}

/* --- as values ----------------------------------------------------------------------- */

/* The driver's own text of the name, which outlives the journal. */
static const char *raw_name(const struct rt_driver *driver, const char *knob)
{
	for (size_t i = 0; driver && i < driver->row_count; i++)
		if (driver->rows[i].raw && strcmp(driver->rows[i].raw, knob) == 0)
			return driver->rows[i].raw;
	return NULL;
}

static int parse_raw(const char *text, struct rt_raw_value *raw)
{
	char *end;

	if (strcmp(text, "unknown") == 0)
		return 0;
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	raw->number = strtoull(text, &end, 10);
	if (*end || errno)
		return -EINVAL;
	raw->known = true;
	return 0;
}

/* Text as the knob's value in qos. */
static int put_value(const struct rt_driver *driver, const char *knob, const char *text,
		     struct rt_qos *qos, struct rt_err *err)
{
	const struct rt_knob *row = rt_knob_find(knob);
	struct rt_raw_value *raw;

	if (row)
		return rt_knob_parse(row, text, &qos->knobs[row - rt_knobs], err);
	if (!raw_name(driver, knob) || qos->raw_count == RT_QOS_RAW_MAX)
		return rt_err_set(err, -EINVAL,
				  "the journal names \"%s\", which the "
				  "driver does not have",
				  knob);
	raw = &qos->raw[qos->raw_count];
	*raw = (struct rt_raw_value){ .name = raw_name(driver, knob) };
	if (parse_raw(text, raw) < 0)
		return rt_err_set(err, -EINVAL, "\"%s\" is no value of %s", text, knob);
	qos->raw_count++;
	return 0;
}

int rt_journal_old(const struct rt_journal *journal, const struct rt_driver *driver,
		   struct rt_qos *ret_old, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_qos *old = calloc(1, sizeof(*old));

	if (!old)
		return rt_err_sys(err, -ENOMEM, "cannot hold the old state");
	for (size_t i = 0; i < journal->write_count; i++) {
		const struct rt_journal_write *write = &journal->writes[i];
		int r = put_value(driver, write->knob, write->old_value, old, err);

		if (r < 0)
			return r;
	}
	*ret_old = *old;
	return 0;
}

/* --- what may stand there ------------------------------------------------------------- */

static int add_between(struct rt_journal *journal, const char *knob, const char *value)
{
	struct rt_journal_value *grown;

	for (size_t i = 0; i < journal->between_count; i++)
		if (strcmp(journal->between[i].knob, knob) == 0 &&
		    strcmp(journal->between[i].value, value) == 0)
			return 0;
	grown = reallocarray(journal->between, journal->between_count + 1,
			     sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	journal->between = grown;
	grown += journal->between_count++;
	*grown = (struct rt_journal_value){ 0 };
	snprintf(grown->knob, sizeof(grown->knob), "%s", knob);
	snprintf(grown->value, sizeof(grown->value), "%s", value);
	return 0;
}

int rt_journal_allow_effects(struct rt_journal *journal, const struct rt_plan *plan,
			     struct rt_err *err)
{
	char text[RT_KNOB_TEXT_BYTES];

	for (size_t i = 0; i < plan->step_count; i++)
		for (size_t e = 0; e < plan->steps[i].effect_count; e++) {
			const struct rt_side_effect *effect =
				&plan->steps[i].effects[e];
			const struct rt_knob *row = &rt_knobs[effect->knob];

			if (!effect->between.known)
				continue;
			if (add_between(journal, row->name,
					rt_knob_format(row, &effect->between, text)) <
			    0)
				return rt_err_sys(err, -ENOMEM,
						  "cannot hold the journal");
		}
	return 0;
}

/* Elements of now that are known and that allowed has otherwise or not at all. */
static uint64_t strange(const struct rt_knob *row, const struct rt_knob_value *now,
			const struct rt_knob_value *allowed)
{
	return rt_knob_differs(row, allowed, now);
}

static int neutral_strange(const struct rt_journal *journal,
			   const struct rt_journal_write *write,
			   const struct rt_knob *row, const struct rt_knob_value *now,
			   uint64_t *ret_elements, struct rt_err *err)
{
	struct rt_knob_value old, allowed;
	int r = rt_knob_parse(row, write->old_value, &old, err);
	uint64_t left;

	if (r == 0)
		r = rt_knob_parse(row, write->new_value, &allowed, err);
	if (r < 0)
		return r;
	/* Elements that nobody knew or wrote are no business of this journal. */
	left = strange(row, now, &old) & strange(row, now, &allowed) &
	       (old.known | allowed.known);
	for (size_t i = 0; i < journal->between_count && left; i++) {
		if (strcmp(journal->between[i].knob, write->knob) != 0)
			continue;
		r = rt_knob_parse(row, journal->between[i].value, &allowed, err);
		if (r < 0)
			return r;
		left &= strange(row, now, &allowed);
	}
	*ret_elements = left;
	return 0;
}

static bool raw_allowed(const struct rt_journal *journal,
			const struct rt_journal_write *write,
			const struct rt_raw_value *now)
{
	char digits[24];
	const char *text = raw_text(now, digits);

	if (strcmp(text, write->old_value) == 0 || strcmp(text, write->new_value) == 0)
		return true;
	for (size_t i = 0; i < journal->between_count; i++)
		if (strcmp(journal->between[i].knob, write->knob) == 0 &&
		    strcmp(journal->between[i].value, text) == 0)
			return true;
	return false;
}

static int check_write(const struct rt_journal *journal, const struct rt_driver *driver,
		       const struct rt_journal_write *write, const struct rt_qos *now,
		       bool *ret_holds, struct rt_err *err)
{
	const struct rt_knob *row = rt_knob_find(write->knob);
	uint64_t left = 0;
	int r;

	if (row) {
		r = neutral_strange(journal, write, row, &now->knobs[row - rt_knobs],
				    &left, err);
		if (r < 0)
			return r;
		*ret_holds = left == 0;
		return 0;
	}
	if (!raw_name(driver, write->knob))
		return rt_err_set(err, -EINVAL,
				  "the journal names \"%s\", which the driver does not "
				  "have",
				  write->knob);
	*ret_holds = raw_allowed(journal, write, rt_qos_raw(now, write->knob));
	return 0;
}

int rt_journal_holds(const struct rt_journal *journal, const struct rt_driver *driver,
		     const struct rt_qos *now, struct rt_err *err)
{
	char text[RT_KNOB_TEXT_BYTES];

	for (size_t i = 0; i < journal->write_count; i++) {
		const struct rt_journal_write *write = &journal->writes[i];
		bool holds = false;
		int r = check_write(journal, driver, write, now, &holds, err);

		if (r < 0)
			return r;
		if (!holds)
			return rt_err_set(err, -ESTALE,
					  "%s holds %.160s, neither what it was "
					  "(%.80s) nor what was written (%.80s): "
					  "somebody else changed it",
					  write->knob,
					  rt_journal_text(now, write->knob, text),
					  write->old_value, write->new_value);
	}
	return 0;
}

static bool neutral_kept(const struct rt_qos *shall, const struct rt_qos *now,
			 enum rt_knob_id id)
{
	const uint64_t other = rt_knob_differs(&rt_knobs[id], &now->knobs[id],
					       &shall->knobs[id]);

	return !(id == RT_KNOB_ETS_BW ? other & ~rt_qos_shareless(shall) : other);
}

static bool raw_kept(const struct rt_raw_value *shall, const struct rt_qos *now)
{
	const struct rt_raw_value *is = rt_qos_raw(now, shall->name);

	return !shall->known || (is && is->known && is->number == shall->number);
}

int rt_journal_kept(const struct rt_journal *journal, const struct rt_driver *driver,
		    const struct rt_qos *now, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_qos *shall = calloc(1, sizeof(*shall));
	const char *other = NULL;
	char text[RT_KNOB_TEXT_BYTES];

	if (!shall)
		return rt_err_sys(err, -ENOMEM, "cannot hold what was written");
	for (size_t i = 0; i < journal->write_count; i++) {
		const struct rt_journal_write *write = &journal->writes[i];
		int r = put_value(driver, write->knob, write->new_value, shall, err);

		if (r < 0)
			return r;
	}
	for (unsigned id = 0; id < RT_KNOB_COUNT && !other; id++)
		if (!neutral_kept(shall, now, id))
			other = rt_knobs[id].name;
	for (size_t i = 0; i < shall->raw_count && !other; i++)
		if (!raw_kept(&shall->raw[i], now))
			other = shall->raw[i].name;
	if (!other)
		return 0;
	return rt_err_set(
		err, -ESTALE,
		"%s holds %.160s, not what was written: somebody else changed "
		"it",
		other, rt_journal_text(now, other, text));
}

int rt_journal_allow_kept(struct rt_journal *journal, const struct rt_driver *driver,
			  const struct rt_qos *now, uint32_t step, struct rt_err *err)
{
	char text[RT_KNOB_TEXT_BYTES];

	for (size_t i = 0; i < journal->write_count; i++) {
		const struct rt_journal_write *write = &journal->writes[i];
		bool holds = step && write->step != step && !write->disturbed;
		int r = 0;

		if (!holds)
			r = check_write(journal, driver, write, now, &holds, err);
		if (r == 0 && !holds)
			r = add_between(journal, write->knob,
					rt_journal_text(now, write->knob, text));
		if (r < 0)
			return r;
	}
	return 0;
}

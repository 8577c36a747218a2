/* SPDX-License-Identifier: BSD-2-Clause */
/* nics.c - docs/nics.md: what is read and set on which NIC, from the drivers' rows. */
#include "run/nics.h"

#include "cmd/help.h"
#include "rocetune/err.h"

static const char intro[] =
	"<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
	"<!-- Made by `make docs` from src/host/drivers. -->\n"
	"# NICs\n\n"
	"What rocetune reads and sets on a host, by driver. Rows of one knob are ways "
	"to "
	"it: the first that is there is used. Ranges are in the NIC's own unit; "
	"numbers "
	"are converted to the units of profiles, and rounded to the nearest that the "
	"NIC "
	"holds if that is within 5 %. *Raw* knobs have no vendor-neutral twin: they "
	"are "
	"set by their own name under `host.cc.raw.<driver>` and never tuned; many have "
	"a "
	"unit that nobody documents.\n\n"
	"What a write does: *live* loses nothing; *blip* rebuilds queues, packets may "
	"be "
	"lost; *flap* takes the link down and up; *reload* needs the driver to be "
	"loaded "
	"anew. All of one port, unless another scope is given. Nothing here was run on "
	"a vendor's hardware by this project: behaviour is as the named sources have "
	"it.\n";

static void put_knobs(FILE *to, const struct rt_nic *nic)
{
	if (!nic->knob_count)
		return;
	fputs("\n| knob | by | the NIC's name | range | a write | source |\n"
	      "|---|---|---|---|---|---|\n",
	      to);
	for (size_t i = 0; i < nic->knob_count; i++) {
		const struct rt_nic_knob *knob = &nic->knobs[i];

		fprintf(to, "| `%s`%s%s%s | %s | %s | %s | %s%s%s | %s |\n", knob->knob,
			knob->raw ? " (raw" : "",
			knob->raw && knob->unit[0] == 'n' ? ", unit not documented"
							  : "",
			knob->raw ? ")" : "", knob->interface, knob->vendor,
			knob->range, knob->writes, knob->scope[0] == 'p' ? "" : ", ",
			knob->scope[0] == 'p' ? "" : knob->scope, knob->source);
	}
}

static void put_nic(FILE *to, const struct rt_nic *nic)
{
	fprintf(to, "\n## %s\n\n%s; kernel driver %s.\n", nic->name, nic->help,
		nic->kernel);
	if (nic->cannot)
		fprintf(to, "\nNothing can be tuned: %s.\n", nic->cannot);
	put_knobs(to, nic);
	if (nic->lack_count)
		fputs("\nNot there:\n\n", to);
	for (size_t i = 0; i < nic->lack_count; i++)
		fprintf(to, "- %s: %s\n", nic->lacks[i].group, nic->lacks[i].why);
}

int rt_help_nics(FILE *to, struct rt_err *err)
{
	struct rt_nics nics;
	int r = rt_run_nics(&nics, err);

	if (r < 0)
		return r;
	fputs(intro, to);
	for (size_t i = 0; i < nics.count; i++)
		put_nic(to, &nics.items[i]);
	rt_nics_free(&nics);
	return 0;
}

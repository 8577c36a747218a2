/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_ticks.c - what watching a host costs: CPU of a sample, and of the sampler with it,
 * beside that of a bare loop that has the same files open and reads them with pread(2).
 *
 *   watch_ticks FOLDER RUNS TICKS    medians of RUNS in alternation, in microseconds
 *   watch_ticks FOLDER memory TICKS  resident memory after a hundredth of them, and all
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kern/kern.h"
#include "model/counters.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/watch.h"
#include "run/watch_host.h"
#include "watch/sample.h"
#include "watch/source.h"
#include "watch/watch.h"

#define MAX_FILES    65536
#define MAX_RUNS     101
/* More than there is of caches. */
#define OTHERS_BYTES ((size_t)64 << 20)

struct bench {
	struct rt_watch_source *source;
	struct rt_watch_sample sample;
	struct rt_watch *watch; /* over another source of the same folder */
	int files[MAX_FILES];   /* open anew for the bare loop */
	int written[MAX_FILES]; /* and for time to go on: nobody finds them warm */
	bool counts[MAX_FILES]; /* as time goes on; no link comes and goes */
	size_t count;
};

static void die(const char *what)
{
	fprintf(stderr, "watch_ticks: %s\n", what);
	exit(2);
}

static struct rt_watch_source *open_source(const char *folder)
{
	const struct rt_watch_request request = { .sysroot = folder };
	struct rt_watch_source *source = NULL;
	struct rt_kern *kern = NULL;
	struct rt_err err = { 0 };

	if (rt_run_open_host(folder, &kern, &err) < 0 ||
	    rt_watch_host_open(kern, &request, &source, &err) < 0)
		die(err.msg);
	return source;
}

static bool ends_with(const char *path, const char *end)
{
	const size_t bytes = strlen(path), of_end = strlen(end);

	return bytes >= of_end && strcmp(path + bytes - of_end, end) == 0;
}

static void add_file(struct bench *bench, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (bench->count == MAX_FILES)
		die("too many files");
	bench->files[bench->count] = open(path, O_RDONLY);
	bench->written[bench->count] = open(path, O_RDWR);
	bench->counts[bench->count] = !ends_with(path, "/carrier_changes");
	if (bench->files[bench->count] < 0 || bench->written[bench->count] < 0)
		die(path);
	bench->count++;
}

/* What this process has open below folder. */
static void find_files(struct bench *bench, const char *folder)
{
	char path[300], target[PATH_MAX + 1], top[PATH_MAX];
	static char found[MAX_FILES][256];
	size_t count = 0;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir || !realpath(folder, top))
		die("/proc");
	while ((entry = readdir(dir)) && count < MAX_FILES) {
		ssize_t bytes;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		bytes = readlink(path, target, PATH_MAX);
		if (bytes <= 0)
			continue;
		target[bytes] = '\0';
		if (strncmp(target, top, strlen(top)) == 0 && target[strlen(top)])
			snprintf(found[count++], sizeof(found[0]), "%.255s", target);
	}
	closedir(dir);
	for (size_t i = 0; i < count; i++)
		add_file(bench, found[i]);
}

static double cpu_us(void)
{
	return (double)rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
}

static void tick_source(struct bench *bench)
{
	struct rt_err err = { 0 };

	if (bench->source->ops->sample(bench->source, &bench->sample, &err) < 0)
		die(err.msg);
}

static void tick_watch(struct bench *bench)
{
	struct rt_err err = { 0 };

	if (rt_watch_tick(bench->watch, &err) < 0)
		die(err.msg);
}

static void tick_floor(struct bench *bench)
{
	static char buffer[65536];

	for (size_t i = 0; i < bench->count; i++)
		if (pread(bench->files[i], buffer, sizeof(buffer), 0) < 0)
			die("pread");
}

/* To the number that ends there. */
static void add_one(char *text, ssize_t at)
{
	for (; at >= 0 && text[at] == '9'; at--)
		text[at] = '0';
	if (at < 0 || text[at] < '0' || text[at] > '8')
		die("a number of the tree has too few digits");
	text[at]++;
}

/*
 * Time goes on between two ticks: a third of the files counts on, and so does every fourth
 * line of a list; and others have the caches, as they would in the second between.  It is
 * not measured.
 */
static void stir(const struct bench *bench, unsigned turn)
{
	static char text[65536];

	for (size_t i = 0; i < bench->count; i++) {
		ssize_t bytes = 0;
		unsigned line = 0;

		if (bench->counts[i] && (i + turn) % 3 == 0)
			bytes = pread(bench->written[i], text, sizeof(text), 0);
		for (ssize_t at = 1; at < bytes; at++)
			if (text[at] == '\n' && line++ % 4 == 0)
				add_one(text, at - 1);
		if (bytes > 0 && pwrite(bench->written[i], text, (size_t)bytes, 0) < 0)
			die("pwrite");
	}
}

static void use_caches(void)
{
	static char others[OTHERS_BYTES];

	for (size_t i = 0; i < sizeof(others); i += 64)
		others[i]++;
}

/* CPU of a tick after time went on, in microseconds. */
static double measure(struct bench *bench, void (*tick)(struct bench *), unsigned turn)
{
	double before;

	stir(bench, turn);
	use_caches();
	before = cpu_us();
	tick(bench);
	return cpu_us() - before;
}

static int compare(const void *a, const void *b)
{
	const double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static size_t items_of(const struct bench *bench)
{
	size_t items = 0;

	for (size_t i = 0; i < bench->sample.count; i++)
		items += bench->sample.items[i].set.count;
	return items;
}

static void show_costs(const struct bench *bench)
{
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		uint64_t cost_ns = 0;

		for (size_t j = 0; j < bench->sample.count; j++)
			cost_ns += bench->sample.items[j].set.paces[i].cost_ns;
		if (cost_ns)
			printf("cost %s %.1f\n", rt_counter_source_names[i].name,
			       (double)cost_ns / 1000);
	}
}

/* In alternation tick by tick, so that what disturbs this machine disturbs all three. */
static void compare_costs(struct bench *bench, unsigned runs, unsigned ticks)
{
	double floors[MAX_RUNS], sources[MAX_RUNS], watches[MAX_RUNS];
	double source_ratios[MAX_RUNS], watch_ratios[MAX_RUNS];

	for (unsigned i = 0; i < runs; i++) {
		floors[i] = sources[i] = watches[i] = 0;
		for (unsigned j = 0; j < ticks; j++) {
			floors[i] += measure(bench, tick_floor, j) / ticks;
			sources[i] += measure(bench, tick_source, j) / ticks;
			watches[i] += measure(bench, tick_watch, j) / ticks;
		}
		source_ratios[i] = sources[i] / floors[i];
		watch_ratios[i] = watches[i] / floors[i];
	}
	printf("ports %zu\ncounters %zu\nfiles %zu\n", bench->sample.count,
	       items_of(bench), bench->count);
	printf("floor %.1f\nsource %.1f\nwatch %.1f\n", median(floors, runs),
	       median(sources, runs), median(watches, runs));
	printf("source_ratio %.3f\nwatch_ratio %.3f\n", median(source_ratios, runs),
	       median(watch_ratios, runs));
	show_costs(bench);
}

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all, pages = 0;

	if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2)
		die("/proc/self/statm");
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void watch_memory(struct bench *bench, unsigned ticks)
{
	long early;

	for (unsigned i = 0; i < ticks / 100; i++)
		measure(bench, tick_watch, i);
	early = resident_kib();
	for (unsigned i = ticks / 100; i < ticks; i++)
		measure(bench, tick_watch, i);
	printf("early %ld\nlate %ld\n", early, resident_kib());
}

int main(int argc, char **argv)
{
	static struct bench bench;
	struct rt_err err = { 0 };
	unsigned runs, ticks;

	if (argc < 4)
		die("FOLDER RUNS|memory TICKS");
	runs = (unsigned)strtoul(argv[2], NULL, 10);
	ticks = (unsigned)strtoul(argv[3], NULL, 10);
	bench.source = open_source(argv[1]);
	tick_source(&bench);
	tick_source(&bench);
	find_files(&bench, argv[1]);
	if (rt_watch_open(open_source(argv[1]), RT_WATCH_MIN_INTERVAL_NS, &bench.watch,
			  &err) < 0)
		die(err.msg);
	if (strcmp(argv[2], "memory") == 0)
		watch_memory(&bench, ticks);
	else if (runs >= 1 && runs <= MAX_RUNS && ticks)
		compare_costs(&bench, runs, ticks);
	else
		die("RUNS is 1 to 101");
	bench.source->ops->close(bench.source);
	rt_watch_sample_free(&bench.sample);
	rt_watch_close(bench.watch);
	return 0;
}

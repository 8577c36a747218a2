# SPDX-License-Identifier: BSD-2-Clause
# rocetune: plain, non-recursive.  `make help` lists the targets.

VERSION    := 0.1.0
SOVERSION  := 0

CC         ?= gcc
CLANG      ?= clang
AR         ?= ar
PKG_CONFIG ?= pkg-config
CFLAGS     ?= -O2 -g
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
UNITDIR    ?= $(LIBDIR)/systemd/system
SHARED     ?= ../shared
SANITIZE   ?=
WERROR     ?=
V          ?=

ifeq ($(origin CC),default)
CC := gcc
endif

comma := ,
B     ?= build$(SANITIZE:%=-$(subst $(comma),-,$(SANITIZE)))
Q     := $(if $(V),,@)
say    = @printf '  %-7s %s\n' $(1) $(2)

# --- what is built ---------------------------------------------------------
LIB_ROOMS  := base wire cc model kern pktio analysis fabric host nos traffic lab watch
PROG_ROOMS := report run dash export cmd
LIB_PKGS   := libfyaml jansson libnl-3.0 libnl-genl-3.0 libarchive zlib liblzma libpcap nettle libcap-ng
PROG_PKGS  := ncursesw libmicrohttpd
# Parts opened at run time: src/traffic/NAME/*.c, and the packages each is linked with.
MODULES    := verbs pmix
verbs_PKGS := libibverbs librdmacm
pmix_PKGS  := pmix

WARN   := -Wall -Wextra -Wshadow -Wformat=2 -Wvla -Wmissing-prototypes \
          -Wstrict-prototypes -Wpointer-arith -Wcast-qual -Wundef
ALL_C   = -std=gnu17 -D_GNU_SOURCE -Iinclude -Isrc $(WARN) $(WERROR) -MMD -MP -fPIC \
          -fno-semantic-interposition -ffp-contract=off -fno-common \
          -DRT_VERSION='"$(VERSION)"' -DRT_DATADIR='"$(DATADIR)/rocetune"' \
          -DRT_LIBDIR='"$(LIBDIR)/rocetune"' \
          $(SANITIZE:%=-fsanitize=%) $(if $(SANITIZE),-fno-sanitize-recover=all -fno-omit-frame-pointer) \
          $(PKG_CFLAGS) $(CFLAGS)
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIB_PKGS) $(PROG_PKGS) $(foreach m,$(MODULES),$($(m)_PKGS)) 2>/dev/null)
LIB_LIBS    = $(shell $(PKG_CONFIG) --libs $(LIB_PKGS) 2>/dev/null) -lm
PROG_LIBS   = $(if $(PROG_PKGS),$(shell $(PKG_CONFIG) --libs $(PROG_PKGS) 2>/dev/null))
LD_C        = $(CFLAGS) $(SANITIZE:%=-fsanitize=%) $(LDFLAGS)

sources  = $(filter-out $(wildcard $(MODULES:%=src/traffic/%/*.c)), \
           $(sort $(foreach room,$(1),$(wildcard src/$(room)/*.c src/$(room)/*/*.c))))
objects  = $(patsubst %.c,$(B)/%.o,$(call sources,$(1)))
LIB_O   := $(call objects,$(LIB_ROOMS))
PROG_O  := $(call objects,$(PROG_ROOMS))
module_objects = $(patsubst %.c,$(B)/%.o,$(wildcard src/traffic/$(1)/*.c))
MODULE_SO := $(MODULES:%=$(B)/rocetune-%.so)
UNITS   := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
TOOLS   := $(patsubst %.c,$(B)/%,$(wildcard tests/tools/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
CHECKS  := $(wildcard tests/check/*.sh)
LONG    := $(wildcard tests/long/*.sh)
PUBLIC  := $(wildcard include/rocetune/*.h)
MANS     = $(patsubst %,$(B)/man/%,$(shell $(B)/rocetune help --list-man 2>/dev/null))

.PHONY: all demo check check-all check-built asan fuzz lint bench validate install \
        uninstall deps dist clean help tests docs
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

all: $(B)/rocetune $(B)/librocetune.a $(B)/librocetune.so.$(SOVERSION) $(B)/rocetune.pc $(MODULE_SO)

help:
	@sed -n 's/^#? //p' Makefile

#? make demo       install what is missing, build, run a 16:1 incast end to end
#? make check      install what is missing, build, pass every test (under 10 minutes)
#? make check-all  the long tests too (under an hour)
#? make            build the program and the library into build/
#? make asan       the unit tests under AddressSanitizer and UBSan (clang)
#? make fuzz       fuzz every parser, FUZZ_SECONDS each (default 60)
#? make lint       formatting, clang -Werror, man pages
#? make bench      benchmarks: ratios against a floor measured in the same run
#? make validate   simulator and analyser against reference results; writes the table
#? make docs       regenerate docs/schema and docs/findings.md from the tables
#? make install    to DESTDIR and PREFIX (default /usr/local); make uninstall
#? make deps       install the Debian packages of .ci/packages
#? make dist       a source archive; make clean
#? Variables: CC CFLAGS LDFLAGS PREFIX DESTDIR B (build folder) V=1 NODEPS=1 SHARED

$(B)/rocetune: $(B)/src/main.o $(PROG_O) $(B)/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) $^ $(LIB_LIBS) $(PROG_LIBS) -o $@

$(B)/librocetune.a: $(LIB_O)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/librocetune.so.$(SOVERSION): $(LIB_O) src/librocetune.map
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) -shared -Wl,-soname,librocetune.so.$(SOVERSION) \
	  -Wl,--version-script=src/librocetune.map $(LIB_O) $(LIB_LIBS) -o $@
	$(Q)ln -sf $(@F) $(B)/librocetune.so

# A module carries its own copy of what it uses of the library.
.SECONDEXPANSION:
$(MODULE_SO): $(B)/rocetune-%.so: $$(call module_objects,$$*) \
                $(B)/librocetune.a src/module.map
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) -shared -Wl,--version-script=src/module.map $(filter %.o %.a,$^) \
	  $(LIB_LIBS) $(shell $(PKG_CONFIG) --libs $($*_PKGS)) -Wl,--as-needed -o $@

# Changes when where it is installed does.
PATHS := $(VERSION) $(PREFIX) $(LIBDIR) $(INCLUDEDIR)
$(B)/paths: FORCE
	@mkdir -p $(@D)
	@echo '$(PATHS)' | cmp -s - $@ || echo '$(PATHS)' >$@

$(B)/rocetune.pc: Makefile $(B)/paths
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
	  'Name: rocetune' 'Description: RoCE congestion-control toolkit' 'Version: $(VERSION)' \
	  'Requires.private: $(LIB_PKGS)' 'Libs: -L$${libdir} -lrocetune' \
	  'Libs.private: -lm' 'Cflags: -I$${includedir}' >$@

# Objects are made anew when the way to make them changes: a program installed under
# another PREFIX looks for its profiles there.
FLAGS_NOW = $(CC) $(ALL_C)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS_NOW))' >$@
.PHONY: FORCE

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_C) -c $< -o $@

# --- tests -------------------------------------------------------------------
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(PROG_O) $(B)/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) $^ $(LIB_LIBS) $(PROG_LIBS) -lcmocka -o $@

# What a module decides without a device is tested without it, and without its libraries.
$(B)/tests/unit/test_verbs: $(B)/src/traffic/verbs/choose.o $(B)/src/traffic/verbs/words.o

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) $(filter %.o,$^) $(B)/librocetune.a $(LIB_LIBS) $(BENCH_LIBS) -o $@

# It measures what is in the program's own rooms.
$(B)/tests/bench/watch_ticks: $(PROG_O)
$(B)/tests/bench/watch_ticks: BENCH_LIBS = $(PROG_LIBS)

# Each library a tool does not need costs it a tenth of a second in the kernel lab.
$(B)/tests/tools/%: $(B)/tests/tools/%.o $(B)/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) -Wl,--as-needed $^ $(LIB_LIBS) -o $@

# The dashboard belongs to the program.
$(B)/tests/tools/dashdemo: $(B)/tests/tools/dashdemo.o $(call objects,dash) $(B)/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LD_C) $^ $(LIB_LIBS) $(PROG_LIBS) -o $@

tests: $(UNITS) $(TOOLS)

ASAN := CC=$(CLANG) SANITIZE=address,undefined CFLAGS='-O1 -g'
FUZZ := CC=$(CLANG) SANITIZE=address,undefined,fuzzer-no-link B=build-fuzz CFLAGS='-O1 -g'
FUZZ_SECONDS ?= 60
FUZZ_RUNS    ?= 20000

build-fuzz/fuzz_%: build-fuzz/tests/fuzz/fuzz_%.o build-fuzz/librocetune.a
	$(call say,LD,$@)
	$(Q)$(CLANG) -O1 -g -fsanitize=address,undefined,fuzzer $(filter %.o,$^) \
	  $(filter %.a,$^) $(LIB_LIBS) $(FUZZ_LIBS) -o $@

# Of rooms that the library does not have.
build-fuzz/fuzz_stress: $(PROG_O)
build-fuzz/fuzz_export: $(call objects,export)
build-fuzz/fuzz_dash: $(call objects,dash)
build-fuzz/fuzz_stress build-fuzz/fuzz_export build-fuzz/fuzz_dash: FUZZ_LIBS = $(PROG_LIBS)

.PHONY: fuzzers
fuzzers: $(FUZZERS:%=build-fuzz/%)

# The sanitizer build and the fuzz targets are builds of their own folder; this
# is the one place where make calls itself, with other flags.
asan-built:
	@$(MAKE) --no-print-directory $(ASAN) tests all
fuzz-built:
	@$(MAKE) --no-print-directory $(FUZZ) fuzzers

deps:
	@.ci/deps build test

check:
	@.ci/deps build test vm
	@$(MAKE) --no-print-directory check-built

check-built: all tests asan-built fuzz-built
	@B=$(B) SHARED=$(SHARED) FUZZ_RUNS=$(FUZZ_RUNS) CC=$(CC) CLANG=$(CLANG) tests/run \
	  $(UNITS) $(patsubst $(B)/%,asan:build-address-undefined/%,$(UNITS)) \
	  $(CHECKS) $(FUZZERS:%=fuzz:build-fuzz/%)

check-all:
	@.ci/deps build test vm heavy
	@$(MAKE) --no-print-directory all tests asan-built fuzz-built
	@B=$(B) SHARED=$(SHARED) FUZZ_RUNS=$(FUZZ_RUNS) CC=$(CC) CLANG=$(CLANG) tests/run \
	  $(UNITS) $(patsubst $(B)/%,asan:build-address-undefined/%,$(UNITS)) \
	  $(CHECKS) $(FUZZERS:%=fuzz:build-fuzz/%) $(UNITS:%=valgrind:%) $(LONG)

asan:
	@.ci/deps build test
	@$(MAKE) --no-print-directory asan-built all tests
	@B=$(B) SHARED=$(SHARED) tests/run $(patsubst $(B)/%,asan:build-address-undefined/%,$(UNITS))

fuzz:
	@.ci/deps build test
	@$(MAKE) --no-print-directory fuzz-built
	@FUZZ_SECONDS=$(FUZZ_SECONDS) SHARED=$(SHARED) tests/run $(FUZZERS:%=fuzz:build-fuzz/%)

lint:
	@.ci/deps build test
	@$(MAKE) --no-print-directory all
	@B=$(B) CLANG=$(CLANG) tests/run tests/check/format.sh tests/check/man.sh tests/long/clang.sh

# --- what users run ----------------------------------------------------------
demo:
	@.ci/deps build
	@$(MAKE) --no-print-directory all
	@tests/demo.sh $(B)

validate: all
	@B=$(B) SHARED=$(SHARED) tests/validate.sh --write
	@B=$(B) SHARED=$(SHARED) tests/validate-analyser.sh

bench:
	@.ci/deps build bench
	@$(MAKE) --no-print-directory all $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))
	@B=$(B) SHARED=$(SHARED) tests/bench/run

docs: all
	@B=$(B) tests/docs.sh --write

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig \
	  $(DESTDIR)$(INCLUDEDIR)/rocetune $(DESTDIR)$(DATADIR)/rocetune/profiles \
	  $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(DATADIR)/bash-completion/completions
	install -m 755 $(B)/rocetune $(DESTDIR)$(BINDIR)/rocetune
	[ -z "$(MODULE_SO)" ] || { install -d $(DESTDIR)$(LIBDIR)/rocetune && \
	  install -m 755 $(MODULE_SO) $(DESTDIR)$(LIBDIR)/rocetune/; }
	install -m 644 $(B)/librocetune.a $(DESTDIR)$(LIBDIR)/librocetune.a
	install -m 755 $(B)/librocetune.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/librocetune.so.$(SOVERSION)
	ln -sf librocetune.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/librocetune.so
	install -m 644 $(B)/rocetune.pc $(DESTDIR)$(LIBDIR)/pkgconfig/rocetune.pc
	install -m 644 $(PUBLIC) $(DESTDIR)$(INCLUDEDIR)/rocetune/
	install -m 644 profiles/*.yaml $(DESTDIR)$(DATADIR)/rocetune/profiles/
	install -m 644 docs/grafana.json docs/alerts.yaml $(DESTDIR)$(DATADIR)/rocetune/
	install -d $(DESTDIR)$(UNITDIR)
	sed 's#/usr/local/bin#$(BINDIR)#' docs/rocetune-exporter.service >$(DESTDIR)$(UNITDIR)/rocetune-exporter.service
	$(B)/rocetune help --write-man $(DESTDIR)$(MANDIR)/man1
	$(B)/rocetune help --completion bash >$(DESTDIR)$(DATADIR)/bash-completion/completions/rocetune

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/rocetune $(DESTDIR)$(LIBDIR)/librocetune.a \
	  $(DESTDIR)$(LIBDIR)/librocetune.so $(DESTDIR)$(LIBDIR)/librocetune.so.$(SOVERSION) \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/rocetune.pc $(DESTDIR)$(MANDIR)/man1/rocetune*.1 \
	  $(DESTDIR)$(DATADIR)/bash-completion/completions/rocetune \
	  $(DESTDIR)$(UNITDIR)/rocetune-exporter.service
	rm -rf $(DESTDIR)$(INCLUDEDIR)/rocetune $(DESTDIR)$(DATADIR)/rocetune $(DESTDIR)$(LIBDIR)/rocetune

dist:
	git archive --prefix=rocetune-$(VERSION)/ -o rocetune-$(VERSION).tar.gz HEAD

clean:
	rm -rf build build-* rocetune-*.tar.gz

-include $(LIB_O:.o=.d) $(patsubst %.c,$(B)/%.d,$(wildcard $(MODULES:%=src/traffic/%/*.c))) $(PROG_O:.o=.d) $(UNITS:=.d) $(TOOLS:=.d) $(B)/src/main.d \
  $(FUZZERS:%=build-fuzz/tests/fuzz/%.d) $(wildcard $(B)/tests/bench/*.d)

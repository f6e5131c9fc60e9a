# tmasim: `make help` lists the targets.

VARIANT ?= release
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
ENGINEDIR ?= $(LIBDIR)
DESTDIR ?=
CC      ?= cc
# make PGO=1: a release build that is optimised with a profile of the training set (docs/performance.md).
BUILD   := build/$(if $(PGO),pgo,$(VARIANT))

# What a release is hardened with. It costs less than 1 % of the instructions of a run.
HARDENING := -D_FORTIFY_SOURCE=3 -fstack-protector-strong
HARDENING_LINK := -Wl,-z,relro,-z,now

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifdef WERROR
WARNINGS += -Werror
endif
FLAGS_release := -O3 -g $(HARDENING)
# TMA_DEBUG: writers of traces check what traces promise.
FLAGS_debug   := -O0 -g3 -DTMA_DEBUG
# One build has both sanitizers: CI has no time for two.
FLAGS_asan    := -O1 -g -DTMA_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_coverage := -O0 -g --coverage -include tests/coverage.h
ifndef FLAGS_$(VARIANT)
$(error VARIANT is "$(VARIANT)"; allowed: release, debug, asan, coverage)
endif

# The memory system is many small functions that call each other for each request: gcc optimises the
# command and the benchmarks as a whole, which makes them a tenth faster. Tests use what it makes of each file.
ifeq ($(VARIANT),release)
LTO := $(if $(findstring clang,$(shell $(CC) --version)),,-flto=auto -ffat-lto-objects)
endif

# Sources have changed since the profile was taken, at times: then it counts for what it still fits.
ifneq ($(and $(PGO),$(LTO)),)
PROFILE := $(BUILD)/profile
LTO += -fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch
endif

# The headers of SimGrid and libyaml are system headers: the project's warnings do not apply to them.
# Only the engine's module is linked with SimGrid; the library loads it (dlopen) when a run begins.
PACKAGES := yaml-0.1
DEPS_CFLAGS  := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags simgrid $(PACKAGES) 2>/dev/null))
DEPS_LIBS    := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -ldl
SIMGRID_LIBS := $(shell pkg-config --libs simgrid 2>/dev/null)
CHECK_LIBS   := $(shell pkg-config --libs check 2>/dev/null)
# The address sanitizer takes in the libraries that are there when a program starts. It does not see
# the exceptions and the thread-local data of SimGrid if the module is what loads it.
ifeq ($(VARIANT),asan)
DEPS_LIBS += -Wl,--no-as-needed $(SIMGRID_LIBS)
endif

# The same objects go into the command, the static library and the shared one. That one exports what
# the public headers declare (sim/base/api.h).
VISIBILITY := -fPIC -fvisibility=hidden -fno-semantic-interposition

ALL_CFLAGS := -std=c17 -D_XOPEN_SOURCE=700 -Isim $(DEPS_CFLAGS) $(WARNINGS) $(FLAGS_$(VARIANT)) \
              $(VISIBILITY) -fno-common -ffp-contract=off $(LTO) -MMD -MP $(CFLAGS)
ALL_LDFLAGS := $(FLAGS_$(VARIANT)) $(HARDENING_LINK) $(LDFLAGS)

MODULE_SOURCES := $(wildcard sim/engine/simgrid/*.c)
CLI_SOURCES   := $(wildcard sim/cli/*.c sim/cli/*/*.c sim/validate/*.c)
LIB_SOURCES   := $(filter-out $(CLI_SOURCES) sim/mpi/% $(MODULE_SOURCES),$(wildcard sim/*/*.c sim/*/*/*.c))
MPI_SOURCES   := $(wildcard sim/mpi/*.c)
UNIT_SOURCES  := $(wildcard tests/unit/test_*.c)
HARDWARE_SOURCES := $(wildcard tests/hardware/*.c)
FAULT_SOURCES := $(wildcard tests/faults/*.c)
FUZZ_SOURCES  := $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
SOURCES := $(LIB_SOURCES) $(MODULE_SOURCES) $(CLI_SOURCES) $(UNIT_SOURCES) tests/unit/runner.c $(HARDWARE_SOURCES) $(FAULT_SOURCES) $(FUZZ_SOURCES) tests/fuzz/replay.c $(BENCH_SOURCES)
CAPTURE_SOURCES := $(wildcard capture/*.c)
STYLED  := $(SOURCES) $(MPI_SOURCES) $(CAPTURE_SOURCES) $(wildcard sim/*.h sim/*/*.h sim/*/*/*.h tests/*/*.h scripts/capture/*.h scripts/capture/*.cu* capture/*.h tests/capture/*.[ch] examples/*.c tests/extend/*.c python/native/*.c)
# The public headers: sim/tmasim.h and those that it includes.
PUBLIC_HEADERS = $(sort $(filter %.h,$(shell $(CC) -Isim -MM sim/tmasim.h)))

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJECTS := $(call object,$(LIB_SOURCES))
CLI_OBJECTS := $(call object,$(CLI_SOURCES))
LIBRARY := $(BUILD)/libtmasim.a
SHARED  := $(BUILD)/libtmasim.so
MODULE  := $(BUILD)/libtmasim-engine.so
COMMAND := $(BUILD)/tmasim
# What CUDA's driver loads into a program to record its launches, and the command around it.
CAPTURE := $(BUILD)/libtmasim-capture.so $(BUILD)/tmasim-capture
# Sweeps and tuners on many machines (docs/ranks.md), where there is MPI.
MPICC   ?= $(shell command -v mpicc 2>/dev/null)
RANKS   := $(if $(MPICC),$(BUILD)/tmasim-mpi)
# Tests of faults are thousands of processes: with sanitizers they run by themselves (test-faults), but
# for that of the memory, of which the address sanitizer keeps what is freed.
FAULT_TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(FAULT_SOURCES))
SANITIZED := $(filter asan,$(VARIANT))
FAULT_TESTS_HERE := $(filter-out $(if $(SANITIZED),%/test_constant_memory),$(FAULT_TESTS))
# Unit tests are linked into one program an area, the word with which their names begin; one has the
# others, and one those of the hardware. ALONE are those that replace a part of their process.
AREAS   := engine kernel memory ptx
ALONE   := tests/unit/test_engine_module.c tests/unit/test_out_of_memory.c
RUNNERS := $(addprefix $(BUILD)/tests/,$(AREAS:%=unit/%) unit/others hardware/all)
TESTS   := $(RUNNERS) $(patsubst tests/%.c,$(BUILD)/tests/%,$(ALONE) $(FUZZ_SOURCES)) $(if $(SANITIZED),,$(FAULT_TESTS))
BENCHES := $(patsubst tests/%.c,$(BUILD)/tests/%,$(BENCH_SOURCES))
VERSION := $(shell sed -n 's/.*TMA_VERSION "\(.*\)".*/\1/p' sim/base/version.h)
SONAME  := libtmasim.so.$(firstword $(subst ., ,$(VERSION)))

# The man pages and the completion of shells, which the command writes from its own tables.
VERBS := $(shell sed -n 's/^ *X(\(.*\)).*/\1/p' sim/cli/verbs/verbs.h)
MANUAL := $(patsubst %,$(BUILD)/man/%,tmasim.1 tmasim-capture.1 $(VERBS:%=tmasim-%.1) tmasim-scenario.5 tmasim-kernel.5 tmasim-machine.5)
COMPLETION := $(patsubst %,$(BUILD)/completion/%,bash zsh fish)

.PHONY: all
all: $(COMMAND) $(SHARED) $(MODULE) $(CAPTURE) $(RANKS) ## build the command and the libraries (VARIANT=release|debug|asan, PGO=1, CC=, WERROR=1)
	@ln -sfn $(patsubst build/%,%,$(COMMAND)) build/tmasim

# With -flto each benchmark takes a quarter of a minute to link: `make bench` does that.
.PHONY: programs
programs: $(COMMAND) $(SHARED) $(MODULE) $(TESTS) $(if $(LTO),$(call object,$(BENCH_SOURCES)),$(BENCHES)) ## build the command, the libraries, the tests and the benchmarks

$(LIBRARY): $(LIB_OBJECTS)
	@rm -f $@
	@echo "  AR  $@"
	@ar rcs $@ $^

# Without -flto, which makes this link take seconds and the library no faster. Programs that are linked
# with it here find it by its soname.
$(SHARED): $(LIB_OBJECTS)
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) -fno-lto -shared -Wl,-soname,$(SONAME) -o $@ $^ $(DEPS_LIBS) -lm
	@ln -sfn $(@F) $(@D)/$(SONAME)

$(MODULE): $(call object,$(MODULE_SOURCES))
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) -fno-lto -shared -o $@ $^ $(SIMGRID_LIBS) -lm

$(COMMAND): $(CLI_OBJECTS) $(LIBRARY) | $(MODULE)
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) $(LTO) -o $@ $^ $(DEPS_LIBS) -lm

# It shows nothing but what the driver calls to the program that it is loaded into.
$(BUILD)/libtmasim-capture.so: $(call object,$(CAPTURE_SOURCES)) $(LIBRARY)
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) -fno-lto -shared -Wl,--exclude-libs,ALL -o $@ $^ -ldl -lpthread

$(BUILD)/tmasim-capture: capture/tmasim-capture sim/base/version.h
	@mkdir -p $(@D)
	@sed 's/@VERSION@/$(VERSION)/' $< >$@
	@chmod 755 $@

# Only this program is linked with MPI. The static library gives it what it shares with the others.
MPI_COMPILE := $(patsubst -I%,-isystem %,$(filter -I%,$(if $(MPICC),$(shell $(MPICC) -show 2>/dev/null))))
$(call object,$(MPI_SOURCES)): ALL_CFLAGS += $(MPI_COMPILE)
$(BUILD)/tmasim-mpi: $(call object,$(MPI_SOURCES)) $(LIBRARY) | $(COMMAND)
	@echo "  LD  $@"
	@$(MPICC) $(ALL_LDFLAGS) -fno-lto -o $@ $^ -ldl

$(BUILD)/man/tmasim.1: $(COMMAND)
	@mkdir -p $(@D)
	@$(COMMAND) help --man >$@

# What the command around programs says of itself.
$(BUILD)/man/tmasim-capture.1: $(CAPTURE)
	@mkdir -p $(@D)
	@{ printf '.TH TMASIM\\-CAPTURE 1\n.SH NAME\ntmasim\\-capture \\- record launches of a CUDA program for tmasim\n.SH DESCRIPTION\n.nf\n'; \
	    $(BUILD)/tmasim-capture --help | sed 's/\\/\\\\/g; s/-/\\-/g; s/^[.]/\\\&./'; } >$@

$(BUILD)/man/%: $(COMMAND)
	@mkdir -p $(@D)
	@$(COMMAND) help --man $(basename $(@F:tmasim-%=%)) >$@

$(BUILD)/completion/%: $(COMMAND)
	@mkdir -p $(@D)
	@$(COMMAND) completion $(@F) >$@

# The checked longjmp refuses to leave the stack of a simulated actor (simgrid/shell.c).
$(BUILD)/obj/sim/engine/simgrid/%.o: FLAGS_release += -U_FORTIFY_SOURCE

TRAINING := $(wildcard tests/bench/scenarios/*.yaml configs/scenarios/*.yaml) configs/kernels/gemm_ws.yaml

# Runs the training set with a command that counts, and puts the counts beside the objects to be.
build/pgo/profile: $(LIB_SOURCES) $(CLI_SOURCES) $(TRAINING) Makefile
	@$(MAKE) PGO= VARIANT=release BUILD=build/train CFLAGS='$(CFLAGS) -fprofile-generate' \
	    LDFLAGS='$(LDFLAGS) -fprofile-generate' build/train/tmasim build/train/libtmasim-engine.so
	@find build/train -name '*.gcda' -delete
	@for scenario in $(TRAINING); do echo "  RUN $$scenario"; \
	    build/train/tmasim run --quiet $$scenario >/dev/null || exit 1; done
	@cd build/train && find obj -name '*.gcda' | while read -r counts; do \
	    mkdir -p "../pgo/$${counts%/*}" && cp "$$counts" "../pgo/$$counts" || exit 1; done
	@touch $@

# The page that `tmasim report` writes has these files: C takes them as strings.
PAGE_FILES := $(addprefix sim/report/page/page.,css html js)
$(BUILD)/embedded/report/page_files.h: $(PAGE_FILES) scripts/embed
	@mkdir -p $(@D)
	@scripts/embed $(PAGE_FILES) >$@
$(BUILD)/obj/sim/report/page.o: $(BUILD)/embedded/report/page_files.h
$(BUILD)/obj/sim/report/page.o: ALL_CFLAGS += -I$(BUILD)/embedded

$(BUILD)/obj/%.o: %.c Makefile $(PROFILE)
	@mkdir -p $(@D)
	@echo "  CC  $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Without -fno-lto, the linker plugin of gcc optimises each test program as a whole: seconds each.
LINK_LTO := -fno-lto
$(BUILD)/tests/bench/%: LINK_LTO := $(LTO)
# Tests of faults run the verbs in their own process.
COMMAND_OBJECTS := $(filter-out %/main.o,$(CLI_OBJECTS))
$(FAULT_TESTS): $(COMMAND_OBJECTS) | $(COMMAND)
# A target of the fuzzer, linked with what replays its corpus.
REPLAYS := $(filter $(BUILD)/tests/fuzz/%,$(TESTS))
$(REPLAYS): $(call object,tests/fuzz/replay.c)
# Some have functions of their own in the place of the library's: a clock for SimGrid's and the memory
# system's (tests/fuzz/stepped_engine.h), a machine that is read once (cached_machine.h), kept tables.
wrapped = $(patsubst %,-Wl$(comma)--wrap=tma_%,$(1))
comma := ,
WRAPPED_clock := $(call wrapped,module_load memory_advance memory_drain)
WRAPPED_machine := $(call wrapped,yaml_read machine_from machine_describe)
WRAPPED_engine := $(WRAPPED_clock) $(WRAPPED_machine)
WRAPPED_kernel := $(WRAPPED_engine)
WRAPPED_yaml := $(WRAPPED_machine)
WRAPPED_files := $(call wrapped,pending_open pending_close)
$(REPLAYS): LINK_LTO += $(WRAPPED_$(@F:fuzz_%=%))
# A program of one file of an area can be made, too: build/release/tests/unit/test_core.
files_of = $(call object,$(filter-out $(ALONE),$(1)))
$(foreach area,$(AREAS),$(eval $(BUILD)/tests/unit/$(area): $(call files_of,$(filter tests/unit/test_$(area)_%,$(UNIT_SOURCES)))))
$(BUILD)/tests/unit/others: $(call files_of,$(filter-out $(AREAS:%=tests/unit/test_%_%.c),$(UNIT_SOURCES)))
$(BUILD)/tests/hardware/all: $(call files_of,$(HARDWARE_SOURCES))
# Its main is for programs that have none.
RUNNER_LIBRARY := $(BUILD)/obj/tests/librunner.a
$(RUNNER_LIBRARY): $(call object,tests/unit/runner.c)
	@ar rcs $@ $^

# Tests and benchmarks lie two folders below the module, and find it by their run path. Old tags:
# the address sanitizer calls dlopen for them, and a new one (RUNPATH) holds for their own calls only.
define LINK_TEST
@mkdir -p $(@D)
@echo "  LD  $@"
@$(CC) $(ALL_LDFLAGS) $(LINK_LTO) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../..' -o $@ $(filter %.o,$^) $(RUNNER_LIBRARY) $(LIBRARY) $(DEPS_LIBS) $(CHECK_LIBS) -lm
endef
$(RUNNERS): $(RUNNER_LIBRARY) $(LIBRARY) | $(MODULE)
	$(LINK_TEST)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(RUNNER_LIBRARY) $(LIBRARY) | $(MODULE)
	$(LINK_TEST)

.SECONDARY:

.PHONY: test
test: all $(TESTS) ## unit, hardware and command-line tests, golden traces, an installed copy
	@tests/run $(COMMAND) $(filter-out $(FAULT_TESTS),$(TESTS))

.PHONY: test-fidelity
test-fidelity: all ## whether the timing is no further off than it was: minutes
	@tests/fidelity $(COMMAND)

.PHONY: release-check
release-check: ## everything that has to hold before a release, also the steps that have passed with the same files
	@.ci/run --all

.PHONY: pages
pages: $(COMMAND) ## the pages of `tmasim report` in headless Chromium (needs chromium)
	@tests/pages/run $(COMMAND)

.PHONY: coverage
coverage: ## lines and branches of sim/ that the tests reach (needs gcovr)
	@$(MAKE) --no-print-directory VARIANT=coverage all
	@ALLOCATIONS=few TMASIM_TEST_EVERY=10 CK_DEFAULT_TIMEOUT=900 $(MAKE) --no-print-directory VARIANT=coverage test-programs
	@tests/cli/run build/coverage/tmasim
	@tests/docs build/coverage/tmasim
	@gcovr --root . --object-directory build/coverage --filter 'sim/' --exclude-unreachable-branches \
	    --json build/coverage/coverage.json
	@scripts/check-coverage build/coverage/coverage.json

.PHONY: test-programs
test-programs: $(TESTS) ## the unit and hardware tests alone, as CI runs them with sanitizers
	@tests/run - $(TESTS)

.PHONY: test-faults
test-faults: $(COMMAND) $(FAULT_TESTS_HERE) ## tests of faults alone: VARIANT=asan too
	@tests/run - $(FAULT_TESTS_HERE)

# Tests that take long when they are whole; in the normal test each takes a part of its cases.
SOAKS := unit/test_bound unit/test_expression unit/test_kernel_reference unit/test_scenario_order unit/test_kernel_races hardware/test_ptx_functional
SOAK_unit/test_expression := EXPRESSIONS=1000000
SOAK_unit/test_bound := KERNELS=10000
SOAK_unit/test_kernel_reference := KERNELS=100000
SOAK_unit/test_scenario_order := KERNELS=20000
SOAK_unit/test_kernel_races := KERNELS=20000
SOAK_hardware/test_ptx_functional := RECORDS=all

.PHONY: soak
soak: $(SOAKS:%=$(BUILD)/tests/%) $(MODULE) $(COMMAND) ## tests of random cases, whole: minutes to hours
	@$(foreach test,$(SOAKS),$(SOAK_$(test)) $(BUILD)/tests/$(test) &&) true
	@tests/mutations $(COMMAND) 0

# The fuzzer needs clang. It starts from the corpus, and keeps what it finds in build/fuzz.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS   := -std=gnu17 -g -O2 -D_XOPEN_SOURCE=700 -Isim $(DEPS_CFLAGS) -fno-sanitize-recover=all \
                -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,build/fuzz/%,$(FUZZ_SOURCES))

FUZZ_OBJECTS := $(patsubst %.c,build/fuzz/obj/%.o,$(LIB_SOURCES))

build/fuzz/obj/sim/report/page.o: $(BUILD)/embedded/report/page_files.h
build/fuzz/obj/sim/report/page.o: FUZZ_FLAGS += -I$(BUILD)/embedded
# Comparisons here are not with parts of the input, and to trace them doubles the time of a run.
build/fuzz/obj/sim/memory/%.o build/fuzz/obj/sim/engine/%.o build/fuzz/obj/sim/report/%.o \
build/fuzz/obj/sim/placement/%.o build/fuzz/obj/sim/banks/%.o \
build/fuzz/obj/tests/fuzz/%.o: FUZZ_FLAGS += -fno-sanitize-coverage=trace-cmp
build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<

build/fuzz/%: build/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJECTS)
	@echo "  LD  $@"
	@clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(WRAPPED_$(@F)) $(DEPS_LIBS) $(FUZZ_LIBS) -lm

# The engine lies beside the fuzzer that runs it, and SimGrid is there from the start, as above.
build/fuzz/libtmasim-engine.so: $(MODULE_SOURCES)
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@clang $(FUZZ_FLAGS) -fPIC -shared -o $@ $^ $(SIMGRID_LIBS) -lm

build/fuzz/engine: FUZZ_LIBS := -Wl,--no-as-needed $(SIMGRID_LIBS)
build/fuzz/engine: | build/fuzz/libtmasim-engine.so

.PHONY: fuzz
fuzz: $(FUZZERS) ## fuzz each parser and the placement, FUZZ_SECONDS each (needs clang)
	@tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

.PHONY: golden-accept
golden-accept: all ## write traces/ anew: look at what git says has changed
	@tests/golden --accept $(COMMAND)

.PHONY: cli-accept
cli-accept: all ## write the expected outputs of tests/cli, and docs/rules.md, anew
	@$(COMMAND) help rules >docs/rules.md
	@tests/cli/run --accept $(COMMAND)

.PHONY: install-accept
install-accept: all ## write the expected outputs of examples/ anew
	@tests/install --accept

.PHONY: accept
accept: golden-accept cli-accept install-accept ## all of these, and what README.md and docs/ show
	@tests/docs --accept $(COMMAND)

.PHONY: bench
bench: all $(BENCHES) ## measure speed
	@for bench in $(BENCHES); do echo "== $${bench##*/}"; $$bench || exit 1; done

# The archive is installed without the intermediate code for -flto: no other compiler reads it.
.PHONY: install
install: all $(MANUAL) $(COMPLETION) ## install below DESTDIR/PREFIX: command, libraries, headers, configs, man pages, completion
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 755 $(COMMAND) $(DESTDIR)$(PREFIX)/bin/tmasim
	install -m 755 $(BUILD)/tmasim-capture $(DESTDIR)$(PREFIX)/bin/tmasim-capture
	$(if $(RANKS),install -m 755 $(RANKS) $(DESTDIR)$(PREFIX)/bin/tmasim-mpi)
	objcopy -R '.gnu.lto_*' -R '.gnu.debuglto_*' $(LIBRARY) $(DESTDIR)$(LIBDIR)/libtmasim.a
	chmod 644 $(DESTDIR)$(LIBDIR)/libtmasim.a
	install -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/libtmasim.so.$(VERSION)
	install -D -m 755 $(MODULE) $(DESTDIR)$(ENGINEDIR)/libtmasim-engine.so
	install -D -m 755 $(BUILD)/libtmasim-capture.so $(DESTDIR)$(ENGINEDIR)/libtmasim-capture.so
	ln -sf libtmasim.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libtmasim.so
	@for header in $(patsubst sim/%,%,$(PUBLIC_HEADERS)); do \
	    install -D -m 644 sim/$$header $(DESTDIR)$(PREFIX)/include/tmasim/$$header; done
	@for file in $(wildcard configs/*/*.yaml configs/*/*.json); do \
	    install -D -m 644 $$file $(DESTDIR)$(PREFIX)/share/tmasim/$$file; done
	@for page in $(MANUAL); do \
	    install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man$${page##*.} $$page; done
	install -D -m 644 $(BUILD)/completion/bash $(DESTDIR)$(PREFIX)/$(COMPLETION_bash)
	install -D -m 644 $(BUILD)/completion/zsh $(DESTDIR)$(PREFIX)/$(COMPLETION_zsh)
	install -D -m 644 $(BUILD)/completion/fish $(DESTDIR)$(PREFIX)/$(COMPLETION_fish)
	ln -sf tmasim $(DESTDIR)$(PREFIX)/$(COMPLETION_bash)-capture
	ln -sf tmasim.fish $(DESTDIR)$(PREFIX)/$(COMPLETION_fish:.fish=-capture.fish)
	@printf '%s\n' 'prefix=$(PREFIX)' 'configs=$${prefix}/share/tmasim/configs' '' \
	    'Name: tmasim' 'Description: simulator of the Tensor Memory Accelerator' \
	    'Version: $(VERSION)' 'Cflags: -I$${prefix}/include/tmasim' \
	    'Libs: -L$(LIBDIR:$(PREFIX)/%=$${prefix}/%) -ltmasim' 'Libs.private: $(DEPS_LIBS) -lm' \
	    > $(DESTDIR)$(LIBDIR)/pkgconfig/tmasim.pc

# Where shells look for the completion of commands, below PREFIX.
COMPLETION_bash := share/bash-completion/completions/tmasim
COMPLETION_zsh  := share/zsh/site-functions/_tmasim
COMPLETION_fish := share/fish/vendor_completions.d/tmasim.fish

.PHONY: uninstall
uninstall: ## delete what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/tmasim-capture $(DESTDIR)$(ENGINEDIR)/libtmasim-capture.so
	rm -f $(DESTDIR)$(PREFIX)/bin/tmasim $(DESTDIR)$(PREFIX)/bin/tmasim-mpi $(DESTDIR)$(LIBDIR)/libtmasim.a
	rm -f $(DESTDIR)$(LIBDIR)/libtmasim.so $(DESTDIR)$(LIBDIR)/$(SONAME)
	rm -f $(DESTDIR)$(LIBDIR)/libtmasim.so.$(VERSION) $(DESTDIR)$(ENGINEDIR)/libtmasim-engine.so
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/tmasim.pc
	rm -rf $(DESTDIR)$(PREFIX)/include/tmasim $(DESTDIR)$(PREFIX)/share/tmasim
	@for page in $(notdir $(MANUAL)); do \
	    rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$$page; done
	rm -f $(DESTDIR)$(PREFIX)/$(COMPLETION_bash) $(DESTDIR)$(PREFIX)/$(COMPLETION_zsh)
	rm -f $(DESTDIR)$(PREFIX)/$(COMPLETION_bash)-capture
	rm -f $(DESTDIR)$(PREFIX)/$(COMPLETION_fish) $(DESTDIR)$(PREFIX)/$(COMPLETION_fish:.fish=-capture.fish)

# The files that git knows, as they are now, with the times of the last commit: the same bytes each time.
DIST := tmasim-$(VERSION)

.PHONY: dist
dist: build/$(DIST).tar.gz ## a source tarball, build/tmasim-VERSION.tar.gz

.PHONY: build/$(DIST).tar.gz
build/$(DIST).tar.gz:
	@mkdir -p build
	@git ls-files -z | tar --create --null --files-from=- --transform='s,^,$(DIST)/,' --sort=name \
	    --mtime="$$(git log -1 --format=%cI)" --owner=0 --group=0 --numeric-owner --mode=u+w,go=rX --format=ustar | gzip -9n >$@
	@echo "$@: $$(stat -c %s $@) bytes"

# In a folder that no git repository is above. It stays there where something fails.
.PHONY: distcheck
distcheck: dist ## unpack the tarball in a folder of its own, build it and run its tests
	folder=$$(mktemp -d) && tar -xzf build/$(DIST).tar.gz -C "$$folder" && \
	    $(MAKE) -C "$$folder/$(DIST)" test && rm -rf "$$folder"

# One build, from the tarball. tests/packages tests what it makes.
LINTIAN ?= lintian --fail-on error,warning --info
.PHONY: deb
deb: dist ## Debian packages in build/deb (needs debhelper and what debian/control names)
	rm -rf build/deb && mkdir build/deb && tar -xzf build/$(DIST).tar.gz -C build/deb
	cd build/deb/$(DIST) && \
	    DEB_BUILD_OPTIONS="parallel=$$(nproc) noautodbgsym $(DEB_BUILD_OPTIONS)" dpkg-buildpackage -us -uc
	$(LINTIAN) build/deb/tmasim_*.changes

# The part of the library that checks, encodes, decodes and places, for a web page. It neither reads
# files nor simulates, and needs no libyaml.
PLAYGROUND_SOURCES := playground/playground.c sim/report/decimal.c \
    $(filter-out sim/base/path.c sim/serve/answer_run.c sim/serve/scenario_figures.c,$(wildcard sim/base/*.c sim/tensormap/*.c sim/placement/*.c sim/banks/*.c sim/serve/*.c))
PLAYGROUND_PARTS := playground/page.html playground/page.css playground/page.js
EMCC ?= emcc

.PHONY: playground
playground: build/playground/tmasim.html ## the web page of the functional half, build/playground/tmasim.html (needs emscripten)

build/playground/engine.wasm: $(PLAYGROUND_SOURCES) $(wildcard sim/base/*.h sim/tensormap/*.h sim/placement/*.h sim/banks/*.h sim/serve/*.h) Makefile
	@mkdir -p $(@D)
	$(EMCC) -std=gnu17 -O2 -DTMA_SERVE_WITHOUT_RUN -Isim $(WARNINGS) -ffp-contract=off \
	    -sSTANDALONE_WASM=1 -sINITIAL_MEMORY=8MB -sTOTAL_STACK=1MB --no-entry -o $@ $(PLAYGROUND_SOURCES)

# Where page.html says @FILE@, the page has that file; the engine as base64.
build/playground/tmasim.html: build/playground/engine.wasm $(PLAYGROUND_PARTS) sim/base/version.h
	@base64 -w 0 $< >build/playground/engine.base64
	@awk -v version='$(VERSION)' ' \
	    /^@[a-z0-9.]*@$$/ { \
	        file = (/engine/ ? "build/playground/" : "playground/") substr($$0, 2, length($$0) - 2); \
	        while ((getline line <file) > 0) print line; close(file); next } \
	    { gsub(/@version@/, version); print }' playground/page.html >$@
	@echo "$@: $$(stat -c %s $@) bytes"

CAPTURES := $(addprefix build/capture-,banks shared-port clusters role-costs pipelines line-latencies \
            l2-capacity slice-hash slice-rates gpc-links dram-banks refresh-drift coalescer sm-distances slice-distances page-homes \
            partition-distances pipe-rates product-groups instruction-costs accesses copies first-touch launch-parts \
            tensormap-costs clocks l2-hints peer-copies stream-k shared-wavefronts loops load-turns crossings fences mixes)
.PHONY: capture
capture: build/capture $(CAPTURES) ## what takes records on a GPU: timing, kernels with roles, banks, shared memory, placement, instructions, lines, what L2 holds, its slices, DRAM (needs nvcc; GPU_ARCH=90a)

GPU_ARCH ?= 90a
CUDA     ?= /usr/local/cuda
build/capture: scripts/capture/capture.cu scripts/capture/operations.cuh scripts/capture/ptx.cuh scripts/capture/read_all.cuh scripts/capture/scenario.h
	@mkdir -p $(@D)
	$(CUDA)/bin/nvcc -O3 -std=c++17 -gencode=arch=compute_$(GPU_ARCH),code=sm_$(GPU_ARCH) -o $@ $< \
	    -L$(CUDA)/lib64/stubs -lcuda

# Each is made of the source with its name; what else it includes follows.
$(foreach capture,$(CAPTURES),$(eval $(capture): scripts/capture/$(subst -,_,$(capture:build/capture-%=%)).cu))
build/capture-clusters: scripts/capture/ptx.cuh
build/capture-shared-port: scripts/capture/ptx.cuh scripts/capture/shared_port.cuh scripts/capture/wgmma.cuh
build/capture-role-costs: scripts/capture/ptx.cuh scripts/capture/wgmma.cuh
build/capture-stream-k: scripts/capture/ptx.cuh scripts/capture/wgmma.cuh
build/capture-shared-wavefronts: scripts/capture/ptx.cuh scripts/capture/shared_port.cuh scripts/capture/wgmma.cuh
build/capture-loops: scripts/capture/ptx.cuh
build/capture-crossings: scripts/capture/ptx.cuh scripts/capture/read_all.cuh
build/capture-fences: scripts/capture/ptx.cuh
build/capture-load-turns: scripts/capture/ptx.cuh scripts/capture/read_all.cuh
build/capture-mixes: scripts/capture/ptx.cuh scripts/capture/read_all.cuh
build/capture-pipelines: scripts/capture/ptx.cuh scripts/capture/read_all.cuh scripts/capture/scenario.h scripts/capture/wgmma.cuh
build/capture-line-latencies: scripts/capture/ptx.cuh scripts/capture/read_all.cuh scripts/capture/random.cuh
build/capture-l2-capacity: scripts/capture/ptx.cuh scripts/capture/read_all.cuh
build/capture-l2-hints: scripts/capture/ptx.cuh scripts/capture/read_all.cuh
build/capture-slice-hash: scripts/capture/pages.cuh scripts/capture/ptx.cuh scripts/capture/random.cuh
build/capture-page-homes: scripts/capture/pages.cuh scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/read_all.cuh
build/capture-slice-rates: scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/read_all.cuh scripts/capture/lines.cuh scripts/capture/slice_lines.cuh
build/capture-gpc-links: scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/slice_lines.cuh
build/capture-coalescer: scripts/capture/ptx.cuh scripts/capture/lines.cuh
build/capture-slice-distances: scripts/capture/line_cycles.cuh scripts/capture/ptx.cuh scripts/capture/slice_lines.cuh
build/capture-sm-distances: scripts/capture/ptx.cuh scripts/capture/lines.cuh
build/capture-partition-distances: scripts/capture/line_cycles.cuh scripts/capture/ptx.cuh scripts/capture/read_all.cuh scripts/capture/slice_lines.cuh
build/capture-pipe-rates: scripts/capture/wgmma.cuh
build/capture-product-groups: scripts/capture/ptx.cuh scripts/capture/wgmma.cuh
build/capture-accesses: scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/read_all.cuh
build/capture-clocks: scripts/capture/ptx.cuh scripts/capture/wgmma.cuh
build/capture-copies: scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/read_all.cuh
build/capture-first-touch: scripts/capture/ptx.cuh scripts/capture/random.cuh
build/capture-dram-banks: scripts/capture/ptx.cuh scripts/capture/random.cuh scripts/capture/slice_lines.cuh
build/capture-refresh-drift: scripts/capture/ptx.cuh scripts/capture/read_all.cuh scripts/capture/random.cuh scripts/capture/slice_lines.cuh
$(CAPTURES):
	@mkdir -p $(@D)
	$(CUDA)/bin/nvcc -O3 -std=c++17 -gencode=arch=compute_$(GPU_ARCH),code=sm_$(GPU_ARCH) -o $@ $< \
	    -L$(CUDA)/lib64/stubs -lcuda

.PHONY: format
format: ## clang-format every source
	@clang-format -i $(STYLED)

.PHONY: format-check
format-check: ## fail where clang-format would change something
	@clang-format --dry-run -Werror $(STYLED)

.PHONY: lint
lint: all ## cppcheck, who may include whom, and no global symbol of the library without tma_
	@scripts/check-structure $(BUILD)
	cppcheck -j $$(nproc) --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 -Isim sim capture examples
	@nm -g --defined-only $(LIBRARY) | awk 'NF == 3 && $$3 !~ /^tma_/ { print "not tma_: " $$3; bad = 1 } END { exit bad }'

.PHONY: analyze
analyze: all ## static analysis: gcc -fanalyzer, clang-tidy, cppcheck (needs clang-tidy; a minute)
	@scripts/analyze $(BUILD)

compile_commands.json: $(SOURCES) Makefile ## for clangd and clang-tidy
	@{ joint='['; for source in $(SOURCES); do \
	    printf '%s\n{"directory": "%s", "file": "%s", "command": "%s"}' "$$joint" '$(CURDIR)' \
	        "$$source" '$(CC) $(ALL_CFLAGS) -c '"$$source"; joint=','; \
	done; printf '\n]\n'; } > $@

.PHONY: clean
clean: ## delete everything that was built
	rm -rf build compile_commands.json

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z_.-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) build/fuzz -name '*.d' 2>/dev/null)

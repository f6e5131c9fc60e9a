# tmasim: `make help` lists the targets.

VARIANT ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   := build/$(VARIANT)

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
ifdef WERROR
WARNINGS += -Werror
endif
FLAGS_release := -O3 -g
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address -fno-omit-frame-pointer
FLAGS_ubsan   := -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
ifndef FLAGS_$(VARIANT)
$(error VARIANT is "$(VARIANT)"; allowed: release, debug, asan, ubsan)
endif

# The memory system is many small functions that call each other for each request: gcc optimises the
# command and the benchmarks as a whole, which makes them a tenth faster. Tests use what it makes of each file.
ifeq ($(VARIANT),release)
LTO := $(if $(findstring clang,$(shell $(CC) --version)),,-flto=auto -ffat-lto-objects)
endif

# SimGrid and libyaml are system headers: the project's warnings are not theirs.
PACKAGES := simgrid yaml-0.1
DEPS_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null))
DEPS_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
CHECK_LIBS  := $(shell pkg-config --libs check 2>/dev/null)

ALL_CFLAGS := -std=c17 -D_XOPEN_SOURCE=700 -Isim $(DEPS_CFLAGS) $(WARNINGS) $(FLAGS_$(VARIANT)) \
              -fno-common -ffp-contract=off $(LTO) -MMD -MP $(CFLAGS)
ALL_LDFLAGS := $(FLAGS_$(VARIANT)) $(LDFLAGS)

LIB_SOURCES   := $(filter-out sim/cli/%,$(wildcard sim/*/*.c))
CLI_SOURCES   := $(wildcard sim/cli/*.c)
UNIT_SOURCES  := $(wildcard tests/unit/*.c)
HARDWARE_SOURCES := $(wildcard tests/hardware/*.c)
BENCH_SOURCES := $(wildcard tests/bench/*.c)
SOURCES := $(LIB_SOURCES) $(CLI_SOURCES) $(UNIT_SOURCES) $(HARDWARE_SOURCES) $(BENCH_SOURCES)
HEADERS := sim/tmasim.h $(filter-out sim/cli/%,$(wildcard sim/*/*.h))
STYLED  := $(SOURCES) $(wildcard sim/*.h sim/*/*.h tests/*/*.h scripts/capture/*.h scripts/capture/*.cu*)

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJECTS := $(call object,$(LIB_SOURCES))
CLI_OBJECTS := $(call object,$(CLI_SOURCES))
LIBRARY := $(BUILD)/libtmasim.a
COMMAND := $(BUILD)/tmasim
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(UNIT_SOURCES) $(HARDWARE_SOURCES))
BENCHES := $(patsubst tests/%.c,$(BUILD)/tests/%,$(BENCH_SOURCES))
VERSION := $(shell sed -n 's/.*TMA_VERSION "\(.*\)".*/\1/p' sim/base/version.h)

.PHONY: all
all: $(COMMAND) ## build the command and the library (VARIANT=release|debug|asan|ubsan, CC=, WERROR=1)
	@ln -sfn $(patsubst build/%,%,$(COMMAND)) build/tmasim

.PHONY: programs
programs: $(COMMAND) $(TESTS) $(BENCHES) ## build the command, the tests and the benchmarks

$(LIBRARY): $(LIB_OBJECTS)
	@rm -f $@
	@echo "  AR  $@"
	@ar rcs $@ $^

$(COMMAND): $(CLI_OBJECTS) $(LIBRARY)
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) $(LTO) -o $@ $^ $(DEPS_LIBS) -lm

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/bench/%: LINK_LTO := $(LTO)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(LIBRARY)
	@mkdir -p $(@D)
	@echo "  LD  $@"
	@$(CC) $(ALL_LDFLAGS) $(LINK_LTO) -o $@ $^ $(DEPS_LIBS) $(CHECK_LIBS) -lm

.SECONDARY:

.PHONY: test
test: all $(TESTS) ## unit, hardware and command-line tests, and the golden traces
	@tests/run $(COMMAND) $(TESTS)

.PHONY: test-programs
test-programs: $(TESTS) ## the unit and hardware tests alone, as CI runs them with sanitizers
	@tests/run - $(TESTS)

.PHONY: golden-accept
golden-accept: all ## write traces/ anew: look at what git says has changed
	@tests/golden --accept $(COMMAND)

.PHONY: cli-accept
cli-accept: all ## write the expected outputs of tests/cli anew
	@tests/cli/run --accept $(COMMAND)

.PHONY: accept
accept: golden-accept cli-accept ## both of these, and what README.md and docs/ show
	@tests/docs --accept $(COMMAND)

.PHONY: bench
bench: all $(BENCHES) ## measure speed
	@for bench in $(BENCHES); do echo "== $${bench##*/}"; $$bench || exit 1; done

.PHONY: install
install: all ## install below DESTDIR/PREFIX: command, library, headers, configs
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 $(COMMAND) $(DESTDIR)$(PREFIX)/bin/tmasim
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/libtmasim.a
	@for header in $(patsubst sim/%,%,$(HEADERS)); do \
	    install -D -m 644 sim/$$header $(DESTDIR)$(PREFIX)/include/tmasim/$$header; done
	@for file in $(wildcard configs/*/*.yaml); do \
	    install -D -m 644 $$file $(DESTDIR)$(PREFIX)/share/tmasim/$$file; done
	@printf '%s\n' 'Name: tmasim' 'Description: simulator of the Tensor Memory Accelerator' \
	    'Version: $(VERSION)' 'Requires.private: $(PACKAGES)' 'Libs.private: -lm' \
	    'Libs: -L$(PREFIX)/lib -ltmasim' 'Cflags: -I$(PREFIX)/include/tmasim' \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/tmasim.pc

.PHONY: uninstall
uninstall: ## take away what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/tmasim $(DESTDIR)$(PREFIX)/lib/libtmasim.a
	rm -f $(DESTDIR)$(PREFIX)/lib/pkgconfig/tmasim.pc
	rm -rf $(DESTDIR)$(PREFIX)/include/tmasim $(DESTDIR)$(PREFIX)/share/tmasim

.PHONY: capture
capture: build/capture ## what takes timing records on a GPU (needs nvcc; GPU_ARCH=90a)

GPU_ARCH ?= 90a
CUDA     ?= /usr/local/cuda
build/capture: scripts/capture/capture.cu scripts/capture/operations.cuh scripts/capture/scenario.h
	@mkdir -p $(@D)
	$(CUDA)/bin/nvcc -O3 -std=c++17 -gencode=arch=compute_$(GPU_ARCH),code=sm_$(GPU_ARCH) -o $@ $< \
	    -L$(CUDA)/lib64/stubs -lcuda

.PHONY: format
format: ## clang-format every source
	clang-format -i $(STYLED)

.PHONY: format-check
format-check: ## fail where clang-format would change something
	clang-format --dry-run -Werror $(STYLED)

.PHONY: lint
lint: $(LIBRARY) ## cppcheck, and no global symbol of the library without tma_
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 -Isim sim
	@nm -g --defined-only $(LIBRARY) | awk 'NF == 3 && $$3 !~ /^tma_/ { print "not tma_: " $$3; bad = 1 } END { exit bad }'

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

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

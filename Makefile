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
FLAGS_release := -O2 -g
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address -fno-omit-frame-pointer
FLAGS_ubsan   := -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
ifndef FLAGS_$(VARIANT)
$(error VARIANT is "$(VARIANT)"; allowed: release, debug, asan, ubsan)
endif

# SimGrid and libyaml are system headers: the project's warnings are not theirs.
PACKAGES := simgrid yaml-0.1
DEPS_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PACKAGES) 2>/dev/null))
DEPS_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
CHECK_LIBS  := $(shell pkg-config --libs check 2>/dev/null)

ALL_CFLAGS := -std=c17 -D_XOPEN_SOURCE=700 -Isim $(DEPS_CFLAGS) $(WARNINGS) $(FLAGS_$(VARIANT)) \
              -fno-common -ffp-contract=off -MMD -MP $(CFLAGS)
ALL_LDFLAGS := $(FLAGS_$(VARIANT)) $(LDFLAGS)

LIB_SOURCES   := $(filter-out sim/cli/%,$(wildcard sim/*/*.c))
CLI_SOURCES   := $(wildcard sim/cli/*.c)
UNIT_SOURCES  := $(wildcard tests/unit/*.c)
HARDWARE_SOURCES := $(wildcard tests/hardware/*.c)
BENCH_SOURCES := $(wildcard tests/bench/*.c)

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJECTS := $(call object,$(LIB_SOURCES))
CLI_OBJECTS := $(call object,$(CLI_SOURCES))
LIBRARY := $(BUILD)/libtmasim.a
COMMAND := $(BUILD)/tmasim
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(UNIT_SOURCES) $(HARDWARE_SOURCES))
BENCHES := $(patsubst tests/%.c,$(BUILD)/tests/%,$(BENCH_SOURCES))

.PHONY: all
all: $(COMMAND) build/tmasim ## build the command and the library (VARIANT=release|debug|asan|ubsan)

$(LIBRARY): $(LIB_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(COMMAND): $(CLI_OBJECTS) $(LIBRARY)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(DEPS_LIBS) -lm

build/tmasim: $(COMMAND)
	@ln -sfn $(VARIANT)/tmasim $@

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(DEPS_LIBS) $(CHECK_LIBS) -lm

.SECONDARY:

.PHONY: clean
clean: ## delete everything that was built
	rm -rf build compile_commands.json

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(shell find build/$(VARIANT) -name '*.d' 2>/dev/null)

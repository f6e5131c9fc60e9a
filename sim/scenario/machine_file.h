/* Reads a machine file, configs/gpus/NAME.yaml, into struct tma_machine. */
#pragma once

#include "memory/machine.h"
#include "scenario/schema.h"
#include "scenario/schema_describe.h"

/* One entry per parameter of the machine. */
extern const struct tma_schema tma_machine_schema;

enum { TMA_DIGEST_BYTES = 17 };

/* 16 hexadecimal digits. */
struct tma_machine_digest {
    char text[TMA_DIGEST_BYTES];
};

/* Computes the digest of all values that decide the timing. The name, the architecture, `validated`
 * and the seed do not. False when out of memory. */
bool tma_machine_digest(const struct tma_machine *machine, struct tma_machine_digest *digest);

/* Reads the machine from a document. Its timing is validated only if the file says so, and has the
 * digest of its values. Returns false, with every error appended to the list, if a
 * parameter is missing, malformed or contradicts another; *machine is then unchanged. */
bool tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                      struct tma_diagnostics *list);

/* As tma_machine_from, from a file. The list borrows `path`. */
bool tma_machine_read(const char *path, struct tma_machine *machine, struct tma_diagnostics *list);

/* The same, with values of it set: each is "KEY=VALUE". */
bool tma_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine, struct tma_diagnostics *list);

/* Writes the value that a parameter has without its mechanism, as a machine file gives it: "0
 * cycles", "none", or "1000 times" for a rate. Returns false if the key has none: it says what the
 * GPU consists of. */
bool tma_machine_value_off(const struct tma_key *key, char *text, size_t size);

/* Describes the machine's parameters, for tma_scenario_describe. */
void tma_machine_describe(const struct tma_machine *machine, const struct tma_describer *describer);

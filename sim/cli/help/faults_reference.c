#include "cli/help/help_topics.h"
#include "placement/operation_rules.h"

/* A cause, and what shows it. */
struct cause {
    const char *cause, *shown_by;
};

/* What CUDA says, and why. The list of causes ends with NULL. */
struct symptom {
    const char *title, *says;
    bool lists_faults; /* the rules of operations that fault are causes, too */
    const struct cause *causes;
};

static const struct cause invalid_value[] = {
    {"the tensor map breaks a rule of the driver: an alignment, a range, a box wider than the "
     "swizzle's span, ...",
     "`tmasim check FILE` names the field, the rule and the nearest legal value; `tmasim help "
     "rules` lists all rules"},
    {"the map is for another architecture: a type, a swizzle or a mode that this one lacks",
     "`tmasim check FILE --arch sm_90`"},
    {"the CUtensorMap itself does not lie at a multiple of 64 bytes",
     "`tmasim encode FILE --at ADDRESS`"},
    {"cuTensorMapReplaceAddress: the new address is not aligned as the map needs it",
     "`tmasim replace DUMP address=ADDRESS`"},
    {NULL, NULL},
};

static const struct cause illegal_instruction[] = {
    {"the 128 bytes that the kernel has are not the map that was encoded: overwritten, another "
     "one, or changed by tensormap.replace",
     "`tmasim decode DUMP` shows what a debugger's dump means; `tmasim decode DUMP DUMP` what "
     "differs"},
    {NULL, NULL},
};

static const struct cause misaligned_address[] = {
    {"an instruction reads shared memory at an address that is no multiple of its vector: a tile, "
     "or a padded row, begins there",
     "`tmasim run` and `tmasim explain` refuse such a consumer and name the address"},
    {"the tile's address in shared memory is not a multiple of 128 bytes (rule shared_alignment)",
     "`tmasim decode DUMP --load COORDINATES --shared ADDRESS`"},
    {NULL, NULL},
};

static const struct cause hang[] = {
    {"the mbarrier expects another number of bytes than the loads complete on it: fill out of "
     "bounds counts, padding (of rows, and of sub-byte types) does not. With more bytes expected a "
     "phase never ends; with fewer it mostly never ends, and with several loads under way it can "
     "end before the data are there",
     "`tmasim decode DUMP --load COORDINATES` says how many bytes a load completes; `tmasim run` "
     "reports the deadlock, who waits and for what; `acquire: {ring: R, expect: BYTES}` of a "
     "kernel says what the code expects"},
    {"a consumer does not release a stage, or the producer waits for the wrong phase",
     "`tmasim run` of a scenario with a kernel: its deadlock names role, ring and stage"},
    {"`release_to` of a ring, the CTAs whose empty mbarriers a consumer arrives on, leaves out a "
     "CTA, which then waits for ever",
     "`tmasim run` of a kernel names the role that waits"},
    {"a multicast load completes on the mbarriers of all CTAs in its mask, and one of them expects "
     "nothing",
     "`tmasim run` with `cluster` and `multicast`"},
    {NULL, NULL},
};

static const struct cause wrong_data[] = {
    {"the consumer does not undo the swizzle, or takes another one",
     "`tmasim layout FILE --element COORDINATES` says where an element lies; `tmasim explain` "
     "shows the lanes of an access"},
    {"the swizzle acts on addresses of shared memory, not on places in the tile: a tile that does "
     "not begin at a multiple of the pattern (256, 512 or 1024 bytes) begins inside it",
     "`tmasim check`, `run` and `layout` of a scenario note it; `tmasim decode DUMP --load "
     "COORDINATES --shared ADDRESS`"},
    {"a store that comes to the end of a row whose size is no multiple of 16 bytes also writes the "
     "bytes behind it",
     "`tmasim check` notes it; `tmasim decode DUMP --store COORDINATES` counts them"},
    {"part of the box lies outside the tensor: a load fills it, with zeros or NaN; a store skips "
     "it",
     "`tmasim decode DUMP --load COORDINATES` lists each row with its fill"},
    {"dimensions or strides in the wrong order: dimension 0 is the contiguous one, and "
     "global_strides begins with that of dimension 1",
     "`tmasim decode DUMP --load COORDINATES` lists the global address of each row"},
    {"a race: a load fills a stage that something still reads. It is seen as tiles that belong to "
     "a "
     "later step, in few of the output tiles, and in some runs only: more often with more stages, "
     "faster memory or slower consumers, seldom under a debugger or a profiler. A multicast writes "
     "the stage of a CTA whose consumers have not released it to the CTA that loads; a stage is "
     "released behind a wgmma that has been issued, not waited for (wgmma.wait_group)",
     "`tmasim run` of a scenario with a kernel ends with status 3 and names both accesses, "
     "whatever "
     "the timing; `--allow-races` goes on"},
    {"a race: shared memory is written again while a bulk store still reads it, for lack of "
     "cp.async.bulk.wait_group.read, or of a barrier behind it: the thread that waits is the one "
     "that stored. It is seen as rows of the next tile in the tensor, or of the next CTA where a "
     "CTA "
     "ends before its stores have read",
     "`tmasim run`, if `shared_wavefronts` say what they write; for the end of a CTA always"},
    {"a race: a bulk store begins before all warps have written its tile, for lack of a barrier "
     "(and of fence.proxy.async before it). It is seen as rows of the tile before, mostly those of "
     "the last warps",
     "`tmasim run`, if `shared_wavefronts` say what they write"},
    {"an element stride: the box spans box_dim elements, and every Nth of them is loaded",
     "`tmasim layout FILE`"},
    {NULL, NULL},
};

static const struct symptom symptoms[] = {
    {"Invalid value",
     "CUDA_ERROR_INVALID_VALUE, from cuTensorMapEncode... or "
     "cuTensorMapReplaceAddress",
     false, invalid_value},
    {"Illegal instruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION, at the next synchronisation", true,
     illegal_instruction},
    {"Misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS, at the next synchronisation", false,
     misaligned_address},
    {"The kernel hangs", "nothing: a warp polls an mbarrier for ever", false, hang},
    {"Wrong data", "nothing: elements are in other places, or are zeros or NaN", false, wrong_data},
};

static void write_cause(const char *cause, const char *shown_by, FILE *out) {
    fprintf(out, "| %s | %s |\n", cause, shown_by);
}

/* The rules whose breach an H200 answers with a fault. */
static void write_fault_rules(FILE *out) {
    for (size_t i = 0; i < tma_operation_rule_count; i++) {
        const struct tma_operation_rule *rule = &tma_operation_rules[i];
        char text[400];
        if (rule->code != TMA_ERROR_FAULT)
            continue;
        snprintf(text, sizeof text, "rule %s is broken (%s): %s", rule->id, rule->operations,
                 rule->condition);
        write_cause(
            text,
            "`tmasim decode DUMP --load COORDINATES` (or `--store`); `tmasim run` ends with "
            "status 3 and names the operation",
            out);
    }
}

void cli_faults_reference(FILE *out) {
    fputs("# Why did it fault?\n\nThis page is what `tmasim help faults` prints: what CUDA says, "
          "what can be the cause, and the verb that shows it. DUMP is a debugger's dump of the "
          "128 bytes of the tensor map (`x/16xg` of cuda-gdb); FILE a scenario or a map as "
          "YAML or JSON.\n",
          out);
    for (size_t i = 0; i < sizeof symptoms / sizeof symptoms[0]; i++) {
        fprintf(out, "\n## %s\n\nCUDA says: %s.\n\n| cause | shown by |\n| --- | --- |\n",
                symptoms[i].title, symptoms[i].says);
        if (symptoms[i].lists_faults)
            write_fault_rules(out);
        for (const struct cause *cause = symptoms[i].causes; cause->cause != NULL; cause++)
            write_cause(cause->cause, cause->shown_by, out);
    }
}

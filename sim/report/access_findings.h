/* What is costly about the accesses of warps to global memory: of a statement of a kernel with
 * roles, or of an instruction of a compiled one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TMA_ACCESS_FINDING_BYTES = 240 };

struct tma_access_figures {
    uint64_t accesses; /* instructions of warps */
    uint64_t sectors;  /* of 32 bytes, that they ask for */
    uint64_t ideal;    /* of these, as many as the bytes of their lanes fill */
    uint64_t repeats;  /* of atomics and reductions: requests beyond one, for lanes with one address
                        */
};

enum tma_access_finding {
    TMA_ACCESS_UNCOALESCED, /* a quarter more sectors than the bytes fill, or more than that */
    TMA_ACCESS_ONE_ADDRESS, /* lanes ask L2 one after the other */
    TMA_ACCESS_FINDINGS
};

/* "uncoalesced", "one address". */
const char *tma_access_finding_name(enum tma_access_finding finding);

/* Writes what is costly, with what to do, as a sentence without a full stop. False: it does not
 * apply. */
bool tma_access_finding_text(enum tma_access_finding finding,
                             const struct tma_access_figures *figures,
                             char text[TMA_ACCESS_FINDING_BYTES]);

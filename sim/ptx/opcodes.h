/* The forms of PTX's instructions: which modifiers and types an opcode takes together, and which
 * operands. (PTX ISA 9.7, for sm_90a.) */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ptx/words.h"

enum { TMA_PTX_LEXICON_SLOTS = 1024 };

/* A mnemonic taken apart. */
struct tma_ptx_mnemonic {
    uint16_t opcode; /* enum tma_ptx_opcode; TMA_PTX_UNKNOWN: `problem` says why */
    uint8_t type_count, word_count;
    uint8_t types[TMA_PTX_MAX_TYPES];
    uint16_t words[TMA_PTX_MAX_WORDS];
    const char *operands; /* of its form, as ptx/opcodes.c describes them */
    char *problem;        /* owned */
};

/* Finds words, types and opcodes by text. */
struct tma_ptx_lexicon {
    uint16_t slots[TMA_PTX_LEXICON_SLOTS];
};

void tma_ptx_lexicon_fill(struct tma_ptx_lexicon *lexicon);

/* Takes a mnemonic apart: `add.rn.f32`, without white space. Returns false if memory runs out. */
bool tma_ptx_mnemonic_read(const struct tma_ptx_lexicon *lexicon, const char *text, size_t length,
                           struct tma_ptx_mnemonic *mnemonic);

#include "ptx/words.h"

const struct tma_ptx_type_facts tma_ptx_types[TMA_PTX_TYPE_COUNT] = {
#define TYPE_FACTS(name, text, kind, bits, elements) {text, TMA_PTX_##kind, bits, elements},
    TMA_PTX_TYPES(TYPE_FACTS)
#undef TYPE_FACTS
};

const char *tma_ptx_opcode_name(enum tma_ptx_opcode opcode) {
    static const char *const names[TMA_PTX_OPCODE_COUNT] = {[TMA_PTX_UNKNOWN] = "?",
#define OPCODE_NAME(name, text) [TMA_PTX_OP_##name] = text,
                                                            TMA_PTX_OPCODES(OPCODE_NAME)
#undef OPCODE_NAME
    };
    return names[opcode];
}

const char *tma_ptx_word_name(enum tma_ptx_word word) {
    static const char *const names[TMA_PTX_WORD_COUNT] = {
#define WORD_NAME(name, text) text,
        TMA_PTX_WORDS(WORD_NAME)
#undef WORD_NAME
    };
    return names[word];
}

struct special {
    const char *name;
    uint32_t bits;
};

static const struct special specials[TMA_PTX_SPECIAL_COUNT] = {
#define SPECIAL(name, text, bits) {text, bits},
    TMA_PTX_SPECIALS(SPECIAL)
#undef SPECIAL
};

const char *tma_ptx_special_name(enum tma_ptx_special special) {
    return specials[special].name;
}

uint32_t tma_ptx_special_bits(enum tma_ptx_special special) {
    return specials[special].bits;
}

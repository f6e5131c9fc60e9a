#include "engine/watch.h"

static const struct tma_name items[] = {{"usual", TMA_SAMPLING_USUAL},
                                        {"careful", TMA_SAMPLING_CAREFUL}};

const struct tma_names tma_sampling_names = {"way of sampling", items,
                                             sizeof items / sizeof items[0]};

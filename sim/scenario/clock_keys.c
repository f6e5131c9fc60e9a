#include "scenario/clock_keys.h"

const struct tma_names tma_sm_clock_names = TMA_NAMES(
    "clock", {"single", TMA_SM_SINGLE}, {"boost", TMA_SM_BOOST}, {"sustained", TMA_SM_SUSTAINED});

static const struct tma_name data[] = {
    {"random", TMA_DATA_RANDOM}, {"small", TMA_DATA_SMALL}, {"zeros", TMA_DATA_ZEROS}};
const struct tma_names tma_operand_data_names = {"data", data, TMA_DATA_COUNT};

/* The servers of the memory system whose load is known one by one. */
#pragma once

#include "memory/machine.h"

TMA_API_BEGIN

/* Name, key in a report, text in a report. The servers of the first three kinds are numbered as
 * SMs; L2 slices partition by partition. */
#define TMA_SERVERS(X)                                                                             \
    X(TMA_SERVER_TMA_UNIT, "tma_units", "TMA units of the SMs")                                    \
    X(TMA_SERVER_SM_PORT, "sm_ports", "response ports of the SMs")                                 \
    X(TMA_SERVER_SHARED_MEMORY, "shared_memory", "shared memory of the SMs, accesses of warps")    \
    X(TMA_SERVER_GPC_PORT, "gpc_ports", "response ports of the GPCs")                              \
    X(TMA_SERVER_L2_SLICE, "l2_slices", "L2 slices")                                               \
    X(TMA_SERVER_DRAM_CHANNEL, "dram_channels", "data buses of the DRAM channels")

enum tma_server {
#define TMA_SERVER_ENUM(name, key, text) name,
    TMA_SERVERS(TMA_SERVER_ENUM)
#undef TMA_SERVER_ENUM
        TMA_SERVER_COUNT
};

TMA_API_END

/* Internal to sm/. */
#pragma once

#include "memory/sm/sms.h"

/* Schedules the unit of an SM again: a tensor map that it waits for has a cycle now. */
void tma_load_unit_resume(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t cycle);

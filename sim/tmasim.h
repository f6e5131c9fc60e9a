/* libtmasim: all that is public. tensormap/ and placement/ need libc alone. */
#ifndef TMASIM_H
#define TMASIM_H

#include "banks/banks.h"
#include "banks/consumer.h"
#include "base/diagnostics.h"
#include "base/error.h"
#include "engine/run.h"
#include "placement/execute.h"
#include "placement/locate.h"
#include "placement/rows.h"
#include "placement/swizzle.h"
#include "tensormap/advice.h"
#include "tensormap/descriptor.h"
#include "tensormap/dump.h"
#include "tensormap/map_difference.h"
#include "tensormap/rules.h"
#include "tensormap/tensormap.h"
#include "tensormap/types.h"

#endif

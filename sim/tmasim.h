/* libtmasim: everything that is public. Each of these headers can also be included alone, from C
 * and from C++. docs/library.md describes the calls, and examples/ has programs that use them.
 *
 * The library never prints, never exits and keeps no state between calls: functions may run in
 * several threads at once, on data of their own. tma_run is the exception. One process can run many
 * simulations, one after the other, but not two at once: SimGrid, which carries the simulated CTAs,
 * has one engine per process. */
#pragma once

#include "banks/banks.h"
#include "banks/consumer.h"
#include "base/diagnostics.h"
#include "base/error.h"
#include "base/version.h"
#include "engine/roles/kernel_read_maps.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "experiment/experiment.h"
#include "experiment/kernel_clock.h"
#include "experiment/scenario_subject.h"
#include "placement/execute.h"
#include "placement/locate.h"
#include "placement/operation_architecture.h"
#include "placement/operation_rules.h"
#include "placement/rows.h"
#include "placement/swizzle.h"
#include "report/report.h"
#include "scenario/scenario.h"
#include "serve/service.h"
#include "tensormap/advice.h"
#include "tensormap/architectures.h"
#include "tensormap/defaults.h"
#include "tensormap/descriptor.h"
#include "tensormap/dump.h"
#include "tensormap/legal.h"
#include "tensormap/map_difference.h"
#include "tensormap/readings.h"
#include "tensormap/rules.h"
#include "tensormap/tensormap.h"
#include "tensormap/types.h"

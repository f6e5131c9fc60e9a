/* The parts of a page's data, as members of a JSON object. Internal to sim/report. */
#pragma once

#include "report/json_writer.h"
#include "report/page.h"

/* page_data.c: name, machine, cycles and rates; the verdict and the experiments; how busy
 * its parts were, and the roofs above it; the causes of slots or roles; CTAs; the configuration. */
void tma_page_write_overview(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_experiments(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_busy(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_causes(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_ctas(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_settings(const struct tma_page_input *input, struct tma_json *json);

/* page_series.c: figures by window, latencies, and the load of servers. */
void tma_page_write_series(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_latencies(const struct tma_page_input *input, struct tma_json *json);
void tma_page_write_servers(const struct tma_page_input *input, struct tma_json *json);

/* page_tiles.c: tiles in shared memory, under each swizzle. */
void tma_page_write_tiles(const struct tma_page_input *input, struct tma_json *json);

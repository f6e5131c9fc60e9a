/* Pages of memory from which the homes and slices of all lines follow. */
#pragma once

#include <algorithm>
#include <vector>

#include "random.cuh"

/* Besides page 0, sorted and without duplicates. */
static std::vector<uint32_t> choose_pages(uint32_t pages) {
    std::vector<uint32_t> chosen;
    for (uint32_t page = 1; page < 32; page++)
        chosen.push_back(page);
    for (uint32_t page = 32; page < pages; page *= 2)
        chosen.push_back(page);
    for (uint32_t i = 0; i < 128; i++)
        chosen.push_back(1 + random_below(pages - 1));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

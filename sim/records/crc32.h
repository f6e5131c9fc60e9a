/* CRC-32 with zlib's polynomial: the checksum that the records use. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Extends the checksum `crc` of earlier bytes, 0 if there are none, by `count` bytes. Returns the
 * new checksum. */
uint32_t tma_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

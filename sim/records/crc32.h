/* CRC-32 as zlib's: the checksum of the records. */
#ifndef TMA_RECORDS_CRC32_H
#define TMA_RECORDS_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from `crc`, which is 0 at the start. */
uint32_t tma_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

#endif

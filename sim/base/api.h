/* What a public header needs to be used from C and from C++, and from the shared library. */
#pragma once

/* Public declarations stand between TMA_API_BEGIN and TMA_API_END. They have C linkage in C++ too,
 * and the shared library exports them. It is compiled with hidden visibility, so it exports nothing
 * else.
 *
 * TMA_ALIGN(bytes) before a member aligns the member and its struct. */
#ifdef __cplusplus
#define TMA_EXTERN_C_BEGIN extern "C" {
#define TMA_EXTERN_C_END   }
#define TMA_ALIGN(bytes)   alignas(bytes)
#else
#define TMA_EXTERN_C_BEGIN
#define TMA_EXTERN_C_END
#define TMA_ALIGN(bytes) _Alignas(bytes)
#endif
#define TMA_API_BEGIN TMA_EXTERN_C_BEGIN _Pragma("GCC visibility push(default)")
#define TMA_API_END   _Pragma("GCC visibility pop") TMA_EXTERN_C_END

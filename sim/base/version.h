/* The version of the library and of the command. */
#pragma once

#define TMA_VERSION "0.1.0"

/* The day of the version, which the man pages show. */
#define TMA_VERSION_DATE "2026-11-23"

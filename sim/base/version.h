/* The version of the library and of the command. */
#ifndef TMA_BASE_VERSION_H
#define TMA_BASE_VERSION_H

#define TMA_VERSION "0.1.0"

#endif

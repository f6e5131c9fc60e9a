/* Included before all else in builds with coverage: processes that end by _exit, as workers do,
 * leave their counts, too. Includes nothing, because files ask for features of libc first. */
#pragma once

extern void __gcov_dump(void);
extern void _exit(int status) __attribute__((noreturn));

__attribute__((noreturn)) static inline void dump_and_exit(int status) {
    __gcov_dump();
    _exit(status);
}

#define _exit dump_and_exit

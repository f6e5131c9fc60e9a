/* What an H100 did where an mbarrier expects other bytes than arrive (expect_tx.tsv of its records:
 * 20 cases of one to four loads). */
#pragma once

#define TMA_MORE_EXPECTED "more bytes are expected than arrive: an H100 never ends such a phase"
#define TMA_FEWER_EXPECTED                                                                         \
    "fewer bytes are expected than arrive: an H100 mostly never ends such a phase, and with "      \
    "several loads under way it can end it before the data are there"

/* What people ask for by a word of their own: "hang", "cuda", "swizzle", ...; and the commands that
 * answer it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text_distance.h"

/* Whether `tmasim help WORD` has something to say of the word, in any case of its letters. */
bool cli_situation_has(const char *word);

/* Keeps the word that is nearest to what is wanted. */
void cli_situation_suggest(struct tma_suggestion *suggestion);

/* Writes all situations that have the word. */
void cli_situation_write(const char *word, FILE *out);

/* Writes a line with the first word of each. */
void cli_situation_list(FILE *out);

enum { CLI_SITUATION_BYTES = PATH_MAX + 200 };

/* What to do with a file that is no scenario and no launch file, as its name says, or with a
 * folder. False where nothing is to be said, as this verb reads such files. */
bool cli_situation_of_file(const char *path, const char *verb,
                           char text[static CLI_SITUATION_BYTES]);

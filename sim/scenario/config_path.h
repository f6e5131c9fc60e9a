/* Files that belong to the project, found by their names: machines, scenarios, kernels. */
#pragma once

#include <stdbool.h>

#include "base/path.h"
#include "base/text_distance.h"

/* Finds "gpus/h200.yaml", for example: in the folders that TMASIM_PATH in the environment names,
 * with colons between them, then in configs/ beside the sources or as installed. Writes the path,
 * relative if the file is not far from the current folder, and returns false if there is no such
 * file. */
bool tma_config_find(const char *name, char path[TMA_PATH_TEXT_BYTES]);

/* The same for a word without slashes and points: WORD.yaml in one of the folders, which end with
 * NULL. Other words are none of the project's names. Capitals count as small letters. */
bool tma_config_find_word(const char *word, const char *const *folders,
                          char path[TMA_PATH_TEXT_BYTES]);

/* The word that a path of no file was to be: gpus/h200.yaml is h200. False if the file is there, or
 * if there is no such word. */
bool tma_config_word_of(const char *path, const char *const *folders,
                        char word[TMA_MAX_SUGGESTION]);

/* Keeps the name of a file in these folders if it is closer to the word that is wanted than the
 * best one so far. */
void tma_config_suggest(struct tma_suggestion *suggestion, const char *const *folders);

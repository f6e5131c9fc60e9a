/* The folder of the executable or shared library that has this library's code: files that belong to
 * it are found from there. */
#ifndef TMA_BASE_OWN_FOLDER_H
#define TMA_BASE_OWN_FOLDER_H

enum { TMA_PATH_TEXT_BYTES = 4096 };

/* Writes the folder, with a slash at its end; empty if unknown. */
void tma_own_folder(char folder[TMA_PATH_TEXT_BYTES]);

#endif

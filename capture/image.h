/* Images of code that a program gives to the driver, and the PTX in them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct image {
    void *owner; /* CUmodule or CUlibrary; NULL: input of a linker */
    const uint8_t *bytes;
    size_t size;
    void *copy; /* owned; NULL: the bytes are part of a loaded program or library */
};

/* Makes an image of what the driver's functions take: PTX, a cubin, a fatbin, or the structure that
 * refers to one. Copies what may go away. `size` is 0 where it is not known. Returns size 0 if it
 * is nothing of these, or memory is short. */
struct image image_of(void *owner, const void *code, size_t size);

/* The bytes of a file of at most so many, with '\0' behind them; the caller frees them. NULL if it
 * cannot be read, or is larger. */
char *read_file(const char *path, size_t most, size_t *size);

/* Makes an image of a file. */
struct image image_of_file(void *owner, const char *path);

void image_free(struct image *image);

/* What is known about the code of a kernel. */
enum image_code {
    IMAGE_PTX,     /* its PTX was found */
    IMAGE_SASS,    /* the image has machine code of it alone */
    IMAGE_UNKNOWN, /* the image does not have the kernel */
    IMAGE_ZSTD     /* the PTX is compressed, and libzstd is not there */
};

/* Finds the PTX of a kernel for GPUs of a compute capability (90). The text, which the caller
 * frees, ends with '\0'. */
enum image_code image_find_ptx(const struct image *image, const char *kernel, unsigned capability,
                               char **ptx);

/* Finds the PTX of a kernel beside a file that has the bytes of the cubin, as Triton's cache has
 * it, in the folders that the environment names and in those of Triton and PyTorch; then any PTX of
 * the kernel in `folders`, which colons separate. NULL if there is none. */
char *image_find_ptx_file(const struct image *image, const char *kernel, const char *folders);

/* Does the PTX have an entry of this name? */
int ptx_has_entry(const char *ptx, const char *kernel);

/* Undoes LZ4's block format. Returns the bytes written, or 0 where the input is not of it. */
size_t lz4_decompress(const uint8_t *input, size_t size, uint8_t *output, size_t capacity);

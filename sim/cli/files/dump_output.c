#include "cli/files/dump_output.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/messages.h"

static const struct tma_name format_items[] = {
    {"hex", TMA_DUMP_HEX}, {"c", TMA_DUMP_WORDS_64}, {"binary", TMA_DUMP_BINARY}};
const struct tma_names cli_dump_format_names = {"format", format_items, 3};

/* CUtensorMap's own form: 16 numbers of 64 bits, aligned to 64 bytes. */
static void write_c(const char *name, const char *text, FILE *out) {
    fprintf(out, "_Alignas(64) static const unsigned long long tensor_map_%s[16] = {\n%s};\n", name,
            text);
}

void cli_dump_write(const char *name, const struct tma_descriptor *descriptor,
                    enum tma_dump_format format, bool alone, FILE *out) {
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    char text[TMA_DUMP_TEXT_BYTES];
    if (format == TMA_DUMP_BINARY) {
        tma_descriptor_to_bytes(descriptor, bytes);
        fwrite(bytes, 1, sizeof bytes, out);
        return;
    }
    tma_dump_write(descriptor, format, text, sizeof text);
    if (format == TMA_DUMP_WORDS_64)
        write_c(name, text, out);
    else
        fprintf(out, "%s%s%s\n", alone ? "" : name, alone ? "" : ": ", text);
}

bool cli_check_descriptor_address(const char *text) {
    struct tma_error error;
    char *end;
    if (text == NULL)
        return true;
    errno = 0;
    unsigned long long address = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || text[0] == '-') {
        cli_error("--at is \"%s\"; expected an address, as in 0x7f0000000040", text);
        return false;
    }
    if (tma_descriptor_check_address(address, &error) != TMA_OK) {
        cli_error("%s", error.text);
        return false;
    }
    return true;
}

#include "tensormap/dump.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tma_names tma_dump_format_names = TMA_NAMES(
    "dump format", {"hex", TMA_DUMP_HEX}, {"binary", TMA_DUMP_BINARY}, {"bytes", TMA_DUMP_BYTES},
    {"words32", TMA_DUMP_WORDS_32}, {"words64", TMA_DUMP_WORDS_64});

enum { HEX_DIGITS = 2 * TMA_DESCRIPTOR_BYTES, LONGEST_NUMBER = 16 };

/* The content of a text: numbers with 0x, or bare digits in the order of memory. */
struct dump_contents {
    uint64_t numbers[TMA_DESCRIPTOR_BYTES];
    size_t number_count; /* may exceed the size of `numbers` */
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    size_t digit_count;                     /* may exceed the digits of `bytes` */
    uint8_t decimals[TMA_DESCRIPTOR_BYTES]; /* the same words, each as a decimal number */
    size_t decimal_count;                   /* may exceed the size of `decimals` */
    bool no_decimals;                       /* a word is no number from 0 to 255 */
};

/* The current word of a text, and the position behind it. */
struct dump_cursor {
    const char *at, *end;
    const char *word;
    size_t length;
};

static bool is_separator(char c) {
    return isspace((unsigned char)c) || (c != '\0' && strchr(",{}[];()\"'", c) != NULL);
}

/* Skips the label of a line, such as "0x7ffe10 <map+16>:" or "opaque =". */
static const char *skip_label(const char *line, const char *end) {
    const char *start = line;
    for (const char *at = line; at < end && *at != '\n'; at++)
        if (*at == ':' || *at == '=')
            start = at + 1;
    return start;
}

static bool next_word(struct dump_cursor *cursor) {
    while (cursor->at < cursor->end && is_separator(*cursor->at)) {
        bool line_ends = *cursor->at == '\n';
        cursor->at++;
        if (line_ends)
            cursor->at = skip_label(cursor->at, cursor->end);
    }
    cursor->word = cursor->at;
    while (cursor->at < cursor->end && !is_separator(*cursor->at))
        cursor->at++;
    cursor->length = (size_t)(cursor->at - cursor->word);
    return cursor->length > 0;
}

static bool word_is(const struct dump_cursor *cursor, const char *text) {
    return cursor->length == strlen(text) && memcmp(cursor->word, text, cursor->length) == 0;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)tolower((unsigned char)c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static void add_digit(struct dump_contents *contents, int digit) {
    size_t byte = contents->digit_count++ / 2;
    if (byte < TMA_DESCRIPTOR_BYTES)
        contents->bytes[byte] = (uint8_t)(contents->bytes[byte] << 4 | digit);
}

static void add_number(struct dump_contents *contents, uint64_t value) {
    size_t index = contents->number_count++;
    if (index < TMA_DESCRIPTOR_BYTES)
        contents->numbers[index] = value;
}

/* "<repeats 13 times>" behind a number means that the number occurs 13 times in all. */
static enum tma_error_code read_repeats(struct dump_cursor *cursor, struct dump_contents *contents,
                                        struct tma_error *error) {
    size_t have = contents->number_count;
    uint64_t times = next_word(cursor) ? strtoull(cursor->word, NULL, 10) : 0;
    if (have == 0 || have > TMA_DESCRIPTOR_BYTES || times == 0 || times > TMA_DESCRIPTOR_BYTES ||
        !next_word(cursor) || !word_is(cursor, "times>"))
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "a dump has \"<repeats N times>\" behind a number, N up to 128");
    uint64_t value = contents->numbers[have - 1];
    while (contents->number_count < have - 1 + times)
        add_number(contents, value);
    return TMA_OK;
}

static void add_decimal(struct dump_contents *contents, const struct dump_cursor *cursor) {
    uint32_t value = 0;
    size_t index = contents->decimal_count++;
    for (size_t i = 0; i < cursor->length && value <= UINT8_MAX; i++)
        value = isdigit((unsigned char)cursor->word[i])
                    ? 10 * value + (uint32_t)(cursor->word[i] - '0')
                    : UINT8_MAX + 1;
    contents->no_decimals |= value > UINT8_MAX;
    if (index < TMA_DESCRIPTOR_BYTES)
        contents->decimals[index] = (uint8_t)value;
}

/* Reads a number with 0x, or bare digits. */
static enum tma_error_code read_digits(const struct dump_cursor *cursor,
                                       struct dump_contents *contents, struct tma_error *error) {
    bool prefixed = cursor->length > 2 && cursor->word[0] == '0' && (cursor->word[1] | 32) == 'x';
    size_t start = prefixed ? 2 : 0;
    bool is_number = prefixed && cursor->length - start <= LONGEST_NUMBER;
    uint64_t value = 0;
    for (size_t i = start; i < cursor->length; i++) {
        int digit = digit_value(cursor->word[i]);
        if (digit < 0)
            return tma_fail(error, TMA_ERROR_SYNTAX,
                            "'%c' in \"%.*s\" is not a hex digit: expected 256 digits, or a dump "
                            "of words with 0x",
                            cursor->word[i], cursor->length > 40 ? 40 : (int)cursor->length,
                            cursor->word);
        value = value << 4 | (uint64_t)digit;
        if (!is_number)
            add_digit(contents, digit);
    }
    if (is_number)
        add_number(contents, value);
    else
        add_decimal(contents, cursor);
    return TMA_OK;
}

/* Reads what xxd and hexdump -C write: lines of an offset, 16 bytes in hex, and the same bytes as
 * characters. False where the text is something else. */
static bool read_hex_view(const char *text, size_t size, struct dump_contents *contents) {
    enum { LINE_DIGITS = 32 };
    const char *at = text, *end = text + size;
    for (uint64_t offset = 0; at < end; offset += LINE_DIGITS / 2) {
        uint64_t label = 0;
        int digits = 0, labels = 0;
        for (; at < end && digit_value(*at) >= 0; at++, labels++)
            label = label << 4 | (uint64_t)digit_value(*at);
        bool parted = end - at >= 2 && (at[0] == ':' || (at[0] == ' ' && at[1] == ' '));
        if (labels < 6 || label != offset || !(parted || at == end || *at == '\n'))
            return false;
        for (at += parted; at < end && *at != '\n' && digits < LINE_DIGITS; at++)
            if (digit_value(*at) >= 0)
                add_digit(contents, digit_value(*at)), digits++;
            else if (*at != ' ')
                return false;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL ? end : at + 1;
    }
    return contents->digit_count > 0;
}

static enum tma_error_code read_contents(const char *text, size_t size,
                                         struct dump_contents *contents, struct tma_error *error) {
    struct dump_cursor cursor = {.at = skip_label(text, text + size), .end = text + size};
    enum tma_error_code code = TMA_OK;
    if (read_hex_view(text, size, contents))
        return TMA_OK;
    *contents = (struct dump_contents){0};
    while (code == TMA_OK && next_word(&cursor))
        code = word_is(&cursor, "<repeats") ? read_repeats(&cursor, contents, error)
                                            : read_digits(&cursor, contents, error);
    return code;
}

static enum tma_error_code take_digits(const struct dump_contents *contents,
                                       struct tma_descriptor *descriptor, struct tma_error *error) {
    size_t digits = contents->digit_count;
    if (digits != HEX_DIGITS && contents->decimal_count == TMA_DESCRIPTOR_BYTES &&
        !contents->no_decimals) {
        tma_descriptor_from_bytes(descriptor, contents->decimals);
        return TMA_OK;
    }
    if (digits % 2 != 0)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "hex of %zu digits, an odd number: expected 256 (128 bytes)", digits);
    if (digits != HEX_DIGITS)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "hex of %zu digits (%zu bytes): expected 256 (128 bytes)", digits,
                        digits / 2);
    tma_descriptor_from_bytes(descriptor, contents->bytes);
    return TMA_OK;
}

static enum tma_error_code take_numbers(const struct dump_contents *contents,
                                        struct tma_descriptor *descriptor,
                                        enum tma_dump_format *format, struct tma_error *error) {
    size_t count = contents->number_count;
    if (count != 16 && count != 32 && count != 128)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "a dump of %zu numbers: expected 16 of 64 bits, 32 of 32 bits or 128 of 8",
                        count);
    unsigned width = TMA_DESCRIPTOR_BYTES * 8 / (unsigned)count;
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    for (size_t i = 0; i < TMA_DESCRIPTOR_BYTES; i++) {
        uint64_t number = contents->numbers[i * 8 / width];
        if (width < 64 && number >> width != 0)
            return tma_fail(error, TMA_ERROR_SYNTAX,
                            "0x%" PRIx64 " is more than the %u bits of each of %zu numbers", number,
                            width, count);
        bytes[i] = (uint8_t)(number >> i * 8 % width);
    }
    tma_descriptor_from_bytes(descriptor, bytes);
    *format = count == 16 ? TMA_DUMP_WORDS_64 : count == 32 ? TMA_DUMP_WORDS_32 : TMA_DUMP_BYTES;
    return TMA_OK;
}

static bool is_text(const char *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!isprint((unsigned char)data[i]) && !isspace((unsigned char)data[i]))
            return false;
    return true;
}

static enum tma_error_code take_binary(const char *data, size_t size,
                                       struct tma_descriptor *descriptor, struct tma_error *error) {
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    if (size != sizeof bytes)
        return tma_fail(error, TMA_ERROR_SYNTAX, "binary of %zu bytes: expected 128", size);
    memcpy(bytes, data, sizeof bytes);
    tma_descriptor_from_bytes(descriptor, bytes);
    return TMA_OK;
}

enum tma_error_code tma_dump_read(const char *data, size_t size, struct tma_descriptor *descriptor,
                                  enum tma_dump_format *format, struct tma_error *error) {
    enum tma_dump_format found = TMA_DUMP_BINARY;
    struct dump_contents contents = {0};
    enum tma_error_code code = TMA_OK;
    if (!is_text(data, size)) {
        code = take_binary(data, size, descriptor, error);
    } else if ((code = read_contents(data, size, &contents, error)) != TMA_OK) {
        return code;
    } else if (contents.number_count > 0 && contents.digit_count > 0) {
        code = tma_fail(error, TMA_ERROR_SYNTAX,
                        "%zu numbers with 0x and %zu digits without: expected one or the other",
                        contents.number_count, contents.digit_count);
    } else if (contents.number_count > 0) {
        code = take_numbers(&contents, descriptor, &found, error);
    } else {
        found = TMA_DUMP_HEX;
        code = take_digits(&contents, descriptor, error);
    }
    if (code == TMA_OK && format != NULL)
        *format = found;
    return code;
}

/* The number of `width` bits that starts at byte i. */
static uint64_t number_at(const uint8_t bytes[TMA_DESCRIPTOR_BYTES], size_t i, unsigned width) {
    uint64_t number = 0;
    for (unsigned bit = 0; bit < width; bit += 8)
        number |= (uint64_t)bytes[i + bit / 8] << bit;
    return number;
}

void tma_dump_write(const struct tma_descriptor *descriptor, enum tma_dump_format format,
                    char *text, size_t size) {
    static const unsigned widths[] = {[TMA_DUMP_HEX] = 8,
                                      [TMA_DUMP_BYTES] = 8,
                                      [TMA_DUMP_WORDS_32] = 32,
                                      [TMA_DUMP_WORDS_64] = 64};
    enum { LINE_BYTES = 16 };
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    tma_descriptor_to_bytes(descriptor, bytes);
    unsigned width = widths[format];
    bool bare = format == TMA_DUMP_HEX;
    size_t used = 0;
    for (size_t i = 0; i < TMA_DESCRIPTOR_BYTES && used < size; i += width / 8) {
        bool line_begins = i % LINE_BYTES == 0, line_ends = (i + width / 8) % LINE_BYTES == 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s%0*" PRIx64 "%s",
                                 !bare && line_begins ? "    " : "", bare ? "" : "0x",
                                 (int)width / 4, number_at(bytes, i, width),
                                 bare        ? ""
                                 : line_ends ? ",\n"
                                             : ", ");
    }
}

#include "serve/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* What a key takes. */
struct key_form {
    const char *name;
    size_t length;
    enum tma_request_kind kind;
    unsigned most; /* items of a list; 0: a single value */
    bool is_signed;
    bool is_unsigned_64; /* above INT64_MAX, too */
};

#define KEY_FORM(enumerator, name, kind, most, is_signed, meaning)                                 \
    [enumerator] = {name, sizeof name - 1, kind, most, is_signed, false},
#define FIELD(enumerator, name, kind, most, is_signed)                                             \
    [enumerator] = {name, sizeof name - 1, kind, most, is_signed, !(is_signed)},

static const struct key_form forms[TMA_REQUEST_KEY_COUNT] = {
    FIELD(TMA_FIELD_KIND, "kind", TMA_REQUEST_WORD, 0,
          false) FIELD(TMA_FIELD_DATA_TYPE, "data_type", TMA_REQUEST_WORD, 0,
                       false) FIELD(TMA_FIELD_RANK, "rank", TMA_REQUEST_NUMBER, 0, false)
        FIELD(TMA_FIELD_GLOBAL_ADDRESS, "global_address", TMA_REQUEST_NUMBER, 0, false) FIELD(
            TMA_FIELD_GLOBAL_DIM, "global_dim", TMA_REQUEST_NUMBER, 5,
            false) FIELD(TMA_FIELD_GLOBAL_STRIDES, "global_strides", TMA_REQUEST_NUMBER, 4,
                         false) FIELD(TMA_FIELD_BOX_DIM, "box_dim", TMA_REQUEST_NUMBER, 5, false)
            FIELD(TMA_FIELD_ELEMENT_STRIDES, "element_strides", TMA_REQUEST_NUMBER, 5,
                  false) FIELD(TMA_FIELD_LOWER_CORNER, "lower_corner", TMA_REQUEST_NUMBER, 3, true)
                FIELD(TMA_FIELD_UPPER_CORNER, "upper_corner", TMA_REQUEST_NUMBER, 3, true)
                    FIELD(TMA_FIELD_CHANNELS_PER_PIXEL, "channels_per_pixel", TMA_REQUEST_NUMBER, 0,
                          false) FIELD(TMA_FIELD_PIXELS_PER_COLUMN, "pixels_per_column",
                                       TMA_REQUEST_NUMBER, 0, false)
                        FIELD(TMA_FIELD_INTERLEAVE, "interleave", TMA_REQUEST_WORD, 0, false)
                            FIELD(TMA_FIELD_SWIZZLE, "swizzle", TMA_REQUEST_WORD, 0, false) FIELD(
                                TMA_FIELD_L2_PROMOTION, "l2_promotion", TMA_REQUEST_WORD, 0, false)
                                FIELD(TMA_FIELD_OOB_FILL, "oob_fill", TMA_REQUEST_WORD, 0, false)
                                    TMA_REQUEST_KEYS(KEY_FORM)};

/* A line as it is read. */
struct scanner {
    char *begin, *next, *end; /* *end is a NUL */
    struct tma_request_error *error;
};

const char *tma_request_key_name(unsigned key) {
    return forms[key].name;
}

static uint32_t position_of(const struct scanner *scanner, const char *at) {
    return (uint32_t)(at - scanner->begin) + 1;
}

__attribute__((format(printf, 4, 5))) static bool
fail(const struct scanner *scanner, const char *at, const char *field, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scanner->error->text, sizeof scanner->error->text, format, arguments);
    va_end(arguments);
    scanner->error->code = TMA_ERROR_SYNTAX;
    scanner->error->field = field;
    scanner->error->position = position_of(scanner, at);
    return false;
}

bool tma_request_fail(struct tma_request_error *error, const struct tma_request *request,
                      unsigned key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->code = TMA_ERROR_ARGUMENT;
    error->field = forms[key].name;
    error->position = request->values[key].position;
    return false;
}

bool tma_request_fail_whole(struct tma_request_error *error, enum tma_error_code code,
                            const char *text) {
    error->code = code;
    error->field = "";
    error->position = 0;
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

/* Most tokens have no blank before them, or one space: one comparison then tells the token. */
static inline void skip_blanks(struct scanner *scanner) {
    char *next = scanner->next;
    while ((unsigned char)*next <= ' ' && (*next == ' ' || *next == '\t' || *next == '\r'))
        next++;
    scanner->next = next;
}

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Reads the four digits of \uXXXX. Returns -1 if they are not there. */
static int read_code_unit(const char *digits) {
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(digits[i]);
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

static char *put_utf8(char *to, unsigned long code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* Replaces \uXXXX, or a pair of surrogates, at *from. What comes out is shorter than what is read.
 */
static bool unescape_unicode(struct scanner *scanner, char **from, char **to) {
    int code = read_code_unit(*from + 2);
    unsigned long point = (unsigned long)code;
    if (code <= 0 || (code >= 0xdc00 && code < 0xe000))
        return fail(scanner, *from, "", "this is no character: expected \\u and four digits");
    *from += 6;
    if (code >= 0xd800 && code < 0xdc00) {
        int low = (*from)[0] == '\\' && (*from)[1] == 'u' ? read_code_unit(*from + 2) : -1;
        if (low < 0xdc00 || low >= 0xe000)
            return fail(scanner, *from, "", "expected the second half of a pair of surrogates");
        point = 0x10000 + ((unsigned long)(code - 0xd800) << 10 | (unsigned long)(low - 0xdc00));
        *from += 6;
    }
    *to = put_utf8(*to, point);
    return true;
}

static bool unescape(struct scanner *scanner, char **from, char **to) {
    static const char escapes[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    char letter = (*from)[1];
    if (letter == 'u')
        return unescape_unicode(scanner, from, to);
    const char *found = letter == '\0' ? NULL : strchr(escapes, letter);
    if (found == NULL)
        return fail(scanner, *from, "", "JSON has no such escape");
    *(*to)++ = characters[found - escapes];
    *from += 2;
    return true;
}

/* Reads a word from its opening quote on, and ends it with a NUL in place of its closing quote, or
 * before. */
static bool read_word(struct scanner *scanner, char **word, size_t *length) {
    char *from = scanner->next + 1, *to;
    *word = from;
    while (*from != '"' && *from != '\\' && (unsigned char)*from >= 0x20)
        from++;
    for (to = from; *from != '"';) {
        if (*from == '\\') {
            if (!unescape(scanner, &from, &to))
                return false;
        } else if ((unsigned char)*from < 0x20) {
            return fail(scanner, scanner->next, "",
                        from == scanner->end ? "the closing quote is missing"
                                             : "a control character in a word");
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    *length = (size_t)(to - *word);
    scanner->next = from + 1;
    return true;
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/* Whether the number with these 20 digits is above UINT64_MAX. Without the 20th, it cannot be. */
static bool overflows(const char *digits) {
    return strncmp(digits, "18446744073709551615", 20) > 0;
}

/* Reads a whole number into 64 bits. */
static inline bool read_number(struct scanner *scanner, const struct key_form *form,
                               int64_t *number) {
    const char *at = scanner->next;
    bool negative = *at == '-';
    const char *first = at + negative, *digit = first;
    uint64_t value = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    if (!negative && !form->is_unsigned_64)
        limit = INT64_MAX;
    for (; is_digit(*digit); digit++)
        value = value * 10 + (unsigned)(*digit - '0');
    if (digit == first || (*first == '0' && digit != first + 1))
        return fail(scanner, at, form->name, "expected a whole number");
    if (value > limit || digit - first > 20 || (digit - first == 20 && overflows(first)))
        return fail(scanner, at, form->name, "the number is too large");
    if (*digit == '.' || *digit == 'e' || *digit == 'E')
        return fail(scanner, at, form->name, "expected a whole number");
    if (negative && !form->is_signed && value != 0)
        return fail(scanner, at, form->name, "expected a number that is not negative");
    *number = (int64_t)(negative ? 0 - value : value);
    scanner->next += digit - at;
    return true;
}

/* "0x7f00..." */
static bool read_hex(const struct scanner *scanner, const char *at, const char *word,
                     const struct key_form *form, int64_t *number) {
    uint64_t value = 0;
    unsigned digits = 0;
    if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
        for (word += 2; hex_digit(*word) >= 0 && digits < 16; digits++)
            value = value << 4 | (uint64_t)hex_digit(*word++);
    *number = (int64_t)value;
    if (digits > 0 && *word == '\0' && (form->is_unsigned_64 || value <= INT64_MAX))
        return true;
    return fail(scanner, at, form->name, "expected a whole number, or \"0x\" and its digits");
}

static bool read_flag(struct scanner *scanner, const struct key_form *form, int64_t *number) {
    bool is_true = strncmp(scanner->next, "true", 4) == 0;
    if (!is_true && strncmp(scanner->next, "false", 5) != 0)
        return fail(scanner, scanner->next, form->name, "expected true or false");
    *number = is_true;
    scanner->next += is_true ? 4 : 5;
    return true;
}

static bool read_quoted_item(struct scanner *scanner, struct tma_request *request, unsigned key,
                             uint32_t index) {
    const struct key_form *form = &forms[key];
    const char *at = scanner->next;
    char *word;
    size_t length;
    if (form->kind == TMA_REQUEST_FLAG)
        return fail(scanner, at, form->name, "expected true or false");
    if (!read_word(scanner, &word, &length))
        return false;
    if (form->kind == TMA_REQUEST_NUMBER)
        return read_hex(scanner, at, word, form, &request->numbers[key][index]);
    if (key == TMA_REQUEST_SET)
        request->settings[index] = word;
    else
        request->words[key] = (struct tma_request_word){word, position_of(scanner, at)};
    return true;
}

static inline bool read_item(struct scanner *scanner, struct tma_request *request, unsigned key,
                             uint32_t index) {
    const struct key_form *form = &forms[key];
    if (*scanner->next == '"')
        return read_quoted_item(scanner, request, key, index);
    if (form->kind == TMA_REQUEST_NUMBER)
        return read_number(scanner, form, &request->numbers[key][index]);
    if (form->kind == TMA_REQUEST_FLAG)
        return read_flag(scanner, form, &request->numbers[key][index]);
    return fail(scanner, scanner->next, form->name, "expected a word in quotes");
}

static bool read_list(struct scanner *scanner, struct tma_request *request, unsigned key) {
    const struct key_form *form = &forms[key];
    struct tma_request_value *value = &request->values[key];
    scanner->next++;
    skip_blanks(scanner);
    if (*scanner->next == ']') {
        scanner->next++;
        return true;
    }
    for (;;) {
        if (value->count == form->most)
            return fail(scanner, scanner->next, form->name, "too many items; allowed: %u",
                        form->most);
        if (!read_item(scanner, request, key, value->count))
            return false;
        value->count++;
        skip_blanks(scanner);
        if (*scanner->next == ']')
            break;
        if (*scanner->next != ',')
            return fail(scanner, scanner->next, form->name, "expected , or ]");
        scanner->next++;
        skip_blanks(scanner);
    }
    scanner->next++;
    return true;
}

static bool read_value(struct scanner *scanner, struct tma_request *request, unsigned key) {
    const struct key_form *form = &forms[key];
    struct tma_request_value *value = &request->values[key];
    if (value->position != 0)
        return fail(scanner, scanner->next, form->name, "the key stands in the request twice");
    *value = (struct tma_request_value){.position = position_of(scanner, scanner->next)};
    value->is_list = *scanner->next == '[';
    if (value->is_list != (form->most > 0))
        return fail(scanner, scanner->next, form->name,
                    form->most > 0 ? "expected a list" : "expected a single value");
    if (value->is_list)
        return read_list(scanner, request, key);
    value->count = 1;
    return read_item(scanner, request, key, 0);
}

static bool is_key(unsigned key, const char *name, size_t length) {
    return forms[key].length == length && memcmp(forms[key].name, name, length) == 0;
}

/* Finds the key. TMA_REQUEST_KEY_COUNT if there is none. */
static unsigned find_key(const char *name, size_t length) {
    unsigned key = 0;
    while (key < TMA_REQUEST_KEY_COUNT && !is_key(key, name, length))
        key++;
    return key;
}

/* Replies have room for an id of so many bytes. */
enum { MOST_ID_BYTES = 1024 };

/* The id is copied to the reply as it stands there: a number, or a word without escapes. */
static bool read_id(struct scanner *scanner, struct tma_request *request) {
    const char *at = scanner->next;
    size_t length;
    if (*at == '"') {
        length = strcspn(at + 1, "\"\\") + 2;
        for (size_t i = 1; i + 1 < length; i++)
            if ((unsigned char)at[i] < 0x20)
                return fail(scanner, at, "id", "a control character in a word");
        if (at[length - 1] != '"' || at[length - 2] == '\0')
            return fail(scanner, at, "id", "expected a whole number, or a word without escapes");
    } else {
        length = strspn(at, "-0123456789");
        if (length == 0 || length > 20 || strspn(at + 1, "0123456789") != length - 1 ||
            (length == 1 && *at == '-') || (at[0] == '0' && length > 1) ||
            (at[0] == '-' && at[1] == '0'))
            return fail(scanner, at, "id", "expected a whole number, or a word without escapes");
    }
    if (length > MOST_ID_BYTES)
        return fail(scanner, at, "id", "the id is longer than %d bytes", MOST_ID_BYTES);
    request->id = at;
    request->id_length = length;
    scanner->next += length;
    return true;
}

/* Reads the key that came after the previous one before, if it comes again. */
static bool read_expected_key(struct scanner *scanner, unsigned key) {
    const struct key_form *form = &forms[key];
    if ((size_t)(scanner->end - scanner->next) < form->length + 2 ||
        memcmp(scanner->next + 1, form->name, form->length) != 0 ||
        scanner->next[form->length + 1] != '"')
        return false;
    scanner->next += form->length + 2;
    return true;
}

/* Reads a key and its value. *key is the key before, and becomes this one; an id does not count. */
static bool read_pair(struct scanner *scanner, struct tma_request *request, unsigned *key) {
    char *at = scanner->next, *name = NULL;
    size_t length = 0;
    unsigned found = request->after[*key];
    if (*at != '"')
        return fail(scanner, at, "", "expected a key in quotes");
    bool expected = read_expected_key(scanner, found);
    if (!expected && !read_word(scanner, &name, &length))
        return false;
    skip_blanks(scanner);
    if (*scanner->next != ':')
        return fail(scanner, scanner->next, "", "expected : behind a key");
    scanner->next++;
    skip_blanks(scanner);
    if (length == 2 && memcmp(name, "id", 2) == 0)
        return read_id(scanner, request);
    if (!expected)
        found = find_key(name, length);
    if (found == TMA_REQUEST_KEY_COUNT)
        return fail(scanner, at, "", "unknown key \"%.60s\"", name);
    request->after[*key] = (uint16_t)found;
    *key = found;
    return read_value(scanner, request, found);
}

/* Finds the first byte that is no UTF-8. NULL: there is none. Most lines are ASCII. */
static const char *find_not_utf8(const char *text, const char *end) {
    while (text < end) {
        uint64_t bytes;
        if (end - text >= 8 && (memcpy(&bytes, text, 8), (bytes & 0x8080808080808080u) == 0)) {
            text += 8;
            continue;
        }
        size_t length = tma_utf8_length(text);
        if (length == 0)
            return text;
        text += length;
    }
    return NULL;
}

bool tma_request_parse(struct tma_request *request, char *line, size_t length,
                       struct tma_request_error *error) {
    struct scanner scanner = {line, line, line + length, error};
    unsigned key = TMA_REQUEST_KEY_COUNT;
    request->id = NULL;
    memset(request->values, 0, sizeof request->values);
    *scanner.end = '\0';
    const char *wrong = find_not_utf8(line, scanner.end);
    if (wrong != NULL)
        return fail(&scanner, wrong, "", "the request is not UTF-8 here");
    skip_blanks(&scanner);
    if (*scanner.next != '{')
        return fail(&scanner, scanner.next, "", "expected an object: {\"op\": ...}");
    scanner.next++;
    skip_blanks(&scanner);
    if (*scanner.next != '}')
        for (;;) {
            if (!read_pair(&scanner, request, &key))
                return false;
            skip_blanks(&scanner);
            if (*scanner.next == '}')
                break;
            if (*scanner.next != ',')
                return fail(&scanner, scanner.next, "", "expected , or }");
            scanner.next++;
            skip_blanks(&scanner);
        }
    scanner.next++;
    skip_blanks(&scanner);
    if (scanner.next != scanner.end)
        return fail(&scanner, scanner.next, "", "expected the end of the line behind the request");
    return true;
}

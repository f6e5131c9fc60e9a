#include "report/svg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "report/escape.h"

/* The colours differ in hue and in lightness, and dark text is readable on each: cells look the
 * same in both themes. */
const char tma_svg_colour_rules[] =
    ".c0{fill:#7aa6d6}.c1{fill:#f0a858}.c2{fill:#6fcdbd}.c3{fill:#ee8f9e}"
    ".c4{fill:#b4d46e}.c5{fill:#b493d6}.c6{fill:#f2dc6b}.c7{fill:#b9bcc6}";

static const char rules[] =
    "text{font:12px sans-serif;fill:#16191d}.page{fill:#fff}.note{fill:#5c636e}"
    ".heading{font-size:14px;font-weight:bold}.title{font-weight:bold}"
    ".row{font-size:10px;text-anchor:end}.head{font-size:10px;text-anchor:middle}"
    ".cell{font-size:10px;text-anchor:middle;fill:#111}"
    ".over{paint-order:stroke;stroke:#fff;stroke-opacity:.8;stroke-width:3}"
    ".empty{fill:none;stroke:#c4c8ce;stroke-width:.5}.gap{fill:#e3e5e9}"
    ".lane{fill:none;stroke:#111;stroke-width:1.5}.worst{fill:none;stroke:#111;stroke-width:3}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e6ea}.page{fill:#15181d}.note{fill:#9aa1ac}"
    ".cell{fill:#111}.empty{stroke:#4a505a}.gap{fill:#3a3f48}.gap+.cell{fill:#e4e6ea}"
    ".lane,.worst{stroke:#fff}}";

void tma_svg_begin(int width, int height, const char *title, FILE *out) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
            width, height, width, height);
    tma_write_xml(title, out);
    fprintf(out,
            "</title>\n<style>%s%s</style>\n"
            "<rect width=\"%d\" height=\"%d\" class=\"page\"/>\n",
            tma_svg_colour_rules, rules, width, height);
}

void tma_svg_end(FILE *out) {
    fputs("</svg>\n", out);
}

static void write_text(int x, int y, const char *class, const char *text, FILE *out) {
    fprintf(out, "<text x=\"%d\" y=\"%d\"", x, y);
    if (class[0] != '\0')
        fprintf(out, " class=\"%s\"", class);
    fputc('>', out);
    tma_write_xml(text, out);
    fputs("</text>\n", out);
}

void tma_svg_text(FILE *out, int x, int y, const char *class, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_text(x, y, class, text, out);
}

/* Length of the next line where the text is wrapped at spaces to at most `most` characters. */
static size_t line_length(const char *text, size_t most) {
    size_t length = strlen(text);
    if (length <= most)
        return length;
    for (length = most; length > 0 && text[length] != ' '; length--)
        ;
    return length > 0 ? length : most;
}

int tma_svg_wrapped(const char *text, int x, int y, size_t most, FILE *out) {
    while (*text != '\0') {
        size_t length = line_length(text, most);
        if (out != NULL)
            tma_svg_text(out, x, y + 13, "", "%.*s", (int)length, text);
        y += TMA_SVG_LINE_HEIGHT;
        for (text += length; *text == ' '; text++)
            ;
    }
    return y;
}

void tma_svg_box(struct tma_svg_box box, const char *class, FILE *out) {
    tma_svg_cell(box, class, NULL, NULL, out);
}

void tma_svg_cell(struct tma_svg_box box, const char *class, const char *text, const char *hint,
                  FILE *out) {
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"", box.x, box.y,
            box.width, box.height, class);
    if (hint == NULL) {
        fputs("/>", out);
    } else {
        fputs("><title>", out);
        tma_write_xml(hint, out);
        fputs("</title></rect>", out);
    }
    if (text == NULL)
        fputc('\n', out);
    else
        write_text(box.x + box.width / 2, box.y + 13, "cell", text, out);
}

void tma_svg_begin_group(int x, int y, FILE *out) {
    fprintf(out, "<g transform=\"translate(%d,%d)\">\n", x, y);
}

void tma_svg_end_group(FILE *out) {
    fputs("</g>\n", out);
}

const char *tma_svg_colour_class(uint32_t index) {
    static const char *const classes[TMA_SVG_COLOURS] = {"c0", "c1", "c2", "c3",
                                                         "c4", "c5", "c6", "c7"};
    return classes[index % TMA_SVG_COLOURS];
}

enum { COLOUR_BANKS = 4 };

const char *tma_svg_bank_class(uint32_t bank) {
    return tma_svg_colour_class(bank / COLOUR_BANKS);
}

void tma_svg_bank_legend(int x, int y, FILE *out) {
    for (uint32_t colour = 0; colour < TMA_SVG_COLOURS; colour++) {
        char text[24];
        uint32_t first = colour * COLOUR_BANKS;
        snprintf(text, sizeof text, "banks %" PRIu32 "-%" PRIu32, first, first + COLOUR_BANKS - 1);
        tma_svg_cell((struct tma_svg_box){x + (int)colour * 80, y, 76, TMA_SVG_CELL_HEIGHT},
                     tma_svg_colour_class(colour), text, NULL, out);
    }
}

void tma_svg_left_out(int x, int y, uint64_t left_out, const char *of, FILE *out) {
    if (left_out > 0)
        tma_svg_text(out, x, y, "note", "%" PRIu64 " more %s", left_out, of);
}

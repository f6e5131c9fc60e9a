#include "report/page.h"

#include <string.h>

#include "base/allocation.h"
#include "report/escape.h"
#include "report/page_data.h"
#include "report/page_files.h"
#include "report/svg.h"

bool tma_page_write_text(const char *id, const char *text, FILE *out) {
    fprintf(out, "<section id=\"%s\"><h2>The report as text</h2><pre>", id);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = tma_copy_bytes(text, length);
        if (line == NULL)
            return false;
        tma_write_xml(line, out);
        tma_release(line);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    fputs("</pre></section>\n", out);
    return true;
}

static void write_data(const struct tma_page_input *input, FILE *out) {
    struct tma_json json = {.out = out, .in_script = true};
    tma_json_begin_object(&json, NULL);
    tma_page_write_overview(input, &json);
    tma_page_write_experiments(input, &json);
    tma_page_write_busy(input, &json);
    tma_page_write_causes(input, &json);
    tma_page_write_series(input, &json);
    tma_page_write_latencies(input, &json);
    tma_page_write_servers(input, &json);
    tma_page_write_tiles(input, &json);
    tma_page_write_ctas(input, &json);
    tma_page_write_settings(input, &json);
    tma_json_end_object(&json);
}

void tma_page_write_head(const char *name, const char *where, FILE *out) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>",
          out);
    tma_write_xml(name, out);
    fputs(" on ", out);
    tma_write_xml(where, out);
    fprintf(out, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n", tma_svg_colour_rules,
            page_css);
}

bool tma_page_write(const struct tma_page_input *input, FILE *out) {
    tma_page_write_head(input->scenario, input->machine->name, out);
    fputs(page_html, out);
    bool good = tma_page_write_text("text", input->text, out);
    fputs("</main>\n<script type=\"application/json\" id=\"data\">\n", out);
    write_data(input, out);
    fprintf(out, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", page_js);
    return good;
}

#include "validate/validation.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/json_writer.h"

/* Keeps the predicted cycles of one more seed. */
static bool keep_predicted(struct cli_draws *draws, const struct tma_validation *validation) {
    size_t rows = validation->row_count;
    if (draws->count == 0)
        draws->row_count = rows;
    if (rows != draws->row_count)
        draws->row_count = 0; /* an interrupted replay lacks rows */
    if (draws->row_count == 0)
        return true;
    double *predicted = tma_resize(draws->predicted, (draws->count + 1) * rows, sizeof *predicted);
    if (predicted == NULL)
        return false;
    draws->predicted = predicted;
    for (size_t i = 0; i < rows; i++)
        predicted[draws->count * rows + i] = validation->rows[i].predicted;
    return true;
}

bool cli_draws_add(struct cli_draws *draws, const struct tma_validation *validation) {
    uint64_t agree = validation->agree;
    if (!keep_predicted(draws, validation))
        return false;
    double error = validation->errors.mean, part = 1.0 / (draws->count + 1);
    if (draws->count++ == 0) {
        draws->least_agree = draws->most_agree = agree;
        draws->least_error = draws->most_error = draws->mean_error = error;
    }
    draws->least_agree = agree < draws->least_agree ? agree : draws->least_agree;
    draws->most_agree = agree > draws->most_agree ? agree : draws->most_agree;
    draws->mean_agree += part * ((double)agree - draws->mean_agree);
    draws->least_error = error < draws->least_error ? error : draws->least_error;
    draws->most_error = error > draws->most_error ? error : draws->most_error;
    draws->mean_error += part * (error - draws->mean_error);
    return true;
}

bool cli_draws_finish(struct cli_draws *draws, const struct tma_validation *validation) {
    size_t rows = draws->row_count;
    draws->median_mape = draws->median_p95 = NAN;
    if (draws->predicted == NULL || rows != validation->row_count)
        return true;
    double *seeds = tma_allocate(draws->count, sizeof *seeds);
    double *errors = tma_allocate(rows, sizeof *errors);
    for (size_t row = 0; seeds != NULL && errors != NULL && row < rows; row++) {
        for (uint32_t seed = 0; seed < draws->count; seed++)
            seeds[seed] = draws->predicted[seed * rows + row];
        errors[row] =
            fabs(tma_errors_of(seeds, draws->count).median / validation->rows[row].measured - 1);
    }
    bool good = seeds != NULL && errors != NULL;
    if (good && rows > 0) {
        struct tma_errors sums = tma_errors_of(errors, rows);
        draws->median_mape = sums.mean;
        draws->median_p95 = sums.p95;
    }
    TMA_RELEASE(seeds, errors);
    return good;
}

void cli_draws_free(struct cli_draws *draws) {
    tma_release(draws->predicted);
    draws->predicted = NULL;
}

static const char *kind_of(const struct tma_validation *validation) {
    return validation->kind == NULL ? "unknown" : validation->kind->name;
}

static void write_all_errors(struct tma_json *json, const struct tma_errors *errors) {
    tma_json_decimal(json, "mape", errors->mean, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "median", errors->median, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "p95", errors->p95, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "max", errors->most, TMA_DECIMAL_MAX_DIGITS);
}

static void write_rows(struct tma_json *json, const struct tma_validation *validation) {
    tma_json_begin_array(json, "rows");
    for (size_t i = 0; i < validation->row_count; i++) {
        const struct tma_timed_row *row = &validation->rows[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", row->name);
        tma_json_decimal(json, "measured", row->measured, 0);
        tma_json_decimal(json, "predicted", row->predicted, 0);
        tma_json_decimal(json, "error", row->error, TMA_DECIMAL_MAX_DIGITS);
        if (row->left_out > 0) {
            tma_json_begin_object(json, "sampled");
            tma_json_decimal(json, "simulated_percent", 100 * (1 - row->left_out), 1);
            tma_json_decimal(json, "error_percent", 100 * row->sampling_error, 1);
            tma_json_end_object(json);
        }
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

static void write_differences(struct tma_json *json, const struct tma_validation *validation) {
    tma_json_begin_array(json, "differences");
    for (size_t i = 0; i < validation->difference_count; i++)
        tma_json_string(json, NULL, validation->differences[i]);
    tma_json_end_array(json);
}

static void write_json_draws(struct tma_json *json, const struct cli_draws *draws) {
    tma_json_begin_object(json, "draws");
    tma_json_unsigned(json, "count", draws->count);
    tma_json_decimal(json, "mean_agree", draws->mean_agree, 2);
    TMA_JSON_COUNTS(json, draws, least_agree, most_agree);
    tma_json_decimal(json, "mean_mape", draws->mean_error, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "least_mape", draws->least_error, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "most_mape", draws->most_error, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "median_mape", draws->median_mape, TMA_DECIMAL_MAX_DIGITS);
    tma_json_decimal(json, "median_p95", draws->median_p95, TMA_DECIMAL_MAX_DIGITS);
    tma_json_end_object(json);
}

static void write_families(struct tma_json *json, const struct tma_validation *validation) {
    char l2_close[32], dram_close[32];
    int close = (int)(100 * validation->kind->close_traffic + 0.5);
    snprintf(l2_close, sizeof l2_close, "l2_within_%d_percent", close);
    snprintf(dram_close, sizeof dram_close, "dram_within_%d_percent", close);
    tma_json_begin_array(json, "families");
    for (size_t i = 0; i < validation->family_count; i++) {
        const struct tma_family *family = &validation->families[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "family", family->name);
        TMA_JSON_COUNTS(json, family, records, skipped);
        write_all_errors(json, &family->errors);
        tma_json_unsigned(json, "l2_measured", family->l2_measured);
        tma_json_unsigned(json, l2_close, family->l2_close);
        tma_json_unsigned(json, "dram_measured", family->dram_measured);
        tma_json_unsigned(json, dram_close, family->dram_close);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

static void write_json(const struct cli_validation_report *report, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "timing_digest", report->digest);
    if (report->partial) {
        tma_json_bool(&json, "partial", true);
        TMA_JSON_COUNTS(&json, report, replayed, total);
    }
    tma_json_begin_array(&json, "files");
    for (size_t i = 0; i < report->count; i++) {
        const struct tma_validation *validation = &report->validations[i];
        const struct cli_draws *draws = &report->draws[i];
        tma_json_begin_object(&json, NULL);
        tma_json_string(&json, "file", cli_file_name(report->paths[i]));
        tma_json_string(&json, "kind", kind_of(validation));
        TMA_JSON_COUNTS(&json, validation, records, skipped, agree);
        if (validation->kind != NULL && validation->kind->samples)
            tma_json_unsigned(&json, "sampled", validation->sampled);
        if (validation->kind != NULL && validation->kind->has_ranges)
            tma_json_bool(&json, "by_ranges", validation->has_ranges);
        write_all_errors(&json, &validation->errors);
        if (draws->count > 0)
            write_json_draws(&json, draws);
        write_differences(&json, validation);
        if (validation->first_skipped[0] != '\0')
            tma_json_string(&json, "first_skipped", validation->first_skipped);
        if (validation->kind != NULL && validation->kind->has_families)
            write_families(&json, validation);
        if (validation->kind != NULL && validation->kind->has_error)
            write_rows(&json, validation);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static struct tma_decimal percent(double fraction) {
    return tma_decimal(100 * fraction, 2);
}

static void write_text_families(const struct tma_validation *validation, FILE *out) {
    if (validation->family_count == 0)
        return;
    char l2[16], dram[16];
    int close = (int)(100 * validation->kind->close_traffic + 0.5);
    snprintf(l2, sizeof l2, "L2 in %d %%", close);
    snprintf(dram, sizeof dram, "DRAM in %d %%", close);
    fprintf(out, "  %-18s %7s %8s %8s %8s %8s %8s %12s %14s\n", "family", "records", "skipped",
            "mean", "median", "p95", "max", l2, dram);
    for (size_t i = 0; i < validation->family_count; i++) {
        const struct tma_family *family = &validation->families[i];
        fprintf(out, "  %-18s %7" PRIu64 " %8" PRIu64, family->name, family->records,
                family->skipped);
        const double errors[] = {family->errors.mean, family->errors.median, family->errors.p95,
                                 family->errors.most};
        for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++)
            if (isnan(errors[e]))
                fprintf(out, " %8s", "-");
            else
                fprintf(out, " %6s %%", percent(errors[e]).text);
        fprintf(out, "%5" PRIu64 " of %3" PRIu64 " %7" PRIu64 " of %3" PRIu64 "\n",
                family->l2_close, family->l2_measured, family->dram_close, family->dram_measured);
    }
}

/* What is not simulated whole says so. */
static void write_text_sampled(const struct tma_validation *validation, FILE *out) {
    double left_out = 0, error = 0;
    if (validation->sampled == 0)
        return;
    for (size_t i = 0; i < validation->row_count; i++) {
        left_out += validation->rows[i].left_out;
        error += validation->rows[i].sampling_error;
    }
    fprintf(out,
            "  sampled: %" PRIu64
            " long records; %s %% of their cycles were simulated, and they are "
            "estimates within %s %% on average (--exact simulates all)\n",
            validation->sampled, percent(1 - left_out / (double)validation->sampled).text,
            percent(error / (double)validation->sampled).text);
}

static void write_errors(const struct tma_validation *validation, FILE *out) {
    fprintf(out, "  cycle error: mean %s %%, median %s %%, 95th percentile %s %%, max %s %%\n",
            percent(validation->errors.mean).text, percent(validation->errors.median).text,
            percent(validation->errors.p95).text, percent(validation->errors.most).text);
    fprintf(out, "  worst rows %41s %12s %9s\n", "measured", "predicted", "error");
    for (size_t i = 0; i < validation->worst_count; i++) {
        const struct tma_timed_row *row = &validation->worst[i];
        size_t length = strlen(row->name);
        fputs("    ", out);
        tma_write_printable(row->name, out);
        fprintf(out, "%*s %12s %12s %7s %%\n", length < 36 ? (int)(36 - length) : 0, "",
                tma_decimal(row->measured, 0).text, tma_decimal(row->predicted, 0).text,
                percent(row->error).text);
    }
}

static void write_text_differences(const struct tma_validation *validation, FILE *out) {
    uint64_t differing = validation->records - validation->skipped - validation->agree;
    for (size_t i = 0; i < validation->difference_count; i++) {
        fputs("  differs: ", out);
        tma_write_printable(validation->differences[i], out);
        fputc('\n', out);
    }
    if (differing > validation->difference_count)
        fprintf(out, "  and %" PRIu64 " more\n", differing - validation->difference_count);
}

static void write_text_skipped(const struct tma_validation *validation, FILE *out) {
    if (validation->kind == NULL && validation->records > 0)
        fputs("  skipped: no kind of records has these columns; tests/hardware/README.md describes "
              "the kinds\n",
              out);
    if (validation->first_skipped[0] == '\0')
        return;
    fputs("  skipped: ", out);
    tma_write_printable(validation->first_skipped, out);
    if (validation->skipped > 1)
        fprintf(out, "; and %" PRIu64 " more", validation->skipped - 1);
    fputc('\n', out);
}

static void write_text_draws(const struct cli_draws *draws, FILE *out) {
    fprintf(out, "  seeds 1 to %" PRIu32 ": mean %s, least %" PRIu64 ", most %" PRIu64 " agree\n",
            draws->count, tma_decimal(draws->mean_agree, 1).text, draws->least_agree,
            draws->most_agree);
    if (!isnan(draws->mean_error))
        fprintf(out, "  mean cycle error of a seed: mean %s %%, least %s %%, most %s %%\n",
                percent(draws->mean_error).text, percent(draws->least_error).text,
                percent(draws->most_error).text);
    if (!isnan(draws->median_mape))
        fprintf(out,
                "  cycle error of the median of all seeds: mean %s %%, 95th percentile %s %%\n",
                percent(draws->median_mape).text, percent(draws->median_p95).text);
}

static void write_text(const struct cli_validation_report *report, FILE *out) {
    if (report->partial)
        fprintf(out,
                "partial: interrupted after %" PRIu64 " of %" PRIu64
                " records; the others count as skipped\n",
                report->replayed, report->total);
    for (size_t i = 0; i < report->count; i++) {
        const struct tma_validation *validation = &report->validations[i];
        tma_write_printable(cli_file_name(report->paths[i]), out);
        fprintf(out, ": %s, %" PRIu64 " records, %" PRIu64 " skipped, %" PRIu64 " agree%s\n",
                kind_of(validation), validation->records, validation->skipped, validation->agree,
                validation->has_ranges ? " with the range of several launches" : "");
        write_text_skipped(validation, out);
        if (report->draws[i].count > 0)
            write_text_draws(&report->draws[i], out);
        write_text_sampled(validation, out);
        write_text_families(validation, out);
        if (!isnan(validation->errors.mean))
            write_errors(validation, out);
        else
            write_text_differences(validation, out);
    }
}

/* A row for each record that has predicted cycles. A name has no tab: it is a field of TSV. */
static void write_tsv(const struct cli_validation_report *report, FILE *out) {
    fputs("file\tname\tmeasured\tpredicted\terror\tsampling_error\n", out);
    for (size_t i = 0; i < report->count; i++)
        for (size_t k = 0; k < report->validations[i].row_count; k++) {
            const struct tma_timed_row *row = &report->validations[i].rows[k];
            tma_write_printable(cli_file_name(report->paths[i]), out);
            fputc('\t', out);
            tma_write_printable(row->name, out);
            fprintf(out, "\t%s\t%s\t%s\t%s\n", tma_decimal(row->measured, 0).text,
                    tma_decimal(row->predicted, 0).text,
                    tma_decimal(row->predicted / row->measured - 1, TMA_DECIMAL_MAX_DIGITS).text,
                    tma_decimal(row->sampling_error, TMA_DECIMAL_MAX_DIGITS).text);
        }
}

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };

const struct tma_names cli_validation_format_names =
    TMA_NAMES("format", {"text", FORMAT_TEXT}, {"json", FORMAT_JSON}, {"tsv", FORMAT_TSV});

void cli_validation_write(const struct cli_validation_report *report, int format, FILE *out) {
    static void (*const writers[])(const struct cli_validation_report *, FILE *) = {
        [FORMAT_TEXT] = write_text, [FORMAT_JSON] = write_json, [FORMAT_TSV] = write_tsv};
    writers[format](report, out);
}

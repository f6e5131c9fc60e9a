/* Replays every tensor map that an H200's driver encoded or rejected: the check has to give the
 * same verdict, the encoder the same bytes, and the decoder the same map. */
#include <stdio.h>
#include <string.h>

#include "../unit/suite.h"
#include "records/map_record.h"
#include "tensormap/map_difference.h"
#include "tensormap/rules.h"

/* In these records the arguments do not belong to the descriptor and the outcome, probably because
 * two runs were mixed: even ranks and types differ. So they cannot test the encoder. */
enum { STRAY_FIRST = 19501, STRAY_LAST = 19625 };

static const struct {
    const char *path;
    size_t rejected, accepted, stray;
} files[] = {
    {"tests/hardware/h200/encode.tsv", 5394, 7749, 0},
    {"tests/hardware/h200/load_tile.tsv", 0, 2916, 0},
    {"tests/hardware/h200/load_im2col.tsv", 0, 2500, 0},
    {"tests/hardware/h200/store.tsv", 0, 1603, STRAY_LAST - STRAY_FIRST + 1},
    {"tests/hardware/h200/reduce.tsv", 0, 1339, 0},
};

static struct tma_tsv records;

static void read_file(int index) {
    struct tma_error error = {0};
    ck_assert_msg(tma_tsv_read(files[index].path, &records, &error) == TMA_OK, "%s", error.text);
    ck_assert(tma_records_have_maps(&records));
}

static struct tma_tensor_map map_of(size_t row) {
    struct tma_tensor_map map;
    struct tma_error error = {0};
    ck_assert_msg(tma_map_record_read(&records, row, &map, &error) == TMA_OK, "%s", error.text);
    return map;
}

static struct tma_descriptor descriptor_of(size_t row) {
    struct tma_descriptor descriptor;
    struct tma_error error = {0};
    ck_assert_msg(tma_descriptor_record_read(&records, row, &descriptor, &error) == TMA_OK, "%s",
                  error.text);
    return descriptor;
}

static const char *id_of(size_t row) {
    return tma_tsv_cell(&records, row, "id");
}

static bool is_stray(size_t row) {
    long id = strtol(id_of(row), NULL, 10);
    return id >= STRAY_FIRST && id <= STRAY_LAST;
}

TEST_ROWS(verdict_matches_the_driver, TABLE_ROWS(files)) {
    read_file(_i);
    size_t accepted = 0;
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_tensor_map map = map_of(row);
        struct tma_violation first = {0};
        size_t count = tma_tensor_map_check(&map, TMA_SM_90, &first, 1);
        char text[600] = "nothing";
        if (count > 0)
            tma_violation_text(&first, text, sizeof text);
        ck_assert_msg((count == 0) == tma_record_is_accepted(&records, row), "%s %s: %s",
                      files[_i].path, id_of(row), text);
        accepted += count == 0;
    }
    ck_assert_uint_eq(accepted, files[_i].accepted);
    ck_assert_uint_eq(records.rows - accepted, files[_i].rejected);
    tma_tsv_free(&records);
}

TEST_ROWS(bytes_match_the_driver, TABLE_ROWS(files)) {
    read_file(_i);
    size_t stray = 0;
    for (size_t row = 0; row < records.rows; row++) {
        if (!tma_record_is_accepted(&records, row))
            continue;
        if (is_stray(row)) {
            stray++;
            continue;
        }
        struct tma_tensor_map map = map_of(row);
        struct tma_descriptor ours, theirs = descriptor_of(row);
        tma_descriptor_encode(&map, &ours);
        for (size_t i = 0; i < TMA_DESCRIPTOR_WORDS; i++)
            ck_assert_msg(ours.words[i] == theirs.words[i], "%s: word %zu is %08x, not %08x",
                          id_of(row), i, (unsigned)ours.words[i], (unsigned)theirs.words[i]);
    }
    ck_assert_uint_eq(stray, files[_i].stray);
    tma_tsv_free(&records);
}

/* Asserts that two maps agree in all fields that the bytes hold. They do not hold the kind of an
 * im2col::w map, which the driver encodes as im2col. */
static void assert_same_fields(const struct tma_tensor_map *asked,
                               const struct tma_tensor_map *decoded, const char *id) {
    struct tma_map_difference differences[TMA_MAX_DIFFERENCES];
    size_t count = tma_tensor_map_compare(asked, decoded, differences, TMA_MAX_DIFFERENCES);
    for (size_t i = 0; i < count; i++) {
        bool wide = asked->kind == TMA_MAP_IM2COL_W || asked->kind == TMA_MAP_IM2COL_W128;
        bool past_w = !differences[i].has[0] && differences[i].values[1] == 0;
        if (wide && (differences[i].field == TMA_FIELD_KIND || past_w))
            continue;
        ck_abort_msg("%s: %s[%d] is %lld, not %lld", id, tma_field_info(differences[i].field)->name,
                     differences[i].index, (long long)differences[i].values[1],
                     (long long)differences[i].values[0]);
    }
}

TEST_ROWS(decoding_restores_the_map, TABLE_ROWS(files)) {
    read_file(_i);
    for (size_t row = 0; row < records.rows; row++) {
        if (!tma_record_is_accepted(&records, row))
            continue;
        struct tma_tensor_map decoded, asked = map_of(row);
        struct tma_descriptor again, bytes = descriptor_of(row);
        struct tma_finding finding;
        char text[300] = "";
        if (tma_descriptor_decode(&bytes, &decoded, &finding, 1) > 0)
            tma_finding_text(&finding, text, sizeof text);
        ck_assert_msg(text[0] == '\0', "%s: %s", id_of(row), text);
        if (!is_stray(row))
            assert_same_fields(&asked, &decoded, id_of(row));
        tma_descriptor_encode(&decoded, &again);
        ck_assert_mem_eq(&again, &bytes, sizeof bytes);
        ck_assert_uint_eq(tma_tensor_map_check(&decoded, TMA_SM_90, NULL, 0), 0);
    }
    tma_tsv_free(&records);
}

TEST_ROWS(repair_gives_legal_maps, TABLE_ROWS(files)) {
    read_file(_i);
    int most_rounds = 0;
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_tensor_map map = map_of(row);
        struct tma_tensor_map legal = map;
        bool accepted = tma_record_is_accepted(&records, row);
        int rounds = tma_tensor_map_repair(&legal, TMA_SM_90);
        ck_assert_msg(rounds >= 0, "%s: is never legal", id_of(row));
        ck_assert_msg((rounds == 0) == accepted, "%s: %d rounds", id_of(row), rounds);
        ck_assert_uint_eq(tma_tensor_map_check(&legal, TMA_SM_90, NULL, 0), 0);
        ck_assert_uint_eq(tma_tensor_map_compare(&map, &legal, NULL, 0) == 0, accepted);
        most_rounds = rounds > most_rounds ? rounds : most_rounds;
    }
    ck_assert_int_le(most_rounds, 2);
    tma_tsv_free(&records);
}

TEST_SUITE("encode", .timeout = 60);

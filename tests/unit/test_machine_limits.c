/* The machine file reader rejects machines that cannot be simulated, and names the faulty value. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scenario/machine_file.h"
#include "suite.h"

/* Keys of a section of the H200's file, the values that replace their own, and a part of the error
 * text. */
static const struct {
    const char *section;
    const char *keys[2], *values[2]; /* NULL: only one value changes */
    const char *text;
} faults[] = {
    {"l2:", {"  ways:"}, {"17"}, "l2.ways"},
    {"l2:", {"  capacity:"}, {"187 KiB"}, "of 16 ways: 192512 B"},
    {"l2:", {"  capacity:"}, {"1024 GiB"}, "l2.capacity: to simulate the tags of L2 would take"},
    {"dram:", {"  channels:", "  queue:"}, {"940", "65536"}, "the DRAM channels would take"},
    {"l2:", {"  partitions:"}, {"1"}, "topology.gpc_partition"},
    {"l2:", {"  slices:"}, {"95"}, "l2.slices"},
    {"l2:", {"  slices:"}, {"96"}, "hash of 94 slices, but l2.slices is 96"},
    {"l2:", {"  slices:"}, {"120"}, "topology.slice_distances"},
    {"l2:", {"  hash:"}, {"odd"}, "l2.hash"},
    {"dram:", {"  row:"}, {"64 B"}, "dram.row"},
    {"dram:", {"  bus:"}, {"0 bit"}, "dram.bus"},
    {"dram:", {"  clock:"}, {"0 MHz"}, "dram.clock"},
    {"dram:", {"  halt:"}, {"100 us"}, "dram.halt is 100000 ns; expected less"},
    {"tma:", {"  row:"}, {"0 cycles"}, "tma.row"},
    {"tma:", {"  complete:"}, {"0 cycles"}, "tma.complete"},
    {"tma:", {"  descriptors:"}, {"0"}, "tma.descriptors"},
    {"tma:", {"  gpc_descriptors:"}, {"65537"}, "tma.gpc_descriptors"},
    {"tma:", {"  store_complete:"}, {"0 cycles"}, "tma.store_complete"},
    {"tma:", {"  reduce_complete:"}, {"0 cycles"}, "tma.reduce_complete"},
    {"crossbar:", {"  request:"}, {"0 cycles"}, "crossbar.request"},
    {"crossbar:", {"  response:"}, {"0 cycles"}, "crossbar.response"},
    {"crossbar:", {"  partition:"}, {"0 cycles"}, "crossbar.partition"},
    {"", {"sm_count:"}, {"131"}, "expected sm_count, which is 131"},
};

static bool begins_with(const char *line, const char *words) {
    return strncmp(line, words, strlen(words)) == 0;
}

/* The number of the key of a fault that a line has; -1: none. */
static int find_key(int fault, const char *line) {
    for (int i = 0; i < 2 && faults[fault].keys[i] != NULL; i++)
        if (begins_with(line, faults[fault].keys[i]))
            return i;
    return -1;
}

/* Copies the H200's file with the values changed. Fails if the file does not have the keys. */
static void write_changed(FILE *to, int fault) {
    FILE *from = fopen("configs/gpus/h200.yaml", "r");
    char line[512];
    bool inside = *faults[fault].section == '\0',
         changed[2] = {false, faults[fault].keys[1] == NULL};
    ck_assert_ptr_nonnull(from);
    while (fgets(line, sizeof line, from) != NULL) {
        inside = inside || begins_with(line, faults[fault].section);
        int key = inside ? find_key(fault, line) : -1;
        if (key >= 0 && !changed[key]) {
            fprintf(to, "%s %s\n", faults[fault].keys[key], faults[fault].values[key]);
            changed[key] = true;
        } else {
            fputs(line, to);
        }
    }
    ck_assert(changed[0] && changed[1]);
    fclose(from);
}

TEST_ROWS(faulty_value_is_reported, TABLE_ROWS(faults)) {
    char path[] = "/tmp/test_machine_limits.XXXXXX";
    struct tma_machine machine;
    struct tma_diagnostics list = {0};
    int number = mkstemp(path);
    FILE *file = fdopen(number, "w");
    ck_assert_ptr_nonnull(file);
    write_changed(file, _i);
    fclose(file);
    bool good = tma_machine_read(path, &machine, &list), found = false;
    unlink(path);
    for (size_t i = 0; i < list.count; i++)
        found = found || strstr(list.items[i].text, faults[_i].text) != NULL;
    ck_assert(!good);
    ck_assert_msg(found, "no \"%s\" in: %s", faults[_i].text, list.items[0].text);
    tma_diagnostics_free(&list);
}

TEST_SUITE("limits of machines");

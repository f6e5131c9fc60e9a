/* Machines that cannot be simulated are refused, each with the value that is at fault. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scenario/machine_file.h"
#include "suite.h"

/* One value of the H200's file, what stands there instead, and what is said. */
static const struct {
    const char *section, *key, *value, *said;
} faults[] = {
    {"l2:", "  ways:", "17", "l2.ways"},
    {"l2:", "  capacity:", "187 KiB", "of 16 ways: 192512 B"},
    {"l2:", "  partitions:", "1", "topology.gpc_partition"},
    {"l2:", "  slices:", "95", "l2.slices"},
    {"l2:", "  slices:", "96", "hash of 94 slices, but l2.slices is 96"},
    {"l2:", "  hash:", "odd", "l2.hash"},
    {"dram:", "  row:", "64 B", "dram.row"},
    {"dram:", "  bus:", "0 bit", "dram.bus"},
    {"dram:", "  clock:", "0 MHz", "dram.clock"},
    {"tma:", "  row:", "0 cycles", "tma.row"},
    {"tma:", "  complete:", "0 cycles", "tma.complete"},
    {"tma:", "  descriptors:", "0", "tma.descriptors"},
    {"tma:", "  gpc_descriptors:", "65537", "tma.gpc_descriptors"},
    {"tma:", "  store_complete:", "1 cycle", "tma.store_complete"},
    {"tma:", "  reduce_complete:", "1 cycle", "tma.reduce_complete"},
    {"crossbar:", "  request:", "0 cycles", "crossbar.request"},
    {"crossbar:", "  response:", "0 cycles", "crossbar.response"},
    {"crossbar:", "  partition:", "0 cycles", "crossbar.partition"},
    {"", "sm_count:", "131", "expected sm_count, which is 131"},
};

static bool begins_with(const char *line, const char *words) {
    return strncmp(line, words, strlen(words)) == 0;
}

/* Copies the H200's file with one value changed, which has to be in it. */
static void write_changed(FILE *to, int fault) {
    FILE *from = fopen("configs/gpus/h200.yaml", "r");
    char line[512];
    bool inside = *faults[fault].section == '\0', changed = false;
    ck_assert_ptr_nonnull(from);
    while (fgets(line, sizeof line, from) != NULL) {
        inside = inside || begins_with(line, faults[fault].section);
        if (inside && !changed && begins_with(line, faults[fault].key)) {
            fprintf(to, "%s %s\n", faults[fault].key, faults[fault].value);
            changed = true;
        } else {
            fputs(line, to);
        }
    }
    ck_assert(changed);
    fclose(from);
}

START_TEST(test_fault_is_found) {
    char path[] = "/tmp/test_machine_limits.XXXXXX";
    struct tma_machine machine;
    struct tma_diagnostics list = {0};
    int number = mkstemp(path);
    FILE *file = fdopen(number, "w");
    ck_assert_ptr_nonnull(file);
    write_changed(file, _i);
    fclose(file);
    bool good = tma_machine_read(path, &machine, &list), said = false;
    unlink(path);
    for (size_t i = 0; i < list.count; i++)
        said = said || strstr(list.items[i].text, faults[_i].said) != NULL;
    ck_assert(!good);
    ck_assert_msg(said, "nothing of \"%s\": %s", faults[_i].said, list.items[0].text);
    tma_diagnostics_free(&list);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("limits of machines");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, test_fault_is_found, 0, sizeof faults / sizeof *faults);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

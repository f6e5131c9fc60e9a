#include "cli/help/situations.h"

#include <dirent.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text_distance.h"
#include "cli/files/dump_files.h"

/* `words`: between spaces, the first one is what `help` lists. */
static const struct situation {
    const char *words, *question, *commands;
} situations[] = {
    {"map box tensormap tensor_map cutensormap illegal invalid stride alignment encode "
     "cutensormapencode cutensormapencodetiled fp8 fp4 e4m3 e5m2 bf16 half tf32 int8 dtype "
     "interleave fill oob aligned prefetch dump partial edge boundary",
     "Is my tensor map right?",
     "tmasim check MAP.yaml                   which rule it breaks, and the nearest legal value\n"
     "echo '{data_type: bfloat16, global_dim: [4096, 4096], box_dim: [64, 64], swizzle: 128b}' | "
     "tmasim check -\n"
     "tmasim decode DUMP --load 64,8          what a debugger's 128 bytes are, and what a load "
     "moves\n"
     "tmasim decode DUMP --store 960,960      which bytes a store of a partial tile writes\n"
     "tmasim help rules                       all rules\n"
     "FP8 is data_type uint8; swizzle: fit takes the smallest that the box fits.\n"},
    {"im2col convolution conv conv2d filter halo", "How do I load the pixels of a convolution?",
     "tmasim kernels conv                     a convolution over im2col loads, its parameters and "
     "its file\n"
     "tmasim check im2col.yaml                a map of 128 pixels of 64 channels, with a border of "
     "one pixel:\n"
     "  {kind: im2col, data_type: float16, global_dim: [64, 32, 32, 8], lower_corner: [-1, -1],\n"
     "   upper_corner: [-1, -1], channels_per_pixel: 64, pixels_per_column: 128, swizzle: 128b}\n"
     "tmasim decode DUMP --load 0,-1,-1,0 --offsets 0,0   which pixels a load takes\n"},
    {"fault crash error cuda_error illegal_instruction instruction misaligned misaligned_address "
     "illegal_address invalid_value illegal invalid nan zeros xid grid_constant",
     "What does CUDA's error mean?",
     "tmasim help faults                      all causes, from what CUDA says\n"
     "tmasim check MAP.yaml                   invalid value: which rule the map breaks\n"
     "tmasim decode DUMP --load 64,8          illegal instruction: does this load fault?\n"
     "tmasim run LAUNCH.yaml --functional     compiled PTX: the fault, with its line\n"},
    {"hang deadlock stuck mbarrier arrive expect expect_tx bytes phase parity timeout wait barrier",
     "Why does my kernel hang?",
     "tmasim run LAUNCH.yaml --functional     compiled PTX: who waits for what, at which line\n"
     "tmasim run KERNEL.yaml                  a kernel with roles: the same\n"
     "tmasim decode DUMP --load 64,8          the bytes for expect_tx\n"
     "tmasim help faults                      all causes, from what CUDA says\n"
     "\"needs N more bytes\": expect_tx says N too many; \"N bytes more than it expects\": too "
     "few.\n"
     "Both sides wait for parity 0, and all arrivals are missing: a producer's first wait for an "
     "empty\nstage takes parity 1, which ends at once.\n"},
    {"race hazard sanitize sanitizer overwrite overwritten wrong garbage fence proxy stage",
     "Does a stage get overwritten, or read too early?",
     "tmasim run LAUNCH.yaml --functional --sanitize 4   compiled PTX: both lines of each race\n"
     "tmasim run KERNEL.yaml                             a kernel with roles: the same\n"},
    {"slow simulate sim bench benchmark bottleneck limit performance profile prologue "
     "latency bandwidth stall time faster roofline speed tflops overlap why relieve ncu nsight "
     "sample",
     "How long does it take, and what limits it?",
     "tmasim run KERNEL --why                 what limits it, what would help, where warps wait\n"
     "tmasim report KERNEL -o page.html       the same as a page\n"
     "tmasim run LAUNCH.yaml                  compiled PTX: time by line; --relieve FILE:LINE says "
     "what a line costs\n"
     "tmasim tune copy --try BM=64,128 STAGES=2:4 CTAS=132,264   which parameters make it "
     "faster\n"},
    {"epilogue tail", "What does the epilogue cost, and what hides it?",
     "tmasim run KERNEL --why                 \"stores\", \"shared\" and \"barrier\" of where "
     "warps "
     "wait are the epilogue's\n"
     "tmasim tune gemm gemm_persistent gemm_ws --set K=512 --try STAGES=3,4   the next tile's "
     "loads hide it\n"
     "tmasim tune gemm_persistent --try C_BY_WARPS=0,1 WARPS=4,8              C by TMA, or from "
     "registers\n"
     "tmasim run KERNEL --timeline t.json     for ui.perfetto.dev: what lies beside it\n"},
    {"tile tiles tune gemm stages autotune best optimal choose blocksize",
     "Which tile and how many stages are fastest?",
     "tmasim kernels gemm                     its parameters\n"
     "tmasim tune gemm --set M=4096 N=4096 K=4096 --gpu h100_sxm --try BM=64,128 BN=128,256 "
     "STAGES=2:4\n"},
    {"layout transpose transposed swizzle conflict conflicts bank banks padding padded pad "
     "ldmatrix wavefronts smem shared offset address swizzled",
     "Which layout reads a tile without bank conflicts?",
     "tmasim compare transpose                every swizzle mode of a tile that is read by "
     "columns\n"
     "tmasim compare transpose --pad          and rows with padding behind them\n"
     "tmasim explain transpose                lanes, banks and conflicts of one access\n"
     "tmasim layout transpose                 where each element lies\n"
     "Of a tensor map of yours, as tmasim help map writes it:\n"
     "tmasim compare MAP.yaml --access ldmatrix.x4 --pad     swizzle modes, padding\n"
     "tmasim explain MAP.yaml --access ld.shared.b32:column  lanes and banks\n"
     "tmasim run LAUNCH.yaml                  compiled PTX: bank conflicts by line\n"},
    {"cute cutlass shape", "What is my CuTe layout as a tensor map, and the other way?",
     "tmasim cute 'Swizzle<3,4,3> o smem_ptr[16b](0) o (64,64):(64,1)'   the tensor map, and a "
     "picture\n"
     "tmasim cute SCENARIO                                               tiles as CuTe layouts\n"},
    {"fragment fragments accumulator accumulators lane lanes register registers element mma wgmma "
     "stmatrix matrix warpgroup",
     "Which lane and register has an element?",
     "tmasim fragment wgmma_d --size 128 --element 17,70   of the accumulator of m64n128\n"
     "tmasim fragment wgmma_d --size 128 --thread 35       what this thread has\n"
     "tmasim fragment mma_a                                A of mma.m16n8; also mma_b, mma_d, "
     "wgmma_a, ldmatrix\n"},
    {"descriptor desc wgmma smem_desc",
     "What does a wgmma descriptor mean, and which one fits my tile?",
     "tmasim descriptor --value 0x4000004000010000        its fields\n"
     "tmasim descriptor wgmma_operands                    what fits the tile of a scenario\n"
     "tmasim descriptor wgmma_operands --value BITS       whether this one does\n"
     "tmasim descriptor MAP.yaml                          of a tensor map of yours; which swizzle "
     "it needs\n"
     "tmasim fragment wgmma_d                             which thread and register has an "
     "element\n"},
    {"move copy copies cp.async cp.async.bulk bulk memcpy ld.global ldgsts gather gather4 scatter "
     "scatter4 paged page pages kv kv_cache kvcache block_table indirect embedding moe tma load "
     "loads store stores",
     "Which way of moving data is faster?",
     "tmasim tune gather_rows --try HOW=0,1,2                 rows that a table names: cp.async, "
     "bulk copies, TMA\n"
     "tmasim tune paged_attention --try HOW=0,1 PAGE=16,64    pages of K and V: cp.async, TMA\n"
     "tmasim tune gemm gemm_pointers --set M=2048 N=2048 K=2048   tiles of a GEMM: TMA, "
     "cp.async\n"
     "tmasim run softmax --set BY_WARPS=1                     loads of warps; 0: TMA\n"
     "tmasim decode DUMP --gather4 0,3,17,5,9 --arch sm_100   the rows of one gather4, whose box "
     "has one row\n"
     "tmasim kernels gather_rows                              what the parameters mean\n"},
    {"multicast cluster clusters dsmem distributed", "Do clusters and multicast help?",
     "tmasim tune gemm_ws --try CLUSTER_M=1,2 CLUSTER_N=1,2   a GEMM whose CTAs share tiles\n"
     "tmasim run KERNEL.yaml                                  a multicast that overwrites a stage, "
     "or that one CTA does not expect\n"},
    {"gpu gpus machine machines hopper blackwell h100 h200 b200 gh200 sm_90 sm_90a sm_100 sm_100a "
     "sm_120 tcgen05 umma tmem device",
     "Which GPUs are there, and how well are they known?",
     "tmasim machines                         all of them, and which were validated\n"
     "tmasim run KERNEL --gpu h100            a run on another one\n"
     "tmasim check MAP.yaml --arch sm_100     rules of another architecture\n"
     "docs/is-it-right.md has the errors by kind of kernel in one table.\n"
     "tcgen05 and tensor memory are not simulated; TMA, L2 and DRAM of Blackwell are.\n"},
    {"clock clocks sm_clock gpu_clock power frequency mhz ghz boost sustained throttle throttling "
     "watts cap",
     "At which clock does it run?",
     "tmasim run KERNEL                                       the line clock: one launch, "
     "sustained, boost\n"
     "tmasim run KERNEL --set kernel.sm_clock=sustained       times as of a benchmark without "
     "pauses\n"
     "tmasim run KERNEL --set kernel.sm_clock='1500 MHz'      at a fixed clock\n"
     "tmasim run KERNEL --set kernel.data=zeros               with operands that take less power\n"
     "Of a launch file: sm_clock and data without kernel. in front.\n"},
    {"memory dram hbm l2 cache coalescing coalesced evict eviction promotion sectors hit hits miss "
     "misses",
     "What does it take from L2 and DRAM?",
     "tmasim run KERNEL --details                              bytes, hits, misses, evictions\n"
     "tmasim run KERNEL --set tensor_maps.A.l2_promotion=256b  another promotion of one map\n"
     "tmasim run LAUNCH.yaml --relieve dram=50%                compiled PTX: what half of its time "
     "at DRAM would save\n"
     "tmasim check KERNEL                                      maps whose boxes take more than "
     "their bytes\n"},
    {"role roles producer consumer ring rings pipeline depth pingpong ping-pong persistent "
     "warp_specialized warpspecialized setmaxnreg write own",
     "How do I write down a kernel of mine?",
     "tmasim help kernel                      all keys; docs/tutorial-kernel.md writes one in "
     "steps\n"
     "tmasim kernels gemm_ws                  one with a producer and consumers, and its file\n"
     "tmasim run MINE.yaml                    extends: gemm_ws in it changes parts of that one\n"},
    {"json csv markdown python api ci script program batch", "How does a program ask?",
     "tmasim run KERNEL --format json         figures of a run; sweep, tune and check have it, "
     "too\n"
     "tmasim serve --stdio                    a line of JSON a request, a line an answer\n"
     "tmasim golden check FOLDER              whether figures still hold, for CI\n"
     "docs/python.md, docs/library.md         from Python, C and C++\n"},
    {"occupancy resident spill spills registers_per_thread ctas wave waves",
     "How many CTAs run at a time?",
     "tmasim run KERNEL                       \"up to N on each\", waves; --details has more\n"
     "tmasim run LAUNCH.yaml --set registers=128   compiled PTX, with other registers; also "
     "ctas_per_sm=2\n"},
    {"ptx cuda nvcc cu cubin sass kernel launch compiled run", "How do I run my own CUDA kernel?",
     "nvcc -arch=sm_90a -ptx -lineinfo my.cu              its PTX\n"
     "tmasim launch my.ptx -o my.yaml                     a launch file to fill in (tmasim help "
     "launch-file)\n"
     "tmasim run my.yaml                                  time by line, hangs, races, conflicts\n"
     "tmasim-capture -o DIR -- PROGRAM                    on a GPU: launch files of all that a "
     "program runs\n"},
    {"triton pytorch torch python inductor tilelang", "How do I run a Triton kernel?",
     "in Python, without a GPU:   record = tmasim.triton.capture(kernel, grid, *arguments); "
     "tmasim.run(record)\n"
     "on a GPU:                   tmasim-capture -o DIR -- python my.py; tmasim run DIR/NAME.yaml\n"
     "from its PTX alone:         tmasim launch my.ptx -o my.yaml; tmasim run my.yaml\n"},
    {"compare diff versus two versions regression", "Which of two kernels is faster, and why?",
     "tmasim run gemm gemm_ws --set M=4096 N=4096 K=4096  a row each\n"
     "tmasim tune gemm gemm_ws --try BM=64,128            the best of each\n"
     "tmasim sweep A.yaml B.yaml                          launch files by rank\n"
     "tmasim run A --format json -o a.json; tmasim run B --format json -o b.json; tmasim diff "
     "a.json b.json\n"},
    {"kernels library list ls show example examples scenario scenarios attn attention flash "
     "flashattention fa2 matmul mm cublas layernorm rmsnorm model",
     "Which kernels are there already?",
     "tmasim kernels                          all of them, with their parameters: gemm, attention, "
     "fa3, ...\n"
     "tmasim run attention --set L=4096 D=128 one of them, with other parameters\n"},
    {"timeline trace perfetto events gantt", "What happens when?",
     "tmasim run KERNEL --timeline t.json     for ui.perfetto.dev: warps, tensor cores, TMA units\n"
     "tmasim run KERNEL --trace t.trace       every event; --stats has time series\n"},
    {"accuracy fidelity trust reliable calibrated validated exact validate prediction precise "
     "right good",
     "How good is the prediction for my kernel?",
     "tmasim machines                         how well each GPU is known\n"
     "tmasim validate RECORDS                 errors against what a GPU did\n"
     "docs/is-it-right.md has the errors by kind of kernel in one table.\n"},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

bool cli_situation_has(const char *word) {
    for (size_t i = 0; i < SITUATIONS; i++)
        if (tma_has_word(situations[i].words, word))
            return true;
    return false;
}

void cli_situation_suggest(struct tma_suggestion *suggestion) {
    for (size_t i = 0; i < SITUATIONS; i++)
        for (const char *at = situations[i].words; *at != '\0'; at += *at == ' ') {
            char word[TMA_MAX_SUGGESTION];
            size_t length = strcspn(at, " ");
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            tma_suggest(suggestion, word);
            at += length;
        }
}

void cli_situation_write(const char *word, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < SITUATIONS; i++) {
        if (!tma_has_word(situations[i].words, word))
            continue;
        fprintf(out, "%s%s\n\n", any ? "\n" : "", situations[i].question);
        for (const char *line = situations[i].commands; *line != '\0';) {
            size_t length = strcspn(line, "\n");
            fprintf(out, "  %.*s\n", (int)length, line);
            line += length + 1;
        }
        any = true;
    }
}

void cli_situation_list(FILE *out) {
    for (size_t i = 0; i < SITUATIONS; i++)
        fprintf(out, "%s%.*s", i == 0 ? "" : ", ", (int)strcspn(situations[i].words, " "),
                situations[i].words);
}

/* Finds the first path by the alphabet of a file with this ending in a folder, or in the folders of
 * that: a compiler's cache has one for each kernel. `path` is empty before the call. */
static void find_file(const char *folder, const char *ending, int depth, char path[PATH_MAX]) {
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char below[PATH_MAX];
        int length = snprintf(below, sizeof below, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length < 0 || (size_t)length >= sizeof below)
            continue;
        if (dot == NULL || strcasecmp(dot, ending) != 0) {
            if (depth > 0)
                find_file(below, ending, depth - 1, path);
        } else if (path[0] == '\0' || strcmp(below, path) < 0) {
            strcpy(path, below);
        }
    }
    if (directory != NULL)
        closedir(directory);
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void folder_text(const char *path, char text[static CLI_SITUATION_BYTES]) {
    char file[PATH_MAX] = "", other[PATH_MAX] = "";
    find_file(path, ".ptx", 1, file);
    find_file(path, ".yaml", 0, other);
    if (file[0] != '\0')
        snprintf(text, CLI_SITUATION_BYTES,
                 "a folder with PTX: tmasim launch %s -o LAUNCH.yaml writes a launch file for this "
                 "one",
                 file);
    else if (other[0] != '\0')
        snprintf(text, CLI_SITUATION_BYTES, "a folder; a file in it is %s", other);
    else
        snprintf(text, CLI_SITUATION_BYTES,
                 "a folder without PTX and without scenarios or launch files");
}

#define CUDA_SOURCE                                                                                \
    "CUDA source: nvcc -arch=sm_90a -ptx makes PTX of it, and tmasim launch a launch file of that"

/* Files that are neither scenarios nor launch files, by how their names end or their texts begin.
 * `readers`: verbs that read them. In `what`, %s is the path. */
static const struct other_file {
    const char *ending, *beginning, *readers, *what;
} other_files[] = {
    {".cu", "#include", "", CUDA_SOURCE},
    {".cuh", "__global__", "", CUDA_SOURCE},
    {".ptx", ".version", "launch",
     "PTX: tmasim launch %s -o LAUNCH.yaml writes a launch file for it, which has the grid and the "
     "buffers, and which runs"},
    {".cubin", "\177ELF", "",
     "machine code: cuobjdump -ptx shows the PTX beside it, if there is one, of which tmasim "
     "launch writes a launch file"},
    {".py", "import ", "", "Python: tmasim help triton says how its kernels run"},
    {".ttgir", NULL, "", "Triton's own code: tmasim help triton says how its kernels run"},
    {".sass", "\tcode for sm_", "",
     "machine code: it is given beside PTX (tmasim run LAUNCH.yaml --sass FILE)"},
    {".tsv", "id\t", "validate diff", "a table: tmasim validate reads records of a real GPU"},
    {".csv", NULL, "validate diff", "a table: tmasim diff compares two of them"},
    {NULL, "# tmasim-trace", "diff", "a trace: tmasim diff compares two of them"},
    {NULL, "{\n  \"tmasim\"", "diff", "a report: tmasim diff compares two of them"},
    {NULL, "{\n  \"displayTimeUnit\"", "", "a timeline: https://ui.perfetto.dev shows it"},
    {".html", "<!DOCTYPE html>", "", "a page: a browser shows it"},
    {".svg", "<svg", "", "a picture: a browser shows it"},
};

/* Reads the beginning of a file. Pipes, which give their text once, have none. */
static size_t read_beginning(const char *path, char *text, size_t size) {
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    size_t length = file == NULL ? 0 : fread(text, 1, size - 1, file);
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    return length;
}

/* Skips blank lines and comments of PTX and C. */
static const char *behind_comments(const char *text) {
    while (text[0] == '\n' || text[0] == '\r' || strncmp(text, "//", 2) == 0)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
    return text;
}

static bool is_kind(const struct other_file *kind, const char *path, const char *text) {
    const char *dot = strrchr(tma_path_name(path), '.');
    return (kind->ending != NULL && dot != NULL && strcasecmp(dot, kind->ending) == 0) ||
           (kind->beginning != NULL &&
            strncmp(behind_comments(text), kind->beginning, strlen(kind->beginning)) == 0);
}

bool cli_situation_of_file(const char *path, const char *verb,
                           char text[static CLI_SITUATION_BYTES]) {
    enum { BEGINNING_BYTES = 8192 };
    static const char dump_readers[] = "decode replace", folder_readers[] = "decode replace diff";
    char beginning[BEGINNING_BYTES];
    if (is_folder(path)) {
        folder_text(path, text);
        return !tma_has_word(folder_readers, verb); /* these say themselves that it is one */
    }
    size_t length = read_beginning(path, beginning, sizeof beginning);
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++)
        if (is_kind(&other_files[i], path, beginning)) {
            const char *what = other_files[i].what, *name = strstr(what, "%s");
            size_t front = name == NULL ? strlen(what) : (size_t)(name - what);
            snprintf(text, CLI_SITUATION_BYTES, "%.*s%s%s", (int)front, what,
                     name == NULL ? "" : path, name == NULL ? "" : name + strlen("%s"));
            return !tma_has_word(other_files[i].readers, verb);
        }
    if (!cli_is_dump(beginning, length))
        return false;
    snprintf(text, CLI_SITUATION_BYTES, "the 128 bytes of a tensor map: tmasim decode reads them");
    return !tma_has_word(dump_readers, verb);
}

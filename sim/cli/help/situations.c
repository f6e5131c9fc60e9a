#include "cli/help/situations.h"

#include <string.h>
#include <strings.h>

#include "base/path.h"

/* `words`: between spaces, the first one is what `help` lists. */
static const struct situation {
    const char *words, *question, *commands;
} situations[] = {
    {"map box tensormap tensor_map cutensormap illegal invalid stride alignment encode",
     "Is my tensor map right?",
     "tmasim check MAP.yaml                   which rule it breaks, and the nearest legal value\n"
     "echo '{data_type: bfloat16, global_dim: [4096, 4096], box_dim: [64, 64], swizzle: 128b}' | "
     "tmasim check -\n"
     "tmasim decode DUMP --load 64,8          what a debugger's 128 bytes are, and what a load "
     "moves\n"
     "tmasim help rules                       all rules\n"},
    {"hang deadlock stuck mbarrier arrive expect_tx phase parity timeout wait barrier",
     "Why does my kernel hang?",
     "tmasim run LAUNCH.yaml --functional     compiled PTX: who waits for what, at which line\n"
     "tmasim run KERNEL.yaml                  a kernel with roles: the same\n"
     "tmasim decode DUMP --load 64,8          the bytes for expect_tx\n"
     "tmasim help faults                      all causes, from what CUDA says\n"},
    {"race hazard sanitize sanitizer overwrite overwritten wrong garbage fence stage",
     "Does a stage get overwritten, or read too early?",
     "tmasim run LAUNCH.yaml --functional --sanitize 4   compiled PTX: both lines of each race\n"
     "tmasim run KERNEL.yaml                             a kernel with roles: the same\n"},
    {"slow simulate bottleneck limit performance profile epilogue latency bandwidth stall time "
     "faster "
     "roofline",
     "How long does it take, and what limits it?",
     "tmasim run KERNEL --why                 what limits it, what would help, where warps wait\n"
     "tmasim report KERNEL -o page.html       the same as a page\n"
     "tmasim run LAUNCH.yaml                  compiled PTX: time by line; --relieve FILE:LINE says "
     "what a "
     "line costs\n"},
    {"tile tiles tune gemm stages autotune best choose blocksize",
     "Which tile and how many stages are fastest?",
     "tmasim kernels gemm                     its parameters\n"
     "tmasim tune gemm --set M=4096 N=4096 K=4096 --gpu h100_sxm --try BM=64,128 BN=128,256 "
     "STAGES=2:4\n"},
    {"layout transpose transposed swizzle conflict conflicts bank banks padding ldmatrix",
     "Which layout reads a tile without bank conflicts?",
     "tmasim compare transpose                every swizzle mode of a tile that is read by "
     "columns\n"
     "tmasim explain transpose                lanes, banks and conflicts of one access\n"
     "tmasim layout transpose                 where each element lies\n"
     "Copy configs/scenarios/transpose.yaml, and set data_type, box_dim and the access of "
     "yours.\n"},
    {"cute cutlass shape", "What is my CuTe layout as a tensor map, and the other way?",
     "tmasim cute 'Swizzle<3,4,3> o smem_ptr[16b](0) o (64,64):(64,1)'   the tensor map, and a "
     "picture\n"
     "tmasim cute SCENARIO                                               tiles as CuTe layouts\n"},
    {"descriptor desc wgmma smem_desc",
     "What does a wgmma descriptor mean, and which one fits my tile?",
     "tmasim descriptor --value 0x4000004000010000        its fields\n"
     "tmasim descriptor wgmma_operands                    what fits the tile of a scenario\n"
     "tmasim descriptor wgmma_operands --value BITS       whether this one does\n"
     "tmasim fragment wgmma_d                             which thread and register has an "
     "element\n"},
    {"ptx cuda nvcc cu cubin kernel launch compiled run", "How do I run my own CUDA kernel?",
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
    {"compare diff versus two regression", "Which of two kernels is faster, and why?",
     "tmasim run gemm gemm_ws --set M=4096 N=4096 K=4096  a row each\n"
     "tmasim tune gemm gemm_ws --try BM=64,128            the best of each\n"
     "tmasim sweep A.yaml B.yaml                          launch files by rank\n"
     "tmasim run A --format json -o a.json; tmasim run B --format json -o b.json; tmasim diff "
     "a.json b.json\n"},
    {"kernels library attn flash flashattention fa2 matmul mm cublas conv2d layernorm rmsnorm "
     "model",
     "Which kernels are there already?",
     "tmasim kernels                          all of them, with their parameters: gemm, attention, "
     "fa3, ...\n"
     "tmasim run attention --set L=4096 D=128 one of them, with other parameters\n"},
    {"timeline trace perfetto events gantt", "What happens when?",
     "tmasim run KERNEL --timeline t.json     for ui.perfetto.dev: warps, tensor cores, TMA units\n"
     "tmasim run KERNEL --trace t.trace       every event; --stats has time series\n"},
    {"accuracy error fidelity trust exact validate prediction precise right good",
     "How good is the prediction for my kernel?",
     "tmasim machines                         how well each GPU is known\n"
     "tmasim validate RECORDS                 errors against what a GPU did\n"
     "docs/is-it-right.md has the errors by kind of kernel in one table.\n"},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

static bool has(const struct situation *situation, const char *word) {
    size_t length = strlen(word);
    for (const char *at = situation->words; length > 0 && *at != '\0'; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");
        if (own == length && strncasecmp(at, word, length) == 0)
            return true;
        at += own;
    }
    return false;
}

bool cli_situation_has(const char *word) {
    for (size_t i = 0; i < SITUATIONS; i++)
        if (has(&situations[i], word))
            return true;
    return false;
}

void cli_situation_write(const char *word, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < SITUATIONS; i++) {
        if (!has(&situations[i], word))
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

const char *cli_situation_of_file(const char *path) {
    static const struct {
        const char *ending, *what;
    } files[] = {
        {".cu",
         "CUDA source: nvcc -arch=sm_90a -ptx makes PTX of it, and tmasim launch a launch file "
         "of that"},
        {".cuh",
         "CUDA source: nvcc -arch=sm_90a -ptx makes PTX of it, and tmasim launch a launch file "
         "of that"},
        {".ptx",
         "PTX: tmasim launch FILE.ptx -o LAUNCH.yaml writes a launch file for it, which has the "
         "grid and the buffers, and which runs"},
        {".cubin",
         "machine code: cuobjdump -ptx shows the PTX beside it, if there is one, of which "
         "tmasim launch writes a launch file"},
        {".py", "Python: tmasim help triton says how its kernels run"},
        {".ttgir", "Triton's own code: tmasim help triton says how its kernels run"},
        {".sass", "machine code: it is given beside PTX (tmasim run LAUNCH.yaml --sass FILE)"},
    };
    const char *dot = strrchr(tma_path_name(path), '.');
    for (size_t i = 0; dot != NULL && i < sizeof files / sizeof *files; i++)
        if (strcasecmp(dot, files[i].ending) == 0)
            return files[i].what;
    return NULL;
}

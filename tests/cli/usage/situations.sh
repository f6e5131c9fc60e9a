# Words of people who meet tmasim for the first time have commands; so do files of other kinds, options and operands
# that other programs have.
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
try help hang
try help Swizzle
try help nonsense
try hang
try explain race
try compare gemm gemm_ws
try diff gemm gemm_ws
try kernels gemm
try kernels gem
try kernels gemm.yaml
try descriptor 0x4000004000010000
try run gemm M=1024
try run gemm --M 1024
try run gemm --json
try help paged
try help illegal instruction
try help accumulator
try help h100
try list
try --gpu h100 run gemm
try kernels gather_rows | sed 's|file: .*configs|file: configs|'
try kernels GEMM | head -n 2
try run gemm --gpu H100 --set M=256 N=256 K=64 --no-why | sed '/^time/,/^exit/d'
try check GEMM_TILE
try run gemm.yaml
try run kernels/gemm_ws.yaml
try run other.yaml
try descriptor 4000004000010002 | head -n 2
try descriptor 4611686293305360386 | head -n 2
try descriptor C000004000010002 | head -n 2
try descriptor 0x4000004000010002ull | head -n 2
cd "$SCRATCH" || exit
# A compiler's cache, an empty folder, a map with words of other programs, and a dump.
mkdir -p cache/ABC cache/.hidden empty
echo text >cache/ABC/kernel.ptx
touch cache/ABC/kernel.cubin
try run cache
try launch cache/ABC
try run empty
try launch cache/ABC/kernel.cubin
printf 'dtype: fp16\ndims: [64, 64]\ntile: [64, 64]\nswizzle: 128B\n' >map.yaml
try check map.yaml | sed 's/allowed: .*//'
try layout map.yaml | sed 's/allowed: .*//'
printf '00000000007f00001063200010000000000000000000000000000000\n' >dump.hex
try check dump.hex
try run dump.hex
printf 'name: a\ngpu: configs/gpus/h200.yaml\n' >gpu.yaml
try run gpu.yaml 2>&1 | grep 'did you mean'
printf '{data_type: 16u4_align16b, global_dim: [128, 128], global_strides: [64], box_dim: [128, 128]}\n' >four.yaml
try check four.yaml | grep legal
for file in kernel.cu kernel.ptx kernel.cubin kernel.py; do
    echo text >"$file"
    try run "$file"
done
# Each command that names a kernel or a scenario of the library does what it says.
for words in "explain transpose" "layout transpose" "compare transpose" "fragment wgmma_d" machines \
    "descriptor --value 0x4000004000010000" "descriptor wgmma_operands" "cute wgmma_operands"; do
    # shellcheck disable=SC2086 # words of a command line
    tmasim $words >"$SCRATCH/out" 2>&1 || cat "$SCRATCH/out"
    tmasim help "${words%% *}" >/dev/null || echo "no help on $words"
done
# Words of options and typing errors lead there, too.
try run gemm --clock 1500
try help deadlok
try help conv | sed 's| [^ ]*configs/| configs/|'
try machines h100
try help clock dram
try check gemm_tile --load 64,8
try run gemm --try BM=64

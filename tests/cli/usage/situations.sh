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
try run gemm --gpu H200
cd "$SCRATCH" || exit
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

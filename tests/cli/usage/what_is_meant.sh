# Settings, files and words that are almost right: what is meant.
try() {
    printf '$ tmasim %s\n' "$*"
    tmasim "$@" 2>&1 >/dev/null
    echo "status $?"
}
try run launch/data/serialised.yaml --set gpu.sm_clock=boost
try run launch/data/serialised.yaml --set kernel.registers=64
try run gemm --set gpu.sm_clock=boost
try tune launch/data/serialised.yaml
try run gemm --set maps.a.swizzle=swizzle_96b
tmasim help illegal instruction | head -2
tmasim help "illegal instruction?" | head -1
# Settings and ranges as other programs write them; a second setting behind a comma.
try run gemm --set M 1024
try run gemm --set M
try run gemm --set M=1024,N=1024
try tune gemm --try BN=64..256
try tune gemm --try BM=64 BN=64-256
try tune gemm --try BM=64,128,BN=64
# Files of another kind, for verbs that read dumps, PTX and reports.
mkdir -p "$SCRATCH/kinds"
cp launch/data/loops.ptx "$SCRATCH/kinds"
cd "$SCRATCH/kinds" || exit
try decode loops.ptx
try replace loops.ptx box_dim.0=32
try diff loops.ptx loops.ptx
# A gather4 has five coordinates; several kernels need no --try, but one machine.
echo '{data_type: float16, global_dim: [4096, 4096], box_dim: [64, 1]}' | tmasim encode - -o map.hex
try decode map.hex --load 0,5,9,100,7
tmasim tune gemm gemm_pointers --set M=256 N=256 K=128 --draws 0 2>&1 | grep -v '^ '
# A word that is a verb and a situation has the commands of both.
tmasim help compare | sed -n '1p;/^usage/p'
for word in im2col convolution gather4 dump partial versions proxy optimal; do
    tmasim help "$word" | head -1
done
# Products on a GPU without wgmma; an mma as PTX writes it.
try run gemm_ws --gpu b200 --set M=256 N=256 K=64 --no-why
tmasim fragment mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 --element 3,5
try run gemm --gpu h10

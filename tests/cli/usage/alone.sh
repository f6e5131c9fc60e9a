# The command without its configurations says so.
mkdir -p "$SCRATCH/alone"
cp "$(readlink -f "$(command -v tmasim)")" "$SCRATCH/alone"
cp ../hardware/h100/role_costs.tsv ../../configs/gpus/h200.yaml "$SCRATCH/alone"
cd "$SCRATCH/alone" || exit
printf '{data_type: float16, global_dim: [64, 64], box_dim: [64, 64]}\n' >map.yaml
unset TMASIM_PATH
try() {
    echo "\$ tmasim $*"
    ./tmasim "$@" 2>&1
    echo "exit $?"
}
try kernels
try run gemm
try tune gemm --try BM=64
try layout map.yaml
try check map.yaml
try validate role_costs.tsv
# No record of a known kind: nothing was compared.
try validate role_costs.tsv --gpu h200.yaml
# A name that is almost right.
tmasim tune gem --try BM=64 2>&1
tmasim tune kernels/gem.yaml --try BM=64 2>&1 | cut -c 1-80

# Every report says where the timing of the machine is not validated against hardware.
gpus=$PWD/../../configs/gpus
scenarios=$PWD/../../configs/scenarios
cd "$SCRATCH" || exit
for gpu in h100_pcie b200; do
    echo "== $gpu"
    for format in text json; do
        tmasim run "$scenarios/gemm_tile.yaml" --no-why --set gpu="$gpus/$gpu.yaml" --format $format
    done | grep 'validated'
    for format in text json svg; do
        tmasim compare "$scenarios/gemm_tile.yaml" --set gpu="$gpus/$gpu.yaml" --format $format
    done | sed 's/<[^>]*>//g' | grep 'validated'
done

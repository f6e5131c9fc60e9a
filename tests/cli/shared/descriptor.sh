# Descriptors of wgmma: encoded for a tile, decoded, and compared with it.
scenarios=../../configs/scenarios
ask() {
    echo "\$ tmasim $*" | sed "s,$scenarios/,,g"
    tmasim "$@" 2>&1 || echo "exit $?"
}
ask descriptor $scenarios/gemm_tile.yaml
ask descriptor $scenarios/wgmma_operands.yaml --operation 1 --mn-major
ask descriptor --value 0x4000004000010002
ask descriptor $scenarios/gemm_tile.yaml --value 0x4000004000010002
ask descriptor $scenarios/gemm_tile.yaml --value 0x4000000800010000
ask descriptor $scenarios/gemm_tile.yaml --value 0x8000004000010004
ask descriptor $scenarios/gemm_tile.yaml --value 0x40000040000100ff
ask descriptor $scenarios/wgmma_operands.yaml --operation 1 --mn-major --value 0x4000004002000480
ask descriptor --value 0xffffffffffffffff
for bad in '' '--value 12x' "$scenarios/gemm_tile.yaml --operation 9" "$scenarios/narrow_rows.yaml"; do
    # shellcheck disable=SC2086 # words
    ask descriptor $bad
done

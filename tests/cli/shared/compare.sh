# Consumers and padding as text. The tests leave out the table of modes,
# because its cycles change with the timing model.
compare() {
    tmasim compare ../../configs/scenarios/transpose.yaml "$@"
}
compare --pad | sed -n '/^consumer/,$p'
echo "two readers of one tile:"
compare --pad --set "workload.consumers=[{instruction: ld.shared.b32, lanes: column}, {instruction: st.shared.b128, lanes: column}]" |
    sed -n '/^consumer/,/^not legal/p'
echo "a descriptor says 128b:"
compare --set "tensor_maps.matrix.data_type=float16" --set "tensor_maps.matrix.box_dim=[64, 64]" \
    --set "workload.pipeline.stage_bytes=8 KiB" \
    --set "workload.consumers=[{instruction: wgmma, lanes: descriptor, descriptor: {swizzle: 128b, stride_offset: 1 KiB, leading_offset: 16 B}}]" |
    sed -n '/^consumer/,$p'
echo "no consumer:"
tmasim compare ../../configs/scenarios/all_same_tile.yaml | tail -n 1

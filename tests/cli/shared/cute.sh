# Layouts in CuTe's notation, both ways.
ask() {
    echo "\$ tmasim $*" | sed 's,\.\./\.\./configs/scenarios/,,'
    tmasim "$@" 2>&1 || echo "exit $?"
}
ask cute ../../configs/scenarios/gemm_tile.yaml
ask cute ../../configs/scenarios/wgmma_operands.yaml
for layout in 'Swizzle<3,4,3> o smem_ptr[16b] o (8,64):(64,1)' '((8,2),64):((64,512),1)' \
    'Sw<3,4,3> o smem_ptr[16b] o (64,128):(128,1)' '(8,8):(1,9)' '(8,8:(1,9)' 'Sw<3,4,3> o (8,64):(64,1)'; do
    ask cute "$layout"
done
ask cute
ask cute gemm_tile '(8,8):(8,1)'

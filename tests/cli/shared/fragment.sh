# Which thread and register has an element; bad sizes and places say what is allowed.
ask() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1 || echo "exit $?"
}
ask fragment wgmma_d --size 128 --element 17,70
ask fragment wgmma_d --bits 16 --size 16 --thread 127
ask fragment wgmma_a --bits 8 --thread 37
ask fragment mma_b
ask fragment ldmatrix --size 1
ask fragment ldmatrix_trans --size 2 --element 9,3
ask fragment mma_d --format csv | head -n 4
ask fragment mma_d --format json | head -n 12
ask fragment wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 --element 17,70
ask fragment M64N8K16 --thread 35
ask fragment ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 --element 9,3
ask fragment
for bad in 'wgmma_d --size 12' 'mma_d --bits 8' 'wgmma_d --element 64,0' 'wgmma_d --element 1' 'mma_a --thread 32' fragments; do
    # shellcheck disable=SC2086 # words
    ask fragment $bad
done
tmasim fragment wgmma_d --size 16 --format svg -o "$SCRATCH/fragment.svg" && grep -c '<rect' "$SCRATCH/fragment.svg"

# tmasim launch: templates of launch files, which check reads as they are.
try() {
    echo "\$ tmasim launch $*"
    tmasim launch "$@" 2>&1
    echo "exit $?"
}
try ../../examples/launches/scale.ptx
try ../capture/kernels.ptx
try ../capture/kernels.ptx --kernel mapped
try ../capture/kernels.ptx --kernel maped
try ../hardware/launches/ptx/gemm_pointers.ptx
try launch/data/ptx/names.ptx --kernel k
try launch/data/ptx/broken.ptx
try missing.ptx
cp ../../examples/launches/scale.ptx "$SCRATCH"
tmasim launch "$SCRATCH/scale.ptx" -o "$SCRATCH/scale.yaml" && grep ptx: "$SCRATCH/scale.yaml"
tmasim check "$SCRATCH/scale.yaml" | sed "s,$SCRATCH,SCRATCH,"
for kernel in ../hardware/launches/ptx/*.ptx; do
    tmasim launch "$kernel" -o "$SCRATCH/template.yaml" && tmasim check "$SCRATCH/template.yaml" >/dev/null 2>"$SCRATCH/errors" ||
        sed "s,$PWD,.,g; s,.*hardware,," "$SCRATCH/errors"
done

# The fastest combination comes first, the illegal ones last with what is wrong. The output does not
# depend on the number of processes.
small='--set M=256 N=512 K=256'
ways='--try BM=64,128 BN=128 STAGES=2:3'
# shellcheck disable=SC2086 # options
{
    for format in text csv jsonl markdown; do
        echo "-- $format"
        tmasim tune gemm gemm_persistent $small $ways --format $format --jobs 1 >"$SCRATCH/one"
        tmasim tune gemm gemm_persistent $small $ways --format $format -j 5 | cmp - "$SCRATCH/one"
        cat "$SCRATCH/one"
    done
    echo "-- what is wrong with combinations"
    tmasim tune gemm $small --try BM=64,100,128,320 BN=128,256 STAGES=2,8 WARPS=4 --draws 0 --format csv |
        sed -n 's/,illegal,*/ /p'
    echo "-- none is legal"
    tmasim tune gemm $small --try STAGES=40
    echo "exit $?"
    echo "-- one kernel, without draws, from a list"
    printf 'BM=64 BN=64\nBM=64 BN=128 STAGES=3\n' >"$SCRATCH/list"
    tmasim tune gemm $small --list "$SCRATCH/list" --draws 0
}
echo "-- what cannot win is not simulated: the best is the same"
big='--set M=1024 N=1024 K=512 --try BM=64,128 BN=128 BK=32,64 STAGES=2:3 --draws 0'
# shellcheck disable=SC2086 # options
{
    tmasim tune gemm $big
    for how in "" --exact --all; do
        tmasim tune gemm $big $how --jobs 1 --format csv | grep ',simulated,' | head -n 1 | cut -d, -f 1-9 >"$SCRATCH/best$how"
        cmp "$SCRATCH/best" "$SCRATCH/best$how" && echo the same
    done
}
echo "-- the same of kernels that are long enough to be estimated"
long='--set M=1024 N=1024 K=3072 kernel.sms=16 --try BM=64,128 BN=128 STAGES=2:4 WARPS=4,8'
# shellcheck disable=SC2086 # options
{
    tmasim tune gemm $long --jobs 1 >"$SCRATCH/one"
    tmasim tune gemm $long -j 5 | cmp - "$SCRATCH/one"
    cat "$SCRATCH/one"
    tmasim tune gemm $long --exact
}
echo "-- several settings in one option are those of several options"
tmasim run read --no-why --set M=256 N=256 >"$SCRATCH/one"
tmasim run read --no-why --set M=256 --set N=256 | cmp - "$SCRATCH/one" && echo the same
echo "-- what cannot be tuned"
for wrong in "gemm" "nothing --try BM=64" "gemm --try BM=64 --draws 2000" "../../configs/scenarios/narrow_rows.yaml --try M=1"; do
    # shellcheck disable=SC2086 # options
    tmasim tune $wrong 2>&1
    echo "exit $?"
done

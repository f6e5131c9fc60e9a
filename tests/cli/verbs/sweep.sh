# A sweep has a row for each combination of values. Rows that fail have their reason, and the exit
# status says that there are some. The output does not depend on the number of processes.
scenario=../../configs/scenarios/narrow_rows.yaml
depths='--try workload.pipeline.depth=1:4:*2,99'
ways="--try tensor_maps.slice.swizzle=none,128b"
# shellcheck disable=SC2086 # options
{
    for format in text csv jsonl markdown; do
        echo "-- $format"
        tmasim sweep $scenario $depths $ways --format $format
        echo "exit $?"
        tmasim sweep $scenario $depths $ways --format $format --jobs 1 >"$SCRATCH/one"
        tmasim sweep $scenario $depths $ways --format $format -j 5 | cmp - "$SCRATCH/one"
    done
    echo "-- a list, with a column that a line lacks, and values with commas"
    cat >"$SCRATCH/list" <<LIST
# rows of 16 and of 32 bytes
tensor_maps.slice.box_dim=[8, 256]
tensor_maps.slice.box_dim=[16,128]   gpu.tma.issue='50 cycles' # as a machine would have it

LIST
    tmasim sweep $scenario --list "$SCRATCH/list" --try workload.iterations=2:6:4 --format csv |
        cut -d, -f 1-6
    echo "-- one row"
    tmasim sweep $scenario --set workload.iterations=8 --try workload.pipeline.depth=2 | tail -n 1
}
echo "-- what cannot be swept"
cd "$SCRATCH" || exit
scenario=$OLDPWD/$scenario
echo >empty
echo "workload.iterations=1 8" >word
echo "workload.iterations=1 workload.iterations=2" >twice
for wrong in "" "--try depth" "--try =1" "--try a=" "--try a=1,,2" "--try a=4:2" "--try a=1:9:0" \
    "--try a=0:9:*2" "--try a=1:9:*1" "--try a=1:9000000" "--try a=1 --try a=2" \
    "--try a=1:2000 --try b=1:2000" "--list none" "--list empty" "--list word" "--list twice" \
    "--try a=1 --resume $scenario" "--try a=1 --resume x -o x" "--try a=1 --resume word"; do
    # shellcheck disable=SC2086 # options
    tmasim sweep "$scenario" $wrong >out 2>err
    echo "exit $?: $(sed "s|$scenario|SCENARIO|g" err)"
    [ -s out ] && cat out
done

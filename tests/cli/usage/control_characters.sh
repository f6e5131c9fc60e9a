# Names of files and names in scenarios reach the terminal with control characters as \xNN, and cannot
# become markup.
escape=$(printf '\033')
try() {
    tmasim "$@" 2>&1
    echo "exit $?"
}
try run "${escape}[31m.yaml"
try check "${escape}[31m.yaml"
try decode "${escape}[31m.bin"
try diff "${escape}[31m.trace" other
try validate "${escape}[31m.tsv"
try run -o "/does/not/${escape}[31m" ../../configs/scenarios/narrow_rows.yaml
try "${escape}run"
try run "--${escape}set"
name='name="\e]0;<title>\a|*b*"'
scenario=../../configs/scenarios/strided_sampling.yaml
for format in text svg; do
    tmasim compare $scenario --set "$name" --format $format | grep -o '[^>]*]0;.*'
done
tmasim run $scenario --set "$name" | head -n 1
echo "-- what turns or breaks a line, in the header of a trace"
sed 's/^name: .*/name: "a\\u202e\\u2066\\u0085\\u2028b\\u00e4"/; s/^gpu: .*/gpu: h200/' ../../configs/scenarios/narrow_rows.yaml \
    >"$SCRATCH/turned.yaml"
tmasim run "$SCRATCH/turned.yaml" --set workload.iterations=1 --no-why --trace "$SCRATCH/turned.trace" >/dev/null
grep '^# scenario' "$SCRATCH/turned.trace"

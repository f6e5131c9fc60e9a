# Records of the profiler's counters, beside the ranges that several launches counted: one differs, as
# docs/fidelity.md explains. tests/fidelity replays all records.
records=$PWD/../hardware/h200
cd "$SCRATCH" || exit
for file in counters counters_ranges; do
    grep -E '^(name|lat_l2|im2col|promo3_row16B|oob)' "$records/$file.tsv" >$file.tsv
done
tmasim validate counters.tsv

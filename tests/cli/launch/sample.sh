# A sampled launch whose cycles may be more than 20 % off runs whole, and says so: in red on a terminal.
launch=launch/data/drifts.yaml
tmasim run "$launch" --sample --no-why | grep -E '^(end|instructions|time  |sampled)'
tmasim run "$launch" --sample --no-why --format json >"$SCRATCH/part"
grep -o '"sampled": {.*}' "$SCRATCH/part"
tmasim run "$launch" --no-why --format json >"$SCRATCH/whole"
grep -v '"sampled"' "$SCRATCH/part" | diff - "$SCRATCH/whole" && echo "the same figures"
script -qec "NO_COLOR= TERM=xterm tmasim run $launch --sample --no-why" /dev/null | sed -n 's/\x1b\[1;31m/RED /; s/\x1b\[0m/ PLAIN/; s/\r//; /^sampled/p'

# The report of a kernel: its text, and the keys of its JSON.
scenario=../../configs/scenarios/kernels/split_k.yaml
tmasim run "$scenario" --no-why | sed -E 's/^(time of [a-z]+ \([^;]*).*/\1)/' | grep -vE '%|[0-9]{3,} ns|cycles|until L2|^(rate|DRAM|machine)' |
    sed -E 's/^(  [a-z]+ +)[0-9.]+ /\1N /'
tmasim run "$scenario" --no-why --format json | sed -n 's/^\( *\)"\([a-z0-9_]*\)".*/\1\2/p' | uniq

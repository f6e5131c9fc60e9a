# The report of a kernel: its text, and the keys of its JSON.
scenario=../../configs/scenarios/kernels/split_k.yaml
tmasim run "$scenario" --no-why --details | sed -E 's/ [0-9.,]+ (%|[kMGT]?B|us|TFLOP)/ N \1/g' | grep -vE 'cycles|sectors|limits|[0-9]{5,}|machine' |
    sed -E 's/^(  [a-z]+ +)[0-9.]+ /\1N /'
tmasim run "$scenario" --no-why --format json | sed -n 's/^\( *\)"\([a-z0-9_]*\)".*/\1\2/p' | uniq

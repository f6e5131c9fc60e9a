# --set changes parameters, by their name or with "parameters." before it. Traces name roles and stages.
scenario=../../configs/scenarios/kernels/early_exit.yaml
said() { tmasim run "$scenario" --details "$@" 2>&1 | grep -E '^(kernel|bytes|--set|tmasim)|error'; }
said
said --set BLOCKS=3
said --set parameters.BLOCKS=3
said --set BLOCKS=M
said --set BLOCK=3
said --set parameters.NEW=3
said --set workload.iterations=4
said --set kernel.rings.k.stages=BLOCKS-1
said --set kernel.roles.producer.program.1.do.0.acquire=kk
tmasim run "$scenario" --set BLOCKS=1 --trace "$SCRATCH/trace" -o /dev/null
grep -E '^# (parameters|kernel|tensor_maps.K.box)|^ ' "$SCRATCH/trace"
tmasim layout "$scenario" 2>&1 | head -n 1
tmasim check "$scenario"

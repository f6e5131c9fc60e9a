# One byte, and one element.
scenario=../../configs/scenarios/gemm_tile.yaml
tmasim layout "$scenario" --at 0x490
tmasim layout "$scenario" --element 0,9 --format csv
tmasim layout "$scenario" --at 1168 --format json
tmasim layout "$scenario" --element 64,0
tmasim layout "$scenario" --operation 1 --at 0x4000
# An element out of bounds says so.
halo=../../configs/scenarios/conv_halo.yaml
tmasim layout "$halo" --element 0,-1,-1
tmasim layout "$halo" --element 0,-1,-1 --format csv
tmasim layout "$halo" --element 0,0,-1 --format json

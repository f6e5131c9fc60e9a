# The first tile of a convolution with a halo: its first row and column are out of bounds.
scenario=../../configs/scenarios/conv_halo.yaml
tmasim layout "$scenario" | head -n 12
tmasim layout "$scenario" --format csv | head -n 3
tmasim layout "$scenario" --format json | head -n 14

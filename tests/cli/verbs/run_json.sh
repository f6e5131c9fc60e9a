# Some figures of the JSON report.
tmasim run ../../configs/scenarios/conv_halo.yaml --no-why --format json |
    grep -E '"(scenario|machine|cycles|rows|rows_out_of_bounds|excess_wavefronts)":' | grep -v digest

# The report for programs has every figure of the text.
tmasim run ../../configs/scenarios/conv_halo.yaml --format json |
    grep -E '"(scenario|machine|cycles|rows|rows_out_of_bounds|excess_wavefronts)":'

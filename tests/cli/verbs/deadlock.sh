# An mbarrier that never completes ends the run with an explanation and exit status 3.
tmasim run ../../configs/scenarios/narrow_rows.yaml --set workload.pipeline.depth=2 \
    --set workload.pipeline.expect_tx='5 KiB'

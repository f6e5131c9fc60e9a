# The timing of costs that no record was compared with is not validated; that of the machine's own is.
for costs in '' --set=kernel.costs.wait='31 cycles' --set=kernel.costs.wait='110 cycles'; do
    tmasim run copy --set M=256 --set N=256 ${costs:+"$costs"} --no-why | grep '^machine'
    tmasim run copy --set M=256 --set N=256 ${costs:+"$costs"} --no-why --format json | grep '"timing_validated"'
    tmasim sweep copy --set M=256 --set N=256 ${costs:+"$costs"} --try STAGES=3 --format csv |
        sed 's/,[^,]*$//; s/.*,//'
done

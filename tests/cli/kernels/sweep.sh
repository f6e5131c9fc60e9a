# A sweep over a parameter of a kernel: as many rows as values, and the reason where one does not fit.
tmasim sweep ../../configs/scenarios/kernels/split_k.yaml --try STAGES=2,3,99 --format csv --quiet 2>/dev/null |
    sed -E 's/^([0-9]+,"[0-9]+"),[0-9]+,.*,$/\1, simulated/'

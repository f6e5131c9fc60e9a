# The whole JSON of a comparison.
tmasim compare ../../configs/scenarios/strided_sampling.yaml --format json --set workload.ctas=2

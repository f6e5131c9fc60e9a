# Multicast to all CTAs of a cluster, to two of them, and in clusters of one CTA: the header of the
# trace, the arrivals, and the L2 requests.
scenario=../../configs/scenarios/multicast_gemm.yaml
try() {
    tmasim run "$scenario" --no-why --details --trace "$SCRATCH/trace" -o "$SCRATCH/report" --set workload.ctas=8 "$@"
    grep -E '^# workload\.(cluster|operations\.1\.multicast) ' "$SCRATCH/trace"
    grep -E '^(workload|TMA) |copies' "$SCRATCH/report"
    grep -E ' slot +0 +(issue|arrival) .*op=1 ' "$SCRATCH/trace" | cut -c 12-52 | sort
}
try --set workload.cluster=4
try --set workload.cluster=8 --set 'workload.operations.1.multicast=[3, 1]'
try --set workload.cluster=1

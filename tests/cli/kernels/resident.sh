# launch: resident leaves out the clusters that would be a second wave; what fits at once stays.
run() {
    echo "-- $*"
    tmasim run gemm_ws --set M=4096 N=4096 K=64 "$@" --no-why 2>&1 | grep -E '^kernel|^  waves|^time  |error' | sed 's/: it takes.*//'
}
run CLUSTER_M=2 CLUSTER_N=2
run CLUSTER_M=2 CLUSTER_N=2 kernel.launch=all
run CLUSTER_N=2
run CLUSTER_N=2 kernel.launch=all
run CTAS=8 CLUSTER_M=2 CLUSTER_N=2
run kernel.launch=residnt

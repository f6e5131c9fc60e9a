# Inputs made of public bug reports and questions about TMA, and of kernels that the library lacks: what each command
# says of them. The first line of most says where it comes from.
cd reports/inputs || exit

# ask VERB OPERAND...: what the command says, of a run what it moved.
ask() {
    echo "\$ tmasim $*"
    if [ "$1" = run ]; then
        tmasim "$@" --no-why --details 2>&1 | grep -E 'error|note|^bytes moved|^  loaded'
    else
        tmasim "$@" 2>&1
    fi
}
ask check 01_null_address.yaml
ask check 03_store_past.yaml
ask check 06_swizzle_phase.yaml
ask run 07_mirage_expect.yaml
ask check 10_bit85.yaml --arch sm_100
ask encode 10_bit85.yaml --arch sm_100
ask decode 10_bit85_set.hex
ask run 11_fp4_expect.yaml
ask run 12_fp4_sm120.yaml
ask run 13_multicast_no_release.yaml
ask run 14_nmajor_b.yaml
ask run 14_nmajor_b.yaml --set workload.consumers.0.descriptor.mn=64
ask check 17_tl48.yaml
ask check 17_tl48.yaml --set swizzle=fit
ask check 28_gather4.yaml
ask run 28c_gather_kernel.yaml
ask check 30_bulk1d.yaml
ask run 30_bulk1d.yaml
ask check 34_sm120_desc.yaml
ask check 34_sm120_desc.yaml --arch sm_120
ask check 36b_cutlass_dump.txt
echo "-- a dual GEMM, and stream-K"
ask run dual.yaml --set M=1024 N=1024 K=1024
ask run streamk.yaml --set M=1024 K=4096

# Settings, files and words that are almost right: what is meant.
try() {
    printf '$ tmasim %s\n' "$*"
    tmasim "$@" 2>&1 >/dev/null
    echo "status $?"
}
try run launch/data/serialised.yaml --set gpu.sm_clock=boost
try run launch/data/serialised.yaml --set kernel.registers=64
try run gemm --set gpu.sm_clock=boost
try tune launch/data/serialised.yaml
try run gemm --set maps.a.swizzle=swizzle_96b
tmasim help illegal instruction | head -2
tmasim help "illegal instruction?" | head -1

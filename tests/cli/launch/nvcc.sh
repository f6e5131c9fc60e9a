# Kernels that nvcc compiled, with and without time: their bytes, and no finding.
cp -r launch/nvcc/. "$SCRATCH"
cd "$SCRATCH" || exit
constant() { # FILE COUNT BYTES: a file of so many equal elements
    for _ in $(seq "$2"); do printf '%b' "$3"; done >"$1"
}
constant 192.f16 16384 '\000\132'
constant 192.f32 16384 '\000\000\100\103'
for launch in ws multicast fp8 ring sum bytes; do
    [ $launch = ring ] && constant 3.i32 2048 '\003\000\000\000'
    [ $launch = sum ] && constant 3.i32 256 '\003\000\000\000'
    [ $launch = bytes ] && constant 3.i32 128 '\003\000\000\000'
    for mode in --functional --sanitize=4; do
        echo "\$ tmasim run $launch.yaml $mode"
        tmasim run $launch.yaml $mode 2>&1 | grep -E '^(kernel|end|outputs|findings|race|fence|deadlock|barrier)|error'
    done
done

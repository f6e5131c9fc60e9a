# The library of kernels: each runs by its name, and the list has each one with its parameters.
tmasim kernels
tmasim kernels --format json | grep -c '"name": "BM"'
cd "$SCRATCH" || exit
for name in $(tmasim kernels | grep -o '^[a-z_]*'); do
    size= # 4 CTAs do all tiles of a persistent kernel
    case $name in gemm*) size="M=512" ;; esac
    tmasim run "$name" --set kernel.sms=4 kernel.ctas=4 $size --sample >out 2>&1 && echo "$name runs"
done
tmasim run gem
echo "exit $?"
tmasim run gemm --set BM=512 2>&1 | sed 's|^[^ ]*configs|configs|'

# What limits a kernel with roles, and what would help; launches with other seeds; waves.
configs=../../configs/scenarios/kernels

why() {
    echo "== $*"
    scenario=$1
    shift
    tmasim run "$configs/$scenario.yaml" "$@" 2>&1 | sed -n '/^time .*:/p; /^  waves/p; /launches/p; /^limited by/,/^$/{/^$/!p;}; /^tmasim/p'
}

why attention
why pingpong
why early_exit
why triton_copy --draws 3
why triton_copy --draws 3 --no-why
why two_readers --no-why
# One wave and a part of one, with several CTAs on an SM.
why triton_copy --set kernel.ctas=9 --set kernel.sms=2 --set kernel.ctas_per_sm=2
# A long run is asked about only when the user says so.
why gemm --set parameters.K=65536
tmasim run $configs/split_k.yaml --format json | sed -n '/^  "limited_by"/,/^    },/p'

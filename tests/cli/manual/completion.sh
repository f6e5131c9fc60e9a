# What is offered in place of the last word.
try() {
    echo "\$ tmasim $*"
    tmasim completion query -- "$@" | expand -t 30 | cut -c 1-100
}
try va
try --
try run --f
try run --format ''
try run --format=j
try run -o ''
try run --set gpu.l2.wa
try run gemm --set ''
try run gemm --set tensor_maps.
try run gemm --set=tensor_maps.A.box
try run gemm --set M=4
try run no-such-file --set gpu.sm_
try run gemm_w
try run -- --
try run gemm ge
try sweep gemm --try ST
try help sc
try pattern ''
try completion ''
try nosuchverb ''
try run --nosuchoption ''
tmasim completion tcsh
echo "exit $?"
tmasim completion bash zsh
echo "exit $?"

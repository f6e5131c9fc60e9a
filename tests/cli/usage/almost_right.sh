# Words that are almost right: the message names what was meant.
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1 | cut -c 1-150 | head -n 3
}
try run gem
try compare transpos
try run gemm --set gpu=h100
try run gemm --set gpu=b20
try check gemm --set tensor_maps.A.data_type=bf16
try check gemm --set tensor_maps.A.data_type=.e4m3
try check gemm --set tensor_maps.A.data_type=half
try version
try gemm
try help machin
try help explian
try explain gemm
try explain dram_stream
try validate --gpu h100 none.tsv
cat >kernel.yaml <<'YAML'
extends: gemm
kernel:
  roles:
    program:
      program: [{mma_wait: 0}]
YAML
try run kernel.yaml
echo 'extends: gem' >extends.yaml
tmasim run extends.yaml 2>&1 | grep extends
# A word that is both a kernel and a scenario is what the verb can show.
tmasim compare transpose 2>&1 | sed 's|[^ ]*configs/|configs/|g' | head -n 3
tmasim explain transpose 2>&1 | sed 's|[^ ]*configs/|configs/|g' | head -n 2
# A consumer that its tile does not allow leaves the layout as it is.
cat >consumer.yaml <<'YAML'
name: consumer
tensor_maps:
  x: {data_type: float16, global_dim: [64, 64], box_dim: [40, 2]}
workload:
  ctas: 1
  iterations: 1
  pipeline: {depth: 1}
  operations: [{load: x}]
  consumers: [{operation: 0, instruction: wgmma, lanes: descriptor}]
YAML
tmasim layout consumer.yaml 2>&1
tmasim run consumer.yaml
echo "exit $?"
# Files of the library have one name in all messages, relative where it is short.
mkdir -p configs/kernels
tmasim kernels --format json >list
cp "$(dirname "$(readlink -f "$(command -v tmasim)")")/../../configs/kernels/gemm.yaml" configs/kernels/own_gemm.yaml
TMASIM_PATH=$SCRATCH/configs
export TMASIM_PATH
tmasim run own_gemm --set BM=48 2>&1 | cut -d ' ' -f 1-3
tmasim layout own_gemm --set STAGES=40 2>&1 | cut -d ' ' -f 1-3
tmasim sweep own_gemm --try BM=48 2>&1 | grep -o 'configs.*: pow2'
tmasim tune own_gemm --try STAGES=40 2>&1 | grep -o 'error: .* CTA'

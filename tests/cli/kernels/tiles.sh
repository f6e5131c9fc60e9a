# The tiles of a kernel with roles: operations and accesses in the order of their statements, in the first CTA.
configs=../../configs/scenarios/kernels
tmasim layout $configs/gemm.yaml | head -n 4
tmasim layout $configs/gemm.yaml --operation 1 --element 3,5
# A store from a buffer behind the ring, and the one beside it.
tmasim layout $configs/gemm.yaml --operation 2 | head -n 3
tmasim layout $configs/gemm.yaml --operation 3 2>&1
# A loop that runs ahead: its load comes first.
tmasim explain $configs/triton_copy.yaml | head -n 4
tmasim explain $configs/triton_copy.yaml --consumer 1
tmasim layout $configs/attention.yaml --operation 2 | head -n 1
# All tiles of a scenario get one mode: not those of a kernel.
tmasim compare $configs/gemm.yaml

# What the buffers have in the end, as files.
tmasim run launch/data/stack.yaml --functional --outputs "$SCRATCH/new" | grep '^outputs'
cmp "$SCRATCH/new/out.bin" launch/data/outputs/stack.bin && echo same
sed "s|ptx: |&$PWD/launch/data/ptx/|; s|  out:|  a/b:|; s|pointer: out|pointer: a/b|; s|, expect: stack.bin||" \
    launch/data/stack.yaml >"$SCRATCH/slash.yaml"
tmasim run "$SCRATCH/slash.yaml" --functional --outputs "$SCRATCH/new" 2>&1 >/dev/null
tmasim run launch/data/stack.yaml --functional --outputs launch/data/stack.yaml 2>&1 >/dev/null
tmasim run launch/data/stack.yaml --sample --outputs "$SCRATCH/new" 2>&1
ls "$SCRATCH/new"

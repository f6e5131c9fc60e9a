# tmasim run of a launch file: what the kernel did, and what went wrong in it.
cp -r launch/data/. "$SCRATCH"
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim run $*"
    tmasim run "$@" 2>&1
    echo "exit $?"
}
for kernel in good race deadlock outside; do
    try good.yaml --set kernel=$kernel
done
try good.yaml --set kernel=race --sanitize 0
try good.yaml --set kernel=opaque --set buffers.in.contents=opaque
try good.yaml --set 'buffers.out.expect={file: good.bin}'
printf 'short' >good.bin
try good.yaml --set 'buffers.out.expect={file: good.bin}'
head -c 512 /dev/zero >good.bin
try good.yaml --set 'buffers.out.expect={file: good.bin}'
try good.yaml --set kernel=none
try good.yaml --set block=2048
try good.yaml --set 'parameters=[{pointer: in}]'
try good.yaml --set ptx=missing.ptx
sed 's/^kernel/kernal/' good.yaml >broken.yaml
try broken.yaml
sed 's/add.u32 %r1, %r1, 1/add.u23 %r1, %r1, 1/' ptx/faults.ptx >ptx/broken.ptx
try good.yaml --set ptx=ptx/broken.ptx
sed 's/ret;/ret/' ptx/faults.ptx >ptx/broken.ptx
try good.yaml --set ptx=ptx/broken.ptx
# A timeline of a launch without a name has that of the kernel.
tmasim run good.yaml --no-why --timeline timeline.json >report
grep -o '"launch": "[^"]*"' timeline.json
# Outputs are neither files that are read, nor each other.
try good.yaml -o good.yaml
try good.yaml --timeline good.yaml
try good.yaml --timeline ptx/faults.ptx
try good.yaml -o ptx/faults.ptx
try good.yaml --timeline same -o same
# Other bytes than an mbarrier expects, and no shared memory for the tile.
cp "$OLDPWD/../../examples/launches/copy.yaml" .
for bytes in 4096 16384; do
    sed "s/, 8192;/, $bytes;/" "$OLDPWD/../../examples/launches/copy.ptx" >copy.ptx
    tmasim run copy.yaml --functional | grep '^deadlock'
done
tmasim run copy.yaml --functional --set dynamic_shared=0 grid=1 | grep -E '^(kernel|fault)'

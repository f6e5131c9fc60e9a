# decode reads what encode writes of several maps, as lines and as C.
cd "$SCRATCH" || exit
try() {
    tmasim decode "$@" 2>&1
    echo "exit $?"
}
tmasim encode gemm >lines
tmasim encode gemm --format c >arrays
try lines | grep -E '^[A-Z]|^global_address|^legal|exit'
try arrays | grep -E '^[A-Z]|^global_address|^legal|exit'
try lines arrays
try lines arrays --map B | tail -n 2
try lines --json | grep -E '"name"|"format"|"global_address"'
try arrays --map C | grep global_address
try lines --map D
try lines --load 0,0
try lines --map A --load 64,0 | tail -n 3
tmasim encode gemm --map A >one
try one lines
tmasim replace lines global_address=0 -o out
echo "exit $?"
sed 's/[0-9a-f]$//' lines | tmasim decode
echo "exit $?"

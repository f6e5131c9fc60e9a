# What is wrong with launches, as annotations of GitHub's workflows and as JUnit's XML.
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
examples=../../examples/launches
for format in github junit; do
    try check --format "$format" "$examples/copy_early.yaml"
    try run --no-why --format "$format" "$examples/scale.yaml"
    try run --functional --format "$format" launch/data/good.yaml --set kernel=deadlock
done
# The source line where the PTX names one; text with characters of commands and of XML.
cp $examples/scale.* "$SCRATCH"
sed -i 's/numbers$/numbers, 100% <&>/; s/4096}/8192}/' "$SCRATCH/scale.yaml"
cd "$SCRATCH" || exit
try check --sanitize 1 scale.yaml --format github
try check --sanitize 1 scale.yaml --format junit
try check --sanitize 1 scale.yaml
try check --sanitize 1 gemm_tile
try run gemm_tile --format github
try report --format junit scale.yaml
# Sources below the folder in which the command runs, launches that cannot be read, and no launch.
sed "s,\"scale.cu\",\"$PWD/kernels/scale.cu\"," scale.ptx >below.ptx
sed 's/^ptx: .*/ptx: below.ptx/' scale.yaml >below.yaml
try check --sanitize 1 below.yaml --set grid=64 --format github
printf 'ptx: scale.ptx\ngrid: 4,1\nbuffers: {a: {bytes: 0}}\n' >bad.yaml
try check bad.yaml --format github
try run bad.yaml --format junit
try check none.yaml --format junit
try run none.yaml --format github
try run gemm_tile none.yaml --format github
try check scale.yaml --set 'grid=[[4]]'

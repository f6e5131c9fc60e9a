# What if: launches with another occupancy, without the cost of a line, a pipe or a barrier, and
# many launches by rank.
cp ../../examples/launches/copy.ptx ../../examples/launches/copy.yaml "$SCRATCH"
cp -r launch/data/. "$SCRATCH"
cp ../../configs/gpus/h200.yaml "$SCRATCH/other.yaml"
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
only() {
    pattern=$1
    shift
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1 | grep -E "$pattern"
}
# The wait for the load, the load, and its mbarrier: alike but for the instructions themselves. Then
# the loads and the stores of shared memory that conflict, and a branch, whose time is theirs.
only '^(time  |relieved| {20}[a-zA-Z0-9. ]*:?[0-9a-fx ]*, )' run copy.yaml --no-why \
    --relieve copy.ptx:37 --relieve copy.ptx:35 --relieve mbarrier:0x400 --relieve copy.ptx:46 \
    --relieve copy.ptx:48 --relieve copy.ptx:52 \
    --relieve dram=50% --relieve pipe.lsu=2 --relieve shared_memory --relieve copy.ptx:59
tmasim run copy.yaml --no-why --relieve l2 --format json | grep -A 4 '"relieved"'
only '^(limited|relieved)' run copy.yaml --relieve bank_conflicts
try run copy.yaml --relieve bank_conflicts=2
try run copy.yaml --relieve copy.ptx:1
try run copy.yaml --relieve copy.ptx:999
try run copy.yaml --relieve copy.cu:3
try run copy.yaml --relieve copy.ptx:x
try run copy.yaml --relieve mbarrier:full
try run copy.yaml --relieve dramm
try run copy.yaml --relieve dram=1
try run copy.yaml --relieve dram=100%
try run copy.yaml --relieve dram --functional
try run copy.yaml --relieve dram --sample
try run gemm_tile --relieve dram
# Occupancy: one CTA at a time, and more than fit.
sed 's/^grid: 4/grid: 600/; s/32 KiB/4800 KiB/; s/256\]/38400]/' copy.yaml >many.yaml
only '^(time  |SMs)' run many.yaml --no-why
only '^(time  |SMs)' run many.yaml --no-why --set ctas_per_sm=1
only '^(time  |SMs)' run many.yaml --no-why --set registers=255
only '^(time  |SMs)' run many.yaml --no-why --set registers=255 ctas_per_sm=16
try run many.yaml --no-why --set ctas_per_sm=17
echo 'ctas_per_sm: 33' >>many.yaml
try run many.yaml
# Ranks: settings, files, both, and rows that cannot run.
try sweep copy.yaml --try grid=1,4 --try dynamic_shared='8 KiB','16 KiB'
sed 's/add.u32 %r1, %r1, 1;/&&&&/' ptx/faults.ptx >ptx/more.ptx
try sweep good.yaml --try ptx=ptx/more.ptx,ptx/faults.ptx
try sweep copy.yaml good.yaml --format csv
try sweep good.yaml --try kernel=good,race,deadlock,none --format jsonl
try sweep good.yaml --try block=128,2048 --format markdown
try sweep good.yaml --try bloc=128
try sweep good.yaml gemm_tile
# Parameters of the machine.
only "^(time  |--set)" run copy.yaml --no-why --set gpu.l2.lookup=500cycles
only "^(time  |--set)" run copy.yaml --no-why --set gpu=h100_sxm gpu.l2.lookup=500cycles
try run copy.yaml --set gpu.l2.lookup=500 --set gpu.l2.look=5
try sweep copy.yaml --try gpu.l2.lookup=50cycles,500cycles
# A journal keeps the rows, and is refused where something else is swept.
try sweep good.yaml --try block=128 --resume rows.jsonl >once
sed '1d; s/, "digest.*//' rows.jsonl
try sweep good.yaml --try block=128 --resume rows.jsonl | diff once - && wc -l <rows.jsonl
try sweep good.yaml --try block=128 --resume rows.jsonl --sample
try sweep good.yaml --try block=128 --set gpu=./other.yaml --resume other.jsonl >once
sed -i 's/ 60160 KiB/ 48128 KiB/' other.yaml
try sweep good.yaml --try block=128 --set gpu=./other.yaml --resume other.jsonl
echo '// changed' >>ptx/faults.ptx
try sweep good.yaml --try block=128 --resume rows.jsonl
try sweep good.yaml --try block=128 --sample
try sweep good.yaml --list - <"$SCRATCH"

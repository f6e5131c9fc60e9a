# Every verb that takes a file takes - for standard input.
configs=$PWD/../../configs
sed "s,^gpu: .*,gpu: h200," "$configs/scenarios/narrow_rows.yaml" >"$SCRATCH/rows.yaml"
sed "s,^gpu: .*,gpu: h200," "$configs/kernels/copy.yaml" >"$SCRATCH/kernel.yaml"
records=$PWD/../faults/timing.tsv
cd "$SCRATCH" || exit
sed "s,^gpu: .*,gpu: h200," "$configs/scenarios/gemm_tile.yaml" >tile.yaml
tmasim encode rows.yaml >dump.txt
tmasim run rows.yaml --no-why --format json >report.json
tmasim run rows.yaml --no-why --trace run.trace >/dev/null
printf 'workload.ctas=1\nworkload.ctas=2\n' >list

# same INPUT ARGUMENT...: with the file, and with - in its place: the same output, but for the name,
# which places in a page do not have.
same() {
    input=$1
    shift
    tmasim "$@" "$input" | sed "s,$input:\([0-9]\),\1,g; s,$input,NAME,g" >with_file
    tmasim "$@" - <"$input" | sed 's,standard input,NAME,g' >with_input
    cmp with_file with_input && echo "$1: the same, $(test -s with_input && echo some output)"
}
same rows.yaml run
same rows.yaml run --format csv
same rows.yaml check
same rows.yaml encode
same dump.txt decode
same tile.yaml explain
same rows.yaml layout
same rows.yaml compare
same rows.yaml report --no-why
same rows.yaml sweep --try workload.ctas=1,2
same kernel.yaml tune --set M=256 --try STAGES=2,3 --draws 0
cp report.json base.json
same report.json diff base.json
cp run.trace base.trace
same run.trace diff base.trace
same list sweep rows.yaml --list
tmasim replace - global_address=0x7f0000010000 <dump.txt | head -n 3
tmasim validate "$records" | tail -n 1 >with_file
tmasim validate - <"$records" | tail -n 1 | cmp - with_file
echo '{"id": 1, "do": "nothing"}' | tmasim serve --stdio | cut -c 1-60

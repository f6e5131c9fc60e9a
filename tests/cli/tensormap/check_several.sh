# Several files give a table with a row for each tensor map; what cannot be read is a row, too.
cd "$SCRATCH" || exit
map='{data_type: float16, global_dim: [64, 64], box_dim: [64, 8], swizzle: 128b}'
echo "$map" >good.yaml
echo "$map" | sed 's/128b/32b/; s/64, 8/65, 300/' >wrong.yaml
echo '{data_type: float17}' >broken.yaml
echo "-- text"
tmasim check gemm_tile good.yaml wrong.yaml broken.yaml none.yaml gemm
echo "exit $?"
echo "-- all legal; standard input"
tmasim check good.yaml - --names cuda <good.yaml
echo "exit $?"
echo "-- one illegal"
tmasim check good.yaml wrong.yaml --arch sm_100 --names cuda
echo "exit $?"
echo "-- --set holds for each"
tmasim check good.yaml good.yaml --set swizzle=64b
echo "-- JSON"
tmasim check good.yaml broken.yaml --json
echo "exit $?"
echo "-- the output is no input"
tmasim check good.yaml wrong.yaml -o wrong.yaml 2>&1
tmasim check good.yaml gemm_tile -o table 2>&1
echo "exit $?"
wc -l table wrong.yaml

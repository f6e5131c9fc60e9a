# Copies of the shipped scenarios and kernels run wherever they lie: the command finds their machine.
cp ../../configs/scenarios/*.yaml "$SCRATCH"
mkdir "$SCRATCH/kernels"
cp ../../configs/kernels/*.yaml "$SCRATCH/kernels"
cd "$SCRATCH" || exit
for file in *.yaml kernels/*.yaml; do
    tmasim check "$file" >said || echo "$file: exit $?"
done
tmasim run --no-why narrow_rows.yaml | grep '^machine'

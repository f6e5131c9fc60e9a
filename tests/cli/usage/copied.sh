# Copies of the shipped scenarios and kernels run wherever they lie: the command finds their machine.
cp ../../configs/scenarios/*.yaml "$SCRATCH"
mkdir "$SCRATCH/kernels"
cp ../../configs/kernels/*.yaml "$SCRATCH/kernels"
cd "$SCRATCH" || exit
for file in *.yaml kernels/*.yaml; do
    tmasim check "$file" >said || echo "$file: exit $?"
done
tmasim run --no-why narrow_rows.yaml | grep '^machine'
# A copied command has no engine beside it: what does not simulate works, and records are not skipped.
mkdir -p "$SCRATCH/copied/bin"
cp -L "$(command -v tmasim)" "$SCRATCH/copied/bin/tmasim"
cp -r "$OLDPWD/../../configs" "$SCRATCH/copied/"
for kind in banks timing kernels; do
    head -n 3 "$OLDPWD/../hardware/h200/$kind.tsv" >"$kind.tsv"
    copied/bin/tmasim validate --gpu copied/configs/gpus/h200.yaml "$kind.tsv" >said 2>&1
    echo "exit $?"
    sed 's/no libtmasim-engine.so in [^,]*,/no libtmasim-engine.so in FOLDER,/' said
done

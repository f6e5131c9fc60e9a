# Issue slots and order from the text of nvdisasm.
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
sass=launch/data/sass/copy.sass copy=../../examples/launches/copy.yaml
tmasim run $copy --sass $sass --no-why | grep -vE '^(TMA|shared|bank|kernel)'
try run $copy --sass $sass --functional
tmasim run $copy --sass launch/data/ptx --no-why 2>&1 | sed "s|$PWD|.|"
sed 's/nv_debug_ptx_txt/other/' $sass >"$SCRATCH/copy.sass"
tmasim run $copy --sass "$SCRATCH/copy.sass" --no-why 2>&1 | sed "s|$SCRATCH|SCRATCH|"
sed 's/line /line 9/' $sass >"$SCRATCH/copy.sass"
tmasim run $copy --sass "$SCRATCH" --no-why 2>&1 | sed "s|$SCRATCH|SCRATCH|"
tmasim validate launch/data/copy.jsonl --sass launch/data/sass --exact
cp $copy ../../examples/launches/copy.ptx "$SCRATCH"
cp $sass "$SCRATCH"
echo 'sass: copy.sass' >>"$SCRATCH/copy.yaml"
cd "$SCRATCH" || exit
tmasim run copy.yaml --no-why | grep '^time '

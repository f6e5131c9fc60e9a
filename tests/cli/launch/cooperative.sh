# What the driver gives kernels: barriers of tiles and of the grid, printf, assert.
cp -r launch/nvcc/. "$SCRATCH"
cd "$SCRATCH" || exit
show() { # COMMAND...
    echo "\$ tmasim $*"
    tmasim "$@" --outputs outputs 2>&1 | grep -E '^(end|findings|note|fault|race|deadlock|barrier)|error'
}
for mode in --functional --no-why; do
    show run tiles.yaml $mode
    od -A n -t d4 -v outputs/sums.bin | uniq -c
    show run grid.yaml $mode
    od -A n -t d4 -v outputs/seen.bin | tr -s ' ' '\n' | sort | uniq -c
    show run prints.yaml $mode
    show run prints.yaml $mode --set parameters.0.s32=3
done
tmasim check prints.yaml

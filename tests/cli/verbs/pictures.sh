# Drawings say what they leave out, and have each lane, thread and chunk in a cell.
configs=$PWD/../../configs/scenarios
cd "$SCRATCH" || exit

# Prints the headings and notes of a drawing, and how many cells have the colour of banks 0 to 3.
show() {
    echo "-- $*" | sed "s#$configs/##"
    tmasim "$@" --format svg >picture.svg || return
    head -c 5 picture.svg && tail -n 1 picture.svg
    sed -n 's#.*class="\(heading\|title\|note\)">\(.*\)</text>#\1: \2#p' picture.svg
    echo "cells: $(grep -c '<text [^>]*class="cell"' picture.svg)," \
        "of the first colour: $(grep -c 'class="c0"' picture.svg)," \
        "outlined: $(grep -c 'class="worst"' picture.svg)"
    grep -c 'prefers-color-scheme:dark' picture.svg
}
show layout "$configs/gemm_tile.yaml"
show layout "$configs/gemm_tile.yaml" --at 0x3ff0
grep -o '>byte 0x[^<]*' picture.svg
show layout "$configs/conv_halo.yaml" --element 0,0,0
grep -o '>element [^<]*' picture.svg
show layout "$configs/stream_1d.yaml"
show explain "$configs/transpose.yaml"
show explain "$configs/gemm_unswizzled.yaml"
grep -o '<title>lane 7:[^<]*' picture.svg | head -n 1
show explain "$configs/wgmma_operands.yaml"
show pattern warp_raked --block-size 256 --y-per-tile 64 --x-per-tile 64 --vec-size 8
show pattern block_raked --block-size 1024 --y-per-tile 256 --x-per-tile 256 --vec-size 8 --wave-groups 2
show compare "$configs/gemm_tile.yaml"

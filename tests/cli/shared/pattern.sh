# Tile distributions: each pattern, warps of 64 threads, wave groups, and the equation that fails where
# sizes do not divide.
try() {
    echo "\$ tmasim pattern $*"
    tmasim pattern "$@" 2>&1
    echo "exit $?"
}
small="--block-size 64 --y-per-tile 16 --x-per-tile 32 --vec-size 4"
try thread_raked $small
try warp_raked $small
try block_raked $small
try warp_raked --block-size 128 --y-per-tile 32 --x-per-tile 32 --vec-size 8 --warp-size 64 --wave-groups 2
try block_raked $small --format json
try thread_raked --block-size 32 --y-per-tile 8 --x-per-tile 8 --vec-size 2 --format csv
try lane_raked $small
try thread_raked --block-size 64
try thread_raked $small --warp-size 48
try thread_raked $small --block-size many
try thread_raked $small --block-size 4294967296
try thread_raked --block-size 96 --y-per-tile 16 --x-per-tile 32 --vec-size 4 --warp-size 64
try thread_raked --block-size 64 --y-per-tile 16 --x-per-tile 24 --vec-size 4
try warp_raked --block-size 64 --y-per-tile 16 --x-per-tile 30 --vec-size 4
try block_raked --block-size 64 --y-per-tile 12 --x-per-tile 32 --vec-size 4
try block_raked --block-size 1024 --y-per-tile 8 --x-per-tile 8 --vec-size 4
two="--block-size 64 --y-per-tile 4 --x-per-tile 16 --vec-size 2 --wave-groups 2"
try warp_raked $two --format json
try warp_raked $two --format csv | sed -n '1,4p;66,68p'
tmasim pattern --help | sed -n '/^Which/,/^$/p'

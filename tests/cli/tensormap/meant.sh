# Keys and words of tensor maps as CUDA, frameworks and people write them: each is an error with what was meant, the
# list of all keys stands once, and the rules are checked for what was meant.
check() {
    echo "\$ $1"
    echo "$1" | tmasim check - 2>&1 | sed '/^    /d'
    echo "$1" | tmasim check - >"$SCRATCH/out" 2>&1
    echo "exit $?"
}
mkdir -p "$SCRATCH"
check '{tensorDataType: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, tensorRank: 2, globalAddress: 0x7f0000000000, globalDim: [4096, 4096], globalStrides: [8192], boxDim: [128, 512], elementStrides: [1, 1], swizzle: CU_TENSOR_MAP_SWIZZLE_128B, l2Promotion: CU_TENSOR_MAP_L2_PROMOTION_L2_128B, oobFill: CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE}'
check '{dtype: bf16, shape: [4096, 4096], box: [64, 64], swizzle: 128B}'
check '{mode: im2col, data_type: float16, global_dim: [64, 32, 32, 8], pixelBoxLowerCorner: [-1, -1], pixelBoxUpperCorner: [-1, -1], channelsPerPixel: 64, pixelsPerColumn: 1280}'
# Not what was meant: a key that would be there twice, a word like no other one, JSON.
check '{data_type: float16, global_dim: [64, 64], box_dim: [64, 64], boxDim: [64, 8]}'
check '{data_type: quaternion, global_dim: [64, 64], box_dim: [64, 512]}'
echo '{data_type: bf16, global_dim: [64, 64], box_dim: [64, 512]}' | tmasim check - --json 2>&1 | cut -c 1-80
# Dumps as xxd and hexdump -C write them, a list of Python's, an array of C's; what is none of these.
hex=$(echo '{data_type: bfloat16, global_dim: [4096, 4096], box_dim: [64, 128], swizzle: 128b}' | tmasim encode -)
cd "$SCRATCH" || exit
split() {
    echo "$hex" | sed 's/../& /g' | tr ' ' '\n' | grep .
}
split | paste -sd ' ' | fold -w 48 | awk '{printf "%08x: ", 16*(NR - 1); for (i = 1; i < 16; i += 2) printf "%s%s ", $i, $(i + 1); print " a:=..|..........."}' >xxd.txt
split | paste -sd ' ' | fold -w 48 | awk '{printf "%08x  ", 16*(NR - 1); for (i = 1; i <= 16; i++) printf "%s%s ", $i, i == 8 ? " " : ""; print " |a:=.............|"} END {print "00000080"}' >hexdump.txt
split | sed 's/^/0x/' | paste -sd , | sed 's/.*/{&}/' >array.txt
split | while read -r byte; do printf '%d\n' "0x$byte"; done | paste -sd , | sed 's/.*/[&]/' >list.txt
sed '3d' xxd.txt >short.txt
sed 's/0, 0/0, 256/' list.txt | sed 's/,0,0/,256,0/' >large.txt
for file in xxd hexdump array list short large; do
    echo "$file: $(tmasim decode $file.txt 2>&1 | tr '\n' ' ' | tr -s ' ')"
done

# check and encode read the text that CUTLASS prints of a tensor map that the driver has refused.
cd "$SCRATCH" || exit
cat >printed.txt <<'TEXT'
TMA Desc Addr:   0x7ffd7d280100
format         6
dim            3
gmem_address   0
globalDim      (1024,1024,1,1,1)
globalStrides  (2,2048,2097152,0,0)
boxDim         (64,128,1,1,1)
elementStrides (1,1,1,1,1)
interleave     0
swizzle        3
l2Promotion    0
oobFill        0
Error: Failed to initialize the TMA descriptor 1
TEXT
try() {
    tmasim "$@"
    echo "exit $?"
}
try check printed.txt
sed 's/(64,128/(60,128/; s/2097152/2097160/' printed.txt >refused.txt
try check refused.txt | grep -E 'txt|map|exit'
sed 's/l2Promotion    0/l2Promotion    9/; s/gmem_address   0/gmem_address   0x7f0000001000/' printed.txt >unknown.txt
try check unknown.txt
tmasim encode printed.txt | tmasim decode | head -n 12
try decode printed.txt
tr -d '\n' <printed.txt >line.txt
try check line.txt 2>&1 | cut -c 1-60

# Encoded maps and dumps of debuggers, decoded to their fields.
. ./tensormap/maps.inc
tmasim encode maps.yaml --map image --format binary -o image.bin
tmasim decode image.bin
echo "exit $?"
echo "--- hex as the operand"
tmasim decode "$(tmasim encode maps.yaml --map narrow)"
echo "--- a C array, as JSON, back into check"
tmasim encode maps.yaml --map promoted --format c | tmasim decode --json | tmasim check - | head -n 1
echo "--- 16 words from a debugger, with unknown bits and without derived words"
tmasim decode - <<'DUMP'
0x7fffffffd900 <map>:	0x00007f0000100000	0x0000002000006510
0x7fffffffd910 <map+16>:	0x0000000000000000	0x0000000000000000
0x7fffffffd920 <map+32>:	0x0000003f000000ff	0x0000000000000000
0x7fffffffd930 <map+48>:	0x3f00000000000000	0x0000000000000007
0x7fffffffd940 <map+64>:	0x0000000000000000	0x0000000000000000
0x7fffffffd950 <map+80>:	0x0000000000000000	0x0000000000000000
0x7fffffffd960 <map+96>:	0x0000000000000000	0x0000000000000000
0x7fffffffd970 <map+112>:	0x0000000000000000	0x0000000000000001
DUMP
echo "exit $?"
echo "--- a data type that an H200 does not have"
tmasim encode maps.yaml --map good --set tensor_maps.good.data_type=16u4_align8b --arch sm_100 2>/dev/null |
    tmasim decode --arch sm_100 - | grep unexpected

# Inputs that are not tensor maps: the message says what they look like.
cd "$SCRATCH" || exit
try() {
    tmasim "$@" 2>&1
    echo "exit $?"
}
zeros() {
    head -c "$1" /dev/zero
}
try decode 00112233
try decode 001122334
try decode "$(printf 'ab%.0s' $(seq 129))"
try decode "$(printf '00%.0s' $(seq 128))"
zeros 128 >zeros.bin
zeros 100 >short.bin
printf 'not hex at all' >text.txt
awk 'BEGIN { x = 1; for (i = 0; i < 256; i++) { x = (x * 7919 + 13) % 65536; printf "%x", int(x / 256) % 16 } }' >random.hex
awk 'BEGIN { for (i = 0; i < 20000; i++) print "0x1" }' >long.txt
try decode zeros.bin
try decode short.bin
try decode text.txt
try decode random.hex
try decode long.txt
try decode missing.bin
try decode /
try decode - </dev/null
try decode 1 2 3
echo '0x1 0x2 0x3 <repeats 4 times>' | try decode -
try check missing.yaml
mkdir folder
try check folder
try check - </dev/null
try check --arch sm_80 x
echo '[1, 2]' | try check
echo '{"data_type": "float17", "box_dim": [64]}' | try check
try encode short.bin

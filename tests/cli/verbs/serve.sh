# Every operation, and every kind of error: each request gets one reply, and nothing ends the process.
ask() {
    printf '%s\n' "$1" | tmasim serve --stdio --files ../.. 2>&1
}
map='"data_type": "float16", "global_dim": [64, 64], "box_dim": [64, 8]'
ask "{\"id\": 1, \"op\": \"check\", $map, \"swizzle\": \"128b\"}"
ask "{\"id\": \"a b\", \"op\": \"check\", $map, \"swizzle\": \"64b\", \"element_strides\": [1, 9]}"
ask "{\"op\": \"check\", $map, \"swizzle\": \"fit\", \"arch\": \"sm_100\"}"
ask '{"op": "check", "kind": "im2col", "data_type": "float16", "global_dim": [64, 8, 8, 2], "lower_corner": [-1, -1], "upper_corner": [-1, -1], "channels_per_pixel": 64, "pixels_per_column": 32}'
ask "{\"op\": \"encode\", $map, \"global_address\": \"0x7f0000000000\", \"swizzle\": \"CU_TENSOR_MAP_SWIZZLE_128B\"}"
ask "{\"op\": \"encode\", $map, \"swizzle\": \"32b\"}"
descriptor=$(ask "{\"op\": \"encode\", $map}" | sed 's/.*"descriptor": "\([0-9a-f]*\)".*/\1/')
ask "{\"op\": \"decode\", \"descriptor\": \"$descriptor\"}"
ask '{"op": "decode", "descriptor": "00"}'
ask "{\"op\": \"place\", $map, \"swizzle\": \"128b\", \"coordinates\": [0, 60], \"element\": [8, 65], \"byte\": 130}"
ask "{\"op\": \"place\", $map, \"direction\": \"store\", \"coordinates\": [-8, 0]}"
ask "{\"op\": \"place\", $map, \"coordinates\": [0]}"
ask "{\"op\": \"compare\", $map, \"instruction\": \"ld.shared.b32\", \"lanes\": \"column\"}"
tile='"data_type": "float16", "global_dim": [64, 64], "box_dim": [64, 2], "swizzle": "128b"'
ask "{\"op\": \"layout\", $tile, \"coordinates\": [0, 63], \"shared_address\": 1024}"
ask "{\"op\": \"layout\", $map, \"line\": 7}"
ask "{\"op\": \"layout\", $map, \"line\": 8}"
ask "{\"op\": \"explain\", $tile, \"instruction\": \"ldmatrix.x1\", \"lanes\": \"row\"}"
ask "{\"op\": \"explain\", $tile, \"byte\": 130}"
ask "{\"op\": \"explain\", $map, \"instruction\": \"ld.shared.b32\", \"lanes\": \"column\", \"index\": 3}"
ask "{\"op\": \"explain\", $map, \"index\": 2}"
ask "{\"op\": \"explain\", $map, \"byte\": 4096}"
ask '{"op": "run", "file": "../../configs/scenarios/narrow_rows.yaml", "set": ["workload.iterations=2"]}'
ask '{"op": "run", "file": "../../configs/scenarios/narrow_rows.yaml", "set": ["workload.iteration=2"]}'
ask '{"op": "run", "scenario": "name: a\ngpu: missing.yaml\n"}'
ask '{"op": "run", "file": "../../configs/scenarios/l2_resident.yaml", "set": ["workload.ctas=8", "workload.iterations=2048"], "sample": "usual"}'
ask '{"op": "run", "file": "../../configs/scenarios/narrow_rows.yaml", "set": ["workload.iterations=2"], "sample": "careful"}'
ask '{"op": "run", "file": "../../configs/scenarios/narrow_rows.yaml", "sample": "fast"}'
ask '{"op": "run", "file": "missing.yaml"}'
ask '{"op": "run"}'
echo "# errors of the line"
ask '{"op": "chek"}'
ask '{"id": 7}'
ask '[]'
ask '{}'
ask '{"op": "check", "op": "check"}'
ask '{"op": "check", "box": 1}'
ask '{"op": "check", "box_dim": [1, 2, 3, 4, 5, 6]}'
ask '{"op": "check", "box_dim": 1}'
ask '{"op": "check", "rank": [1]}'
ask '{"op": "check", "box_dim": [1.5]}'
ask '{"op": "check", "box_dim": [-1]}'
ask '{"op": "check", "box_dim": ["0xg"]}'
ask '{"op": "check", "global_dim": [18446744073709551616]}'
ask '{"op": "check", "global_dim": [36893488147419103232, 1]}'
ask '{"op": "check", "global_dim": [184467440737095516150]}'
ask '{"op": "check", "coordinates": [9223372036854775808]}'
ask '{"op": "check", "coordinates": [-9223372036854775809]}'
ask '{"op": "check", "global_dim": [018]}'
ask '{"op": "check", "coordinates": [-]}'
ask "{\"op\": \"encode\", $map, \"global_address\": 18446744073709551615}"
ask "{\"op\": \"place\", $map, \"coordinates\": [-9223372036854775808, 0]}"
ask "{\"op\": \"check\", $map, \"rank\": 3}"
ask "{\"op\": \"check\", $map, \"element_strides\": [1]}"
ask "{\"op\": \"check\", $map, \"element_strides\": [1, 4294967296]}"
ask "{\"op\": \"check\", $map, \"lower_corner\": [1]}"
ask "{\"op\": \"check\", $map, \"swizzle\": \"\\u00e9\\ud83d\\ude00\\n\"}"
ask '{"op": "check", "swizzle": "\ud83d"}'
ask '{"op": "check", "swizzle": "\x"}'
ask '{"op": "check", "transposed": 1}'
ask '{"op": "check"'
ask '{"op": "check'
ask '{"op": "check"} x'
ask '{"id": 01, "op": "check"}'
ask '{"id": "a\"b", "op": "check"}'
echo "# three requests, of which the last one has no newline; an empty line"
printf '{"id": 1, "op": "x"}\n\n{"id": 2, "op": "y"}\r\n{"id": 3, "op": "z"}' | tmasim serve --stdio --files ../..
echo "# a line of 3 MB, and the next one"
{
    head -c 3000000 /dev/zero | tr '\0' ' '
    echo
    echo '{"id": 5, "op": "q"}'
} | tmasim serve --stdio --files ../..
echo "# a byte that is no text"
printf '{"op": "\000"}\n{"op": "\377"}\n' | tmasim serve --stdio --files ../..
tmasim serve </dev/null
echo "exit $?"
tmasim serve --stdio --files ../.. </dev/null
echo "exit $?"

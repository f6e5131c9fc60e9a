# Outputs with an absolute tolerance are right within 1e-6, or within 2^-22 of themselves.
cp -r launch/data/. "$SCRATCH"
cd "$SCRATCH" || exit
try() {
    tmasim run good.yaml --set block=2 --set "buffers.in={bytes: 8, data_type: float32, contents: {values: [100, 1]}}" \
        --set "buffers.out={bytes: 8, data_type: float32, contents: zero, expect: {file: out.bin$1}}" 2>&1 | grep outputs
}
# The kernel adds 1 to the bits: each element is one unit above these, 100 and 1.
printf '\000\000\310\102\000\000\200\077' >out.bin
try ', tolerance_ulp: 1000000000'
try ''
# Four units less than 100: the kernel is 2^-21.3 of it above.
printf '\374\377\307\102\000\000\200\077' >out.bin
try ', tolerance_ulp: 1000000000'

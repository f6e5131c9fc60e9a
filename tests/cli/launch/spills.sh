# A thread needs more registers than the 255 that there are: the report names the line at which they
# are live, and stores and loads of local memory take issue slots. The kernels keep as many values
# across a barrier as their names say, and issue two instructions for each besides.
cat >"$SCRATCH/spills.yaml" <<'END'
ptx: spills.ptx
grid: 1
block: 32
buffers:
  a: {bytes: 64 KiB, data_type: float32}
  out: {bytes: 128, data_type: float32}
parameters:
  - pointer: a
  - pointer: out
END
kernel() {
    awk -v values="$1" 'BEGIN {
        printf ".visible .entry keeps_%d(.param .u64 a, .param .u64 out)\n{\n", values
        printf "    .reg .f32 %%f<%d>;\n    .reg .b32 %%r<2>;\n    .reg .b64 %%rd<5>;\n", values
        print "    ld.param.u64 %rd1, [a];\n    ld.param.u64 %rd2, [out];\n    mov.u32 %r1, %tid.x;"
        print "    mul.wide.u32 %rd3, %r1, 4;\n    add.s64 %rd4, %rd1, %rd3;\n    add.s64 %rd2, %rd2, %rd3;"
        for (i = 0; i < values; i++)
            printf "    ld.global.f32 %%f%d, [%%rd4+%d];\n", i, 128 * i
        print "    bar.sync 0;"
        for (i = 1; i < values; i++)
            printf "    fma.rn.f32 %%f0, %%f0, %%f%d, %%f%d;\n", i, i
        print "    st.global.f32 [%rd2], %f0;\n    ret;\n}"
    }'
}
{
    printf '.version 8.0\n.target sm_90a\n.address_size 64\n'
    kernel 250
    kernel 280
    kernel 320
} >"$SCRATCH/spills.ptx"
cd "$SCRATCH" || exit
for values in 250 280 320; do
    tmasim run spills.yaml --no-why --set kernel=keeps_$values | grep -E '^(time  |spills)'
    tmasim run spills.yaml --no-why --set kernel=keeps_$values --format json |
        sed -n -e 's/^ *\("issue_slots": [0-9]*\),$/\1/p' -e '/"ptxas"/,/^    \]/p'
done

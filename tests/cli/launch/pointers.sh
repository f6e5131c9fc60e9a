# A table of pointers to other buffers, whose addresses are given; and static shared memory of several
# variables, which counts as ptxas lays it out.
cat >"$SCRATCH/table.ptx" <<'END'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry table(.param .u64 pointers)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .shared .align 8 .b8 first[8];
    .shared .align 8 .b8 second[32];
    .shared .align 16 .b8 third[16];
    ld.param.u64 %rd1, [pointers];
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %rd2, %r1, 8, %rd1;
    ld.global.u64 %rd3, [%rd2];
    add.u32 %r2, %r1, 7;
    st.global.u32 [%rd3], %r2;
    st.shared.u32 [first], %r2;
    st.shared.u32 [second], %r2;
    st.shared.u32 [third], %r2;
    ret;
}
END
cat >"$SCRATCH/table.yaml" <<'END'
ptx: table.ptx
grid: 2
block: 1
buffers:
  table: {bytes: 16, data_type: uint64, contents: {values: [0x500000000000, 0x400000000000]}}
  low: {address: 0x400000000000, bytes: 4, contents: zero}
  high: {address: 0x500000000000, bytes: 4, contents: zero}
parameters:
  - {pointer: table}
END
cd "$SCRATCH" || exit
tmasim run table.yaml --functional --outputs outputs | grep -E '^(end|findings)'
od -A n -t u4 outputs/low.bin outputs/high.bin
echo '$ addresses that overlap'
tmasim run table.yaml --functional --set buffers.low.address=0x500000000000 2>&1
echo "exit $?"
tmasim run table.yaml --functional --set dynamic_shared=232448 2>&1
echo "exit $?"

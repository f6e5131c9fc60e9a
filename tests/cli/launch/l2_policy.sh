# Policies of L2 in compiled kernels: what createpolicy makes, and what loads, copies and TMA keep
# with one. The kernel loads 8 MiB with a policy, then 64 MiB, then the first again.
cat >"$SCRATCH/policy.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry policy(.param .u64 first, .param .u64 stream, .param .u64 bits) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %d<12>;
    ld.param.u64 %d1, [first];
    ld.param.u64 %d2, [stream];
    ld.param.u64 %d3, [bits];
    createpolicy.fractional.L2::evict_last.b64 %d4, 1.0;
    createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %d5, 0.25;
    createpolicy.fractional.L2::evict_first.b64 %d6, 0.4;
    createpolicy.fractional.L2::evict_normal.b64 %d7, 1.0;
    st.global.v2.u64 [%d3], {%d4, %d5};
    st.global.v2.u64 [%d3 + 16], {%d6, %d7};
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r1, %r2, 1024, %r1;
    mul.wide.u32 %d8, %r1, 16;
    add.u64 %d9, %d1, %d8;
    add.u64 %d10, %d2, %d8;
    mov.u32 %r3, 0;
FIRST:
    ld.global.L2::cache_hint.v4.u32 {%r4, %r5, %r6, %r7}, [%d9], HINT;
    add.u64 %d9, %d9, 2097152;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 4;
    @%p bra FIRST;
    mov.u32 %r3, 0;
STREAM:
    ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}, [%d10];
    add.u64 %d10, %d10, 2097152;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 32;
    @%p bra STREAM;
    add.u64 %d9, %d1, %d8;
    mov.u32 %r3, 0;
AGAIN:
    ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}, [%d9];
    add.u64 %d9, %d9, 2097152;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 4;
    @%p bra AGAIN;
    ret;
}
END
cat >"$SCRATCH/policy.yaml" <<'END'
ptx: policy.ptx
grid: 128
block: 1024
gpu: h100_sxm
buffers:
  first: {bytes: 8 MiB, data_type: int32, contents: zero}
  stream: {bytes: 64 MiB, data_type: int32, contents: zero}
  bits: {bytes: 32, data_type: int32, contents: zero}
parameters:
  - {pointer: first}
  - {pointer: stream}
  - {pointer: bits}
END
cd "$SCRATCH" || exit
cp policy.ptx form.ptx
for hint in %d4 %d5 %d6 %d7 0x14f0000000000000; do
    sed "s/HINT/$hint/" form.ptx >policy.ptx
    echo "$hint $(tmasim run policy.yaml --no-why --format json | grep dram_read)"
done
sed 's/\.L2::cache_hint//; s/, HINT//' form.ptx >policy.ptx
echo "none $(tmasim run policy.yaml --no-why --format json | grep dram_read)"
for hint in .L1::no_allocate .cs; do
    sed "s/\.cg\.v4\(.*d10\)/$hint.v4\1/; s/\.L2::cache_hint//; s/, HINT//" form.ptx >policy.ptx
    echo "stream $hint $(tmasim run policy.yaml --no-why --format json | grep dram_read)"
done
mkdir out
tmasim run policy.yaml --no-why --functional --outputs out >/dev/null && od -An -tx8 -v out/bits.bin

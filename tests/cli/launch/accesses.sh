# What a report says of accesses to global memory: sectors, L1, atomics of one address, what limits;
# as text, JSON and annotations, and of a launch that is only executed.
cat >"$SCRATCH/accesses.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry accesses(.param .u64 data, .param .u64 sum) {
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %d<8>;
    ld.param.u64 %d1, [data];
    ld.param.u64 %d2, [sum];
    mov.u32 %r1, %tid.x;
    mov.u32 %r5, %ctaid.x;
    shl.b32 %r5, %r5, 14;
    shl.b32 %r2, %r1, 7;
    add.u32 %r2, %r2, %r5;
    cvt.u64.u32 %d3, %r2;
    add.u64 %d4, %d1, %d3;
    mov.u32 %r3, 0;
AGAIN:
    ld.global.u32 %r4, [%d4];
    red.global.add.u32 [%d2], %r4;
    add.u64 %d4, %d4, 4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 16;
    @%p bra AGAIN;
    ret;
}
END
cat >"$SCRATCH/accesses.yaml" <<'END'
ptx: accesses.ptx
grid: 32
block: 128
gpu: h100_sxm
buffers:
  data: {bytes: 512 KiB, data_type: int32, contents: zero}
  sum: {bytes: 128, data_type: int32, contents: zero}
parameters:
  - {pointer: data}
  - {pointer: sum}
END
cd "$SCRATCH" || exit
tmasim run accesses.yaml --why | grep -v '^time by line\|^warps\|^ *[0-9.]* % \|^matrix\|^clock'
tmasim run accesses.yaml --no-why --format json | grep '"busy_percent"\|"accesses"\|"atomic_repeats"'
tmasim run accesses.yaml --no-why --format json | sed -n '/"access_findings"/,/^  \]/p'
tmasim check accesses.yaml --sanitize 1 --format github

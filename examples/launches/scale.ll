; llc -march=nvptx64 -mcpu=sm_80 -mattr=+ptx70 scale.ll -o scale.ptx
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define void @scale(float addrspace(1)* %from, float addrspace(1)* %to, float %factor, i32 %count) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %cta, %threads
  %i = add i32 %first, %thread
  %inside = icmp slt i32 %i, %count
  br i1 %inside, label %body, label %end
body:
  %at = sext i32 %i to i64
  %source = getelementptr float, float addrspace(1)* %from, i64 %at
  %target = getelementptr float, float addrspace(1)* %to, i64 %at
  %value = load float, float addrspace(1)* %source
  %product = fmul float %value, %factor
  store float %product, float addrspace(1)* %target
  br label %end
end:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{void (float addrspace(1)*, float addrspace(1)*, float, i32)* @scale, !"kernel", i32 1}

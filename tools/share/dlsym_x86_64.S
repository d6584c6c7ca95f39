/* SPDX-License-Identifier: MIT */
/* dlsym_x86_64.S - dlsym for programs: names that begin with "cu" are looked at by share_hook_dlsym; all others go on
 * to the C library by a jump. It then sees its caller's return address, from which RTLD_NEXT tells who asks. */
    .text
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    movq share_real_dlsym(%rip), %rax
    testq %rax, %rax
    je 2f
0:  testq %rsi, %rsi
    je 1f
    cmpb $'c', (%rsi)
    jne 1f
    cmpb $'u', 1(%rsi)
    jne 1f
    jmp share_hook_dlsym
1:  jmp *%rax
2:  pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call share_driver_begin
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    movq share_real_dlsym(%rip), %rax
    testq %rax, %rax
    jne 0b
    ret
    .cfi_endproc
    .size dlsym, .-dlsym
    .section .note.GNU-stack, "", @progbits

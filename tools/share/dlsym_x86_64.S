/* SPDX-License-Identifier: MIT */
/* dlsym_x86_64.S - dlsym for programs: share_hook_takes says which look-ups share_hook_dlsym answers; all others go on to the C
 * library by a jump. It then sees its caller's return address, from which RTLD_NEXT tells who asks. */
    .text
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call share_hook_takes
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testl %eax, %eax
    jne share_hook_dlsym
    movq share_real_dlsym(%rip), %rax
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  ret
    .cfi_endproc
    .size dlsym, .-dlsym
    .section .note.GNU-stack, "", @progbits

/* SPDX-License-Identifier: MIT */
/* dlsym_aarch64.S - dlsym for programs: share_hook_takes says which look-ups share_hook_dlsym answers; all others go on to the C
 * library by a jump. It then sees its caller's return address, from which RTLD_NEXT tells who asks. */
    .text
    .globl dlsym
    .type dlsym, %function
dlsym:
    .cfi_startproc
    hint #34 /* a landing place of indirect jumps */
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    stp x0, x1, [sp, #16]
    bl share_hook_takes
    mov w9, w0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    cbz w9, 1f
    b share_hook_dlsym
1:  adrp x16, share_real_dlsym
    ldr x16, [x16, :lo12:share_real_dlsym]
    cbz x16, 2f
    br x16
2:  mov x0, #0
    ret
    .cfi_endproc
    .size dlsym, .-dlsym
    .section .note.GNU-stack, "", %progbits

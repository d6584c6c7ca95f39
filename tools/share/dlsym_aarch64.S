/* SPDX-License-Identifier: MIT */
/* dlsym_aarch64.S - dlsym for programs: names that begin with "cu" are looked at by share_hook_dlsym; all others go on
 * to the C library by a jump. It then sees its caller's return address, from which RTLD_NEXT tells who asks. */
    .text
    .globl dlsym
    .type dlsym, %function
dlsym:
    .cfi_startproc
    hint #34 /* a landing place of indirect jumps */
    adrp x16, share_real_dlsym
    ldr x16, [x16, :lo12:share_real_dlsym]
    cbz x16, 2f
0:  cbz x1, 1f
    ldrb w9, [x1]
    cmp w9, #'c'
    b.ne 1f
    ldrb w9, [x1, #1]
    cmp w9, #'u'
    b.ne 1f
    b share_hook_dlsym
1:  br x16
2:  stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    stp x0, x1, [sp, #16]
    bl share_driver_begin
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    adrp x16, share_real_dlsym
    ldr x16, [x16, :lo12:share_real_dlsym]
    cbnz x16, 0b
    mov x0, #0
    ret
    .cfi_endproc
    .size dlsym, .-dlsym
    .section .note.GNU-stack, "", %progbits

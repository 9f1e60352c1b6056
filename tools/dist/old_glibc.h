/* Included before all of CPython by interpreters.sh: of what glibc 2.29 has anew, the linker takes the first version. */
#if !defined(__ASSEMBLER__) && !defined(FIRST_GLIBC)
#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_GLIBC "GLIBC_2.17"
#else
#error "which is the first glibc of this processor?"
#endif
__asm__(".symver exp,exp@" FIRST_GLIBC);
__asm__(".symver exp2,exp2@" FIRST_GLIBC);
__asm__(".symver log,log@" FIRST_GLIBC);
__asm__(".symver log2,log2@" FIRST_GLIBC);
__asm__(".symver pow,pow@" FIRST_GLIBC);
#endif

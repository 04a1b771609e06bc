# Cross-compiles for 64-bit ARM with Debian's compiler; programs run under qemu. ASSAY_ARM64 is a folder with libraries for that
# architecture (tools/test_arm.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
add_compile_options(-Wno-psabi)  # notes about GCC 9 and older
set(CMAKE_SYSROOT $ENV{ASSAY_ARM64})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L $ENV{ASSAY_ARM64})
set(ENV{PKG_CONFIG_LIBDIR} $ENV{ASSAY_ARM64}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{ASSAY_ARM64})

#!/usr/bin/env bash
# Builds the libraries that Debian has no suitable static form of, from Debian's sources: libcurl with HTTPS and nothing else
# (Debian's needs 27 libraries), libtiff with the compressions that assay reads (Debian's needs 5 more), DCMTK with its
# dictionary compiled in (Debian's is a file), and libjpeg-turbo, libpng, libbz2, lz4, blosc and fmt as code that shared
# libraries can contain.
# usage: libraries.sh FOLDER      which gets lib/, DCMTK's include/ and the licence texts
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(realpath "$1")
script=$(sha256sum <"$0")  # what another version of it has built is built again
[ "$(cat "$out/done" 2>/dev/null)" != "$script" ] || exit 0
export CFLAGS="-O2 -fPIC -ffile-prefix-map=$out=."
export CXXFLAGS=$CFLAGS

source_of() {  # unpacks a source package, with Debian's patches
  "$here/debs.sh" "$out/source/$1" bookworm amd64 "src:$1"
  (cd "$out/source/$1" && rm -rf tree && dpkg-source --no-check --extract ./*.dsc tree >/dev/null)
}

source_of curl
mkdir -p "$out/curl" && cd "$out/curl"
"$out/source/curl/tree/configure" --quiet --prefix="$out" --disable-shared --enable-static --with-openssl --with-zlib \
  --without-ca-bundle --without-ca-path --without-brotli --without-zstd --without-libidn2 --without-libpsl --without-libssh2 \
  --without-librtmp --without-nghttp2 --without-libgsasl --without-gssapi --disable-ldap --disable-ldaps --disable-ftp \
  --disable-file --disable-rtsp --disable-dict --disable-telnet --disable-tftp --disable-pop3 --disable-imap --disable-smb \
  --disable-smtp --disable-gopher --disable-mqtt --disable-manual --disable-unix-sockets --disable-ntlm >/dev/null
make -s -C lib -j2 V=0 >/dev/null
make -s -C lib install >/dev/null
cp -R "$out/source/curl/tree/COPYING" "$out/LICENSE.curl"

build() {  # one archive, by CMake: NAME TARGET FILE OPTION...
  local name=$1 target=$2 file=$3
  shift 3
  source_of "$name"
  cmake -S "$out/source/$name/tree" -B "$out/$name" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@" >/dev/null
  cmake --build "$out/$name" --target "$target" >/dev/null
  cp "$out/$name/$file" "$out/lib"
}
build libjpeg-turbo jpeg-static libjpeg.a -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DWITH_JAVA=OFF
cp "$out/source/libjpeg-turbo/tree/LICENSE.md" "$out/LICENSE.libjpeg-turbo"
build fmtlib fmt libfmt.a -DBUILD_SHARED_LIBS=OFF -DFMT_TEST=OFF -DFMT_DOC=OFF
cp "$out/source/fmtlib/tree/LICENSE.rst" "$out/LICENSE.fmt"
build libpng1.6 png_static libpng16.a -DPNG_SHARED=OFF -DPNG_TESTS=OFF
build tiff tiff libtiff/libtiff.a -DBUILD_SHARED_LIBS=OFF -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF \
  -Dcxx=OFF -Dzlib=ON -Dlibdeflate=ON -Dlzma=ON -Dzstd=ON -Djpeg=OFF -Dold-jpeg=OFF -Djbig=OFF -Dlerc=OFF -Dwebp=OFF
# DCMTK's headers say how it was built, so assay is compiled with those of this build.
export CXXFLAGS="$CFLAGS -DENABLE_DCMJPLS_INTERLEAVE_NONE"  # as Debian builds it
build dcmtk all lib/libdcmdata.a -DCMAKE_INSTALL_DATADIC=share/libdcmtk -DBUILD_SHARED_LIBS=OFF -DBUILD_APPS=OFF \
  -DDCMTK_ENABLE_STL=ON -DDCMTK_DEFAULT_DICT=builtin -DDCMTK_ENABLE_PRIVATE_TAGS=ON -DCMAKE_CXX_STANDARD=17 \
  -DDCMTK_MODULES="ofstd;oflog;dcmdata;dcmimgle;dcmimage;dcmjpeg;dcmjpls" -DDCMTK_ENABLE_CHARSET_CONVERSION="<disabled>" \
  -DDCMTK_WITH_ZLIB=ON -DDCMTK_WITH_XML=OFF -DDCMTK_WITH_PNG=OFF -DDCMTK_WITH_TIFF=OFF -DDCMTK_WITH_OPENSSL=OFF \
  -DDCMTK_WITH_SNDFILE=OFF -DDCMTK_WITH_ICONV=OFF -DDCMTK_WITH_ICU=OFF -DDCMTK_WITH_WRAP=OFF -DDCMTK_WITH_DOXYGEN=OFF
cp "$out"/dcmtk/lib/*.a "$out/lib"
mkdir -p "$out/include"
cp -R "$out"/source/dcmtk/tree/*/include/dcmtk "$out/include"
cp -R "$out/dcmtk/config/include/dcmtk" "$out/include"
cp "$out/source/dcmtk/tree/COPYRIGHT" "$out/LICENSE.dcmtk"
export CXXFLAGS=$CFLAGS
source_of bzip2
make -s -C "$out/source/bzip2/tree" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" libbz2.a
cp "$out/source/bzip2/tree/libbz2.a" "$out/lib"
source_of lz4
make -s -C "$out/source/lz4/tree/lib" CFLAGS="$CFLAGS" liblz4.a
cp "$out/source/lz4/tree/lib/liblz4.a" "$out/lib"
cp "$out/source/lz4/tree/lib/LICENSE" "$out/LICENSE.lz4"
build c-blosc blosc_static blosc/libblosc.a -DBUILD_SHARED=OFF -DBUILD_TESTS=OFF -DBUILD_BENCHMARKS=OFF -DBUILD_FUZZERS=OFF \
  -DPREFER_EXTERNAL_LZ4=ON -DPREFER_EXTERNAL_ZLIB=ON -DPREFER_EXTERNAL_ZSTD=ON -DDEACTIVATE_SNAPPY=ON \
  -DLZ4_INCLUDE_DIR="$out/source/lz4/tree/lib" -DLZ4_LIBRARY="$out/lib/liblz4.a"
echo "$script" >"$out/done"

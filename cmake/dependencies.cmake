# Every dependency and what it is for: docs/dependencies.md.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CURL REQUIRED)
find_package(JPEG REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)  # used as headers only: nothing to link

# Debian's libdeflate 1.14 comes without a CMake package.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET GLOBAL libdeflate)
add_library(libdeflate::libdeflate ALIAS PkgConfig::libdeflate)

# DICOM objects are read where DCMTK is found; without it they are refused with a sentence that says so.
option(ASSAY_DICOM "Read DICOM through DCMTK, where it is found" ON)
set(dcmtk_parts dcmjpeg dcmjpls dcmdata oflog ofstd)
find_path(DCMTK_HEADERS dcmtk/dcmdata/dctk.h)
set(dcmtk_found ${ASSAY_DICOM})
foreach(part ${dcmtk_parts})
  find_library(DCMTK_${part} ${part})
  if(NOT DCMTK_${part} OR NOT DCMTK_HEADERS)
    set(dcmtk_found OFF)
  endif()
  list(APPEND dcmtk_libraries ${DCMTK_${part}})
endforeach()
if(NOT dcmtk_found)
  set(dcmtk_libraries)
endif()

// SPDX-License-Identifier: Apache-2.0
#include "assay/slide/openslide.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::slide {
namespace {

/// Version 4 is so.1 and reads DICOM; 3.4 is so.0.
std::vector<std::string> candidates() {
  const char* named = std::getenv("ASSAY_OPENSLIDE");
  if (named != nullptr && *named != '\0') return {named};
  return {"libopenslide.so.1", "libopenslide.so.0"};
}

/// Sets a pointer of the table to the function of that name.
template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, OpenSlide& out) {
  return find(library, "openslide_get_version", out.get_version) &&
         find(library, "openslide_detect_vendor", out.detect_vendor) &&
         find(library, "openslide_open", out.open) && find(library, "openslide_close", out.close) &&
         find(library, "openslide_get_error", out.get_error) &&
         find(library, "openslide_get_level_count", out.get_level_count) &&
         find(library, "openslide_get_level_dimensions", out.get_level_dimensions) &&
         find(library, "openslide_get_level_downsample", out.get_level_downsample) &&
         find(library, "openslide_read_region", out.read_region) &&
         find(library, "openslide_get_property_value", out.get_property_value);
}

OpenSlide load() {
  const std::vector<std::string> names = candidates();
  OpenSlide out{};
  // The library stays loaded: its handles and threads may outlive any owner we could give it.
  for (const std::string& name : names)
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        library != nullptr && find_all(library, out))
      return out;
  throw Error(Error::Kind::unsupported,
              "OpenSlide is not installed (looked for " + joined(names) +
                  "); install it (Debian: apt install libopenslide0; conda: openslide), or set "
                  "ASSAY_OPENSLIDE to its library file");
}

}  // namespace

const OpenSlide& openslide() {
  static const OpenSlide library = load();
  return library;
}

}  // namespace assay::slide

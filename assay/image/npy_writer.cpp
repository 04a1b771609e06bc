// SPDX-License-Identifier: Apache-2.0
#include "assay/image/npy_writer.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "assay/base/file.hpp"

namespace assay {
namespace {

/// Magic, version 1.0, length, and a Python literal that ends with a line break; 64 bytes or a
/// multiple of them, so that what follows is aligned.
std::string header(std::size_t classes, const Shape& shape) {
  const char* order = std::endian::native == std::endian::little ? "<" : ">";
  std::string text = std::string("{'descr': '") + order + "f4', 'fortran_order': False, 'shape': (";
  text += std::to_string(classes);
  for (const std::size_t size : shape) text += ", " + std::to_string(size);
  text += "), }";
  constexpr std::size_t before = 10, unit = 64;
  text.resize((before + text.size() + 1 + unit - 1) / unit * unit - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string out = "\x93NUMPY";
  out += {1, 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return out + text;
}

}  // namespace

void write_logits(const std::filesystem::path& path, std::span<const float> logits,
                  const Shape& shape) {
  const std::size_t voxels = shape[0] * shape[1] * shape[2];
  const std::size_t classes = voxels == 0 ? 0 : logits.size() / voxels;
  std::string bytes = header(classes, shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + sizeof(float) * logits.size());
  char* at = bytes.data() + start;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t x = 0; x < shape[0]; ++x)
      for (std::size_t y = 0; y < shape[1]; ++y)
        for (std::size_t z = 0; z < shape[2]; ++z, at += sizeof(float))
          std::memcpy(at, &logits[c * voxels + x + shape[0] * (y + shape[1] * z)], sizeof(float));
  write_atomically(path, bytes);
}

}  // namespace assay

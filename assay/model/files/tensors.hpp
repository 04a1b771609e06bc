// SPDX-License-Identifier: Apache-2.0
/// Named arrays of a model's file, left where they lie.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::model {

enum class ElementType { float32, float64, float16, bfloat16, other };

/// Borrows from the file: numbers are copied only when they turn out to belong to a network.
struct StoredTensor {
  std::string name = {};
  std::vector<std::size_t> shape = {};
  ElementType type = ElementType::float32;
  std::span<const std::byte> bytes = {};
};

/// Throws an Error::input that names the file and what is wrong with it.
[[noreturn]] void refuse(const std::string& file, const std::string& why);

/// Throws an Error::input that names a part of the file, such as "tensor 'a'", and what is wrong
/// with it. read_model adds the file.
[[noreturn]] void refuse_part(const std::string& part, const std::string& why);

/// Bytes of one element; 0 for `other`.
std::size_t element_bytes(ElementType type);

/// The product of a shape; the largest size_t when it overflows.
std::size_t element_count(std::span<const std::size_t> shape);

/// The numbers as float32. Throws Error::input naming the tensor when there are not as many bytes
/// as its shape needs, or when they are not floating-point numbers.
std::vector<float> floats(const StoredTensor& tensor);

/// "26x1x3x3x3".
std::string shape_text(std::span<const std::size_t> shape);

/// The tensors of a PyTorch checkpoint: a zip file as torch.save writes it. The pickle inside is
/// read, never run. `name` is used in messages. Throws Error::input.
std::vector<StoredTensor> checkpoint_tensors(std::span<const std::byte> bytes,
                                             const std::string& name);

/// The tensors of a safetensors file. Throws Error::input.
std::vector<StoredTensor> safetensors_tensors(std::span<const std::byte> bytes,
                                              const std::string& name);

}  // namespace assay::model

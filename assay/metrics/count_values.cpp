// SPDX-License-Identifier: Apache-2.0
// Values become bytes of 0 and 1 in pieces that stay in the cache, where they are counted. Arrays
// of bytes do not need this step.
#include "assay/metrics/count_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/base/processor.hpp"
#include "assay/error.hpp"
#include "assay/image/map_signs.hpp"
#include "assay/metrics.hpp"

namespace assay::metrics {
namespace {

constexpr std::size_t piece = 1U << 14;  // bytes of a mask at a time
constexpr std::size_t block = 1U << 20;  // values that one task counts

template <class T>
auto number(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return to_float(x);
  else
    return x;
}

/// Marks the values above 0, or those equal to `label`. Returns whether a NaN was met.
template <class T>
[[gnu::always_inline]] inline bool mark(const T* values, std::size_t size, std::uint8_t* mask,
                                        const decltype(number(T{}))* label) {
  std::uint8_t odd = 0;
  if (label == nullptr) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = number(values[i]);
      mask[i] = x > 0 ? 1 : 0;
      odd |= x != x ? 1 : 0;
    }
  } else {
    const auto wanted = *label;
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = number(values[i]);
      mask[i] = x == wanted ? 1 : 0;
      odd |= x != x ? 1 : 0;
    }
  }
  return odd != 0;
}

template <class T>
#if defined(__x86_64__)
[[gnu::target("avx2")]]
#endif
bool mark_avx2(const T* values, std::size_t size, std::uint8_t* mask,
               const decltype(number(T{}))* label) {
  return mark(values, size, mask, label);
}

template <class T>
bool mask_of(const T* values, std::size_t size, std::uint8_t* mask,
             const decltype(number(T{}))* label) {
  return has_avx2() ? mark_avx2(values, size, mask, label) : mark(values, size, mask, label);
}

/// The label as a value of the array's type; nothing when that type cannot hold it.
template <class T>
std::optional<decltype(number(T{}))> as_value(double label) {
  using Number = decltype(number(T{}));
  if constexpr (std::is_integral_v<Number>) {
    constexpr auto low = static_cast<double>(std::numeric_limits<Number>::min());
    constexpr auto high = static_cast<double>(std::numeric_limits<Number>::max());
    if (!(label >= low && label < high + 1) || std::floor(label) != label) return std::nullopt;
  }
  return static_cast<Number>(label);
}

/// One piece of one array as a mask; the array's own bytes if they can serve as one.
class MaskReader {
 public:
  MaskReader(const ValuesView& view, std::optional<double> label) : view_(view), label_(label) {}

  std::span<const std::uint8_t> read(std::size_t start, std::size_t size) {
    return std::visit([&](const auto* values) { return read(values + start, start, size); },
                      view_.values);
  }

 private:
  template <class T>
  std::span<const std::uint8_t> read(const T* values, std::size_t start, std::size_t size) {
    if constexpr (std::is_same_v<T, std::uint8_t>)
      if (!label_) return {values, size};
    bool odd = false;
    if (!label_) {
      odd = mask_of<T>(values, size, buffer_.data(), nullptr);
    } else if (const auto label = as_value<T>(*label_)) {
      odd = mask_of<T>(values, size, buffer_.data(), &*label);
    } else {
      std::fill_n(buffer_.begin(), size, std::uint8_t{0});
    }
    if (odd) refuse_nan(values, start, size);
    return {buffer_.data(), size};
  }

  template <class T>
  [[noreturn]] static void refuse_nan(const T* values, std::size_t start, std::size_t size) {
    const T* const found = std::find_if(values, values + size, [](T x) {
      const auto n = number(x);
      return n != n;
    });
    throw Error(Error::Kind::input, "value " + std::to_string(start + std::size_t(found - values)) +
                                        " of a mask is NaN; say what it means before scoring");
  }

  const ValuesView& view_;
  std::optional<double> label_;
  std::array<std::uint8_t, piece> buffer_;
};

Confusion count_block(const ValuesView& prediction, const ValuesView& reference,
                      std::optional<double> label, std::size_t start, std::size_t size) {
  MaskReader of_prediction(prediction, label), of_reference(reference, label);
  Confusion total;
  for (std::size_t at = 0; at < size; at += piece) {
    const std::size_t length = std::min(piece, size - at);
    const Confusion part = count_foreground(of_prediction.read(start + at, length),
                                            of_reference.read(start + at, length));
    total.tp += part.tp;
    total.fp += part.fp;
    total.fn += part.fn;
    total.tn += part.tn;
  }
  return total;
}

}  // namespace

Confusion count_values(const ValuesView& prediction, const ValuesView& reference,
                       std::optional<double> label, const Executor& executor) {
  if (prediction.size != reference.size)
    throw Error(Error::Kind::usage, "prediction and reference must have the same shape");
  const std::size_t blocks = (prediction.size + block - 1) / block;
  std::vector<Confusion> parts(blocks);
  std::vector<std::optional<Error>> errors(blocks);
  run_tasks(executor, blocks, [&](std::size_t b) {
    const std::size_t start = b * block;
    try {
      parts[b] = count_block(prediction, reference, label, start,
                             std::min(block, prediction.size - start));
    } catch (const Error& error) {
      errors[b] = error;
    }
  });
  Confusion total;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (errors[b]) throw Error(*errors[b]);
    total.tp += parts[b].tp;
    total.fp += parts[b].fp;
    total.fn += parts[b].fn;
    total.tn += parts[b].tn;
  }
  return total;
}

std::vector<std::uint64_t> packed_values(const ValuesView& values, std::optional<double> label) {
  static_assert(piece % 64 == 0);
  std::vector<std::uint64_t> bits(packed_words(values.size));
  MaskReader reader(values, label);
  for (std::size_t at = 0; at < values.size; at += piece) {
    const std::size_t length = std::min(piece, values.size - at);
    pack_foreground(reader.read(at, length),
                    std::span(bits).subspan(at / 64, packed_words(length)));
  }
  return bits;
}

bool is_map(const ValuesView& values) {
  return std::visit(
      [&]<class T>(const T* at) {
        MapSigns signs;
        if constexpr (!std::is_integral_v<T>)
          for (std::size_t from = 0; from < values.size && !signs.is_map(); from += piece)
            signs.look(std::min(piece, values.size - from),
                       [&](std::size_t i) { return number(at[from + i]); });
        return signs.is_map();
      },
      values.values);
}

}  // namespace assay::metrics

// SPDX-License-Identifier: Apache-2.0
/// Reads pickles of weights without running them.
//
// A pickle is a program for a small stack machine, and one of its instructions can call any
// function by name. Loading it as Python does means executing it. This reader knows the
// instructions that torch.save emits and only those names that describe data: OrderedDict, the two
// functions that put a tensor together, and the types of storages. Any other name is refused, and
// the message quotes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::model {

/// One value of a pickle. Values refer to each other by number and are shared, not copied, so what
/// is read is never larger than a few times the file.
struct PickleValue {
  enum class Kind { none, boolean, integer, number, text, list, tuple, dictionary, name, tensor };

  Kind kind = Kind::none;
  std::int64_t integer = 0;             ///< also booleans
  std::string text = {};                ///< also names: "torch.FloatStorage"
  std::vector<std::size_t> items = {};  ///< of lists and tuples
  std::vector<std::pair<std::size_t, std::size_t>> pairs = {};  ///< of dictionaries
};

/// A whole pickle.
class Pickle {
 public:
  /// Throws Error::input on a name that is not allowed, an instruction that is not known, or a
  /// pickle that is cut off. `name` is used in messages.
  Pickle(std::span<const std::byte> bytes, const std::string& name);

  const PickleValue& root() const { return values_[root_]; }
  const PickleValue& at(std::size_t value) const { return values_[value]; }
  /// The value of a text key of a dictionary; null when the key is absent or the value is not a
  /// dictionary.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

 private:
  friend class PickleMachine;
  std::vector<PickleValue> values_;
  std::size_t root_ = 0;
};

}  // namespace assay::model

// SPDX-License-Identifier: Apache-2.0
/// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

/// Thrown when a request cannot be carried out. `kind` decides the Python class. The message is
/// "file: sentence"; the sentence names the thing at fault and, where it can, the remedy. Code
/// that knows more about the error adds it here and never edits the message.
class Error : public std::runtime_error {
 public:
  enum class Kind { usage, input, io, unsupported };

  Error(Kind kind, std::string sentence) : Error(kind, "", std::move(sentence)) {}
  /// `file` is the path as it was given, or what the user calls the source of a text.
  Error(Kind kind, std::string file, std::string sentence)
      : Error(kind, "", std::move(file), std::move(sentence)) {}

  Kind kind() const noexcept { return kind_; }
  /// Empty if the error is not about a file.
  const std::string& file() const noexcept { return file_; }
  const std::string& sentence() const noexcept { return sentence_; }

  /// The same error seen from one level up: `e.within("case sub-017")`.
  Error within(std::string_view place) const {
    if (file_.empty()) return {kind_, std::string(place) + ": " + sentence_};
    return {kind_, std::string(place) + ": " + place_, file_, sentence_};
  }

  /// The same error about `file`, unless it is about a file already.
  Error about(std::string_view file) const {
    return file_.empty() ? Error(kind_, std::string(file), sentence_) : *this;
  }

  /// The same error with its file shown without the beginning `root`, such as "/data/predictions/".
  Error relative_to(std::string_view root) const {
    const bool is_below = file_.size() > root.size() && file_.starts_with(root);
    return {kind_, place_, is_below ? file_.substr(root.size()) : file_, sentence_};
  }

 private:
  Error(Kind kind, std::string place, std::string file, std::string sentence)
      : std::runtime_error(place + (file.empty() ? "" : file + ": ") + sentence),
        kind_(kind),
        place_(std::move(place)),
        file_(std::move(file)),
        sentence_(std::move(sentence)) {}

  Kind kind_;
  std::string place_, file_, sentence_;
};

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal_salvage.hpp"

#include <algorithm>

namespace assay {
namespace {

/// The record at the beginning of a piece. Text after it may have braces, too, so a few ends are
/// tried.
std::optional<std::string_view> record_in_front(std::string_view piece) {
  constexpr int few = 8;
  std::size_t end = piece.size();
  for (int tries = 0; tries < few && end > 0; ++tries) {
    const std::size_t brace = piece.rfind('}', end - 1);
    if (brace == piece.npos) break;
    if (const auto record = journal_record(piece.substr(0, brace + 1))) return record;
    end = brace;
  }
  return std::nullopt;
}

class Salvage {
 public:
  /// Keeps a line that is sound as a whole, or the sound parts of it.
  void take_line(std::string_view line, std::size_t number, bool last) {
    if (const auto record = journal_record(line)) return keep(*record, number);
    const std::size_t kept = out_.records.size(), lost = out_.lost.size();
    ++out_.bad_lines;
    take_pieces(line, number);
    if (!last || out_.records.size() > kept) return;
    out_.torn = true;
    out_.lost.resize(lost);
    out_.lost.push_back({number, line});
  }

  SalvagedJournal take() && { return std::move(out_); }

 private:
  /// Pieces begin where a line would.
  void take_pieces(std::string_view line, std::size_t number) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t next = std::min(line.find(journal_line_start, at + 1), line.size());
      const std::string_view piece = line.substr(at, next - at);
      if (const auto record = record_in_front(piece))
        keep(*record, number);
      else
        out_.lost.push_back({number, piece});
      at = next;
    }
  }

  void keep(std::string_view record, std::size_t number) {
    if (number == 1 && !out_.header && out_.records.empty())
      if ((out_.header = journal_header(record))) return;
    out_.records.push_back(record);
  }

  SalvagedJournal out_;
};

}  // namespace

SalvagedJournal salvaged_journal(std::string_view text) {
  Salvage salvage;
  std::size_t at = 0, line = 1;
  for (; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    salvage.take_line(text.substr(at, end - at), line, end + 1 >= text.size());
    at = end + 1;
  }
  return std::move(salvage).take();
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
/// What can be kept of a damaged journal: every record whose checksum is right.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/base/journal.hpp"

namespace assay {

/// A piece of a journal that is not an intact record. Views are into the journal's text.
struct LostPart {
  std::size_t line = 0;  ///< of the file, from 1
  std::string_view text;
};

struct SalvagedJournal {
  std::optional<JournalHeader> header{};
  std::vector<std::string_view> records{};  ///< in order, without the header
  std::vector<LostPart> lost{};             ///< in order
  std::size_t bad_lines = 0;                ///< lines at which readers of journals would stop
  bool torn = false;  ///< the last lost part is a torn last line: never committed, not damage

  bool damaged() const { return bad_lines > (torn ? 1U : 0U) || (!header && !records.empty()); }
};

/// Takes a journal apart. A damaged line break joins two lines, and a lost block joins many; the
/// intact records on both sides are still found.
SalvagedJournal salvaged_journal(std::string_view text);

}  // namespace assay

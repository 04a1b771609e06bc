// SPDX-License-Identifier: Apache-2.0
/// The one real call of `assay qa check --probe`.
#pragma once

#include <iosfwd>

#include "assay/qa/slides/slide_folder.hpp"
#include "cli/qa_agent.hpp"

namespace assay::cli {

/// Asks the first question whose slide is there, with two pictures, and says on `talk` what came
/// back: who answered, tokens, cost, time. False when no answer came; `talk` says why.
bool probe(const AgentOptions& options, const qa::ItemTable& table, const qa::SlideFolder& slides,
           std::ostream& talk);

}  // namespace assay::cli

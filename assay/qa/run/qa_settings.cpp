// SPDX-License-Identifier: Apache-2.0
/// The settings of a run by name: what is compared when it goes on, and what its results say. The
/// server's address is not among them: the same model may be served from another machine tomorrow.
/// Who served is kept with every call.
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/qa/agent/instructions.hpp"
#include "assay/qa/run/qa_run.hpp"

namespace assay::qa {

SettingsRecord relevant_settings(const QaRunSettings& s, const ItemTable& table) {
  const LoopSettings& loop = s.loop;
  const Json all = {
      {"agent", s.agent},
      {"api", s.api},
      {"model", s.model.model},
      {"command", s.command},
      {"request_json",
       s.model.request_json.empty() ? Json() : parse_json(s.model.request_json, "--request-json")},
      {"max_output_tokens", s.model.max_output_tokens},
      {"mode", name_in(agent_modes(), loop.mode)},
      {"max_steps", loop.max_steps},
      {"enforce_fixed_iterations", loop.fixed_steps},
      {"corrections", loop.corrections},
      {"thumbnail_size", loop.thumbnail_size},
      {"crop_size", loop.crop_size},
      {"jpeg_quality", s.jpeg_quality},
      {"patches", loop.patches.count},
      {"patch_size", loop.patches.size},
      {"seed", loop.patches.seed},
      {"prompts_sha256", sha256(prompt_templates())},
      {"table_sha256", table.sha256},
  };
  SettingsRecord record;
  for (const auto& [name, value] : all.items())
    record.values.emplace_back(name, to_text(value, {.indent = 0}));
  return record;
}

}  // namespace assay::qa

// SPDX-License-Identifier: Apache-2.0
#include "assay/score/own_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "assay/base/child_process.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/base/text.hpp"
#include "assay/base/toml.hpp"
#include "assay/error.hpp"
#include "assay/model/backends/command_predictor.hpp"
#include "assay/results/own_metric_json.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

/// A mask as NumPy stores it: bytes, the first axis fastest.
std::string npy_text(const View<std::uint8_t>& mask) {
  constexpr std::size_t block = 64, before_header = 10;
  const auto& shape = mask.grid.shape;
  std::string header = fmt::format("{{'descr': '|u1', 'fortran_order': True, 'shape': ({}), }}",
                                   fmt::join(shape, ", "));
  header.append(block - (before_header + header.size() + 1) % block, ' ').append("\n");
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFFU);
  out += static_cast<char>(header.size() >> 8U);
  out += header;
  out.append(reinterpret_cast<const char*>(mask.voxels.data()), mask.voxels.size());
  return out;
}

/// A running program, and whether it has completed the handshake.
struct OwnWorker {
  ChildProcess child;
  bool is_greeted = false;
};

/// As many programs as there are threads that ask at the same time.
class OwnProgram {
 public:
  explicit OwnProgram(OwnCommand given) : given_(std::move(given)) {
    OwnWorker worker = make_worker();
    greeting_ = greet(worker);
    worker.is_greeted = true;
    idle_.push_back(std::move(worker));
  }

  std::string sha256() const {
    const Json parts = {given_.command, greeting_.name, greeting_.version};
    return assay::sha256("own metric\n" + to_text(parts, {.indent = 0}) + "\n");
  }

  /// Throws Error when there is no intelligible answer. The program is then restarted.
  metrics::OwnValue measure(const metrics::LabelMasks& masks) {
    const TemporaryFolder folder;
    const fs::path prediction = folder / "prediction.npy", reference = folder / "reference.npy";
    write_atomically(prediction, npy_text(masks.prediction));
    write_atomically(reference, npy_text(masks.reference));
    OwnWorker worker = take_worker();
    try {
      greet_again(worker);
      const std::size_t id = ++asked_;
      const Json question = {{"id", id},
                             {"case", masks.case_id},
                             {"label", masks.label},
                             {"prediction", prediction.string()},
                             {"reference", reference.string()},
                             {"shape", masks.prediction.grid.shape},
                             {"spacing", spacing_mm(masks.prediction.grid)}};
      metrics::OwnValue out = parse_own_answer(ask(worker, question), id);
      out.message = replaced(std::move(out.message), (folder.path() / "").string(), "");
      give_worker(std::move(worker));
      return out;
    } catch (const Error&) {
      give_worker(
          make_worker());  // a fresh program, so that no question gets the answer to another
      throw;
    }
  }

 private:
  OwnWorker make_worker() const { return {ChildProcess(given_.command)}; }

  OwnWorker take_worker() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return make_worker();
    OwnWorker out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }

  void give_worker(OwnWorker worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

  std::string ask(OwnWorker& worker, const Json& question) const {
    const ChildProcess::Answer answer =
        worker.child.ask(to_text(question, {.indent = 0}), given_.timeout_s);
    if (answer.fault != ChildProcess::Fault::none)
      throw Error(Error::Kind::io, model::one_line(answer.detail));
    return answer.line;
  }

  model::Greeting greet(OwnWorker& worker) const {
    return model::parse_greeting(
        ask(worker, {{"assay", model::command_protocol}, {"hello", true}}));
  }

  /// All values of a run must come from one program.
  void greet_again(OwnWorker& worker) const {
    if (worker.is_greeted) return;
    if (greet(worker) != greeting_)
      throw Error(Error::Kind::input, "it was started again and now has another name or version");
    worker.is_greeted = true;
  }

  OwnCommand given_;
  model::Greeting greeting_;
  std::mutex mutex_;
  std::vector<OwnWorker> idle_;
  std::atomic<std::size_t> asked_ = 0;
};

[[noreturn]] void refuse_file(const fs::path& file, const std::string& sentence) {
  throw Error(Error::Kind::usage, file, sentence);
}

double timeout_in(const Json& given, const fs::path& file) {
  if (!given.is_number()) refuse_file(file, "'timeout_s' is not a number of seconds");
  const double seconds = given.get<double>();
  if (!(seconds > 0 && std::isfinite(seconds)))
    refuse_file(file, "'timeout_s' must be above 0, such as 600");
  return seconds;
}

}  // namespace

OwnCommand parse_own_command(std::string_view text, const fs::path& file) {
  Json json = parse_toml(text, file.string());
  OwnCommand out;
  const Json command = member(json, "command"), timeout = member(json, "timeout_s");
  if (!command.is_string())
    refuse_file(file, "has no 'command', such as command = \"python3 {folder}/my_metric.py\"");
  if (!timeout.is_null()) out.timeout_s = timeout_in(timeout, file);
  const std::string folder = fs::absolute(file).parent_path().string();
  out.command =
      with_value(command_words(command.get<std::string>(), "'command' in " + file.string()),
                 "{folder}", folder);
  for (const char* taken : {"command", "timeout_s"}) json.erase(taken);
  for (const char* ours : {"kind", "sha256"})
    if (json.contains(ours)) refuse_file(file, std::string("must not have '") + ours + "'");
  try {
    out.declared = results::parse_own_metric(json);
  } catch (const Error& e) {
    refuse_file(file, e.sentence());
  }
  out.declared.kind = "command";
  return out;
}

std::shared_ptr<const metrics::OwnMetric> open_own_metric(const fs::path& file) {
  OwnCommand given = parse_own_command(read_text(file), file);
  metrics::OwnDeclaration declared = given.declared;
  const std::string words = command_text(given.command);
  try {
    metrics::own_metric(declared);  // checks the declaration before anything is started
    const auto program = std::make_shared<OwnProgram>(std::move(given));
    declared.sha256 = program->sha256();
    return metrics::own_metric(std::move(declared), [program](const metrics::LabelMasks& masks) {
      return program->measure(masks);
    });
  } catch (const Error& e) {
    throw Error(e.kind(), file, e.within("the command '" + words + "'").sentence());
  }
}

metrics::OwnValue parse_own_answer(const std::string& line, std::size_t id) {
  const Json answer = model::parse_answer(line, id);
  if (std::string error = model::reported_error(answer); !error.empty())
    return {.failed = true, .message = "the program reported: " + error};
  if (const Json& value = member(answer, "value"); value.is_number())
    return {.value = value.get<double>()};
  if (const Json& reason = member(answer, "undefined"); reason.is_string() || reason == true)
    return {.message = reason.is_string() ? model::one_line(reason.get<std::string>()) : ""};
  throw Error(Error::Kind::input,
              "it answered with none of {\"value\": 0.5}, {\"undefined\": \"why\"} and {\"error\": "
              "\"why\"}");
}

}  // namespace assay::score

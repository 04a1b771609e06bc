// SPDX-License-Identifier: Apache-2.0
/// assay split: nested folds of a manifest, equal to scikit-learn's.
#include "assay/results/split.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/report/text/split.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

/// The command line as typed.
struct Options {
  std::string manifest, stratify, group, format = "json";
  unsigned outer = 3, inner = 3;
  std::optional<long long> seed;
  bool no_shuffle = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("MANIFEST.csv", o.manifest,
               "A table with a column 'id' (else the first is taken), one line per case");
  a.option("--outer K", o.outer, "Outer folds (default: 3)");
  a.option("--inner K", o.inner, "Inner folds of each training set (default: 3; 0: none)");
  a.option("--stratify A,B", o.stratify,
           "Columns to balance; several: their combinations; volume:4 is a number in 4 quantiles");
  a.option("--group COLUMN", o.group, "Cases with the same value stay in one fold");
  a.option("--seed N", o.seed, "Seed of the shuffle, as random_state (default: 42)");
  a.flag("--no-shuffle", o.no_shuffle, "Keep the order of the manifest; no seed");
  a.choice("--format", o.format, {"json", "nnunet"},
           "assay.split/1, or nnU-Net's splits_final.json (the outer folds)");
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    out.push_back(text.substr(start, comma - start));
    if (out.back().empty())
      throw Error(Error::Kind::usage,
                  "--stratify: a column's name is empty; write them as age:4,site");
    start = comma + 1;
  }
  return out;
}

results::SplitSettings settings_of(const Options& o) {
  if (o.no_shuffle && o.seed)
    throw Error(Error::Kind::usage, "--no-shuffle uses no seed; drop --seed or --no-shuffle");
  constexpr long long largest = std::numeric_limits<std::uint32_t>::max();
  const long long seed = o.seed.value_or(42);
  if (seed < 0 || seed > largest)
    throw Error(Error::Kind::usage,
                fmt::format("--seed must be from 0 to {}, as for scikit-learn", largest));
  if (o.outer < 2) throw Error(Error::Kind::usage, "--outer must be 2 or more");
  if (o.inner == 1)
    throw Error(Error::Kind::usage, "--inner must be 2 or more, or 0 for no inner folds");
  results::SplitSettings s = {.outer = o.outer, .inner = o.inner, .stratify = listed(o.stratify)};
  s.group = o.group;
  if (o.format == "nnunet") s.inner = 0;  // the file has no place for them
  s.seed = o.no_shuffle ? std::nullopt : std::optional(static_cast<std::uint32_t>(seed));
  return s;
}

/// What the user may not expect of the method that was chosen.
void add_notes(const results::SplitSettings& s, bool seed_was_given,
               results::SplitManifest& manifest) {
  if (s.group.empty() || !s.seed) return;
  if (s.stratify.empty() && seed_was_given)
    manifest.notes.emplace_back("groups without strata are placed by size; the seed is not used");
  if (!s.stratify.empty())
    manifest.notes.emplace_back(
        "with --group, --stratify and a seed the folds differ from scikit-learn's, whose shuffle "
        "mixes up groups and their strata; with --no-shuffle they are equal");
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.manifest.empty())
    throw Error(Error::Kind::usage, "give a manifest: assay split cases.csv --stratify site");
  const results::SplitSettings settings = settings_of(o);
  results::SplitManifest manifest = results::read_split_manifest(o.manifest, settings);
  const stats::NestedFolds folds = results::folds_of(manifest, settings);
  add_notes(settings, o.seed.has_value(), manifest);
  const bool nnunet = o.format == "nnunet";
  const std::string text = nnunet ? results::nnunet_splits(manifest, settings, folds)
                                  : results::split_text(manifest, settings, folds, version());
  const auto out = output_file(common.out, nnunet ? "splits_final.json" : "split.json");
  refuse_input(out, {o.manifest});
  if (!out.empty()) write_atomically(out, text);
  if (out.empty() || common.json) session.out << text;
  if (common.quiet) return done;
  for (const std::string& note : manifest.notes)
    session.err << "note: " << report::printable(note) << '\n';
  for (const std::string& warning : manifest.warnings)
    session.err << "warning: " << report::printable(warning) << '\n';
  session.err << report::balance_table(manifest, settings, folds);
  if (!out.empty()) session.err << "split: " << out.string() << '\n';
  return done;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay split cases.csv --stratify volume:4,site --out split.json",
     "3 outer folds with 3 inner folds each, lesion volume in quartiles and site balanced"},
    {"assay split scans.csv --group subject --outer 5 --inner 0",
     "5 folds; all scans of a subject are in the same one"},
    {"assay split cases.csv --stratify site --outer 5 --format nnunet --out splits_final.json",
     "the file from which nnU-Net takes its folds"},
};

}  // namespace

const Command split_command = {"split", "Make nested stratified folds of a manifest", declare,
                               examples};

}  // namespace assay::cli

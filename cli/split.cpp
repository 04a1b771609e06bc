// SPDX-License-Identifier: Apache-2.0
/// assay split: nested folds of a manifest, equal to scikit-learn's.
#include "assay/results/split.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/report/text/cross_validation.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace split_file {
namespace {

/// The command line as typed.
struct Options {
  results::SplitSettings settings;
  std::string manifest;
  std::optional<std::int64_t> seed;
  bool no_shuffle = false, nnunet = false;
};

constexpr std::array<Named<bool>, 2> layouts = {{{"json", false}, {"nnunet", true}}};

void declare_options(Arguments& a, Options& o) {
  results::SplitSettings& s = o.settings;
  a.positional("MANIFEST.csv", o.manifest,
               "A table with one line per case and a column 'id' (otherwise the first column)");
  a.option("--outer K", s.outer, "Number of outer folds");
  a.option("--inner K", s.inner, "Number of inner folds of each training set; 0 for none");
  a.option("--stratify A,B", s.stratify,
           "Columns to balance; several are balanced in combination; volume:4 cuts the numeric "
           "column volume into quartiles");
  a.option("--group COLUMN", s.group, "Keep cases with the same value in one fold");
  a.option("--seed N", o.seed,
           with_default("Seed of the shuffle (scikit-learn's random_state)",
                        Kind<decltype(s.seed)>::shown(s.seed)));
  a.flag("--no-shuffle", o.no_shuffle, "Keep the order of the manifest; uses no seed");
  a.choice("--format", o.nnunet, layouts,
           "Layout: " + std::string(results::split_schema) +
               ", or nnU-Net's splits_final.json (the outer folds)");
}

results::SplitSettings settings_of(const Options& o) {
  results::SplitSettings s = o.settings;
  if (o.no_shuffle && o.seed)
    throw Error(Error::Kind::usage, "--no-shuffle uses no seed; drop --seed or --no-shuffle");
  constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  if (o.seed && (*o.seed < 0 || *o.seed > largest))
    throw Error(Error::Kind::usage,
                fmt::format("--seed must be from 0 to {}, as for scikit-learn", largest));
  if (s.outer < 2) throw Error(Error::Kind::usage, "--outer must be 2 or more");
  if (s.inner == 1)
    throw Error(Error::Kind::usage, "--inner must be 2 or more, or 0 for no inner folds");
  if (o.nnunet) s.inner = 0;  // nnU-Net's file has no inner folds
  if (o.seed) s.seed = static_cast<std::uint32_t>(*o.seed);
  if (o.no_shuffle) s.seed.reset();
  return s;
}

/// Notes what the user may not expect of the chosen method.
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
  const std::string text = o.nnunet ? results::nnunet_splits(manifest, settings, folds)
                                    : results::split_text(manifest, settings, folds, version());
  const auto out = output_file(common.out, o.nnunet ? "splits_final.json" : "split.json");
  refuse_input(out, {o.manifest});
  if (!out.empty()) write_atomically(out, text);
  if (out.empty() || common.json) session.data << text;
  cli::tell("note", manifest.notes, session.notes);
  cli::tell("warning", manifest.warnings, session.notes);
  session.notes << report::balance_table(manifest, settings, folds);
  if (!out.empty()) cli::tell("split", {out.string()}, session.notes);
  return done;
}

constexpr Example examples[] = {
    {"assay split cases.csv --stratify volume:4,site --out split.json",
     "3 outer folds with 3 inner folds each, lesion volume in quartiles and site balanced"},
    {"assay split scans.csv --group subject --outer 5 --inner 0",
     "5 folds; all scans of a subject are in the same fold"},
    {"assay split cases.csv --stratify site --outer 5 --format nnunet --out splits_final.json",
     "the file that nnU-Net reads its folds from"},
};

}  // namespace
}  // namespace split_file

const Command split_command = {"split", "Make nested stratified folds of a manifest",
                               command<split_file::declare_options, split_file::run>,
                               split_file::examples};

}  // namespace assay::cli

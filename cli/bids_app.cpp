// SPDX-License-Identifier: Apache-2.0
/// assay bids-app: score as an app of the Brain Imaging Data Structure. A participant is a shard,
/// and the group level merges them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "assay/base/bids.hpp"
#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/folder.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/results/foreign/bids_derivatives.hpp"
#include "assay/score/memory_gate.hpp"
#include "assay/score/merge_shards.hpp"
#include "assay/score/shards.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/score_run.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace bids_app_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  ScoreOptions score;
  std::string dataset, out, work;
  std::vector<std::string> level;  ///< also has participants if --participant-label lists several
  std::vector<std::string> participants, sessions, predictions;
  unsigned cpus = 0;
  std::uint64_t memory_mb = 0;
  bool skips_validation = false, partial = false;
};

[[noreturn]] void usage(const std::string& what) {
  throw Error(Error::Kind::usage, what);
}

void declare_options(Arguments& a, Options& o) {
  a.positional("BIDS_DIR", o.dataset, "Dataset; its participants.tsv gives the groups");
  a.positional("OUT", o.out, "Output folder for the derivatives");
  a.positional("LEVEL", o.level,
               "Level of analysis: participant scores each participant by itself, group joins and "
               "summarises them");
  a.heading("Input");
  a.repeatable("--predictions DIR", o.predictions,
               "Derivative dataset with the segmentations to score, or its name in "
               "BIDS_DIR/derivatives; repeatable, one for each model");
  a.option("--references DIR", o.score.ref,
           "Derivative dataset with the references (default: the only other one in "
           "BIDS_DIR/derivatives that has masks)");
  a.option("--participant-label,--participant_label LIST", o.participants,
           "Participants to score, with or without sub- (default: all)");
  a.option("--session-label,--session_label LIST", o.sessions,
           "Sessions to score, with or without ses- (default: all)");
  declare_score_options(a, o.score);
  a.heading("Output");
  a.flag("--partial", o.partial, "Join only the participants that have been scored (group level)");
  a.heading("Running");
  a.option("--n-cpus,--n_cpus N", o.cpus, "The same as --jobs");
  a.option("--mem-mb,--mem_mb N", o.memory_mb, "The same as --max-memory, in MB");
  a.option("--work-dir,--work_dir,-w DIR", o.work,
           "Folder for the records of the participants, which the group level reads (default: "
           "OUT/.assay)");
  a.flag("--skip-bids-validation,--skip_bids_validation,--skip_bids_validator", o.skips_validation,
         "Accepted for compatibility with other BIDS Apps; nothing is validated");
}

// ---- What is scored -------------------------------------------------------------------------

/// One model on its cases, each of which belongs to a participant.
struct Study {
  score::Cohort cohort;
  std::vector<std::string> participants{};  ///< with sub-, sorted
  results::ShardPlan plan{};                ///< shard p + 1 has the cases of participant p
  fs::path out{}, pieces{};                 ///< derivatives, and the shards for the group level

  const std::string& model() const { return cohort.settings.model_name; }
  results::Shard shard(std::size_t participant) const {
    return {participant + 1, participants.size()};
  }
  fs::path piece(std::size_t participant) const {
    return pieces / results::shard_file_name("participants.json", shard(participant));
  }
};

/// "01" and "sub-01" -> "sub-01".
std::string with_prefix(const std::string& label, const std::string& prefix) {
  return label.starts_with(prefix) ? label : prefix + label;
}

/// The BIDS entity of a case, such as "sub-01"; "" if it has none.
std::string stated(const score::CasePlan& plan, const std::string& key) {
  const Entities of_case = entities(plan.reference.empty() ? plan.prediction : plan.reference);
  const auto found = of_case.find(key);
  return found == of_case.end() ? "" : key + "-" + found->second;
}

fs::path derivatives_of(const Options& o) {
  return fs::path(o.dataset) / "derivatives";
}

fs::path derivative(const Options& o, const std::string& given) {
  for (const fs::path& folder : {fs::path(given), derivatives_of(o) / given})
    if (fs::is_directory(folder)) return folder;
  throw Error(Error::Kind::io, given,
              "no such folder, nor is there one of this name in " + derivatives_of(o).string());
}

bool has_segmentations(const fs::path& folder) {
  return std::ranges::any_of(list_images(folder), [](const std::string& path) {
    return results::is_bids_segmentation(without_image_ending(path));
  });
}

/// The names of the datasets with masks that are neither known nor written here.
std::vector<std::string> other_datasets(const Options& o, const std::vector<fs::path>& known) {
  const auto is_known = [&](const fs::path& folder) {
    const auto same = [&](const fs::path& other) {
      return fs::exists(other) && fs::equivalent(folder, other);
    };
    return same(o.out) || std::ranges::any_of(known, same);
  };
  std::vector<std::string> names;
  if (fs::is_directory(derivatives_of(o)))
    for (const fs::directory_entry& entry : fs::directory_iterator(derivatives_of(o)))
      if (entry.is_directory() && !is_known(entry.path()) && has_segmentations(entry.path()))
        names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

fs::path found_references(const Options& o, const std::vector<fs::path>& predictions) {
  const std::vector<std::string> names = other_datasets(o, predictions);
  if (names.size() == 1) return derivatives_of(o) / names.front();
  const std::string folder = derivatives_of(o).string();
  usage(names.empty() ? folder +
                            " has no other dataset with masks (_mask, _dseg or _probseg); "
                            "name the references with --references DIR"
                      : "several datasets in " + folder + " have masks (" + joined(names) +
                            "); name the references with --references " + names.front());
}

score::CohortRequest request_of(const Options& o, const fs::path& predictions,
                                const fs::path& references) {
  score::CohortRequest r = request_of(o.score);
  r.prediction = predictions;
  r.reference = references;
  r.segmentations_only = true;
  const fs::path participants = fs::path(o.dataset) / "participants.tsv";
  if (r.groups.empty() && fs::exists(participants)) r.groups = participants;
  return r;
}

void keep_sessions(score::Cohort& cohort, const std::vector<std::string>& labels) {
  if (labels.empty()) return;
  std::set<std::string> wanted;
  for (const std::string& label : labels) wanted.insert(with_prefix(label, "ses-"));
  std::erase_if(cohort.cases,
                [&](const score::CasePlan& plan) { return !wanted.contains(stated(plan, "ses")); });
  if (cohort.cases.empty())
    throw Error(Error::Kind::input, "no case belongs to session " + joined(wanted));
}

void find_participants(Study& study) {
  std::set<std::string> all;
  for (const score::CasePlan& plan : study.cohort.cases) {
    const std::string subject = stated(plan, "sub");
    if (subject.empty())
      throw Error(Error::Kind::input, plan.reference.empty() ? plan.prediction : plan.reference,
                  "the name has no subject; it should look like sub-01_mask.nii.gz");
    all.insert(subject);
  }
  study.participants.assign(all.begin(), all.end());
  study.plan.shards = study.participants.size();
  study.plan.inputs_sha256 = score::cohort_sha256(study.cohort);
  for (const score::CasePlan& plan : study.cohort.cases) {
    const auto place = std::ranges::lower_bound(study.participants, stated(plan, "sub"));
    study.plan.shard_of.push_back(static_cast<std::size_t>(place - study.participants.begin()) + 1);
  }
  study.plan.sha256 = sha256(results::shard_plan_text(study.plan));
}

/// The table of a case, below the folder of derivatives.
std::string table_of(const metrics::CaseRecord& record, const std::string& model) {
  const std::string& named = record.reference.empty() ? record.prediction : record.reference;
  return results::bids_metrics_path(without_image_ending(named), model);
}

/// Refuses two cases that would share a table, because their names differ only in what is not a
/// BIDS entity.
void refuse_shared_tables(const Study& study) {
  std::map<std::string, std::string> seen;
  for (const score::CasePlan& plan : study.cohort.cases) {
    metrics::CaseRecord record = {.id = plan.id, .error = ""};
    record.prediction = plan.prediction;
    record.reference = plan.reference;
    const std::string path = table_of(record, study.model());
    const auto [other, is_new] = seen.try_emplace(path, plan.id);
    if (!is_new)
      throw Error(Error::Kind::input, "cases " + other->second + " and " + plan.id +
                                          " would both be written to " + path +
                                          "; choose the references with --ref-pattern");
  }
}

Study plan_study(const Options& o, const fs::path& predictions, const fs::path& references) {
  Study study = {.cohort = score::plan_cohort(request_of(o, predictions, references),
                                              settings_of(o.score, open_own_metrics(o.score, {})))};
  keep_sessions(study.cohort, o.sessions);
  find_participants(study);
  refuse_shared_tables(study);
  study.out = o.out;
  study.pieces = (o.work.empty() ? study.out / ".assay" : fs::path(o.work)) /
                 results::bids_label(study.model());
  return study;
}

std::vector<Study> plan_studies(const Options& o) {
  std::vector<fs::path> predictions;
  for (const std::string& given : o.predictions) predictions.push_back(derivative(o, given));
  const fs::path references =
      o.score.ref.empty() ? found_references(o, predictions) : derivative(o, o.score.ref);
  std::vector<Study> studies;
  std::set<std::string> names;
  for (const fs::path& folder : predictions) {
    studies.push_back(plan_study(o, folder, references));
    if (!names.insert(results::bids_label(studies.back().model())).second)
      usage("two models are called " + studies.back().model() + "; rename one of the folders");
    studies.back().cohort.notes.insert(studies.back().cohort.notes.begin(),
                                       "references from " + references.string());
  }
  return studies;
}

// ---- The participant level ------------------------------------------------------------------

std::vector<std::size_t> wanted_participants(const Options& o, const Study& study) {
  std::vector<std::size_t> out;
  for (std::size_t p = 0; p < study.participants.size(); ++p)
    if (o.participants.empty()) out.push_back(p);
  for (const std::string& label : o.participants) {
    const std::string name = with_prefix(label, "sub-");
    const auto found = std::ranges::lower_bound(study.participants, name);
    if (found == study.participants.end() || *found != name)
      throw Error(Error::Kind::input, "there is no participant " + name + "; there are " +
                                          study.participants.front() + " to " +
                                          study.participants.back());
    out.push_back(static_cast<std::size_t>(found - study.participants.begin()));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // clang 14 lacks the range
  return out;
}

/// Removes shards that were scored while the dataset had another number of participants, since they
/// can no longer be merged.
void remove_outdated(const Study& study) {
  std::error_code none;
  std::vector<fs::path> outdated;
  for (const fs::directory_entry& entry : fs::directory_iterator(study.pieces, none)) {
    const auto shard = results::shard_in_name(entry.path().filename().string());
    if (shard && shard->of != study.participants.size()) outdated.push_back(entry.path());
  }
  for (const fs::path& path : outdated) fs::remove(path, none);
}

void write_description(const Study& study, const metrics::SegmentationResult& result) {
  write_atomically(study.out / "dataset_description.json", results::bids_description(version()));
  write_atomically(
      study.out / results::bids_dataset_path(study.model(), results::bids_metrics, ".json"),
      results::bids_sidecar(result));
}

void write_table(const fs::path& path, const metrics::SegmentationResult& result,
                 std::span<const metrics::CaseScores> cases) {
  write_atomically(path,
                   [&](const TextSink& sink) { results::write_bids_table(result, cases, sink); });
}

/// Scores participants, and writes the results of each as soon as its last case is done.
class Participants {
 public:
  Participants(const Options& o, Study& study, const Session& session)
      : options_(o), study_(study), session_(session) {}

  /// Takes a participant, unless it is finished and need not be done again.
  void take(std::size_t participant, const score::Execution& execution) {
    Piece piece = {
        .header =
            score::shard_header(study_.cohort, study_.shard(participant), study_.plan, version()),
        .numbers = score::cases_of_shard(study_.cohort, study_.shard(participant), study_.plan)};
    piece.header.results =
        results::bids_dataset_path(study_.model(), results::bids_results, ".json");
    piece.header.anonymous = options_.score.anonymous;
    if (!piece.header.anonymous) piece.header.command = session_.command;
    if (options_.score.resume) {
      score::Cohort part = study_.cohort;
      score::keep_cases(part, piece.numbers);
      if (score::is_finished_shard(study_.piece(participant), piece.header, part, execution)) {
        ++finished_before_;
        return;
      }
    }
    for (std::size_t i = 0; i < piece.numbers.size(); ++i)
      places_[study_.cohort.cases[piece.numbers[i]].id] = {participant, i};
    numbers_.insert(numbers_.end(), piece.numbers.begin(), piece.numbers.end());
    piece.records.resize(piece.numbers.size());
    piece.left = piece.numbers.size();
    pieces_.emplace(participant, std::move(piece));
  }

  /// The cases of all participants that were taken.
  score::Cohort cases() const {
    std::vector<std::size_t> numbers = numbers_;
    std::ranges::sort(numbers);
    score::Cohort out = study_.cohort;
    score::keep_cases(out, numbers);
    return out;
  }

  void add(const metrics::CaseRecord& record) {
    const auto [participant, place] = places_.at(record.id);
    Piece& piece = pieces_.at(participant);
    piece.records[place] = record;
    ++cases_;
    if (!results::is_whole(record)) ++failed_;
    if (--piece.left == 0) finish(participant, piece);
  }

  std::size_t scored() const { return cases_; }
  std::size_t failed() const { return failed_; }
  std::size_t finished_before() const { return finished_before_; }

 private:
  struct Piece {
    results::ShardHeader header;
    std::vector<std::size_t> numbers;
    metrics::CaseRecords records{};
    std::size_t left = 0;
  };

  void finish(std::size_t participant, Piece& piece) {
    score::write_shard_file(study_.piece(participant), piece.header, piece.numbers, piece.records);
    const metrics::SegmentationResult result =
        metrics::scored(study_.cohort.settings, std::move(piece.records));
    for (const metrics::CaseScores& scores : result.cases)
      write_table(study_.out / table_of(scores.record, study_.model()), result, {&scores, 1});
    write_description(study_, result);
  }

  const Options& options_;
  Study& study_;
  const Session& session_;
  std::map<std::size_t, Piece> pieces_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< by id of a case
  std::vector<std::size_t> numbers_;
  std::size_t cases_ = 0, failed_ = 0, finished_before_ = 0;
};

Exit tell_participants(const Participants& scored, const Study& study, std::size_t participants,
                       const Common& common, const Session& session) {
  if (common.json)
    session.out << fmt::format(
        "{{\"participants\": {}, \"already_scored\": {}, \"cases\": {}, \"failed\": {}}}\n",
        participants, scored.finished_before(), scored.scored(), scored.failed());
  else if (!common.quiet)
    session.out << fmt::format(
        "{}: {} of {} participants, {} scored, {} failed{}\n", report::printable(study.model()),
        participants, study.participants.size(), counted(scored.scored(), "case"), scored.failed(),
        scored.finished_before() == 0
            ? ""
            : fmt::format("; {} had been scored before", scored.finished_before()));
  return scored.failed() == 0 ? done : some_failed;
}

Exit run_participants(const Options& o, Study& study, const Common& common,
                      const Session& session) {
  tell_plan(study.cohort, session);
  const std::vector<std::size_t> wanted = wanted_participants(o, study);
  fs::create_directories(study.pieces);
  require_writable(study.pieces / "piece");
  remove_outdated(study);
  score::Execution execution = {.jobs = jobs(common), .version = version(), .stop = &session.stop};
  Participants participants(o, study, session);
  for (const std::size_t p : wanted) participants.take(p, execution);
  const score::Cohort cases = participants.cases();
  Progress progress(session.err, session.err_is_terminal && !common.quiet);
  execution.progress = [&](std::size_t number, std::size_t total,
                           const metrics::CaseRecord& record) {
    if (record.fate != metrics::Fate::scored)
      session.err << "not scored: " << report::printable(record.id + ": " + record.error) << '\n';
    participants.add(record);
    progress.update(number, total, record.fate != metrics::Fate::scored);
  };
  score::MemoryGate gate(memory_limit(o.score.max_memory));
  execution.scorer = score::within_memory({}, gate, study.cohort.settings, false);
  const score::CohortRecords run = score::score_cases(cases, execution);
  progress.clear();
  if (run.interrupted) {
    session.err
        << "interrupted; add --resume to the same command to score the other participants\n";
    return interrupted;
  }
  std::vector<const metrics::CaseRecord*> records;
  for (const metrics::CaseRecord& record : run.records) records.push_back(&record);
  tell("warning", metrics::own_failure_sentences(study.cohort.settings, records), session.err);
  tell("derivatives", {study.out.string()}, session.notes);
  return tell_participants(participants, study, wanted.size(), common, session);
}

// ---- The group level ------------------------------------------------------------------------

std::string command_of_level(const Options& o, const std::string& participants) {
  return "assay bids-app " + o.dataset + " " + o.out + " participant" + participants + " …";
}

/// The labels of participants without their prefix, as the option takes them.
std::string labels_of(const Study& study, const std::vector<std::size_t>& shards) {
  return joined(shards, ",",
                [&](std::size_t shard) { return study.participants[shard - 1].substr(4); });
}

/// Names every participant that cannot be merged, then refuses.
void refuse_troubles(const Options& o, const Study& study, const score::ShardFolder& pieces,
                     std::ostream& err) {
  tell("conflict", pieces.conflicts, err);
  tell(o.partial ? "left out" : "unusable", score::sentences_of(pieces.unusable), err);
  const std::string again = "; run the participant level again for all: " + command_of_level(o, "");
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::input, what + "; nothing was written");
  };
  if (!pieces.conflicts.empty())
    refuse("participants were scored with other settings, or from other files" + again);
  if (pieces.header.inputs_sha256 != study.plan.inputs_sha256 ||
      pieces.header.shard.of != study.participants.size())
    refuse("the dataset has changed since participants were scored" + again);
  if (!pieces.missing.empty() && !o.partial)
    refuse(counted(pieces.missing.size(), "participant") + " of " +
           std::to_string(study.participants.size()) + " not scored yet; run: " +
           command_of_level(o, " --participant-label " + labels_of(study, pieces.missing)) +
           ", or add --partial");
}

score::ShardFolder read_pieces(const Options& o, const Study& study) {
  if (!fs::is_directory(study.pieces))
    throw Error(
        Error::Kind::input, study.out.string(),
        "has no scored participants of " + study.model() + "; run: " + command_of_level(o, ""));
  return score::read_shards(study.pieces);
}

Exit run_group(const Options& o, const Study& study, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  score::ShardFolder pieces = read_pieces(o, study);
  refuse_troubles(o, study, pieces, session.err);
  score::Cohort cohort = score::cohort_of(pieces.header);
  cohort.roots = study.cohort.roots;
  const bool is_partial = !pieces.missing.empty();
  if (is_partial)
    cohort.warnings.push_back("participants " + labels_of(study, pieces.missing) +
                              " are missing, because they have not been scored yet");
  tell("warning", cohort.warnings, session.notes);
  for (const std::string& sentence : score::sentences_of(pieces.unusable, study.pieces))
    cohort.warnings.push_back("left out: " + sentence);  // already printed on standard error
  const metrics::SegmentationResult result = metrics::scored(cohort.settings, pieces.records);
  const auto path = [&](std::string_view suffix, std::string_view ending) {
    return study.out / results::bids_dataset_path(study.model(), suffix, ending);
  };
  const Exit exit = put_results({.cohort = cohort,
                                 .records = std::move(pieces.records),
                                 .out = path(results::bids_results, ".json"),
                                 .csv = o.score.csv,
                                 .anonymous = o.score.anonymous},
                                common, session, clock);
  write_table(path(results::bids_metrics, ".tsv"), result, result.cases);
  write_description(study, result);
  return is_partial ? some_failed : exit;
}

// ---------------------------------------------------------------------------------------------

void settle(Options& o, Common& common) {
  if (o.dataset.empty() || o.out.empty() || o.level.empty())
    usage("give a dataset, a folder and a level: assay bids-app BIDS_DIR OUT participant|group");
  if (o.level.front() != "participant" && o.level.front() != "group")
    usage("'" + o.level.front() + "' is not a level; write participant or group");
  const bool is_group = o.level.front() == "group";
  if (o.level.size() > 1 && o.participants.empty())
    usage("unexpected argument '" + o.level[1] + "'");
  o.participants.insert(o.participants.end(), o.level.begin() + 1, o.level.end());
  if (is_group && !o.participants.empty())
    usage("the group level joins all participants; drop --participant-label");
  if (!fs::is_directory(o.dataset))
    throw Error(Error::Kind::io, o.dataset, "no such folder; it was given as the dataset");
  if (o.predictions.empty()) {
    const std::vector<std::string> names = other_datasets(o, {});
    usage("name the segmentations to score: --predictions DIR, a derivative dataset" +
          (names.empty() ? "" : "; " + derivatives_of(o).string() + " has " + joined(names)));
  }
  if (o.predictions.size() > 1 && !(o.score.model + o.score.csv).empty())
    usage("--model and --csv are for one model; give one --predictions");
  if (!common.out.empty()) usage("OUT is the second argument; drop --out");
  const ShardOptions& parts = o.score.shard;
  if (!(parts.shard + parts.plan).empty() || parts.plan_shards != 0 || o.score.nnunet)
    usage(
        "participants are the shards of an app, and BIDS is the layout; drop --shard, --plan, "
        "--make-plan and --format");
  if (!o.score.trackers.empty()) usage("--log-to is for score and evaluate; drop it");
  if (!is_group && !o.score.csv.empty()) usage("--csv belongs to the group level");
  if (o.cpus != 0) common.jobs = o.cpus;
  if (o.memory_mb != 0) o.score.max_memory = Bytes{o.memory_mb * 1'000'000};
}

Exit run(Options o, Common common, const Session& session) {
  settle(o, common);
  Exit exit = done;
  for (Study& study : plan_studies(o)) {
    const Exit one = o.level.front() == "group" ? run_group(o, study, common, session)
                                                : run_participants(o, study, common, session);
    if (one == interrupted) return one;
    if (one != done) exit = one;
  }
  return exit;
}

constexpr Example examples[] = {
    {"assay bids-app ds001 ds001/derivatives/assay participant --predictions lesionnet",
     "scores derivatives/lesionnet against the other masks there; a table for each scan"},
    {"assay bids-app ds001 out participant --predictions lesionnet --participant-label 01,02",
     "two participants only: what a job on a cluster does"},
    {"assay bids-app ds001 out group --predictions lesionnet",
     "all participants: the results file of 'assay score', and a table of all scans"},
};

}  // namespace
}  // namespace bids_app_file

const Command bids_app_command = {"bids-app", "Score a BIDS dataset as a BIDS App",
                                  command<bids_app_file::declare_options, bids_app_file::run>,
                                  bids_app_file::examples,
                                  /*stops_in_order=*/true};

}  // namespace assay::cli

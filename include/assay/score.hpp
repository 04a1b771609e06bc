// SPDX-License-Identifier: Apache-2.0
/// Predictions against references: a pair of masks, a pair of files, a cohort of files.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/cohort.hpp"
#include "assay/results.hpp"

namespace assay::score {

// ---- From what was asked to a list of cases: which files, which labels.

/// A pair of files. With one file per structure each pair scores one region, and a structure may
/// lack its prediction or its reference (an empty path). Paths are kept as texts because
/// std::filesystem::path stores every part of a path once more, about a kilobyte per case.
struct FilePair {
  std::string region;                 ///< key; "" when the files hold all regions
  std::string prediction, reference;  ///< one may be missing
  std::size_t volume = 0;             ///< which one of several, from 1; 0: they have one
  /// Where the first side is an image: its other channels, in files of their own.
  std::vector<std::string> channels{};
};

/// A case that is expected, and what is known about it before any file is opened.
struct CasePlan {
  std::string id;
  metrics::Groups groups{};
  std::string prediction{}, reference{};  ///< as shown in results
  std::vector<FilePair> files{};
  metrics::Fate fate = metrics::Fate::scored;  ///< or why it cannot be scored at all
  std::string error{};                         ///< the sentence that goes with it
};

/// The labels that are asked for: some, all that occur, or none (then one mask is scored).
struct LabelChoice {
  bool all = false;
  std::vector<Label> listed{};

  bool empty() const { return !all && listed.empty(); }
};

/// Which image of a Grand Challenge job is meant, by the slug of its socket; "": the only image.
struct Sockets {
  std::string input{};   ///< the references are named after it
  std::string output{};  ///< is scored
};

/// What cases of DICOM files are named by. Only `patient_name` puts names of people into results.
enum class DicomId {
  automatic,     ///< the study, else the patient; the file's name unless both sides are DICOM
  study,         ///< StudyInstanceUID
  patient,       ///< PatientID
  patient_name,  ///< PatientName
  file           ///< the name of the file
};

/// What to score, as asked for; nothing has been looked up.
struct CohortRequest {
  std::filesystem::path prediction, reference;  ///< files or folders; with a manifest: roots, or ""
  std::filesystem::path manifest{};             ///< CSV with id, prediction, reference
  std::string prediction_pattern{}, reference_pattern{};
  bool segmentations_only = false;  ///< only files with BIDS' suffix mask, dseg or probseg
  /// The prediction folder is the input of a Grand Challenge evaluation, with predictions.json.
  std::optional<Sockets> grand_challenge{};
  DicomId dicom_id = DicomId::automatic;
  std::string model_name{};  ///< "": the name of the prediction folder or file
  /// What the first side is: predictions, or the images that they are to be made from. Names a
  /// column of the manifest, and is used in messages.
  std::string side = "prediction";
  /// Files that make one image; 0: as many as dataset.json or the names say.
  std::size_t channels = 1;

  LabelChoice labels{};
  std::vector<metrics::Region> regions{};  ///< unions of labels, scored besides them
  std::filesystem::path dataset_json{};
  std::filesystem::path label_names{};  ///< look-up table with names and colours of labels
  std::filesystem::path colors{};       ///< look-up table with the labels that colours mean
  std::filesystem::path groups{};       ///< table that adds columns to the cases
};

/// What will be scored.
struct Cohort {
  metrics::ScoreSettings settings;
  std::vector<CasePlan> cases;          ///< by id
  std::vector<std::string> notes;       ///< what was decided without being asked, for people
  std::vector<std::string> warnings{};  ///< what looks wrong before any file is opened
  bool labels_were_asked_for = false;   ///< on the command line, not by a file next to the data
  results::CaseRoots roots{};           ///< what the paths of the cases start from
};

/// Pairs files and settles labels. `settings` holds what does not depend on files. Throws Error
/// when the request cannot be met: no such folder, no case at all, two files for one case.
Cohort plan_cohort(const CohortRequest& request, metrics::ScoreSettings settings);

/// Every file that is read for the cohort: no result may overwrite these.
std::vector<std::filesystem::path> input_files(const Cohort& cohort);

// ---- How a cohort is run.

class Workspace;  // memory that one worker keeps from case to case

/// How to run, as opposed to what to score: nothing here changes a number.
struct Execution {
  unsigned jobs = 1;
  std::filesystem::path journal{};  ///< "": none
  bool resume = false;
  std::string version{};  ///< of the program, for the journal
  /// Called after each case, from any thread but never from two at once.
  std::function<void(std::size_t done, std::size_t total, const metrics::CaseRecord& last)>
      progress{};
  const std::atomic<bool>* stop =
      nullptr;  ///< set by a signal: finish the cases under way and begin no more
  /// How a case is scored; unset: its files are read and counted.
  std::function<metrics::CaseRecord(const CasePlan& plan, Workspace& workspace)> scorer{};
  /// Whether a case that the journal has needs no more work; unset: none does.
  std::function<bool(const CasePlan& plan)> is_complete{};
  /// Cases wait for more than a core, such as their turn at a model or a program, so a stop
  /// abandons them.
  bool waits = false;
  /// Called with a sentence when the run is slower than it was meant to be; may be empty.
  std::function<void(const std::string& sentence)> warn{};
};

struct CohortRecords {
  metrics::CaseRecords records;  ///< in the order of the cohort; short when interrupted
  std::size_t replayed = 0;      ///< taken from the journal instead of being scored again
  bool interrupted = false;
};

/// Scores every case. The records do not depend on `jobs`, nor on how often the run was resumed.
/// Throws Error when the journal belongs to another request, is damaged, or cannot be written.
CohortRecords score_cases(const Cohort& cohort, const Execution& execution);

/// Why results are worth nothing, in a sentence: no case was scored, or not all that had to be, or
/// none has the labels that were asked for. "" when they are worth something.
std::string why_worthless(const metrics::SegmentationResult& result, const Cohort& cohort);

/// Scores every case, and what follows for the whole. Throws Error as `score_cases` does, when
/// the result would be worthless, and when the run was stopped.
metrics::SegmentationResult score_cohort(const Cohort& cohort, const Execution& execution = {});

/// A pair of files as a cohort of one case. Throws Error that names the file at fault.
metrics::SegmentationResult score_files(const std::filesystem::path& prediction,
                                        const std::filesystem::path& reference,
                                        const metrics::ScoreSettings& settings);

}  // namespace assay::score

// SPDX-License-Identifier: Apache-2.0
/// assay submit slurm: an array job that runs a command in shards, and a job that merges them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "cli/commands.hpp"
#include "cli/parsed_line.hpp"
#include "cli/rehearsal.hpp"
#include "cli/slurm.hpp"
#include "cli/slurm_scripts.hpp"
#include "cli/slurm_wait.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace submit_slurm_file {
namespace {

namespace fs = std::filesystem;

constexpr std::array divisible = {"score", "evaluate"};

/// A task of an array costs the scheduler about a second, so a shard should take longer than that.
constexpr std::size_t cases_per_shard = 100, cases_per_shard_of_model = 10, least_shards = 4,
                      most_shards = 1000;

struct Options {
  CommandWords command;
  std::size_t shards = 0, at_once = 0;
  std::string sbatch;
  bool wait = false, retry = false, dry_run = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("COMMAND", o.command,
               "The command to run, after '--': score … or evaluate …, with its --out");
  a.option("--shards N", o.shards,
           fmt::format("Number of shards (default: one for each {} cases, or {} with a model; at "
                       "least {}, at most {} and what the cluster allows)",
                       cases_per_shard, cases_per_shard_of_model, least_shards, most_shards));
  a.option("--at-once N", o.at_once,
           "Number of shards that run at the same time (default: as many as the cluster starts)");
  a.option("--sbatch OPTIONS", o.sbatch,
           "Options for sbatch, quoted as one argument, such as '--account=lab --time=2:00:00 "
           "--mem=8G'; both jobs get them");
  a.flag("--wait", o.wait,
         "Show the progress of all shards until they are merged; also follows an earlier "
         "submission");
  a.flag("--retry", o.retry, "Submit the missing shards of an earlier submission again");
  a.flag("--dry-run", o.dry_run, "Print the scripts; write and submit nothing");
}

/// A path as typed, in a form that cannot be mistaken for an option.
std::string as_word(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

bool is_divisible(const CommandWords& command) {
  return !command.empty() && std::ranges::count(divisible, command.front()) != 0;
}

/// Throws Error::usage when the command cannot be submitted, whatever its files are.
void refuse_command(const Options& o, const Common& common) {
  constexpr const char* usage = "assay submit slurm -- score PRED REF --out results.json";
  if (!common.out.empty())
    throw Error(Error::Kind::usage,
                std::string("--out belongs to the command that is run; write ") + usage);
  if (o.command.empty())
    throw Error(Error::Kind::usage, std::string("give a command after '--': ") + usage);
  if (o.command.front() == "predict")
    throw Error(Error::Kind::usage,
                "'predict' leaves nothing to merge; submit an array job of your own: sbatch "
                "--array=1-16 --wrap 'assay predict MODEL IMAGES --out DIR --shard auto'");
  if (!is_divisible(o.command))
    throw Error(Error::Kind::usage, fmt::format("'{}' cannot be divided into shards; {} can",
                                                o.command.front(), joined(divisible, " and ")));
  for (const char* option : {"--shard", "--plan", "--make-plan"})
    if (has_option(o.command, option))
      throw Error(Error::Kind::usage, std::string(option) + " is set by submit; drop it");
  if (has_option(o.command, "--log-to"))
    throw Error(Error::Kind::usage,
                "--log-to cannot be used with shards, which do not have the means of the whole "
                "cohort; drop it");
  if (!has_option(o.command, "--out"))
    throw Error(Error::Kind::usage, std::string("the command needs --out: ") + usage);
}

/// What the command would do, or its exit status if it has already said why it does nothing.
struct Rehearsed {
  std::optional<PlannedWork> work{};
  results::ShardPlan plan{};
  Exit status = done;
};

std::size_t default_shards(const PlannedWork& work, std::size_t most) {
  const std::size_t per_shard = work.runs_model ? cases_per_shard_of_model : cases_per_shard;
  const std::size_t wanted = std::max((work.cases + per_shard - 1) / per_shard, least_shards);
  return std::clamp<std::size_t>(std::min(wanted, work.cases), 1, std::min(most, most_shards));
}

/// Runs the command up to its actual work, with the usual parser.
Rehearsed rehearse(const ParsedLine& line, const Session& session,
                   const std::function<std::size_t(const PlannedWork&)>& shards) {
  Rehearsed out;
  const Rehearsal rehearsal = [&](const PlannedWork& work) {
    out.work = work;
    out.plan = work.plan(shards(work));
    out.work->plan = nullptr;  // it refers to the cohort, which is about to be destroyed
  };
  std::ostringstream unheard;
  const Session inner = {.out = unheard,
                         .data = unheard,
                         .err = session.notes,
                         .notes = session.notes,
                         .command = line.words,
                         .stop = session.stop,
                         .rehearsal = &rehearsal};
  out.status = line.parser->run(inner);
  return out;
}

/// The path of this program, or just its name if it runs inside another program, such as Python.
fs::path own_program() {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  return !unknown && self.filename() == "assay" ? self : "assay";
}

fs::path folder_of_submission(const fs::path& out) {
  return as_word(out.string()) + ".shards";
}

void write_script(const fs::path& path, const std::string& text) {
  write_atomically(path, text);
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
}

/// The command to type after a submission: the same with another option.
std::string same_command(const Options& o, const char* option) {
  CommandWords words = {"assay", "submit", "slurm", option, "--"};
  words.insert(words.end(), o.command.begin(), o.command.end());
  return command_text(words);
}

Json submission_json(const Submission& s) {
  Json jobs = Json::array();
  for (const SubmittedJobs& one : s.jobs)
    jobs.push_back({{"array", or_null(one.array)}, {"merge", one.merge}, {"shards", one.shards}});
  return {{"schema", "assay.submission/1"},  {"folder", s.folder.string()}, {"out", s.out.string()},
          {"cases", s.plan.shard_of.size()}, {"shards", s.plan.shards},     {"jobs", jobs}};
}

void tell_submission(const Submission& s, const Options& o, const Common& common,
                     const Session& session) {
  if (common.json) return;
  const SubmittedJobs& last = s.jobs.back();
  session.out << (last.array.empty() ? std::string("submitted: no shard")
                                     : fmt::format("submitted: array job {} with shards {} of {}",
                                                   last.array, last.shards, s.plan.shards))
              << fmt::format(" ({}), merge job {}\n", counted(s.plan.shard_of.size(), "case"),
                             last.merge);
  if (common.quiet || o.wait) return;
  session.out << "follow:    squeue -j " << (last.array.empty() ? "" : last.array + ",")
              << last.merge << "\nwait:      " << same_command(o, "--wait")
              << "\nif some fail: " << same_command(o, "--retry")
              << "\nlogs:      " << (s.folder / log_folder).string()
              << "\nresults:   " << s.out.string() << '\n';
}

/// Both jobs, or neither.
SubmittedJobs submit_both(const Submission& s, const std::string& shards, bool is_whole,
                          const std::vector<std::string>& running) {
  SubmittedJobs out = {.shards = shards};
  if (!shards.empty())
    out.array = submit_job(s.folder / job_script,
                           is_whole ? CommandWords{} : CommandWords{"--array=" + shards});
  try {
    std::vector<std::string> before = running;
    if (!out.array.empty()) before.push_back(out.array);
    out.merge =
        submit_job(s.folder / merge_script,
                   before.empty() ? CommandWords{}
                                  : CommandWords{"--dependency=afterany:" + joined(before, ":")});
  } catch (const Error&) {
    if (!out.array.empty()) cancel_job(out.array);
    throw;
  }
  return out;
}

/// "1-16" for all shards, or "3,7" for some.
std::string array_list(const std::vector<std::size_t>& numbers) {
  return joined(numbers, ",", [](std::size_t number) { return std::to_string(number); });
}

class Submitter {
 public:
  Submitter(const Options& o, const Common& common, const Session& session)
      : options_(o), common_(common), session_(session) {}

  Exit run() {
    const ParsedLine line = take_config();
    if (line.status) return static_cast<Exit>(*line.status);
    refuse_command(options_, common_);
    const bool uses_slurm = !options_.dry_run;
    if (uses_slurm && !has_slurm())
      throw Error(Error::Kind::unsupported,
                  "sbatch is not on the PATH, so this machine cannot submit to Slurm; "
                  "--dry-run prints the scripts, and 'SLURM_ARRAY_TASK_ID=1 bash job.sh' runs a "
                  "shard without Slurm");
    const Rehearsed rehearsed =
        rehearse(line, session_, [&](const PlannedWork& work) { return shards_for(work); });
    if (!rehearsed.work) return rehearsed.status;
    submission_ = {.folder = folder_of_submission(rehearsed.work->out),
                   .out = as_word(rehearsed.work->out.string()),
                   .plan = rehearsed.plan};
    const SlurmJob job = job_of(*rehearsed.work);
    if (options_.dry_run) return show(job);
    submission_.jobs = read_jobs(submission_.folder);
    if (!submission_.jobs.empty()) return go_on(job);
    if (options_.retry)
      throw Error(Error::Kind::usage,
                  submission_.folder.string() + ": nothing was submitted yet; drop --retry");
    return begin(job);
  }

 private:
  /// The command with the options of configuration files as they are now; its shards read no
  /// configuration files.
  ParsedLine take_config() {
    if (!is_divisible(options_.command)) return {};  // refused later
    CommandWords words = {"assay"};
    words.insert(words.end(), options_.command.begin(), options_.command.end());
    ParsedLine line = parse_line(words, session_.config, session_.err, session_.err);
    options_.command = {line.words.begin() + 1, line.words.end()};
    return line;
  }

  /// The number of an earlier submission, else the number asked for, else one that suits the number
  /// of cases.
  std::size_t shards_for(const PlannedWork& work) const {
    const fs::path folder = folder_of_submission(work.out);
    const bool is_begun = !options_.dry_run && !read_jobs(folder).empty();
    if (is_begun) {
      const std::size_t before = results::read_shard_plan(folder / plan_file).shards;
      if (options_.shards != 0 && options_.shards != before)
        throw Error(Error::Kind::usage,
                    fmt::format("{}: was submitted with {} shards; drop --shards, or remove the "
                                "folder to begin again",
                                folder.string(), before));
      return before;
    }
    const std::size_t most =
        options_.dry_run ? most_shards : largest_array_task().value_or(most_shards);
    if (options_.shards == 0) return default_shards(work, most);
    if (!options_.dry_run && options_.shards > most)
      throw Error(Error::Kind::usage,
                  fmt::format("--shards {}: this cluster allows at most {} tasks in an array "
                              "(MaxArraySize)",
                              options_.shards, most));
    return options_.shards;
  }

  SlurmJob job_of(const PlannedWork& work) const {
    return {.command = options_.command,
            .program = own_program(),
            .folder = submission_.folder,
            .work = fs::current_path(),
            .out = submission_.out,
            .csv = as_word(work.csv),
            .shards = submission_.plan.shards,
            .at_once = options_.at_once,
            .sbatch = passed_on()};
  }

  CommandWords passed_on() const {
    if (options_.sbatch.empty()) return {};
    CommandWords words = command_words(options_.sbatch, "--sbatch");
    for (const char* own : {"--array", "-a", "--parsable"})
      if (has_option(words, own))
        throw Error(Error::Kind::usage, std::string(own) +
                                            " of sbatch is set by submit; use --shards and "
                                            "--at-once");
    return words;
  }

  Exit show(const SlurmJob& job) const {
    session_.data << "# --- " << (job.folder / job_script).string() << '\n'
                  << job_text(job) << "\n# --- " << (job.folder / merge_script).string() << '\n'
                  << merge_text(job);
    return done;
  }

  Exit begin(const SlurmJob& job) {
    const bool is_new = !fs::exists(job.folder);
    try {
      make_folder(job.folder / log_folder);
      write_atomically(job.folder / plan_file, results::shard_plan_text(submission_.plan));
      write_script(job.folder / job_script, job_text(job));
      write_script(job.folder / merge_script, merge_text(job));
      fs::remove(job.folder / merge_status);
      submission_.jobs = {submit_both(submission_, fmt::format("1-{}", job.shards), true, {})};
    } catch (const Error&) {
      std::error_code ignored;
      if (is_new) fs::remove_all(job.folder, ignored);
      throw;
    }
    return follow();
  }

  /// An existing submission must be of the same command; only sbatch's options may differ.
  void refuse_other_command(const SlurmJob& job) const {
    if (results::read_shard_plan(job.folder / plan_file).inputs_sha256 !=
        submission_.plan.inputs_sha256)
      throw Error(Error::Kind::input, job.folder.string(),
                  "was submitted for other cases; remove the folder to begin again");
    if (without_directives(read_text(job.folder / job_script)) != without_directives(job_text(job)))
      throw Error(Error::Kind::input, job.folder.string(),
                  "was submitted for another command, from another folder or by another assay; "
                  "remove it to begin again, or choose another --out");
  }

  /// Continues a submission that was made before.
  Exit go_on(const SlurmJob& job) {
    refuse_other_command(job);
    if (!options_.retry && !options_.wait)
      throw Error(Error::Kind::usage,
                  fmt::format("{}: was submitted already (job {}); --wait follows it, and --retry "
                              "submits what is missing; remove the folder to begin again",
                              job.folder.string(), submission_.jobs.back().merge));
    return options_.retry ? retry(job) : finish();
  }

  Exit retry(const SlurmJob& job) {
    const MissingShards missing = find_missing(submission_);
    if (missing.shards.empty() && missing.running.empty() && fs::exists(job.out)) {
      session_.err << "note: no shard is missing, and " << job.out.string() << " exists\n";
      return done;
    }
    if (!job.sbatch.empty()) {
      write_script(job.folder / job_script, job_text(job));
      write_script(job.folder / merge_script, merge_text(job));
    }
    cancel_job(submission_.jobs.back().merge);  // it would still find shards missing
    fs::remove(job.folder / merge_status);
    submission_.jobs.push_back(
        submit_both(submission_, array_list(missing.shards), false, missing.running));
    return follow();
  }

  Exit follow() {
    write_jobs(submission_);
    tell_submission(submission_, options_, common_, session_);
    return finish();
  }

  Exit finish() {
    const Exit status = options_.wait ? wait_for(submission_, common_, session_) : done;
    if (common_.json) session_.out << to_text(submission_json(submission_)) << '\n';
    return status;
  }

  Options options_;
  const Common& common_;
  const Session& session_;
  Submission submission_{};
};

Exit run(const Options& o, const Common& common, const Session& session) {
  return Submitter(o, common, session).run();
}

constexpr Example examples[] = {
    {"assay submit slurm -- score predictions labelsTr --out results.json",
     "shards of the cohort as an array job, then results.json from a job that merges them"},
    {"assay submit slurm --shards 64 --wait --sbatch '--account=lab --time=2:00:00 --mem=8G' -- "
     "evaluate unet.onnx Dataset501 --out results.json",
     "64 shards with these limits; shows progress and ends with the exit status of the merge"},
    {"assay submit slurm --retry --wait -- score predictions labelsTr --out results.json",
     "after failures: only the shards that are missing"},
};

}  // namespace
}  // namespace submit_slurm_file

const Command submit_slurm_command = {
    "slurm", "Run a command in shards on a Slurm cluster",
    command<submit_slurm_file::declare_options, submit_slurm_file::run>,
    submit_slurm_file::examples,
    /*stops_in_order=*/true};

}  // namespace assay::cli

// SPDX-License-Identifier: Apache-2.0
/// assay qa fetch: the table of questions, a sample slide, lists of slides for their archives.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "assay/base/ascii.hpp"
#include "assay/base/download.hpp"
#include "assay/base/file.hpp"
#include "assay/base/http.hpp"
#include "assay/error.hpp"
#include "assay/qa/slides/slide_lists.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"

namespace assay::cli {
namespace qa_fetch_file {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* sample_slide =
    "https://openslide.cs.cmu.edu/download/openslide-testdata/Aperio/CMU-1.svs";

constexpr const char* usual_hub = "https://huggingface.co";

/// The command line as typed.
struct Options {
  bool table = false, sample_slide = false, lists = false;
  std::string table_file = "MultiPathQA.csv", repo = "tbuckley/MultiPathQA", revision = "main";
  std::string endpoint, slide_url = qa_fetch_file::sample_slide, sha256;
};

void declare_options(Arguments& a, Options& o) {
  a.flag("--table", o.table,
         "Fetch the table of questions (default when nothing else is asked for)");
  a.flag("--sample-slide", o.sample_slide, "Fetch OpenSlide's sample slide, to try things with");
  a.flag("--lists", o.lists, "Write lists of the table's slides, for the archives that hold them");
  a.option("--table-file NAME", o.table_file, "Name of the table in its repository");
  a.option("--repo OWNER/NAME", o.repo, "Repository on the hub");
  a.option("--revision NAME", o.revision, "Branch, tag or commit");
  a.option("--endpoint URL", o.endpoint,
           "Address of the hub (default: $HF_ENDPOINT, or " + std::string(usual_hub) + ")");
  a.option("--slide-url URL", o.slide_url, "Address of the sample slide");
  a.option("--sha256 HEX", o.sha256, "SHA-256 that the one fetched file must have");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Part of a URL: special characters except slashes are percent-encoded.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = is_ascii_word(c) || std::string_view("-._~/").find(c) != text.npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// One file to fetch, and what to say if it is not available.
struct Source {
  std::string what, url, name;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string absent;  ///< remedy for status 404
};

std::string base_name(const std::string& path, const std::string& option) {
  std::string name = fs::path(path.substr(0, path.find_first_of("?#"))).filename().string();
  if (name.empty() || name == "." || name == "..")
    throw Error(Error::Kind::usage, option + ": does not name a file");
  return name;
}

Source table_source(const Options& o) {
  std::string hub = !o.endpoint.empty() ? o.endpoint : environment("HF_ENDPOINT");
  if (hub.empty()) hub = usual_hub;
  require_http_address(hub, "--endpoint");
  while (hub.ends_with('/')) hub.pop_back();
  Source source = {.what = "table",
                   .url = fmt::format("{}/datasets/{}/resolve/{}/{}", hub, escaped(o.repo),
                                      escaped(o.revision), escaped(o.table_file)),
                   .name = base_name(o.table_file, "--table-file"),
                   .absent = fmt::format("there is no {} in {} at {}; check --repo, --revision and "
                                         "--table-file",
                                         o.table_file, o.repo, o.revision)};
  if (const std::string token = environment("HF_TOKEN"); !token.empty())
    source.headers.emplace_back("Authorization", "Bearer " + token);
  return source;
}

Source slide_source(const Options& o) {
  require_http_address(o.slide_url, "--slide-url");
  return {.what = "sample slide",
          .url = o.slide_url,
          .name = base_name(o.slide_url, "--slide-url"),
          .absent = "there is no such slide; give another with --slide-url"};
}

/// Why nothing came, and what to do.
Error refusal(const Source& source, const DownloadFailure& failure, const fs::path& target) {
  const std::string address = source.url.substr(0, source.url.find('?'));
  if (failure.status == 401 || failure.status == 403)
    return {Error::Kind::io,
            fmt::format("{}: access is refused (status {}); {}", address, failure.status,
                        source.headers.empty() ? "set HF_TOKEN to a token of your account"
                                               : "check that the token in HF_TOKEN may read it")};
  if (failure.status == 404) return {Error::Kind::io, address + ": " + source.absent};
  return {Error::Kind::io,
          fmt::format("{}; start again to continue, or fetch {} by other means and put it at {}",
                      failure.message, address, target.string())};
}

/// A file that was fetched, or nothing after Ctrl-C.
std::optional<Downloaded> fetched(const Source& source, const Options& o, const fs::path& target,
                                  const Common& common, const Session& session) {
  Progress bar(session.err, session.err_is_terminal && !common.quiet);
  const auto result = download({.url = source.url,
                                .path = target,
                                .headers = source.headers,
                                .sha256 = o.sha256,
                                .stop = &session.stop},
                               [&](std::uint64_t done, std::uint64_t total) {
                                 bar.update(done >> 10, std::max(done, total) >> 10, false);
                               });
  bar.clear();
  if (const auto* got = std::get_if<Downloaded>(&result)) return *got;
  const auto& failure = std::get<DownloadFailure>(result);
  if (!failure.stopped) throw refusal(source, failure, target);
  return std::nullopt;
}

void tell(const Source& source, const Downloaded& got, const fs::path& target, std::ostream& err) {
  err << fmt::format("{}: {}{}, {} bytes\nsha256: {}{}\n", source.what,
                     report::printable(target.string()),
                     got.already_there ? " is already there"
                     : got.resumed     ? " (continued)"
                                       : "",
                     got.size, got.sha256,
                     got.checked_by.empty() ? " (the server names none to compare)" : " (checked)");
}

Json described(const Source& source, const Downloaded& got, const fs::path& target) {
  return {{"what", source.what},
          {"file", target.string()},
          {"url", source.url.substr(0, source.url.find('?'))},
          {"bytes", got.size},
          {"sha256", got.sha256},
          {"checked_by", got.checked_by.empty() ? Json() : Json(got.checked_by)},
          {"already_there", got.already_there}};
}

Json written_lists(const fs::path& table, const fs::path& folder, const Session& session) {
  Json out = Json::array();
  for (const qa::SlideList& list : qa::slide_lists(table)) {
    const fs::path path = folder / list.file;
    write_atomically(path, list.text);
    out.push_back({{"what", "list"},
                   {"file", path.string()},
                   {"archive", list.archive},
                   {"slides", list.ids.size()},
                   {"command", list.command}});
    session.notes << fmt::format("{}: {} slides of {}\n  {}\n", report::printable(path.string()),
                                 list.ids.size(), list.archive, list.command);
  }
  return out;
}

void check_checksum(const Options& o, std::size_t files) {
  if (o.sha256.empty()) return;
  const bool hex = o.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (o.sha256.size() != 64 || !hex)
    throw Error(Error::Kind::usage, "--sha256 must be 64 hex digits, in lower case");
  if (files != 1)
    throw Error(Error::Kind::usage,
                "--sha256 is for one file; fetch the table and the slide separately");
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (common.out.empty())
    throw Error(Error::Kind::usage, "give a folder for the files: assay qa fetch --out data");
  const fs::path folder = common.out, table = folder / base_name(o.table_file, "--table-file");
  const bool anything = o.table || o.sample_slide || o.lists;
  std::vector<Source> sources;
  if (o.table || !anything || (o.lists && !fs::exists(table))) sources.push_back(table_source(o));
  if (o.sample_slide) sources.push_back(slide_source(o));
  check_checksum(o, sources.size());
  require_writable(folder / "file");
  make_folder(folder);
  Json files = Json::array();
  for (const Source& source : sources) {
    const fs::path target = folder / source.name;
    const auto got = fetched(source, o, target, common, session);
    if (!got) {
      session.err << "stopped; run the same command again to continue\n";
      return interrupted;
    }
    tell(source, *got, target, session.notes);
    files.push_back(described(source, *got, target));
  }
  if (o.lists)
    for (Json& list : written_lists(table, folder, session)) files.push_back(std::move(list));
  if (common.json)
    session.out << Json{{"schema", "assay.fetch/1"}, {"files", files}}.dump(2) << '\n';
  return done;
}

constexpr Example examples[] = {
    {"assay qa fetch --out data", "the table of 934 questions as data/MultiPathQA.csv"},
    {"assay qa fetch --lists --out data",
     "also lists of the slides, to fetch them from TCGA, GTEx and PANDA"},
    {"HF_TOKEN=... assay qa fetch --revision 1f0c9d2 --out data",
     "a specific revision, from a repository that needs a token"},
};

}  // namespace
}  // namespace qa_fetch_file

const Command qa_fetch_command = {
    .name = "fetch",
    .summary = "Fetch the table, a sample slide and lists of slides",
    .declare = command<qa_fetch_file::declare_options, qa_fetch_file::run>,
    .examples = qa_fetch_file::examples,
    .stops_in_order = true};

}  // namespace assay::cli

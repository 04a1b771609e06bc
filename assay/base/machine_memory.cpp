// SPDX-License-Identifier: Apache-2.0
#include "assay/base/machine_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "assay/base/text.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Bytes = std::optional<std::uint64_t>;

/// Files of the kernel have no size, and may be absent.
std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Nothing for "max" and everything else that is not a number.
Bytes number_in(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? Bytes(number) : std::nullopt;
}

/// The number after a word at the start of a line.
Bytes number_after(std::string_view text, std::string_view word) {
  for (const std::string_view line : parts_of(text, '\n'))
    if (line.starts_with(word)) return number_in(line.substr(word.size()));
  return std::nullopt;
}

Bytes smaller(const Bytes& a, const Bytes& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// What the files of one control group are called.
struct GroupFiles {
  const char *limit, *usage, *reclaimable;
};

constexpr GroupFiles version_2 = {"memory.max", "memory.current", "inactive_file "};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file "};

Bytes left_in(const fs::path& group, const GroupFiles& files) {
  const Bytes limit = number_in(content_of(group / files.limit));
  const Bytes usage = number_in(content_of(group / files.usage));
  if (!limit || !usage) return std::nullopt;
  const std::uint64_t caches =
      number_after(content_of(group / "memory.stat"), files.reclaimable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, caches);
  return *limit - std::min(*limit, used);
}

/// A group is also limited by the groups above it.
Bytes left_up_from(const fs::path& mount, std::string_view group, const GroupFiles& files) {
  Bytes left = left_in(mount, files);  // in a container, only its own group is visible
  for (fs::path at = fs::path(group).relative_path(); !at.empty(); at = at.parent_path())
    left = smaller(left, left_in(mount / at, files));
  return left;
}

/// Lines of /proc/self/cgroup are "number:controllers:group".
Bytes left_in_groups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  Bytes left;
  const std::string listed = content_of(root / "proc/self/cgroup");
  for (const std::string_view line : parts_of(listed, '\n')) {
    const auto fields = parts_of(line, ':');
    if (fields.size() != 3) continue;
    if (fields[1].empty())
      left = smaller(left, left_up_from(mount, fields[2], version_2));
    else if (std::ranges::count(parts_of(fields[1], ','), "memory") != 0)
      left = smaller(left, left_up_from(mount / "memory", fields[2], version_1));
  }
  return left;
}

/// `ulimit -v`.
Bytes address_space() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
  constexpr std::uint64_t kilobyte = 1024;
  Bytes left = number_after(content_of(root / "proc/meminfo"), "MemAvailable:");
  if (left) *left *= kilobyte;
  left = smaller(left, left_in_groups(root));
  return smaller(left, address_space());
}

}  // namespace assay

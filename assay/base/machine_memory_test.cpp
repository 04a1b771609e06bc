// SPDX-License-Identifier: Apache-2.0
#include "assay/base/machine_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "assay/base/temporary_folder.hpp"

namespace assay::machine_memory_test {

/// A machine whose kernel says what the test wants.
class Machine {
 public:
  void say(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<std::uint64_t> memory() const { return available_memory(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

const std::string meminfo = "MemTotal:  16000 kB\nMemFree:  10 kB\nMemAvailable:    8000 kB\n";

TEST(MachineMemory, is_what_the_kernel_calls_available) {
  Machine machine;
  EXPECT_EQ(machine.memory(), std::nullopt);
  machine.say("proc/meminfo", meminfo);
  EXPECT_EQ(machine.memory(), 8000U * 1024);
}

TEST(MachineMemory, is_less_in_a_control_group_of_version2) {
  Machine machine;
  machine.say("proc/meminfo", meminfo);
  machine.say("proc/self/cgroup", "0::/user/job\n");
  machine.say("sys/fs/cgroup/user/job/memory.max", "max\n");
  machine.say("sys/fs/cgroup/user/job/memory.current", "1000\n");
  EXPECT_EQ(machine.memory(), 8000U * 1024);
  machine.say("sys/fs/cgroup/user/job/memory.max", "1000000\n");
  machine.say("sys/fs/cgroup/user/job/memory.current", "400000\n");
  EXPECT_EQ(machine.memory(), 600000U);
  machine.say("sys/fs/cgroup/user/job/memory.stat", "anon 7\ninactive_file 100000\nfile 5\n");
  EXPECT_EQ(machine.memory(), 700000U);
  machine.say("sys/fs/cgroup/user/memory.max", "500000");
  machine.say("sys/fs/cgroup/user/memory.current", "450000");
  EXPECT_EQ(machine.memory(), 50000U);
}

TEST(MachineMemory, is_less_in_a_control_group_of_version1) {
  Machine machine;
  machine.say("proc/meminfo", meminfo);
  machine.say("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n");
  machine.say("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  machine.say("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "5\n");
  EXPECT_EQ(machine.memory(), 8000U * 1024);
  machine.say("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "3000000\n");
  EXPECT_EQ(machine.memory(), 2999995U);
}

TEST(MachineMemory, in_a_container_its_own_group_is_the_root) {
  Machine machine;
  machine.say("proc/meminfo", meminfo);
  machine.say("proc/self/cgroup", "0::/system.slice/docker-abc.scope\n");
  machine.say("sys/fs/cgroup/memory.max", "2000000");
  machine.say("sys/fs/cgroup/memory.current", "3000000");
  EXPECT_EQ(machine.memory(), 0U);
}

TEST(MachineMemory, of_this_machine_is_known) {
  EXPECT_GT(available_memory().value_or(0), 0U);
}

}  // namespace assay::machine_memory_test

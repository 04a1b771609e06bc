// SPDX-License-Identifier: Apache-2.0
/// File descriptors that close themselves, and system calls that a signal cannot fail.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

namespace assay {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// What a system call returns. It is made again when a signal interrupted it, as may happen on
/// network file systems even to calls that only open a file.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Not open when the system refused it; errno says why. O_NONBLOCK keeps a named pipe from making
/// us wait, but it also refuses a file that another process holds a lease on, as file servers do.
/// The system then asks for the lease and takes it back after 45 s, so it is worth trying again.
inline Descriptor open_descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0) {
  constexpr std::chrono::milliseconds pause{10};
  constexpr int most_tries = 6000;  // a minute
  const auto open = [&] {
    return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  };
  int number = open();
  for (int tries = 1; number < 0 && errno == EWOULDBLOCK && tries < most_tries; ++tries) {
    std::this_thread::sleep_for(pause);
    number = open();
  }
  return Descriptor(number);
}

}  // namespace assay

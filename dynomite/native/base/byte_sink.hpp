#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dynomite {

/// Where a writer puts its bytes, in pieces of its own size.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;
  virtual void write(const char* data, std::size_t size) = 0;
};

/// Collects all in memory.
class StringSink : public ByteSink {
 public:
  void write(const char* data, std::size_t size) override { bytes_.append(data, size); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Writes to an open file descriptor, which stays open.
class FileSink : public ByteSink {
 public:
  /// `name` is for errors; `stop` is asked when a signal interrupts a slow write.
  FileSink(int descriptor, std::string name, Stop& stop)
      : descriptor_(descriptor), name_(std::move(name)), stop_(stop) {}
  void write(const char* data, std::size_t size) override {
    while (size != 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      if (done < 0 && errno == EINTR) {
        if (stop_.poll_clock()) throw LimitError("writing was stopped");
        continue;
      }
      if (done < 0) throw UsageError("cannot write " + name_ + ": " + std::strerror(errno));
      data += done;
      size -= static_cast<std::size_t>(done);
    }
  }

 private:
  int descriptor_;
  std::string name_;
  Stop& stop_;
};

}  // namespace dynomite

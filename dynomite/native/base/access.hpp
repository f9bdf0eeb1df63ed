#pragma once

#include <atomic>
#include <string>

#include "dynomite/native/base/error.hpp"

namespace dynomite {

/// Number of readers (> 0) or the writer (-1) that work on a store without holding Python's GIL. Bindings
/// that keep the GIL only look (`can_read`, `can_write`); those that release it hold a lease below meanwhile,
/// so that another thread gets a UsageError rather than a broken store. Not part of a store's value.
class AccessState {
 public:
  /// `what` names the store in messages: "AIG", "module".
  explicit AccessState(const char* what) : what_(what) {}
  AccessState(const AccessState& other) : what_(other.what_) {}
  AccessState(AccessState&& other) noexcept : what_(other.what_) {}
  AccessState& operator=(const AccessState&) { return *this; }
  AccessState& operator=(AccessState&&) noexcept { return *this; }
  ~AccessState() = default;

  bool can_read() const { return state_.load(std::memory_order_acquire) >= 0; }
  bool can_write() const { return state_.load(std::memory_order_acquire) == 0; }

  /// Throw UsageError if that is not so.
  void check_read() const {
    if (!can_read()) throw UsageError(changed());
  }
  void check_write() const {
    if (!can_write()) throw UsageError("the " + what_ + " is in use by another thread; change it afterwards");
  }

 private:
  friend class ReadLease;
  friend class WriteLease;
  std::string changed() const { return "the " + what_ + " is being changed by another thread"; }
  std::string read() const {
    return "the " + what_ + " is being read by another thread; change it afterwards";
  }

  std::string what_;
  std::atomic<int> state_{0};
};

/// Held by a native call that reads a store without the GIL. Any number may be held at a time. Taken while
/// the GIL is still held; may be given back at any time.
class ReadLease {
 public:
  explicit ReadLease(AccessState& access) : access_(access) {
    int seen = access_.state_.load(std::memory_order_relaxed);
    do {
      if (seen < 0) throw UsageError(access_.changed());
    } while (!access_.state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire));
  }
  ReadLease(const ReadLease&) = delete;
  ReadLease& operator=(const ReadLease&) = delete;
  ~ReadLease() { access_.state_.fetch_sub(1, std::memory_order_release); }

 private:
  AccessState& access_;
};

/// Held by a native call that changes a store without the GIL; excludes every other access.
class WriteLease {
 public:
  explicit WriteLease(AccessState& access) : access_(access) {
    int free = 0;
    if (!access_.state_.compare_exchange_strong(free, -1, std::memory_order_acquire)) {
      throw UsageError(free < 0 ? access_.changed() : access_.read());
    }
  }
  WriteLease(const WriteLease&) = delete;
  WriteLease& operator=(const WriteLease&) = delete;
  ~WriteLease() { access_.state_.store(0, std::memory_order_release); }

 private:
  AccessState& access_;
};

}  // namespace dynomite

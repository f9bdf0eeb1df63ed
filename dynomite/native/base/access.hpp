#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "dynomite/native/base/error.hpp"

namespace dynomite {

/// Number of readers (> 0) or the writer (-1) that work on a store without holding Python's GIL, or a writer
/// that holds the GIL but calls Python on the way (-2). Bindings that keep the GIL only look (`can_read`,
/// `can_write`); the others hold a lease below meanwhile, so that another thread gets a UsageError rather
/// than a broken store. Not part of a store's value.
class AccessState {
 public:
  /// `what` names the store in messages: "AIG", "module".
  explicit AccessState(const char* what) : what_(what) {}
  AccessState(const AccessState& other) : what_(other.what_) {}
  AccessState(AccessState&& other) noexcept : what_(other.what_) {}
  AccessState& operator=(const AccessState&) { return *this; }
  AccessState& operator=(AccessState&&) noexcept { return *this; }
  ~AccessState() = default;

  /// With the GIL: what a writer with the GIL leaves for others to see is whole.
  bool can_read() const { return state_.load(std::memory_order_acquire) != kChanging; }
  bool can_write() const { return state_.load(std::memory_order_acquire) == 0; }

  /// Throw UsageError if that is not so.
  void check_read() const {
    if (!can_read()) throw UsageError(changed());
  }
  void check_write() const {
    if (can_write()) return;
    const char* by = state_.load(std::memory_order_acquire) == kCalling ? "a running pass" : "another thread";
    throw UsageError("the " + what_ + " is in use by " + by + "; change it afterwards");
  }
  /// Somebody waits until nobody uses the store: announced while that lasts, so that who uses it again and
  /// again can leave a gap.
  void announce(int change) { waiting_.fetch_add(change, std::memory_order_relaxed); }
  bool is_awaited() const { return waiting_.load(std::memory_order_relaxed) != 0; }
  /// True while the calling thread holds a lease of any store: it must not wait for others then.
  static bool held_by_this_thread() { return held() != 0; }

 private:
  friend class ReadLease;
  friend class WriteLease;
  friend class CallingWriteLease;
  static constexpr int kChanging = -1;
  static constexpr int kCalling = -2;
  static int& held() {
    thread_local int leases = 0;
    return leases;
  }
  std::string changed() const { return "the " + what_ + " is being changed by another thread"; }
  std::string read() const {
    return "the " + what_ + " is being read by another thread; change it afterwards";
  }

  std::string what_;
  std::atomic<int> state_{0};
  std::atomic<int> waiting_{0};
  std::thread::id caller_;  // of state kCalling
};

/// Held by a native call that reads a store without the GIL. Any number may be held at a time. Taken while
/// the GIL is still held; may be given back at any time. What a pass calls may read what the pass works on:
/// the pass waits meanwhile.
class ReadLease {
 public:
  explicit ReadLease(AccessState& access) : access_(access) {
    int seen = access_.state_.load(std::memory_order_acquire);
    is_inner_ = seen == AccessState::kCalling && access_.caller_ == std::this_thread::get_id();
    while (!is_inner_) {
      if (seen < 0) throw UsageError(access_.changed());
      if (access_.state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) break;
    }
    ++AccessState::held();
  }
  ReadLease(const ReadLease&) = delete;
  ReadLease& operator=(const ReadLease&) = delete;
  ~ReadLease() {
    --AccessState::held();
    if (!is_inner_) access_.state_.fetch_sub(1, std::memory_order_release);
  }

 private:
  AccessState& access_;
  bool is_inner_ = false;
};

/// Held by a native call that changes a store without the GIL; excludes every other access.
class WriteLease {
 public:
  explicit WriteLease(AccessState& access) : access_(access) {
    int free = 0;
    if (!access_.state_.compare_exchange_strong(free, AccessState::kChanging, std::memory_order_acquire)) {
      throw UsageError(free < 0 ? access_.changed() : access_.read());
    }
    ++AccessState::held();
  }
  WriteLease(const WriteLease&) = delete;
  WriteLease& operator=(const WriteLease&) = delete;
  ~WriteLease() {
    --AccessState::held();
    access_.state_.store(0, std::memory_order_release);
  }

 private:
  AccessState& access_;
};

/// Held by a native call that changes a store with the GIL and calls Python on the way. Others may look with
/// the GIL, but neither change the store nor take a lease.
class CallingWriteLease {
 public:
  explicit CallingWriteLease(AccessState& access) : access_(access) {
    access_.check_write();
    access_.caller_ = std::this_thread::get_id();
    access_.state_.store(AccessState::kCalling, std::memory_order_release);
  }
  CallingWriteLease(const CallingWriteLease&) = delete;
  CallingWriteLease& operator=(const CallingWriteLease&) = delete;
  ~CallingWriteLease() { access_.state_.store(0, std::memory_order_release); }

 private:
  AccessState& access_;
};

}  // namespace dynomite

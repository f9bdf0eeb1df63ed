#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace dynomite {

/// Why a long native call ends before its work is done.
enum class StopReason : unsigned char { kNone, kCancelled, kDeadline, kSignal };

/// Cancellation of long native calls: a flag that other threads may set, a deadline, and a hook that lets
/// the caller look for signals. `poll()` costs one relaxed load on most calls and reads the clock once in
/// `kStride` calls, so it may sit in inner loops; callers poll at least every 10 microseconds of work.
class Stop {
 public:
  using Clock = std::chrono::steady_clock;

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  /// `hook` returns true to stop; it is called from the polling thread, at most every 20 ms.
  void set_signal_hook(std::function<bool()> hook) { hook_ = std::move(hook); }
  Clock::time_point deadline() const { return deadline_; }

  /// True once the call has to end. Stays true.
  bool poll() {
    if (reason_ != StopReason::kNone) return true;
    if (cancelled_.load(std::memory_order_relaxed)) {
      reason_ = StopReason::kCancelled;
      return true;
    }
    if (++calls_ % kStride != 0) return false;
    return poll_clock();
  }
  StopReason reason() const { return reason_; }

  /// Reads the clock now. For callers whose steps are long.
  bool poll_clock() {
    if (reason_ != StopReason::kNone) return true;
    if (cancelled_.load(std::memory_order_relaxed)) {
      reason_ = StopReason::kCancelled;
      return true;
    }
    const Clock::time_point now = Clock::now();
    if (now >= deadline_) {
      reason_ = StopReason::kDeadline;
    } else if (hook_ && now - last_hook_ >= std::chrono::milliseconds(20)) {
      last_hook_ = now;
      if (hook_()) reason_ = StopReason::kSignal;
    }
    return reason_ != StopReason::kNone;
  }

 private:
  static constexpr unsigned kStride = 64;
  std::atomic<bool> cancelled_{false};
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point last_hook_{};
  std::function<bool()> hook_;
  unsigned calls_ = 0;
  StopReason reason_ = StopReason::kNone;
};

}  // namespace dynomite

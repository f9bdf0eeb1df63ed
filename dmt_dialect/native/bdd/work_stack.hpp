#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace dmt {

/// The explicit stack of all walks over diagrams: frames of any plain type. A frame's address is good until
/// the next push.
class WorkStack {
 public:
  WorkStack() : data_(static_cast<std::byte*>(std::malloc(kFirst))), size_(kFirst) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  WorkStack(const WorkStack&) = delete;
  WorkStack& operator=(const WorkStack&) = delete;
  ~WorkStack() { std::free(data_); }

  template <typename Frame>
  Frame& push() {
    check<Frame>();
    if (top_ + sizeof(Frame) > size_) grow();
    Frame* frame = reinterpret_cast<Frame*>(data_ + top_);
    top_ += sizeof(Frame);
    return *frame;
  }
  template <typename Frame>
  void pop() {
    top_ -= sizeof(Frame);
  }
  template <typename Frame>
  Frame& top() {
    return *reinterpret_cast<Frame*>(data_ + top_ - sizeof(Frame));
  }
  std::size_t height() const { return top_; }
  void cut(std::size_t height) { top_ = height; }

 private:
  static constexpr std::size_t kFirst = 1 << 14;
  template <typename Frame>
  static void check() {
    static_assert(std::is_trivially_copyable_v<Frame> && sizeof(Frame) % 8 == 0 &&
                  sizeof(Frame) <= kFirst / 2);
  }
  void grow() {
    void* moved = std::realloc(data_, size_ * 2);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    size_ *= 2;
  }

  std::byte* data_;
  std::size_t size_;
  std::size_t top_ = 0;
};

/// Takes the stack back to its height when a walk ends, however it ends.
class WorkStackMark {
 public:
  explicit WorkStackMark(WorkStack& stack) : stack_(stack), height_(stack.height()) {}
  WorkStackMark(const WorkStackMark&) = delete;
  WorkStackMark& operator=(const WorkStackMark&) = delete;
  ~WorkStackMark() { stack_.cut(height_); }
  std::size_t height() const { return height_; }

 private:
  WorkStack& stack_;
  std::size_t height_;
};

}  // namespace dmt

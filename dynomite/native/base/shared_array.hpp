#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "dynomite/native/base/large_pages.hpp"

namespace dynomite {

/// Growable array of plain records whose memory can be shared with read-only views (numpy arrays).
/// A view holds `share()`; while one lives, growing moves to a fresh buffer and leaves the old one to the
/// views, so a view never dangles and never changes. Elements once written are never modified when shared.
/// Growth factor 1.5; unshared growth uses realloc, which moves large blocks by remapping pages.
template <typename T>
class SharedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SharedArray() = default;
  SharedArray(const SharedArray& other) { *this = other; }
  SharedArray& operator=(const SharedArray& other) {
    if (this == &other) return *this;
    SharedArray fresh;
    fresh.reserve(other.size_);
    if (other.size_ != 0) std::memcpy(fresh.data_, other.data_, other.size_ * sizeof(T));
    fresh.size_ = other.size_;
    swap(fresh);
    return *this;
  }
  SharedArray(SharedArray&& other) noexcept { swap(other); }
  SharedArray& operator=(SharedArray&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  std::size_t memory() const { return capacity_ * sizeof(T); }
  const T* data() const { return data_; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  /// Write access. Only for memory that no view can have seen, or owned exclusively.
  T* mutable_data() { return data_; }
  const T& back() const { return data_[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;
      grow(size_ + 1);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { *this = SharedArray(); }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Extends to `size` elements of unspecified value, or cuts.
  void resize_uninitialised(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void shrink_to_fit() {
    if (capacity_ > size_ && size_ != 0) reallocate(size_);
  }

  /// Keeps the present buffer alive and unchanged for as long as the result lives.
  std::shared_ptr<const void> share() const { return buffer_; }
  /// Takes over foreign memory without copying; `owner` keeps it alive. Copied on the first growth.
  void adopt(T* data, std::size_t size, std::shared_ptr<void> owner) {
    buffer_ = std::move(owner);
    foreign_ = buffer_;
    data_ = data;
    size_ = capacity_ = size;
  }
  /// True when a view or a foreign owner may see the memory.
  bool is_shared() const { return foreign_ != nullptr || buffer_.use_count() > 1; }

 private:
  struct Block {
    explicit Block(void* p) : pointer(p) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { std::free(pointer); }
    void* pointer;
  };

  void grow(std::size_t least) {
    const std::size_t wanted = capacity_ + capacity_ / 2 + 16;
    reallocate(wanted > least ? wanted : least);
  }
  void reallocate(std::size_t capacity) {
    if (!is_shared() && buffer_ != nullptr) {
      Block* block = static_cast<Block*>(buffer_.get());
      void* moved = std::realloc(block->pointer, capacity * sizeof(T));
      if (moved == nullptr) throw std::bad_alloc();
      block->pointer = moved;
      prefer_large_pages(moved, capacity * sizeof(T));
      data_ = static_cast<T*>(moved);
    } else {
      void* raw = std::malloc(capacity * sizeof(T));
      if (raw == nullptr) throw std::bad_alloc();
      prefer_large_pages(raw, capacity * sizeof(T));
      auto block = std::make_shared<Block>(raw);
      if (size_ != 0) std::memcpy(raw, data_, size_ * sizeof(T));
      data_ = static_cast<T*>(raw);
      buffer_ = std::move(block);
      foreign_.reset();
    }
    capacity_ = capacity;
  }
  void swap(SharedArray& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(foreign_, other.foreign_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::shared_ptr<void> buffer_;
  std::shared_ptr<void> foreign_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace dynomite

#pragma once

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace dmt {

/// Large tables that are walked at random need few translations and few page faults in 2 MiB pages.
inline void advise_large_pages(void* start, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  if (bytes < 2 * kPage) return;
  const auto first = (reinterpret_cast<std::uintptr_t>(start) + kPage - 1) & ~(kPage - 1);
  const auto last = (reinterpret_cast<std::uintptr_t>(start) + bytes) & ~(kPage - 1);
  // Advice only: where it is refused nothing is lost.
  static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

/// Zeroed memory for tables that are read at random: aligned to cache lines and, when large, taken straight
/// from the system in 2 MiB pages, whose zeroing is left to the first touch.
template <typename T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : size_(size), bytes_(rounded(size * sizeof(T))) {
    if (size == 0) return;
#ifdef MAP_ANONYMOUS
    if (bytes_ >= kMapped) {
      // Larger by one page than needed, so that the table can begin at a page of 2 MiB.
      mapped_bytes_ = bytes_ + kPage;
      void* got = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) throw std::bad_alloc();
      mapped_ = got;
      const auto start = (reinterpret_cast<std::uintptr_t>(got) + kPage - 1) & ~(kPage - 1);
      data_ = reinterpret_cast<T*>(start);
      advise_large_pages(got, mapped_bytes_);
      return;
    }
#endif
    data_ = static_cast<T*>(std::aligned_alloc(kLine, bytes_));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(static_cast<void*>(data_), 0, bytes_);
  }
  PageArray(PageArray&& other) noexcept { swap(other); }
  PageArray& operator=(PageArray&& other) noexcept {
    swap(other);
    return *this;
  }
  PageArray(const PageArray&) = delete;
  PageArray& operator=(const PageArray&) = delete;
  ~PageArray() {
#ifdef MAP_ANONYMOUS
    if (mapped_ != nullptr) {
      munmap(mapped_, mapped_bytes_);
      return;
    }
#endif
    std::free(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  std::size_t size() const { return size_; }
  std::size_t memory() const { return bytes_; }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static constexpr std::size_t kMapped = kPage;
  static std::size_t rounded(std::size_t bytes) { return (bytes + kLine - 1) & ~(kLine - 1); }
  void swap(PageArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace dmt

#pragma once

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace dynomite {

/// Large arrays are walked at random: with 2 MiB pages they need few translations and few page faults.
/// Advice only: where it is refused nothing is lost.
inline void prefer_large_pages(void* start, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  constexpr std::size_t kLeast = std::size_t{4} << 20;
  if (bytes < kLeast) return;
  const auto first = (reinterpret_cast<std::uintptr_t>(start) + kPage - 1) & ~(kPage - 1);
  const auto last = (reinterpret_cast<std::uintptr_t>(start) + bytes) & ~(kPage - 1);
  static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
#else
  static_cast<void>(start);
  static_cast<void>(bytes);
#endif
}

/// std::allocator that prefers large pages for large arrays.
template <typename T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <typename U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) {
    T* start = std::allocator<T>().allocate(n);
    prefer_large_pages(start, n * sizeof(T));
    return start;
  }
  void deallocate(T* start, std::size_t n) { std::allocator<T>().deallocate(start, n); }
  template <typename U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }
};

/// A vector that may grow to many megabytes.
template <typename T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace dynomite

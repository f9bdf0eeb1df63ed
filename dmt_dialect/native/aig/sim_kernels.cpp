#include "dmt_dialect/native/aig/sim_kernels.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "dynomite/native/base/error.hpp"

// The extension is built for any x86-64; faster variants are compiled beside the baseline and chosen at run
// time.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DMT_SIM_X86 1
#include <immintrin.h>
#endif

// The words of one op do not depend on each other: slots are equal or apart.
#if defined(__clang__)
#define DMT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define DMT_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define DMT_INDEPENDENT _Pragma("GCC ivdep")
#define DMT_UNROLL _Pragma("GCC unroll 16")
#endif

namespace dmt {

namespace {

/// All ones if the operand is complemented.
inline std::uint64_t complement_mask(std::uint32_t operand) { return 0 - std::uint64_t{operand & 1U}; }

template <std::size_t kWidth>
void run_baseline(const SimOp* ops, std::size_t count, std::uint64_t* base, std::size_t stride) {
  for (const SimOp* end = ops + count; ops != end; ++ops) {
    const std::uint64_t* a = base + (ops->a >> 1) * stride;
    const std::uint64_t* b = base + (ops->b >> 1) * stride;
    std::uint64_t* out = base + ops->out * stride;
    const std::uint64_t mask_a = complement_mask(ops->a);
    const std::uint64_t mask_b = complement_mask(ops->b);
    DMT_INDEPENDENT
    for (std::size_t i = 0; i < kWidth; ++i) out[i] = (a[i] ^ mask_a) & (b[i] ^ mask_b);
  }
}

#if DMT_SIM_X86
template <std::size_t kWidth>
__attribute__((target("avx2"))) void run_avx2(const SimOp* ops, std::size_t count, std::uint64_t* base,
                                              std::size_t stride) {
  for (const SimOp* end = ops + count; ops != end; ++ops) {
    const std::uint64_t* a = base + (ops->a >> 1) * stride;
    const std::uint64_t* b = base + (ops->b >> 1) * stride;
    std::uint64_t* out = base + ops->out * stride;
    const __m256i mask_a = _mm256_set1_epi64x(static_cast<long long>(complement_mask(ops->a)));
    const __m256i mask_b = _mm256_set1_epi64x(static_cast<long long>(complement_mask(ops->b)));
    DMT_UNROLL
    for (std::size_t i = 0; i < kWidth; i += 4) {
      const __m256i va = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
      const __m256i vb = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
      const __m256i value = _mm256_and_si256(_mm256_xor_si256(va, mask_a), _mm256_xor_si256(vb, mask_b));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), value);
    }
  }
}

template <std::size_t kWidth>
__attribute__((target("avx512f"))) void run_avx512(const SimOp* ops, std::size_t count, std::uint64_t* base,
                                                   std::size_t stride) {
  // Truth table of (x) & (b ^ m) over x = bit 2, b = bit 1, m = bit 0 of the table's index.
  constexpr int kAndXor = 0x60;
  for (const SimOp* end = ops + count; ops != end; ++ops) {
    const std::uint64_t* a = base + (ops->a >> 1) * stride;
    const std::uint64_t* b = base + (ops->b >> 1) * stride;
    std::uint64_t* out = base + ops->out * stride;
    const __m512i mask_a = _mm512_set1_epi64(static_cast<long long>(complement_mask(ops->a)));
    const __m512i mask_b = _mm512_set1_epi64(static_cast<long long>(complement_mask(ops->b)));
    DMT_UNROLL
    for (std::size_t i = 0; i < kWidth; i += 8) {
      const __m512i va = _mm512_loadu_si512(a + i);
      const __m512i vb = _mm512_loadu_si512(b + i);
      const __m512i value = _mm512_ternarylogic_epi64(_mm512_xor_si512(va, mask_a), vb, mask_b, kAndXor);
      _mm512_storeu_si512(out + i, value);
    }
  }
}
#endif

template <std::size_t kWidth>
[[gnu::always_inline]] inline void ternary_ops(const SimOp* ops, std::size_t count, std::uint64_t* base,
                                               std::size_t stride) {
  for (const SimOp* end = ops + count; ops != end; ++ops) {
    // A complement exchanges the two halves.
    const std::uint64_t* a = base + (ops->a >> 1) * stride;
    const std::uint64_t* b = base + (ops->b >> 1) * stride;
    const std::uint64_t* a_one = a + (ops->a & 1U) * kWidth;
    const std::uint64_t* a_zero = a + (~ops->a & 1U) * kWidth;
    const std::uint64_t* b_one = b + (ops->b & 1U) * kWidth;
    const std::uint64_t* b_zero = b + (~ops->b & 1U) * kWidth;
    std::uint64_t* out = base + ops->out * stride;
    DMT_INDEPENDENT
    for (std::size_t i = 0; i < kWidth; ++i) {
      // Both halves are read before one is written: `out` may be an operand's slot.
      const std::uint64_t one = a_one[i] & b_one[i];
      const std::uint64_t zero = a_zero[i] | b_zero[i];
      out[i] = one;
      out[i + kWidth] = zero;
    }
  }
}

template <std::size_t kWidth>
void run_ternary(const SimOp* ops, std::size_t count, std::uint64_t* base, std::size_t stride) {
  ternary_ops<kWidth>(ops, count, base, stride);
}

#if DMT_SIM_X86
template <std::size_t kWidth>
__attribute__((target("avx2"))) void run_ternary_avx2(const SimOp* ops, std::size_t count,
                                                      std::uint64_t* base, std::size_t stride) {
  ternary_ops<kWidth>(ops, count, base, stride);
}
#endif

template <template <std::size_t> typename Variant>
SimKernel by_width(std::size_t width) {
  switch (width) {
    case 1: return Variant<1>::kRun;
    case 8: return Variant<8>::kRun;
    case 16: return Variant<16>::kRun;
    case 32: return Variant<32>::kRun;
    case 64: return Variant<64>::kRun;
    case 128: return Variant<128>::kRun;
    default: break;
  }
  assert(false && "no kernel of this width");
  return nullptr;
}

template <std::size_t kWidth>
struct Baseline {
  static constexpr SimKernel kRun = run_baseline<kWidth>;
};
template <std::size_t kWidth>
struct Ternary {
  static constexpr SimKernel kRun = run_ternary<kWidth>;
};
#if DMT_SIM_X86
template <std::size_t kWidth>
struct Avx2 {
  static constexpr SimKernel kRun = run_avx2<kWidth>;
};
template <>
struct Avx2<1> : Baseline<1> {};
template <std::size_t kWidth>
struct TernaryAvx2 {
  static constexpr SimKernel kRun = run_ternary_avx2<kWidth>;
};
template <std::size_t kWidth>
struct Avx512 {
  static constexpr SimKernel kRun = run_avx512<kWidth>;
};
template <>
struct Avx512<1> : Baseline<1> {};
#endif

constexpr std::pair<Simd, std::string_view> kNames[] = {
    {Simd::kAuto, "auto"}, {Simd::kBaseline, "baseline"}, {Simd::kAvx2, "avx2"}, {Simd::kAvx512, "avx512"}};

}  // namespace

std::vector<Simd> available_simd() {
  std::vector<Simd> result{Simd::kBaseline};
#if DMT_SIM_X86
  if (__builtin_cpu_supports("avx2")) result.push_back(Simd::kAvx2);
  if (__builtin_cpu_supports("avx512f")) result.push_back(Simd::kAvx512);
#endif
  return result;
}

Simd resolve_simd(Simd wanted) {
  const std::vector<Simd> available = available_simd();
  if (wanted == Simd::kAuto) return available.back();
  for (const Simd simd : available) {
    if (simd == wanted) return simd;
  }
  throw dynomite::UsageError("this machine has no " + std::string(simd_name(wanted)));
}

std::string_view simd_name(Simd simd) {
  for (const auto& [value, name] : kNames) {
    if (value == simd) return name;
  }
  return "unknown";
}

Simd simd_by_name(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
    known += known.empty() ? "" : ", ";
    known += text;
  }
  throw dynomite::UsageError("simd '" + std::string(name) + "' is none of " + known);
}

SimKernel sim_kernel(Simd simd, std::size_t width) {
#if DMT_SIM_X86
  if (simd == Simd::kAvx512) return by_width<Avx512>(width);
  if (simd == Simd::kAvx2) return by_width<Avx2>(width);
#endif
  static_cast<void>(simd);
  return by_width<Baseline>(width);
}

SimKernel ternary_kernel(Simd simd, std::size_t width) {
#if DMT_SIM_X86
  if (simd != Simd::kBaseline) return by_width<TernaryAvx2>(width);
#endif
  static_cast<void>(simd);
  return by_width<Ternary>(width);
}

}  // namespace dmt

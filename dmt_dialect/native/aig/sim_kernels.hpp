#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/sim_schedule.hpp"

namespace dmt {

/// Instruction sets the simulation kernels exist for. All give the same values.
enum class Simd : std::uint8_t { kAuto, kBaseline, kAvx2, kAvx512 };

/// Runs `count` ops. The value in slot s is the words at `base + s * stride` (in words); the kernel's width,
/// in words, says how many of them it computes.
using SimKernel = void (*)(const SimOp* ops, std::size_t count, std::uint64_t* base, std::size_t stride);

/// Widths, in 64-bit words, for which kernels exist: ascending.
inline constexpr std::size_t kSimWidths[] = {1, 8, 16, 32, 64, 128};

/// The variants this machine can run, best last; never empty, never kAuto.
std::vector<Simd> available_simd();
/// The variant kAuto stands for here; others stay themselves. Throws UsageError if the machine lacks it.
Simd resolve_simd(Simd wanted);
std::string_view simd_name(Simd simd);
/// The variant of that name; throws UsageError listing the names.
Simd simd_by_name(std::string_view name);

/// Two-valued kernel. `simd` as `resolve_simd` gives it, `width` one of kSimWidths.
SimKernel sim_kernel(Simd simd, std::size_t width);
/// Three-valued kernel: a slot holds `width` words that say which patterns are known to be 1, then `width`
/// words that say which are known to be 0.
SimKernel ternary_kernel(Simd simd, std::size_t width);

}  // namespace dmt

#pragma once

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dmt_dialect/native/map/lut_network.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// Gates besides the AND of two, complements at will at inputs and outputs.
struct GateKinds {
  bool xor2 = false;
  bool mux = false;
  bool majority = false;
  /// XOR of three.
  bool xor3 = false;
};

/// The circuit seen as a network of gates: each LUT of the result is an AND of two or one of `kinds`, which
/// where that takes fewer gates. Gates are found by the functions of cuts, whatever ANDs they are made of;
/// they are chosen by area flow, then exact local area. Linear. Throws LimitError when `stop` ends it.
LutNetwork cover_by_gates(const AigStore& aig, GateKinds kinds, dynomite::Stop& stop);

/// What a LUT of such a network is.
enum class GateKind : std::uint8_t { kConstant, kInverter, kAnd, kXor2, kMux, kMajority, kXor3, kOther };
GateKind gate_kind(const LutNetwork& network, std::uint32_t lut);

}  // namespace dmt

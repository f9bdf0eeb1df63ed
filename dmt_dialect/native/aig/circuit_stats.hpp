#pragma once

#include <cstdint>

#include "dmt_dialect/native/aig/aig_store.hpp"

namespace dmt {

/// What there is to say about a circuit in linear time.
struct CircuitStats {
  std::uint64_t inputs = 0, outputs = 0, latches = 0, ands = 0;
  /// Highest level of a root; inputs and latches are level 0.
  std::uint64_t levels = 0;
  std::uint64_t bad = 0, constraints = 0, justice = 0, fairness = 0;
  /// ANDs that no output, next state or property needs.
  std::uint64_t dangling_ands = 0;
  /// ANDs with the same two fanins as an earlier one.
  std::uint64_t duplicate_ands = 0;
  /// ANDs that a rule on the operands alone removes: a constant, or the same node twice.
  std::uint64_t trivial_ands = 0;
  /// XORs and other two-to-one multiplexers: ANDs of two complemented ANDs, each with a fanin that is the
  /// complement of one of the other. An XOR has two such pairs.
  std::uint64_t xors = 0, muxes = 0;
  std::uint64_t max_fanout = 0;
  /// Inputs and latches that nothing needs.
  std::uint64_t unused_inputs = 0, unused_latches = 0;
  /// Outputs that are a constant, or an input or latch (perhaps complemented), by their literal.
  std::uint64_t constant_outputs = 0, direct_outputs = 0;
  std::uint64_t uninitialised_latches = 0, one_latches = 0;
  std::uint64_t input_names = 0, output_names = 0, latch_names = 0, net_names = 0, comment_lines = 0;
};

CircuitStats circuit_stats(const AigStore& store);

}  // namespace dmt

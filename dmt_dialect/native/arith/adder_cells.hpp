#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt {

/// A full or half adder found in an AIG: in[0] + in[1] + in[2] = sum + 2 carry, for every value of the
/// inputs. A half adder has a constant as last input. A full adder stays one when all its literals are
/// complemented.
struct AdderCell {
  std::array<Lit, 3> in;
  Lit sum;
  Lit carry;
  bool is_half() const { return in[2].node() == kConstNode; }
  AdderCell flipped() const { return {{~in[0], ~in[1], ~in[2]}, ~sum, ~carry}; }
};

/// A node that is the exclusive or of two others.
struct XorNode {
  NodeId node;
  Lit first;
  Lit second;
};

struct AdderCells {
  /// By the node of the carry.
  std::vector<AdderCell> cells;
  /// By node. All XORs of two nodes, the most local pair of each; those inside of cells too.
  std::vector<XorNode> xors;
  /// Nodes that are neither sum nor carry of a full adder but belong to its logic.
  std::vector<bool> inside_cell;
  std::uint64_t xor3s = 0;
  std::uint64_t majorities = 0;
  bool complete = true;
};

/// Finds the full and half adders: nodes that are the parity and nodes that are the majority of the same
/// three nodes, inputs and outputs complemented at will; of two: the exclusive or and an AND that is used for
/// more than the exclusive or. Functions are those of cuts of at most three leaves, so that every cell is
/// exact, whatever its gates are. After Yu, Ciesielski and Mishchenko, "Fast Algebraic Rewriting Based on
/// And-Inverter Graphs" (TCAD 2018). Time and memory linear in the nodes (at most `kCutsPerNode` cuts of 16
/// bytes each). Incomplete if `stop` ended it.
AdderCells find_adder_cells(const AigStore& store, dynomite::Stop& stop);

inline constexpr std::size_t kCutsPerNode = 12;

}  // namespace dmt

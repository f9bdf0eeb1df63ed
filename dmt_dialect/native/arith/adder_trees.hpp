#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmt_dialect/native/arith/adder_cells.hpp"
#include "dmt_dialect/native/arith/function_table.hpp"

namespace dmt {

/// A literal that counts 2^weight in a sum.
struct WeightedLit {
  std::uint32_t weight;
  Lit lit;
};

/// A parity on top of a tree whose carry nobody needs: the sum of its leaves modulo 2 at its weight.
struct TopParity {
  Lit sum;
  std::uint32_t weight;
  std::vector<Lit> in;
};

/// Adder cells that hand sums and carries to each other, each with its weight: over all leaves and outputs
///     sum of 2^w leaf + constant = sum of 2^w output   (modulo 2^width if there are parities on top)
/// holds for every value of the leaves. Literals of cells are as in `cells`, complemented where `flipped`.
struct AdderTree {
  /// Cells by weight, then by node; indices into `ArithReport::cells`.
  std::vector<std::uint32_t> cells;
  std::vector<TopParity> tops;
  /// What comes in from outside, by weight; constants are in `constants`.
  std::vector<WeightedLit> leaves;
  /// Sums and carries that no cell of the tree takes, by weight.
  std::vector<WeightedLit> outputs;
  /// Weights of constant ones.
  std::vector<std::uint32_t> constants;
  /// Number of weights: the columns from 0 to the highest output.
  std::uint32_t width = 0;
  /// No column adds more than two leaves (the lowest: three), besides the carry: a word adder.
  bool is_adder = false;
};

/// Products of the bits of two words, added up by a tree.
struct ProductTree {
  std::uint32_t tree = 0;
  /// Operands, bit 0 first. Equal for a square.
  std::vector<Lit> a, b;
  /// The low bits of the product where they leave the tree, one a weight; what is still in two bits is
  /// absent.
  bool is_signed = false;
  bool is_square = false;
  bool is_booth = false;
  /// The complements of the tree's outputs are the product.
  bool is_inverted = false;
  /// Weight 0 of the tree is this weight of the product.
  std::uint32_t offset = 0;
  /// The bits of the product from weight 0, found by their values (`FunctionTable`); empty if some is not
  /// there.
  std::vector<Lit> outputs;
};

/// A word adder whose carries are not those of cells: sums of half adders with a carry each, such as a prefix
/// network makes. Found by the values of its carries.
struct PrefixAdder {
  /// Operands, bit 0 first; which of both a bit belongs to is free.
  std::vector<Lit> a, b;
  /// Carry into bit 0; constant if there is none.
  Lit carry_in;
  /// Sum, bit 0 first.
  std::vector<Lit> sum;
  /// Carry out, if it is there; else constant.
  Lit carry_out;
};

struct ArithReport {
  AdderCells found;
  /// Per cell: its tree, its weight there, whether it is taken with all literals complemented.
  std::vector<std::uint32_t> tree_of;
  std::vector<std::uint32_t> weight_of;
  std::vector<bool> flipped;
  std::vector<AdderTree> trees;
  std::vector<ProductTree> multipliers;
  std::vector<PrefixAdder> prefix_adders;
  /// Sums or carries that would have to count twice or with two weights, and were taken as leaves.
  std::uint64_t conflicts = 0;
  bool complete = true;

  AdderCell cell(std::uint32_t index) const {
    return flipped[index] ? found.cells[index].flipped() : found.cells[index];
  }
};

/// Finds adder cells, connects them to trees with weights, and recognises adders and multipliers among the
/// trees. Near-linear in the nodes. Incomplete if `stop` ended it.
ArithReport find_arithmetic(const AigStore& store, dynomite::Stop& stop);

/// The trees whose leaves are the products of two words' bits (`products.cpp`).
void find_multipliers(const AigStore& store, const FunctionTable& table, ArithReport& report);

/// Adders with other carries than those of cells (`prefix_adders.cpp`).
void find_prefix_adders(const AigStore& store, const FunctionTable& table, ArithReport& report);

/// The same for products recoded by Booth (`booth.cpp`): the operands are read off the leaves' functions and
/// checked by simulation of the whole tree.
std::optional<ProductTree> find_booth(const AigStore& store, const FunctionTable& table,
                                      const AdderTree& tree, std::uint32_t index,
                                      const std::vector<WeightedLit>& leaves,
                                      const std::vector<std::uint32_t>& constants);

/// Whether the leaves and constants of a tree add up to the product of `found.a` and `found.b`, on random
/// operands: 256 of them, so that a tree that does something else passes as good as never. Finds the sign,
/// the offset and whether the outputs are inverted, and sets them. False if the leaves depend on anything
/// else.
bool check_product(const AigStore& store, const AdderTree& tree, const std::vector<WeightedLit>& leaves,
                   const std::vector<std::uint32_t>& constants, ProductTree& found);

/// Looks for the bits of the product of `found.a` and `found.b` by their values: all of them, or at least as
/// many as the longer operand has. Sets `found.outputs`, empty if there are fewer.
bool find_outputs(const FunctionTable& table, ProductTree& found);

/// The same where nothing is known but the operands, so that this is what says that there is a product: finds
/// its sign too, and refuses words of less than three bits.
bool find_product(const FunctionTable& table, ProductTree& found);

}  // namespace dmt

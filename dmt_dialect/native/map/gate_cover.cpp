#include "dmt_dialect/native/map/gate_cover.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dmt_dialect/native/map/lut_cover.hpp"
#include "dmt_dialect/native/map/lut_extraction.hpp"
#include "dmt_dialect/native/map/map_graph.hpp"
#include "dmt_dialect/native/opt/small_cuts.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr unsigned kWidest = 3;
constexpr unsigned kCutsPerNode = 12;
constexpr unsigned kExactRounds = 2;
constexpr std::uint32_t kReach = 100;    // cells looked at below a gate
constexpr unsigned kMostConeNodes = 40;  // between a gate and its leaves

/// The kind of each function of up to three variables, by its table over three.
class KindTable {
 public:
  KindTable() {
    kinds_.fill(GateKind::kOther);
    kinds_[0x00] = kinds_[0xFF] = GateKind::kConstant;
    constexpr std::array<unsigned, 3> kVariables = {0xAA, 0xCC, 0xF0};
    for (unsigned i = 0; i < 3; ++i) {
      set(kVariables[i], GateKind::kInverter);
      for (unsigned j = 0; j < i; ++j) {
        set(kVariables[i] ^ kVariables[j], GateKind::kXor2);
        for (unsigned phase = 0; phase < 4; ++phase)
          set(flipped(kVariables[i], phase, 0) & flipped(kVariables[j], phase, 1), GateKind::kAnd);
      }
    }
    set(0xAA ^ 0xCC ^ 0xF0, GateKind::kXor3);
    for (unsigned phase = 0; phase < 8; ++phase) {
      const unsigned a = flipped(0xAA, phase, 0), b = flipped(0xCC, phase, 1), c = flipped(0xF0, phase, 2);
      set((a & b) | (a & c) | (b & c), GateKind::kMajority);
      set((a & b) | (~a & c), GateKind::kMux);
      set((b & a) | (~b & c), GateKind::kMux);
      set((c & a) | (~c & b), GateKind::kMux);
    }
  }
  GateKind of(unsigned table) const { return kinds_[table & 0xFFU]; }

 private:
  static unsigned flipped(unsigned table, unsigned phase, unsigned bit) {
    return ((phase >> bit) & 1U) != 0 ? ~table & 0xFFU : table;
  }
  void set(unsigned table, GateKind kind) { kinds_[table & 0xFFU] = kinds_[~table & 0xFFU] = kind; }

  std::array<GateKind, 256> kinds_{};
};

const KindTable& kind_table() {
  static const KindTable table;
  return table;
}

/// Area flow first, then rounds of exact local area, as in `map_luts`.
class GateCover {
 public:
  GateCover(const AigStore& aig, GateKinds kinds, dynomite::Stop& stop)
      : aig_(aig), graph_(aig), kinds_(kinds), stop_(stop), cover_(graph_) {}

  LutNetwork run() {
    find_cells();
    choose_by_flow();
    cover_.count_uses();
    for (unsigned round = 0; round < kExactRounds; ++round) choose_by_exact_area();
    return extract_luts(aig_, graph_, cover_.mapped(), 3, stop_);
  }

 private:
  using Cell = LutCover<kWidest>::Cell;

  void poll(std::uint32_t node) {
    if (node % 1024 == 0 && stop_.poll_clock()) throw dynomite::LimitError("the mapping was stopped");
  }

  bool wanted(GateKind kind) const {
    switch (kind) {
      case GateKind::kXor2: return kinds_.xor2;
      case GateKind::kMux: return kinds_.mux;
      case GateKind::kMajority: return kinds_.majority;
      case GateKind::kXor3: return kinds_.xor3;
      case GateKind::kConstant:
      case GateKind::kInverter:
      case GateKind::kAnd: return true;
      case GateKind::kOther: return false;
    }
    return false;
  }

  /// The gates that each node can be: the AND itself first, then by its cuts.
  void find_cells() {
    opt::SmallCuts<4, MapGraph> cuts(graph_, kCutsPerNode);
    starts_.assign(graph_.node_count() + 1, 0);
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      poll(node);
      cuts.compute(node);
      const std::uint32_t a = graph_.fanin0(node).node().index(), b = graph_.fanin1(node).node().index();
      cells_.push_back({{std::min(a, b), std::max(a, b)}, a == b ? 1U : 2U});
      for (const auto& cut : cuts.cuts(node)) {
        if (cut.size > kWidest || !wanted(kind_table().of(cut.table)) || !wanted(kind_over(node, cut)))
          continue;
        Cell cell;
        std::copy_n(cut.leaves.begin(), cut.size, cell.leaves.begin());
        cell.size = cut.size;
        cells_.push_back(cell);
      }
      starts_[node + 1] = cells_.size();
    }
  }
  std::span<const Cell> cells_of(std::uint32_t node) const {
    return {cells_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }

  void choose_by_flow() {
    std::vector<float> flow(graph_.node_count(), 0);
    std::vector<std::uint32_t> level(graph_.node_count(), 0);
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      float least = 0;
      const Cell* best = nullptr;
      for (const Cell& cell : cells_of(node)) {
        float sum = 1;
        std::uint32_t above = 0;
        for (const std::uint32_t leaf : cell) {
          sum += flow[leaf];
          above = std::max(above, level[leaf] + 1);
        }
        if (best != nullptr && (sum > least || (sum == least && above >= level[node]))) continue;
        best = &cell;
        least = sum;
        level[node] = above;
      }
      flow[node] = least / static_cast<float>(std::max(1U, graph_.fanouts[node]));
      cover_.cells[node] = *best;
    }
  }

  void choose_by_exact_area() {
    for (std::uint32_t node = graph_.ci_count + 1; node < graph_.node_count(); ++node) {
      poll(node);
      const std::span<const Cell> cells = cells_of(node);
      if (cover_.uses[node] == 0 || cells.size() == 1) continue;
      cover_.release(cover_.cells[node], kReach);
      std::uint32_t least = LutCover<kWidest>::kFree;
      Cell best = cover_.cells[node];
      for (const Cell& cell : cells) {
        const std::uint32_t added = cover_.try_use(cell, std::min(least, kReach));
        cover_.take_back();
        if (added >= least) continue;
        least = added;
        best = cell;
      }
      cover_.cells[node] = best;
      cover_.use(best);
    }
  }

  /// The function of a node over the leaves, as its ANDs compute it. A cut's own table may be another one: it
  /// has lost the leaves that the function does not depend on, and it may look through a leaf on the way to
  /// another. kOther for a cone that is large or that the leaves do not end.
  GateKind kind_over(std::uint32_t node, const opt::SmallCut<4>& cut) {
    constexpr std::array<std::uint8_t, 3> kVariables = {0xAA, 0xCC, 0xF0};
    tables_.clear();
    for (unsigned i = 0; i < cut.size; ++i) tables_.push_back({cut.leaves[i], kVariables[i]});
    const auto table_of = [&](Lit lit) -> std::optional<unsigned> {
      for (const auto& [id, table] : tables_) {
        if (id == lit.node().index()) return lit.complemented() ? ~table & 0xFFU : table;
      }
      return std::nullopt;
    };
    stack_.assign(1, node);
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back();
      if (graph_.is_ci(at) || stack_.size() + tables_.size() > kMostConeNodes) return GateKind::kOther;
      const auto a = table_of(graph_.fanin0(at)), b = table_of(graph_.fanin1(at));
      if (!a) stack_.push_back(graph_.fanin0(at).node().index());
      if (!b) stack_.push_back(graph_.fanin1(at).node().index());
      if (!a || !b) continue;
      stack_.pop_back();
      if (!table_of(Lit(NodeId(at), false))) tables_.push_back({at, *a & *b});
    }
    return kind_table().of(tables_.back().second);
  }

  const AigStore& aig_;
  MapGraph graph_;
  GateKinds kinds_;
  dynomite::Stop& stop_;
  LutCover<kWidest> cover_;
  std::vector<Cell> cells_;  // by node, from `starts_`
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::pair<std::uint32_t, unsigned>> tables_;  // of nodes of a cone
};

}  // namespace

LutNetwork cover_by_gates(const AigStore& aig, GateKinds kinds, dynomite::Stop& stop) {
  return GateCover(aig, kinds, stop).run();
}

GateKind gate_kind(const LutNetwork& network, std::uint32_t lut) {
  return network.inputs_of(lut).size() > 3
             ? GateKind::kOther
             : kind_table().of(static_cast<unsigned>(network.functions[lut][0]));
}

}  // namespace dmt

#include "dmt_dialect/native/opt/extract_collapse.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/map/lut_function.hpp"
#include "dmt_dialect/native/map/lut_mapper.hpp"
#include "dmt_dialect/native/opt/bits.hpp"
#include "dmt_dialect/native/opt/cover.hpp"
#include "dmt_dialect/native/opt/factoring.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

/// Beyond so many ANDs a cone is not followed: cells may leave inputs away that their cones have.
constexpr std::size_t kMostCone = 256;

std::size_t literal_count(const std::vector<LutCube>& cubes) {
  std::size_t count = 0;
  for (const LutCube& cube : cubes)
    count += count_ones(static_cast<std::uint32_t>(cube.positive) << 8 | cube.negative);
  return count;
}

std::vector<std::uint32_t> levels_of(const AigStore& aig) {
  std::vector<std::uint32_t> levels(aig.node_count(), 0);
  for (std::uint32_t i = 1; i < aig.node_count(); ++i) {
    const NodeId id(i);
    if (aig.is_and(id))
      levels[i] = 1 + std::max(levels[aig.fanin0(id).node().index()], levels[aig.fanin1(id).node().index()]);
  }
  return levels;
}

/// What the recipes were made with: cells over few cuts share more divisors than the best cover does.
constexpr unsigned kFewCuts = 6;

class Collapser {
 public:
  Collapser(const AigStore& aig, const ExtractParams& params, ExtractStats& stats, dynomite::Stop& stop)
      : aig_(aig), params_(params), stats_(stats), stop_(stop) {}

  Collapsed run() {
    LutMapParams mapping;
    mapping.k = params_.k;
    mapping.area_only = params_.area;
    mapping.cuts = params_.cuts != 0 ? params_.cuts : kFewCuts;
    result_.cells = map_luts(aig_, mapping, nullptr, stop_);
    const LutNetwork& cells = result_.cells;
    if (params_.growth != 0) count_users();
    const std::vector<std::uint32_t> levels = levels_of(aig_);
    for (std::uint32_t ci = 0; ci < cells.first_lut(); ++ci)
      result_.literal_of.push_back(2 * result_.network.add_signal(0));
    result_.kept.assign(cells.first_lut() + cells.lut_count(), 0);
    for (std::uint32_t cell = 0; cell < cells.lut_count(); ++cell) {
      if (stop_.poll()) throw dynomite::LimitError("extraction was stopped");
      result_.network.add_signal(levels[cells.origins[cell].node().index()]);
      add_cell(cell);
    }
    stats_.nodes = cells.lut_count();
    return std::move(result_);
  }

 private:
  void add_cell(std::uint32_t cell) {
    const LutNetwork& cells = result_.cells;
    const Lit origin = cells.origins[cell];
    const std::uint32_t signal = cells.first_lut() + cell;
    // Roots that need both values have two cells for one node.
    const auto [place, fresh] = literal_of_node_.try_emplace(origin.node().index(), 0);
    if (!fresh) {
      result_.literal_of.push_back(place->second ^ static_cast<std::uint32_t>(origin.complemented()));
      return;
    }
    const auto variables = static_cast<unsigned>(cells.inputs_of(cell).size());
    const std::vector<LutCube> on = dmt::irredundant_cover(cells.functions[cell], variables);
    const std::vector<LutCube> off = dmt::irredundant_cover(~cells.functions[cell], variables);
    const bool flip = std::pair(literal_count(off), off.size()) < std::pair(literal_count(on), on.size());
    const std::vector<LutCube>& cover = flip ? off : on;
    if (cover.size() > params_.products || grows(cell, cover)) {
      result_.kept[signal] = 1;
      ++stats_.kept;
      result_.literal_of.push_back(2 * signal);
    } else {
      add_products(cell, signal, cover);
      result_.literal_of.push_back(2 * signal + static_cast<std::uint32_t>(flip));
    }
    place->second = result_.literal_of.back() ^ static_cast<std::uint32_t>(origin.complemented());
  }

  bool grows(std::uint32_t cell, const std::vector<LutCube>& cover) {
    if (params_.growth == 0 || literal_count(cover) < 3) return false;
    find_cone(cell);
    double own = 0;
    for (const std::uint32_t node : cone_) own += 1.0 / users_[node];
    const double most = own * params_.growth / 100;
    if (static_cast<double>(literal_count(cover)) <= most + 1) return false;
    cover_.clear();
    for (const LutCube& cube : cover) cover_.push_back({cube.positive, cube.negative});
    const std::vector<std::uint32_t> levels(result_.cells.inputs_of(cell).size(), 0);
    factor(cover_, levels, form_);
    return static_cast<double>(form_.gates.size()) > most;
  }

  void count_users() {
    users_.assign(aig_.node_count(), 0);
    mark_.assign(aig_.node_count(), 0);
    for (std::uint32_t cell = 0; cell < result_.cells.lut_count(); ++cell) {
      find_cone(cell);
      for (const std::uint32_t node : cone_) ++users_[node];
    }
    mark_.assign(aig_.node_count(), 0);
  }

  /// ANDs between a cell and its inputs.
  void find_cone(std::uint32_t cell) {
    const LutNetwork& cells = result_.cells;
    cone_.clear();
    if (!aig_.is_and(cells.origins[cell].node())) return;
    for (const std::uint32_t input : cells.inputs_of(cell)) mark_[node_of(input)] = cell + 1;
    cone_.push_back(cells.origins[cell].node().index());
    for (std::size_t i = 0; i < cone_.size() && cone_.size() < kMostCone; ++i) {
      const NodeId id(cone_[i]);
      for (const Lit fanin : {aig_.fanin0(id), aig_.fanin1(id)}) {
        const std::uint32_t node = fanin.node().index();
        if (mark_[node] == cell + 1 || !aig_.is_and(fanin.node())) continue;
        mark_[node] = cell + 1;
        cone_.push_back(node);
      }
    }
  }
  std::uint32_t node_of(std::uint32_t signal) const {
    const LutNetwork& cells = result_.cells;
    if (cells.is_lut(signal)) return cells.origins[signal - cells.first_lut()].node().index();
    if (signal < cells.input_count) return aig_.inputs()[signal].index();
    return aig_.latches()[signal - cells.input_count].node.index();
  }

  void add_products(std::uint32_t cell, std::uint32_t signal, const std::vector<LutCube>& cover) {
    const auto inputs = result_.cells.inputs_of(cell);
    for (const LutCube& cube : cover) {
      literals_.clear();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::uint32_t literal = result_.literal_of[inputs[i]];
        if (((cube.positive >> i) & 1U) != 0) literals_.push_back(literal);
        if (((cube.negative >> i) & 1U) != 0) literals_.push_back(literal ^ 1U);
      }
      std::sort(literals_.begin(), literals_.end());
      result_.network.attach(result_.network.add_cube(literals_), signal);
    }
    stats_.products += cover.size();
  }

  const AigStore& aig_;
  const ExtractParams& params_;
  ExtractStats& stats_;
  dynomite::Stop& stop_;
  Collapsed result_;
  std::unordered_map<std::uint32_t, std::uint32_t> literal_of_node_;
  std::vector<std::uint32_t> literals_, cone_;
  std::vector<std::uint32_t> mark_;   // of nodes: one more than the cell they were last seen for
  std::vector<std::uint32_t> users_;  // of nodes: cells they are in
  std::vector<Cube> cover_;
  GateList form_;
};

}  // namespace

Collapsed collapse(const AigStore& aig, const ExtractParams& params, ExtractStats& stats,
                   dynomite::Stop& stop) {
  return Collapser(aig, params, stats, stop).run();
}

}  // namespace dmt::opt

#include "dmt_dialect/native/opt/extract_collapse.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dmt_dialect/native/map/lut_function.hpp"
#include "dmt_dialect/native/map/lut_mapper.hpp"
#include "dmt_dialect/native/opt/bits.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

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

class Collapser {
 public:
  Collapser(const AigStore& aig, const ExtractParams& params, ExtractStats& stats, dynomite::Stop& stop)
      : aig_(aig), params_(params), stats_(stats), stop_(stop) {}

  Collapsed run() {
    LutMapParams mapping;
    mapping.k = params_.k;
    mapping.area_only = params_.area;
    result_.cells = map_luts(aig_, mapping, nullptr, stop_);
    const LutNetwork& cells = result_.cells;
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
    const std::vector<LutCube> on = irredundant_cover(cells.functions[cell], variables);
    const std::vector<LutCube> off = irredundant_cover(~cells.functions[cell], variables);
    const bool flip = std::pair(literal_count(off), off.size()) < std::pair(literal_count(on), on.size());
    const std::vector<LutCube>& cover = flip ? off : on;
    if (cover.size() > params_.products) {
      result_.kept[signal] = 1;
      ++stats_.kept;
      result_.literal_of.push_back(2 * signal);
    } else {
      add_products(cell, signal, cover);
      result_.literal_of.push_back(2 * signal + static_cast<std::uint32_t>(flip));
    }
    place->second = result_.literal_of.back() ^ static_cast<std::uint32_t>(origin.complemented());
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
  std::vector<std::uint32_t> literals_;
};

}  // namespace

Collapsed collapse(const AigStore& aig, const ExtractParams& params, ExtractStats& stats,
                   dynomite::Stop& stop) {
  return Collapser(aig, params, stats, stop).run();
}

}  // namespace dmt::opt

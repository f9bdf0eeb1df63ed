#include "hw_dialect/native/blif/written_names.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dynomite/native/base/error.hpp"
#include "hw_dialect/native/blif/port_names.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::NameTable;
using dmt::NodeId;

namespace {

class Planner {
 public:
  Planner(const AigStore& store, bool bench) : store_(store), bench_(bench) {}

  WrittenNames run() {
    plan_sources(store_.names().inputs, store_.inputs().size(), 'i', plan_.inputs);
    for (std::size_t k = 0; k < plan_.inputs.size(); ++k)
      source_.emplace(plan_.inputs[k], store_.inputs()[k]);
    plan_sources(store_.names().latches, store_.latches().size(), 'l', plan_.latches);
    for (std::size_t k = 0; k < plan_.latches.size(); ++k) {
      source_.emplace(plan_.latches[k], store_.latches()[k].node);
    }
    plan_outputs();
    plan_nodes();
    report("input", 'i', plan_.inputs.size());
    report("latch", 'l', plan_.latches.size());
    report("output", 'o', plan_.outputs.size());
    return std::move(plan_);
  }

 private:
  struct Counts {
    std::size_t unnamed = 0;
    std::size_t marked = 0;
    std::string first;  // written name of the first marked one
  };

  Counts& counts(char kind) { return counts_[kind == 'i' ? 0 : kind == 'l' ? 1 : 2]; }

  std::string marked(const std::string& name, char kind, std::size_t index) {
    std::string result = name;
    result += '%';
    result += kind;
    result += std::to_string(index);
    Counts& count = counts(kind);
    if (name.empty()) {
      ++count.unnamed;
    } else if (count.marked++ == 0) {
      count.first = result;
    }
    return result;
  }

  void plan_sources(const NameTable& names, std::size_t size, char kind, std::vector<std::string>& out) {
    out.reserve(size);
    for (std::size_t k = 0; k < size; ++k) {
      std::string name = escape_name(names.get(k), bench_);
      if (name.empty() || taken_.contains(name)) name = marked(name, kind, k);
      taken_.insert(name);
      out.push_back(std::move(name));
    }
  }

  void plan_outputs() {
    const NameTable& names = store_.names().outputs;
    plan_.outputs.reserve(store_.outputs().size());
    plan_.has_name.assign(store_.node_count(), false);
    std::unordered_set<std::string> used;
    for (std::size_t k = 0; k < store_.outputs().size(); ++k) {
      const Lit lit = store_.outputs()[k];
      std::string name = escape_name(names.get(k), bench_);
      const auto source = source_.find(name);
      bool is_node = source != source_.end() && lit == Lit(source->second, false) && !used.contains(name);
      if (!is_node && (name.empty() || taken_.contains(name))) name = marked(name, 'o', k);
      taken_.insert(name);
      if (is_node) {
        used.insert(name);
      } else if (!lit.complemented() && store_.is_and(lit.node()) && !plan_.has_name[lit.node().index()]) {
        name_node(lit.node(), name);
        is_node = true;
      }
      plan_.output_is_node.push_back(is_node);
      plan_.outputs.push_back(std::move(name));
    }
  }

  void name_node(NodeId node, const std::string& name) {
    plan_.has_name[node.index()] = true;
    plan_.nodes.emplace(node.index(), name);
  }

  void plan_nodes() {
    const auto numbered = [](const std::string& name) {
      return name.size() > 1 && name[0] == 'n' &&
             std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    for (const dmt::NetName& net : store_.net_names()) {
      const NodeId node = net.lit.node();
      if (net.lit.complemented() || !store_.contains(net.lit) || !store_.is_and(node)) continue;
      const std::string name = escape_name(net.name, bench_);
      if (name.empty() || plan_.has_name[node.index()] || !taken_.insert(name).second) continue;
      name_node(node, name);
    }
    plan_.node_prefix = std::any_of(taken_.begin(), taken_.end(), numbered) ? "%n" : "n";
  }

  void report(const char* what, char kind, std::size_t size) {
    const Counts& count = counts(kind);
    const std::string plural = std::string(what) + (kind == 'l' ? "es" : "s");
    if (count.unnamed != 0) {
      plan_.notes.push_back(std::to_string(count.unnamed) + " of " + std::to_string(size) + " " + plural +
                            " have no name and are written as %" + kind + "0, %" + kind +
                            "1, ... by their number; reading drops such names again");
    }
    if (count.marked != 0) {
      plan_.notes.push_back(
          std::to_string(count.marked) + " of " + std::to_string(size) + " " + plural +
          " share their name with another signal and are written with a mark, the first as " + count.first +
          "; reading drops the mark again");
    }
  }

  const AigStore& store_;
  const bool bench_;
  WrittenNames plan_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, NodeId> source_;  // inputs and latches by written name
  Counts counts_[3];
};

/// What neither format can express ("2 bad, 1 fairness"), or an empty string.
std::string list_properties(const AigStore& store) {
  std::string list;
  const auto add = [&list](std::size_t count, const char* what) {
    if (count == 0) return;
    if (!list.empty()) list += ", ";
    list += std::to_string(count);
    list += what;
  };
  add(store.bad().size(), " bad");
  add(store.constraints().size(), " constraint");
  add(store.justice().size(), " justice");
  add(store.fairness().size(), " fairness");
  return list;
}

}  // namespace

WrittenNames plan_names(const AigStore& store, bool bench, bool drop_properties) {
  const std::string properties = list_properties(store);
  if (!properties.empty() && !drop_properties) {
    throw dynomite::UsageError(std::string(bench ? ".bench" : "BLIF") +
                               " cannot hold the circuit's properties (" + properties +
                               "); ask for them to be dropped");
  }
  WrittenNames names = Planner(store, bench).run();
  if (!properties.empty()) names.notes.push_back("properties were dropped: " + properties);
  return names;
}

}  // namespace hw

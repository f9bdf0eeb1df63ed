#include "dynomite/native/rewrite/decision_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "dynomite/native/rewrite/variants.hpp"

namespace dynomite::rewrite {

namespace {

/// Bits that tell a number from all others of that many bits, sign included.
std::uint32_t signed_bits(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  return 65 - static_cast<std::uint32_t>(magnitude == 0 ? 64 : __builtin_clzll(magnitude));
}

}  // namespace

std::uint32_t DecisionTree::by_constant(const ir::Attributes& attributes, const Node& node,
                                        const ir::FatDynObjRef& ref) const {
  const std::uint32_t width = constant_width(attributes, ref);
  if (width < node.narrowest) return node.narrow;
  if (node.by_literal.empty()) return node.constant;
  std::int64_t unsigned_value = 0, signed_value = 0;
  if (ref.kind == ir::kind::kConstant) {
    unsigned_value = ref.payload >> 63 == 0 ? static_cast<std::int64_t>(ref.payload) : -1;
    signed_value = static_cast<std::int64_t>(ref.payload << (64 - width)) >> (64 - width);
    if (ref.payload >> 63 != 0) unsigned_value = signed_value;
  } else {
    const Integer value = constant_value(attributes, ref);
    const auto small = value.small();
    const auto below = (value - Integer(1).shifted_left(width)).small();
    if (!small && !below) return node.constant;
    unsigned_value = small ? *small : *below;
    signed_value = below ? *below : *small;
  }
  if (const std::uint32_t* next = find(node.by_literal, unsigned_value)) return *next;
  if (const std::uint32_t* next = find(node.by_literal, signed_value)) return *next;
  return node.constant;
}

/// Builds the trees of all operations.
class TreeBuilder {
 public:
  TreeBuilder(std::span<const CompiledRule> rules, DecisionTree& tree) : rules_(rules), tree_(tree) {
    for (std::uint32_t i = 0; i < rules.size(); ++i) {
      for (Variant& variant : variants_of(rules[i].rule, i)) variants_.push_back(std::move(variant));
    }
    list_asked();
    most_nodes_ = 256 + 64 * variants_.size();
  }

  void run() {
    std::map<std::uint16_t, std::vector<std::uint32_t>> by_opcode;
    std::vector<std::uint32_t> anywhere;
    for (std::uint32_t i = 0; i < variants_.size(); ++i) {
      const PatternNode& root = rule_of(i).nodes[rule_of(i).root];
      if (root.opcodes.empty()) anywhere.push_back(i);
      for (const std::uint16_t opcode : root.opcodes) by_opcode[opcode].push_back(i);
    }
    tree_.nodes_.assign(1, {});
    tree_.nodes_[0].candidates = candidates_in(anywhere);
    tree_.roots_.assign(0x10000, 0);
    for (auto& [opcode, list] : by_opcode) {
      list.insert(list.end(), anywhere.begin(), anywhere.end());
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      tree_.roots_[opcode] = build(list);
    }
    tree_.variants_ = std::move(variants_);
  }

 private:
  using Path = std::vector<std::uint32_t>;
  /// A node to be filled in: what may match there, and what is known.
  struct Job {
    std::uint32_t node;
    std::vector<std::uint32_t> variants;
    std::map<Path, std::uint16_t> known;  // instructions
    std::vector<Path> tested;
  };

  const Rule& rule_of(std::uint32_t variant) const { return rules_[variants_[variant].rule].rule; }

  std::vector<Candidate> candidates_in(const std::vector<std::uint32_t>& list) const {
    std::vector<Candidate> found;
    for (const std::uint32_t variant : list) {
      const bool is_whole = variants_[variant].is_whole;
      const Candidate candidate{variants_[variant].rule, is_whole ? variant : kNoSlot};
      if (found.empty() || found.back() != candidate) found.push_back(candidate);
    }
    return found;
  }

  /// What a variant asks of an operand.
  const PatternNode* asked(std::uint32_t variant, const Path& path) const {
    for (const auto& [own, node] : asked_[variant]) {
      if (own == path) return &rule_of(variant).nodes[node];
    }
    return nullptr;
  }

  void list_asked() {
    asked_.resize(variants_.size());
    for (std::uint32_t i = 0; i < variants_.size(); ++i) {
      std::map<std::uint32_t, Path> lists = {{rule_of(i).root, Path()}};
      for (const LineOp& op : variants_[i].ops) {
        if (op.op != MatchOp::kConst && op.op != MatchOp::kEnter) continue;
        Path path = lists.at(op.list);
        path.push_back(op.at);
        if (op.op == MatchOp::kEnter) lists[op.a] = path;
        const PatternNode& node = rule_of(i).nodes[op.a];
        if (op.op == MatchOp::kConst || !node.opcodes.empty()) asked_[i].emplace_back(std::move(path), op.a);
      }
    }
  }

  std::uint32_t make_node() {
    tree_.nodes_.emplace_back();
    return static_cast<std::uint32_t>(tree_.nodes_.size() - 1);
  }

  std::uint32_t build(const std::vector<std::uint32_t>& list) {
    const std::uint32_t root = make_node();
    jobs_.clear();
    jobs_.push_back({root, list, {{Path(), std::uint16_t{0}}}, {}});
    for (std::size_t i = 0; i < jobs_.size(); ++i) fill(i);
    tree_.nodes_[root].candidates = candidates_in(list);
    return root;
  }

  /// The operand that most variants ask about, of those that can be looked at.
  std::optional<Path> best_path(const Job& job) const {
    std::map<Path, std::size_t> votes;
    for (const std::uint32_t variant : job.variants) {
      for (const auto& [path, node] : asked_[variant]) {
        const Path around(path.begin(), path.end() - 1);
        if (!job.known.contains(around)) continue;
        if (std::find(job.tested.begin(), job.tested.end(), path) != job.tested.end()) continue;
        ++votes[path];
      }
    }
    std::optional<Path> best;
    std::size_t most = 0;
    for (const auto& [path, count] : votes) {
      if (count < most) continue;
      best = path;
      most = count;
    }
    return best;
  }

  /// Nothing is left to tell apart: one rule, whose first form has got all it asks for.
  bool is_settled(const Job& job) const {
    if (job.variants.empty()) return true;
    const std::uint32_t first = job.variants.front();
    for (const std::uint32_t variant : job.variants) {
      if (variants_[variant].rule != variants_[first].rule) return false;
    }
    return std::all_of(asked_[first].begin(), asked_[first].end(), [&](const auto& asked) {
      return std::find(job.tested.begin(), job.tested.end(), asked.first) != job.tested.end();
    });
  }

  void fill(std::size_t index) {
    const Job job = jobs_[index];
    const std::vector<Candidate> candidates = candidates_in(job.variants);
    std::optional<Path> path;
    if (!is_settled(job) && tree_.nodes_.size() < most_nodes_) path = best_path(job);
    if (!path) {
      tree_.nodes_[job.node].candidates = candidates;
      return;
    }
    split(job, *path);
  }

  std::uint32_t child(const Job& job, std::vector<std::uint32_t> list, const Path& path,
                      std::optional<std::uint16_t> known = {}) {
    Job next{make_node(), std::move(list), job.known, job.tested};
    next.tested.push_back(path);
    if (known) next.known[path] = *known;
    const std::uint32_t node = next.node;
    jobs_.push_back(std::move(next));
    return node;
  }

  void split(const Job& job, const Path& path) {
    std::vector<std::uint32_t> opcodes;
    std::vector<std::int64_t> literals;
    std::uint32_t narrowest = 1;
    for (const std::uint32_t variant : job.variants) {
      const PatternNode* node = asked(variant, path);
      if (node == nullptr) continue;
      if (node->kind == PatternKind::kInstr) {
        opcodes.insert(opcodes.end(), node->opcodes.begin(), node->opcodes.end());
      } else if (const auto literal = literal_of(*node)) {
        literals.push_back(*literal);
        narrowest = std::max(narrowest, signed_bits(*literal));
      }
    }
    sort_unique(opcodes);
    sort_unique(literals);
    const Path around(path.begin(), path.end() - 1);
    const auto to = static_cast<std::uint16_t>(job.known.size());
    tree_.known_count_ = std::max<std::size_t>(tree_.known_count_, std::size_t{to} + 1);

    DecisionTree::Node filled;
    filled.is_leaf = false;
    filled.from = job.known.at(around);
    filled.to = to;
    filled.index = path.back();
    filled.narrowest = narrowest;
    for (const std::uint32_t opcode : opcodes) {
      const auto raw = static_cast<std::uint16_t>(opcode);
      const auto fits = [&](const PatternNode& node) {
        return node.kind == PatternKind::kInstr && is_one_of(node.opcodes, raw);
      };
      filled.by_opcode.emplace_back(raw, child(job, select(job, path, fits), path, to));
    }
    for (const std::int64_t literal : literals) {
      const auto fits = [&](const PatternNode& node) {
        if (node.kind != PatternKind::kConst) return false;
        const auto own = literal_of(node);
        return !own || *own == literal;
      };
      filled.by_literal.emplace_back(literal, child(job, select(job, path, fits), path));
    }
    filled.constant = child(
        job,
        select(job, path,
               [](const PatternNode& node) { return node.kind == PatternKind::kConst && !literal_of(node); }),
        path);
    filled.narrow = child(
        job, select(job, path, [](const PatternNode& node) { return node.kind == PatternKind::kConst; }),
        path);
    filled.other = child(job, select(job, path, [](const PatternNode&) { return false; }), path);
    tree_.nodes_[job.node] = std::move(filled);
  }

  /// A literal that constants can be told apart by.
  static std::optional<std::int64_t> literal_of(const PatternNode& node) {
    if (node.params[0].kind != Param::Kind::kLiteral) return std::nullopt;
    return node.params[0].literal.small();
  }

  /// Variants that ask nothing of the operand, or something that fits.
  template <typename Fits>
  std::vector<std::uint32_t> select(const Job& job, const Path& path, Fits fits) const {
    std::vector<std::uint32_t> list;
    for (const std::uint32_t variant : job.variants) {
      const PatternNode* node = asked(variant, path);
      if (node == nullptr || fits(*node)) list.push_back(variant);
    }
    return list;
  }

  template <typename T>
  static void sort_unique(std::vector<T>& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  std::span<const CompiledRule> rules_;
  DecisionTree& tree_;
  std::vector<Variant> variants_;
  std::vector<std::vector<std::pair<Path, std::uint32_t>>> asked_;  // of each variant: paths, nodes
  std::size_t most_nodes_ = 0;
  std::vector<Job> jobs_;
};

DecisionTree::DecisionTree(std::span<const CompiledRule> rules) { TreeBuilder(rules, *this).run(); }

}  // namespace dynomite::rewrite

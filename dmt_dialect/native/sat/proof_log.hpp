#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "dmt_dialect/native/aig/lit.hpp"

namespace dmt {

/// Writes a clausal proof (DRAT, text form; every step is a RUP step) over the CNF variables of a miter.
/// Nodes of the growing swept AIG are given variables by `set_variable`; a node stands for the circuit node
/// whose variable it carries. Output is buffered; `close` reports write errors.
class ProofLog {
 public:
  /// Opens `path` for writing. Throws UsageError if it cannot be written.
  explicit ProofLog(const std::string& path);
  ProofLog(const ProofLog&) = delete;
  ProofLog& operator=(const ProofLog&) = delete;
  ~ProofLog();

  void set_variable(NodeId node, std::uint32_t variable) {
    if (node.index() >= variables_.size()) variables_.resize(node.index() + 1, 0);
    variables_[node.index()] = variable;
  }
  std::uint32_t variable(NodeId node) const { return variables_[node.index()]; }
  /// Forgets the variables of all nodes: a new AIG follows.
  void clear_variables() { variables_.clear(); }

  void literal(Lit lit) { dimacs(number(lit)); }
  /// A literal of the growing AIG as a signed DIMACS number.
  std::int64_t number(Lit lit) const {
    const auto variable = static_cast<std::int64_t>(variables_[lit.node().index()]);
    return lit.complemented() ? -variable : variable;
  }
  /// A literal given as a signed DIMACS number.
  void dimacs(std::int64_t lit);
  void end();
  /// Anything else: a comment, a header.
  void text(std::string_view lines) { buffer_.append(lines); }
  /// Flushes; throws UsageError when the disk did not take it all.
  void close();
  std::uint64_t steps() const { return steps_; }

 private:
  void flush();
  std::FILE* file_;
  std::string path_;
  std::string buffer_;
  std::vector<std::uint32_t> variables_;
  std::uint64_t steps_ = 0;
};

}  // namespace dmt

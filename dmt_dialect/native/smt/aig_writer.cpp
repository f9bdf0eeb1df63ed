#include <charconv>
#include <unordered_set>

#include "dmt_dialect/native/smt/lexer.hpp"
#include "dmt_dialect/native/smt/operators.hpp"
#include "dmt_dialect/native/smt/term_writer.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::smt {

namespace {

class AigWriter {
 public:
  AigWriter(const AigStore& aig, dynomite::ByteSink& sink, dynomite::Stop& stop)
      : aig_(aig), sink_(sink), stop_(stop) {}

  void write() {
    put("(set-logic QF_BV)\n");
    names_.resize(aig_.node_count());
    for (std::uint32_t i = 0; i < aig_.inputs().size(); ++i) {
      declare(aig_.inputs()[i], aig_.names().inputs.get(i), "i", i);
    }
    for (std::uint32_t i = 0; i < aig_.latches().size(); ++i) {
      declare(aig_.latches()[i].node, aig_.names().latches.get(i), "l", i);
    }
    for (std::uint32_t node = 1; node < aig_.node_count(); ++node) {
      if (stop_.poll()) throw dynomite::LimitError("writing was stopped");
      const NodeId id(node);
      if (!aig_.is_and(id)) continue;
      const std::string name = fresh("n" + std::to_string(node));
      put("(define-fun " + name + " () Bool (and " + text(aig_.fanin0(id)) + ' ' + text(aig_.fanin1(id)) +
          "))\n");
      names_[node] = name;
    }
    define_all(aig_.outputs(), aig_.names().outputs, "o");
    for (std::uint32_t i = 0; i < aig_.latches().size(); ++i) {
      put("(define-fun " + fresh("next" + std::to_string(i)) + " () Bool " + text(aig_.latches()[i].next) +
          ")\n");
    }
    const std::vector<std::string> bad = define_all(aig_.bad(), aig_.names().bad, "b");
    for (const std::string& name : define_all(aig_.constraints(), aig_.names().constraints, "c")) {
      put("(assert " + name + ")\n");
    }
    some_is_true(bad.empty() ? outputs_ : bad);
    put("(check-sat)\n");
  }

 private:
  void put(const std::string& text) {
    buffer_ += text;
    if (buffer_.size() > (std::size_t{1} << 16) || text == "(check-sat)\n") {
      sink_.write(buffer_.data(), buffer_.size());
      buffer_.clear();
    }
  }

  /// A name nothing else has.
  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (std::uint32_t i = 1;
         name == "true" || name == "false" || find_operator(name) != nullptr || !taken_.insert(name).second;
         ++i) {
      name = wanted + '!' + std::to_string(i);
    }
    return symbol_text(name);
  }

  std::string port_name(std::string_view name, const char* kind, std::uint32_t i) {
    std::string wanted = name.empty() ? kind + std::to_string(i) : std::string(name);
    for (char& c : wanted) {
      if (c == '|' || c == '\\') c = '_';  // no symbol can hold them
    }
    return fresh(wanted);
  }

  void declare(NodeId node, std::string_view name, const char* kind, std::uint32_t i) {
    names_[node.index()] = port_name(name, kind, i);
    put("(declare-const " + names_[node.index()] + " Bool)\n");
  }

  std::vector<std::string> define_all(const std::vector<Lit>& lits, const NameTable& names,
                                      const char* kind) {
    std::vector<std::string> defined;
    for (std::uint32_t i = 0; i < lits.size(); ++i) {
      defined.push_back(port_name(names.get(i), kind, i));
      put("(define-fun " + defined.back() + " () Bool " + text(lits[i]) + ")\n");
    }
    if (kind[0] == 'o') outputs_ = defined;
    return defined;
  }

  void some_is_true(const std::vector<std::string>& names) {
    if (names.size() < 2) {
      put("(assert " + (names.empty() ? std::string("false") : names[0]) + ")\n");
      return;
    }
    std::string text = "(assert (or";
    for (const std::string& name : names) text += ' ' + name;
    put(text + "))\n");
  }

  std::string text(Lit lit) const {
    if (lit.node() == kConstNode) return lit.complemented() ? "true" : "false";
    const std::string& name = names_[lit.node().index()];
    return lit.complemented() ? "(not " + name + ')' : name;
  }

  const AigStore& aig_;
  dynomite::ByteSink& sink_;
  dynomite::Stop& stop_;
  std::string buffer_;
  std::vector<std::string> names_;
  std::vector<std::string> outputs_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

void write_aig(const AigStore& aig, dynomite::ByteSink& sink, dynomite::Stop& stop) {
  AigWriter(aig, sink, stop).write();
}

}  // namespace dmt::smt

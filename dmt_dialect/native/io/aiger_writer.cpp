#include "dmt_dialect/native/io/aiger_writer.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "dmt_dialect/native/io/aiger_delta.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt {

using dynomite::ByteSink;
using dynomite::LimitError;
using dynomite::Stop;
using dynomite::UsageError;

namespace {

/// Bytes gathered before the sink is asked; fits the second-level cache.
constexpr std::size_t kChunk = std::size_t{1} << 17;
/// Most bytes that one AND takes: two codes of 5, of which the second touches 8; three numbers and blanks.
constexpr std::size_t kMostBinary = 13;
constexpr std::size_t kMostAscii = 36;

char* put_number(char* at, std::uint32_t value) { return std::to_chars(at, at + 10, value).ptr; }

void append_number(std::string& text, std::size_t value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void check_stop(Stop& stop) {
  if (stop.poll_clock()) throw LimitError("writing was stopped");
}

}  // namespace

AigerWriter::AigerWriter(const AigStore& store, bool binary)
    : binary_(binary),
      nodes_(store.nodes().data()),
      node_count_(store.node_count()),
      first_var_(static_cast<std::uint32_t>(store.inputs().size() + store.latches().size() + 1)),
      owner_(store.node_array().share()) {
  if (!store.has_aiger_layout()) number_nodes(store);
  put_head(store);
  put_tail(store);
}

void AigerWriter::number_nodes(const AigStore& store) {
  vars_.assign(node_count_, 0);
  std::uint32_t next = 1;
  for (const NodeId id : store.inputs()) vars_[id.index()] = next++;
  for (const Latch& latch : store.latches()) vars_[latch.node.index()] = next++;
  for (std::uint32_t i = 1; i < node_count_; ++i) {
    if (store.is_and(NodeId(i))) vars_[i] = next++;
  }
}

void AigerWriter::put_head(const AigStore& store) {
  std::string& head = head_;
  head = binary_ ? "aig" : "aag";
  const std::size_t counts[] = {
      node_count_ - 1U,           store.inputs().size(),    store.latches().size(),
      store.outputs().size(),     node_count_ - first_var_, store.bad().size(),
      store.constraints().size(), store.justice().size(),   store.fairness().size()};
  std::size_t fields = std::size(counts);
  while (fields > 5 && counts[fields - 1] == 0) --fields;
  for (std::size_t i = 0; i < fields; ++i) {
    head += ' ';
    append_number(head, counts[i]);
  }
  head += '\n';
  const auto put_lines = [&](const std::vector<Lit>& lits) {
    for (const Lit lit : lits) {
      append_number(head, raw(lit));
      head += '\n';
    }
  };
  if (!binary_) {
    for (const NodeId id : store.inputs()) {
      append_number(head, raw(Lit(id, false)));
      head += '\n';
    }
  }
  for (const Latch& latch : store.latches()) {
    const std::uint32_t own = raw(Lit(latch.node, false));
    if (!binary_) {
      append_number(head, own);
      head += ' ';
    }
    append_number(head, raw(latch.next));
    if (latch.reset == Reset::kOne) head += " 1";
    if (latch.reset == Reset::kUninitialised) {
      head += ' ';
      append_number(head, own);
    }
    head += '\n';
  }
  put_lines(store.outputs());
  put_lines(store.bad());
  put_lines(store.constraints());
  for (const auto& group : store.justice()) {
    append_number(head, group.size());
    head += '\n';
  }
  for (const auto& group : store.justice()) put_lines(group);
  put_lines(store.fairness());
}

void AigerWriter::put_names(const NameTable& names, std::size_t ports, char kind) {
  if (names.empty()) return;
  for (std::size_t i = 0; i < ports; ++i) {
    if (!names.has(i)) continue;
    const std::string_view name = names.get(i);
    if (name.find('\n') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
      throw UsageError(std::string("AIGER cannot hold the name of ") + kind + std::to_string(i) +
                       ": it has a line end or a NUL byte");
    }
    tail_ += kind;
    append_number(tail_, i);
    tail_ += ' ';
    tail_ += name;
    tail_ += '\n';
  }
}

void AigerWriter::put_tail(const AigStore& store) {
  const AigStore::Names& names = store.names();
  put_names(names.inputs, store.inputs().size(), 'i');
  put_names(names.latches, store.latches().size(), 'l');
  put_names(names.outputs, store.outputs().size(), 'o');
  put_names(names.bad, store.bad().size(), 'b');
  put_names(names.constraints, store.constraints().size(), 'c');
  put_names(names.justice, store.justice().size(), 'j');
  put_names(names.fairness, store.fairness().size(), 'f');
  if (store.comments().empty()) return;
  tail_ += "c\n";
  for (const std::string& line : store.comments()) {
    if (line.find('\n') != std::string::npos) {
      throw UsageError("a comment line of an AIGER file cannot have a line end in it; use several lines");
    }
    tail_ += line;
    tail_ += '\n';
  }
}

void AigerWriter::write(ByteSink& sink, Stop& stop) const {
  sink.write(head_.data(), head_.size());
  if (binary_) {
    write_binary_ands(sink, stop);
  } else {
    write_ascii_ands(sink, stop);
  }
  sink.write(tail_.data(), tail_.size());
}

void AigerWriter::write_binary_ands(ByteSink& sink, Stop& stop) const {
  std::vector<unsigned char> buffer(kChunk);
  std::uint32_t lhs = 2 * first_var_;
  // With the layout of AIGER, ANDs are all that follows; else they are looked for.
  std::uint32_t i = vars_.empty() ? first_var_ : 1;
  while (i < node_count_) {
    unsigned char* at = buffer.data();
    const std::uint32_t stop_at =
        i + std::min<std::uint32_t>(node_count_ - i, static_cast<std::uint32_t>(kChunk / kMostBinary));
    if (vars_.empty()) {
      for (; i < stop_at; ++i, lhs += 2) {
        const std::uint32_t a = nodes_[i].fanin0.raw();
        const std::uint32_t b = nodes_[i].fanin1.raw();
        at = aiger::encode_delta(at, lhs - std::max(a, b));
        at = aiger::encode_delta(at, std::max(a, b) - std::min(a, b));
      }
    } else {
      for (; i < stop_at; ++i) {
        if (nodes_[i].fanin0 == AigStore::kNotAnd) continue;
        const std::uint32_t a = raw(nodes_[i].fanin0);
        const std::uint32_t b = raw(nodes_[i].fanin1);
        at = aiger::encode_delta(at, lhs - std::max(a, b));
        at = aiger::encode_delta(at, std::max(a, b) - std::min(a, b));
        lhs += 2;
      }
    }
    sink.write(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(at - buffer.data()));
    check_stop(stop);
  }
}

void AigerWriter::write_ascii_ands(ByteSink& sink, Stop& stop) const {
  std::vector<char> buffer(kChunk);
  std::uint32_t i = vars_.empty() ? first_var_ : 1;
  while (i < node_count_) {
    char* at = buffer.data();
    const std::uint32_t stop_at =
        i + std::min<std::uint32_t>(node_count_ - i, static_cast<std::uint32_t>(kChunk / kMostAscii));
    for (; i < stop_at; ++i) {
      if (nodes_[i].fanin0 == AigStore::kNotAnd) continue;
      at = put_number(at, 2 * var(NodeId(i)));
      *at++ = ' ';
      at = put_number(at, raw(nodes_[i].fanin0));
      *at++ = ' ';
      at = put_number(at, raw(nodes_[i].fanin1));
      *at++ = '\n';
    }
    sink.write(buffer.data(), static_cast<std::size_t>(at - buffer.data()));
    check_stop(stop);
  }
}

}  // namespace dmt

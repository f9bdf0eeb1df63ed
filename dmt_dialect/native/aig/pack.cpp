#include "dmt_dialect/native/aig/pack.hpp"

#include <cstddef>
#include <utility>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

constexpr std::string_view kMagic = "dynoAIG";
constexpr char kVersion = 1;
constexpr std::size_t kHeader = kMagic.size() + 1;
constexpr std::size_t kChecksum = 8;
/// In place of an AND's first difference, which is at least 1.
constexpr std::uint64_t kPort = 0;

// Signed differences as unsigned numbers: 0, -1, 1, -2...
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

class Packer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) out_.push_back(static_cast<char>(value | 128));
    out_.push_back(static_cast<char>(value));
  }
  void text(std::string_view text) {
    number(text.size());
    out_.append(text);
  }
  void lits(const std::vector<Lit>& lits) {
    number(lits.size());
    for (const Lit lit : lits) number(lit.raw());
  }
  void names(const NameTable& names, std::size_t count) {
    number(names.count());
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!names.has(i)) continue;
      number(i - last);
      text(names.get(i));
      last = i;
    }
  }
  void nodes(const AigStore& store) {
    number(store.node_count());
    for (std::uint32_t i = 1; i < store.node_count(); ++i) {
      const Node& node = store.nodes()[i];
      if (node.fanin0 == AigStore::kNotAnd) {
        number(kPort);
        out_.push_back(store.is_latch(NodeId(i)) ? 'L' : 'I');
      } else {
        number(2 * std::uint64_t{i} - node.fanin0.raw());
        number(zigzag(std::int64_t{node.fanin0.raw()} - std::int64_t{node.fanin1.raw()}));
      }
    }
  }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {
    if (bytes.substr(0, kMagic.size()) != kMagic) fail("not a packed AIG");
    if (bytes.size() < kHeader + kChecksum) fail("a packed AIG that is cut short");
    if (bytes[kMagic.size()] != kVersion) {
      fail("a packed AIG of version " + std::to_string(static_cast<unsigned char>(bytes[kMagic.size()])) +
           "; this program reads version 1");
    }
    end_ = bytes.size() - kChecksum;
    std::uint64_t sum = 0;
    for (std::size_t k = 8; k-- > 0;) sum = (sum << 8) | static_cast<unsigned char>(bytes[end_ + k]);
    if (sum != pack_checksum(bytes.substr(0, end_)))
      fail("a packed AIG that was changed or cut short (checksum)");
    at_ = kHeader;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw dynomite::ParseError("<bytes>", {0, 0, at_}, message);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == end_) fail("unexpected end");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift > 35 || (shift == 35 && byte > 1)) fail("a number that is too large");
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  }
  /// A number of things that take at least one byte each.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > end_ - at_) fail("a count that exceeds the data");
    return static_cast<std::size_t>(value);
  }
  std::string_view text() {
    const std::size_t size = count();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  Lit lit(const AigStore& store) {
    const std::uint64_t raw = number();
    if (raw / 2 >= store.node_count()) fail("a literal without a node");
    return Lit::from_raw(static_cast<std::uint32_t>(raw));
  }
  std::vector<Lit> lits(const AigStore& store) {
    const std::size_t size = count();
    std::vector<Lit> result;
    result.reserve(size);
    for (std::size_t i = 0; i < size; ++i) result.push_back(lit(store));
    return result;
  }
  void names(NameTable& names, std::size_t ports) {
    const std::size_t size = count();
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t step = number();
      if (i != 0 && step == 0) fail("a port with two names");
      index += step;
      if (index >= ports) fail("a name without a port");
      names.set(static_cast<std::size_t>(index), name_text());
    }
  }
  std::string_view name_text() {
    const std::string_view name = text();
    if (name.empty() || name.find_first_of(std::string_view("\n\0", 2)) != std::string_view::npos) {
      fail("a name that is empty or holds a line end or a NUL byte");
    }
    return name;
  }
  AigStore nodes() {
    AigStore store;
    const std::size_t size = count();
    if (size == 0 || size > AigStore::kMaxNodes) fail("a wrong number of nodes");
    store.reserve(size);
    for (std::uint64_t i = 1; i < size; ++i) {
      const std::uint64_t first = number();
      if (first == kPort) {
        const char kind = at_ == end_ ? '?' : bytes_[at_++];
        if (kind == 'I') {
          store.add_input();
        } else if (kind == 'L') {
          store.add_latch();
        } else {
          fail("an unknown kind of node");
        }
        continue;
      }
      if (first > 2 * i) fail("a fanin that does not precede its node");
      const std::uint64_t fanin0 = 2 * i - first;
      const std::int64_t fanin1 = static_cast<std::int64_t>(fanin0) - unzigzag(number());
      if (fanin1 < 0 || static_cast<std::uint64_t>(fanin1) >= 2 * i) {
        fail("a fanin that does not precede its node");
      }
      store.append_and(Lit::from_raw(static_cast<std::uint32_t>(fanin0)),
                       Lit::from_raw(static_cast<std::uint32_t>(fanin1)));
    }
    return store;
  }
  void finish() const {
    if (at_ != end_) fail("bytes behind the end");
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

std::uint64_t pack_checksum(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  const auto take = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15ULL;
    sum ^= sum >> 29;
  };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 8; k-- > 0;) word = (word << 8) | static_cast<unsigned char>(bytes[i + k]);
    take(word);
  }
  for (; i < bytes.size(); ++i) take(static_cast<unsigned char>(bytes[i]));
  return sum;
}

std::string pack(const AigStore& store) {
  Packer packer;
  packer.out().append(kMagic);
  packer.out().push_back(kVersion);
  packer.nodes(store);
  for (const Latch& latch : store.latches()) {
    packer.number(static_cast<std::uint64_t>(latch.reset));
    packer.number(latch.next.raw());
  }
  packer.lits(store.outputs());
  packer.lits(store.bad());
  packer.lits(store.constraints());
  packer.lits(store.fairness());
  packer.number(store.justice().size());
  for (const auto& group : store.justice()) packer.lits(group);
  const auto& names = store.names();
  packer.names(names.inputs, store.inputs().size());
  packer.names(names.latches, store.latches().size());
  packer.names(names.outputs, store.outputs().size());
  packer.names(names.bad, store.bad().size());
  packer.names(names.constraints, store.constraints().size());
  packer.names(names.justice, store.justice().size());
  packer.names(names.fairness, store.fairness().size());
  packer.number(store.net_names().size());
  for (const NetName& net : store.net_names()) {
    packer.number(net.lit.raw());
    packer.text(net.name);
  }
  packer.number(store.comments().size());
  for (const std::string& line : store.comments()) packer.text(line);
  packer.text(store.name());
  std::uint64_t sum = pack_checksum(packer.out());
  for (std::size_t k = 0; k < kChecksum; ++k, sum >>= 8) packer.out().push_back(static_cast<char>(sum));
  return std::move(packer.out());
}

AigStore unpack(std::string_view bytes) {
  Unpacker in(bytes);
  AigStore store = in.nodes();
  for (std::uint32_t i = 0; i < store.latches().size(); ++i) {
    const std::uint64_t reset = in.number();
    if (reset > static_cast<std::uint64_t>(Reset::kUninitialised)) in.fail("an unknown reset value");
    store.set_reset(i, static_cast<Reset>(reset));
    store.set_next(i, in.lit(store));
  }
  store.outputs() = in.lits(store);
  store.bad() = in.lits(store);
  store.constraints() = in.lits(store);
  store.fairness() = in.lits(store);
  const std::size_t groups = in.count();
  for (std::size_t i = 0; i < groups; ++i) store.justice().push_back(in.lits(store));
  auto& names = store.names();
  in.names(names.inputs, store.inputs().size());
  in.names(names.latches, store.latches().size());
  in.names(names.outputs, store.outputs().size());
  in.names(names.bad, store.bad().size());
  in.names(names.constraints, store.constraints().size());
  in.names(names.justice, store.justice().size());
  in.names(names.fairness, store.fairness().size());
  const std::size_t nets = in.count();
  for (std::size_t i = 0; i < nets; ++i) {
    const Lit lit = in.lit(store);
    store.net_names().push_back({lit, std::string(in.name_text())});
  }
  const std::size_t lines = in.count();
  for (std::size_t i = 0; i < lines; ++i) {
    store.comments().emplace_back(in.text());
    if (store.comments().back().find('\n') != std::string::npos) in.fail("a comment line with a line end");
  }
  store.name() = in.text();
  in.finish();
  return store;
}

}  // namespace dmt
